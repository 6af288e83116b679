//! The rules of a file, which the program that runs the server provides: which findings count, and for which target
//! and version the file is checked.

use std::error::Error;
use std::path::Path;

use ptxcvt::targets::Machine;
use ptxcvt::{IsaVersion, Target};
use ptxcvt_syntax::{CheckOptions, Findings, Source, suppress};

/// The editor's settings, which override those of the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrides {
    /// The target.
    pub target: Option<Target>,
    /// The ISA version.
    pub isa: Option<IsaVersion>,
}

/// The rules of a file, or why the settings cannot be read.
pub type Settled = Result<Box<dyn Rules>, Box<dyn Error>>;

/// How a file is checked.
pub trait Rules {
    /// The options of the check.
    fn options(&self) -> CheckOptions;

    /// True if a file is not checked.
    fn excludes(&self, _path: &Path) -> bool {
        false
    }

    /// The findings that are reported, with their severity from the settings. Without settings, all findings that no
    /// comment suppresses.
    fn filter(&self, source: &Source<'_>, mut found: Findings) -> Findings {
        suppress(source, &mut found.diagnostics);
        found
    }
}

/// Every finding is reported; the target and version come from the editor's settings.
impl Rules for Overrides {
    fn options(&self) -> CheckOptions {
        let machine = Machine::lenient(self.target, self.isa);
        CheckOptions::default().machine(machine)
    }
}
