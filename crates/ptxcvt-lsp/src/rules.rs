//! What the server asks of whoever runs it: which findings count, and for which machine files are judged.

use std::path::Path;

use ptxcvt::{IsaVersion, Target};
use ptxcvt_syntax::{CheckOptions, Findings, Source};

/// What the editor's settings say, whatever those of the project do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrides {
    /// The target.
    pub target: Option<Target>,
    /// The version of PTX ISA.
    pub isa: Option<IsaVersion>,
}

/// The rules of a file, or why they cannot be read.
pub type Settled = Result<Box<dyn Rules>, String>;

/// How a file is judged.
pub trait Rules {
    /// For which machine.
    fn options(&self) -> CheckOptions;

    /// True of a file that is not to be looked at.
    fn excludes(&self, _path: &Path) -> bool {
        false
    }

    /// What a file is called in lists of files, such as a baseline.
    fn name(&self, path: &Path) -> String {
        path.display().to_string()
    }

    /// The findings that count, with the severity that was chosen for them.
    fn filter(&self, _source: &Source<'_>, found: Findings) -> Findings {
        found
    }
}

/// Everything counts, for the machine of the editor's settings.
impl Rules for Overrides {
    fn options(&self) -> CheckOptions {
        CheckOptions::default().target(self.target).isa(self.isa)
    }
}
