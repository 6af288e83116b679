//! The finding that a module's version does not have its target, with one help for the whole module.
//!
//! PTX ISA sections 11.1.1 `.version` and 11.1.2 `.target`. The finding is made where the code begins, and completed at the
//! end, because only then is it known which version is enough.

use ptxcvt::forms::Remedy;
use ptxcvt::targets::{Machine, MachineError};
use ptxcvt::{IsaVersion, Target};

use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::edit::Fix;

/// The target and version of a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub target: Option<Target>,
    pub isa: IsaVersion,
    /// The version is an option, not the module's.
    pub chosen: bool,
}

impl Declared {
    /// The error that the version does not have the target.
    pub(super) fn error(self) -> Option<MachineError> {
        Machine::new(self.target, Some(self.isa)).err()
    }

    /// How to correct that error, in words and as data, if conversions need the version `needed` on the target.
    pub(super) fn correction(
        self,
        error: MachineError,
        needed: Option<IsaVersion>,
    ) -> Option<(String, Remedy)> {
        let help = error.correction(needed)?;
        let remedy = help.remedy()?;
        Some(match remedy {
            Remedy::Version(version) if self.chosen => (format!("choose version {version} or later"), remedy),
            _ => (help.text().to_owned(), remedy),
        })
    }

    /// Completes the help of the finding, now that all conversions are known.
    pub(super) fn complete(self, findings: &mut [Diagnostic], needed: Option<IsaVersion>) {
        let (Some(error), Some(_)) = (self.error(), needed) else { return };
        let message = error.to_string();
        let is_it = |found: &&mut Diagnostic| {
            found.code() == PtxCode::TargetVersion.into() && found.message() == message
        };
        let Some(found) = findings.iter_mut().find(is_it) else { return };
        let Some((help, Remedy::Version(version))) = self.correction(error, needed) else { return };
        let fix = found.fix().and_then(|fix| {
            let span = fix.edits().first()?.span;
            Some(Fix::new(
                fix.applicability(),
                format!("declare `.version {version}`"),
                span,
                version.to_string(),
            ))
        });
        *found = found.clone().with_help(help).with_fix(fix);
    }
}
