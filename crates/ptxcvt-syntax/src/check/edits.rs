//! From a remedy to an edit of the text.
//!
//! [`ptxcvt`] recommends forms, versions and targets; this file finds the place of the edit.

use ptxcvt::forms::Remedy;
use ptxcvt::{Form, IsaVersion, Target};

use super::findings::CheckOptions;
use super::slot::{Slot, slots};
use crate::edit::{Applicability, Fix};
use crate::parse::{Instruction, OperandKind};
use crate::source::Word;

/// The places where the module declares its version and target.
pub(super) struct Context<'c, 's> {
    pub options: &'c CheckOptions,
    pub version: Option<Word<'s>>,
    pub target: Option<Word<'s>>,
}

impl Context<'_, '_> {
    /// The edit for a remedy of a conversion, or `None` if no edit is enough.
    pub(super) fn fix(&self, remedy: Remedy, certain: bool, conversion: &Instruction<'_>) -> Option<Fix> {
        match remedy {
            Remedy::Form(form) => opcode(form, certain, conversion),
            Remedy::Version(version) => this_version(self.options, self.version, version),
            Remedy::Target(target) => this_target(self.options, self.target, Some(target)),
            _ => None,
        }
    }
}

/// An edit that replaces the opcode; `None` if the operands do not fit the new one.
fn opcode(form: Form, certain: bool, conversion: &Instruction<'_>) -> Option<Fix> {
    let slots = slots(form);
    let fits = |(slot, operand): (&Slot, _)| match (slot, operand) {
        (_, &OperandKind::Placeholder(_)) => true,
        (Slot::Vector(elements), OperandKind::Vector(given)) => elements.len() == given.len(),
        (Slot::Vector(_), _) | (_, OperandKind::Vector(_)) => false,
        (Slot::One(_), _) => true,
    };
    let kinds = conversion.operands.iter().map(|operand| &operand.kind);
    if slots.len() != conversion.operands.len() || !slots.iter().zip(kinds).all(fits) {
        return None;
    }
    // The edit would remove a comment between the parts.
    if conversion.opcode.has_comment() {
        return None;
    }
    let applicability = if certain { Applicability::Safe } else { Applicability::Unsafe };
    let text = form.to_string();
    Some(Fix::new(applicability, format!("write `{text}`"), conversion.opcode.span(), text))
}

/// An edit of `.version`. It is unsafe because the module then needs a newer driver.
pub(super) fn this_version(
    options: &CheckOptions,
    word: Option<Word<'_>>,
    version: IsaVersion,
) -> Option<Fix> {
    let word = word.filter(|word| options.machine.isa().is_none() && !word.text.is_empty())?;
    let title = format!("declare `.version {version}`");
    Some(Fix::new(Applicability::Unsafe, title, word.span, version.to_string()))
}

/// An edit of `.target`.
pub(super) fn this_target(
    options: &CheckOptions,
    word: Option<Word<'_>>,
    target: Option<Target>,
) -> Option<Fix> {
    let word = word.filter(|_| options.machine.target().is_none())?;
    Some(nearest_target(word, target?))
}

/// An edit that replaces the name of a target.
pub(super) fn nearest_target(word: Word<'_>, target: Target) -> Fix {
    Fix::new(Applicability::Unsafe, format!("build for {target}"), word.span, target.to_string())
}
