//! How a text is to be judged, and what was found in it.

use ptxcvt::{IsaVersion, Target};

use super::stats::Stats;
use crate::diagnostic::{Diagnostic, Severity};

/// How to judge.
///
/// ```
/// use ptxcvt_syntax::CheckOptions;
/// let options = CheckOptions::default().target("sm_90".parse().ok()).snippet(true);
/// assert!(options.snippet && options.isa.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// This target, whatever the module says.
    pub target: Option<Target>,
    /// This version, whatever the module says.
    pub isa: Option<IsaVersion>,
    /// The text is a block or an instruction of inline assembly. What `%0` and `$0` stand for is not judged, nor,
    /// in a text without any `.reg`, what is not declared.
    pub snippet: bool,
}

impl CheckOptions {
    /// The same for this target, if it is given.
    #[must_use]
    pub const fn target(self, target: Option<Target>) -> Self {
        Self { target, ..self }
    }

    /// The same for this version, if it is given.
    #[must_use]
    pub const fn isa(self, isa: Option<IsaVersion>) -> Self {
        Self { isa, ..self }
    }

    /// The same for inline assembly, or for modules.
    #[must_use]
    pub const fn snippet(self, snippet: bool) -> Self {
        Self { snippet, ..self }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Findings {
    /// The findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What the module holds.
    pub stats: Stats,
}

impl Findings {
    /// How many errors.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// How many warnings.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity() == severity).count()
    }
}
