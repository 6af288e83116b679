//! The options of a check and its result.

use ptxcvt::targets::Machine;
use ptxcvt::{Form, Target};

use super::stats::Stats;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};

/// The options of a check.
///
/// ```
/// use ptxcvt::Target;
/// use ptxcvt_syntax::CheckOptions;
/// let options = CheckOptions::default().machine("sm_90".parse::<Target>()?.into()).snippet(true);
/// assert!(options.snippet && options.machine.isa().is_none());
/// # Ok::<(), ptxcvt::targets::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The target and the ISA version, which override the module's.
    pub machine: Machine,
    /// The text is a block or an instruction of inline assembly. Placeholders such as `%0` and `$0` fit everywhere.
    /// In a text without `.reg`, undeclared names are not reported.
    pub snippet: bool,
    /// The targets that a project builds, for sources. Guarded code is judged only for targets that are built. `None`
    /// if every target may be built.
    pub built: Option<TargetSet>,
}

/// A set of targets from sm_50 on.
///
/// ```
/// use ptxcvt_syntax::check::TargetSet;
/// let built: TargetSet = ["sm_90a", "sm_100a"].iter().flat_map(|name| name.parse()).collect();
/// assert!(built.contains("sm_90a".parse()?) && !built.contains("sm_90".parse()?));
/// # Ok::<(), ptxcvt::targets::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetSet(u64);

impl TargetSet {
    fn bit(target: Target) -> u64 {
        let position = Target::all().position(|other| other == target).expect("`all` has every target");
        1_u64.checked_shl(position as u32).expect("the set has a bit for every target")
    }

    /// True if the set holds this target.
    pub fn contains(self, target: Target) -> bool {
        self.0 & Self::bit(target) != 0
    }

    /// True if the set holds no target.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The targets of the set, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::all().filter(move |target| self.contains(*target))
    }
}

impl FromIterator<Target> for TargetSet {
    fn from_iter<I: IntoIterator<Item = Target>>(targets: I) -> Self {
        TargetSet(targets.into_iter().fold(0, |set, target| set | Self::bit(target)))
    }
}

impl CheckOptions {
    /// Sets the target and the ISA version. If one of them is not set, the module's applies.
    #[must_use]
    pub const fn machine(self, machine: Machine) -> Self {
        Self { machine, ..self }
    }

    /// Sets the targets that a project builds.
    #[must_use]
    pub const fn built(self, built: Option<TargetSet>) -> Self {
        Self { built, ..self }
    }

    /// Selects inline assembly (`true`) or modules.
    #[must_use]
    pub const fn snippet(self, snippet: bool) -> Self {
        Self { snippet, ..self }
    }
}

/// A conversion's form, or its spelling if it is not a form.
pub(crate) type Listed = Result<Form, Box<str>>;

/// The result of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Findings {
    /// The findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The forms of the module and their counts.
    pub stats: Stats,
    /// For the text of a program: the place and the form of each conversion.
    pub(crate) listed: Vec<(u32, Listed)>,
}

impl Findings {
    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    /// The number of notes.
    pub fn notes(&self) -> usize {
        self.count(Severity::Note)
    }

    /// The number of findings behind which conversions may be missing.
    pub fn syntax_errors(&self) -> usize {
        let is_unread = |found: &&Diagnostic| matches!(found.code(), Code::Ptx(code) if code.is_unread());
        self.diagnostics.iter().filter(is_unread).count()
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity() == severity).count()
    }
}
