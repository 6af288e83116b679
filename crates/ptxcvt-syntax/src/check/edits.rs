//! From what is recommended to an edit of the text.
//!
//! Forms, versions and targets are recommended by [`ptxcvt`]; here is only where they are to be written.

use ptxcvt::forms::Remedy;
use ptxcvt::{Form, IsaVersion, Target};

use super::findings::CheckOptions;
use super::slot::{Slot, slots};
use crate::edit::{Applicability, Fix};
use crate::parse::{Instruction, OperandKind};
use crate::source::Word;

/// Where versions and targets are declared.
pub(super) struct Context<'c, 's> {
    pub options: &'c CheckOptions,
    pub version: Option<Word<'s>>,
    pub target: Option<Word<'s>>,
}

impl Context<'_, '_> {
    /// The edit that follows a recommendation for a conversion.
    pub(super) fn fix(&self, remedy: Remedy, certain: bool, conversion: &Instruction<'_>) -> Option<Fix> {
        match remedy {
            Remedy::Form(form) => opcode(form, certain, conversion),
            Remedy::Version(version) => this_version(self.options, self.version, version),
            Remedy::Target(target) => this_target(self.options, self.target, Some(target)),
            _ => None,
        }
    }
}

/// Another opcode for the same operands.
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
    // A comment between its parts would be lost.
    if conversion.opcode.has_comment() {
        return None;
    }
    let applicability = if certain { Applicability::Safe } else { Applicability::Unsafe };
    let text = form.to_string();
    Some(Fix::new(applicability, format!("write `{text}`"), conversion.opcode.span(), text))
}

/// Another version in the module's `.version`: newer drivers are needed, so that it is for the user to say.
pub(super) fn this_version(
    options: &CheckOptions,
    word: Option<Word<'_>>,
    version: IsaVersion,
) -> Option<Fix> {
    let word = word.filter(|word| options.isa.is_none() && !word.text.is_empty())?;
    let title = format!("declare `.version {version}`");
    Some(Fix::new(Applicability::Unsafe, title, word.span, version.to_string()))
}

/// Another target in the module's `.target`.
pub(super) fn this_target(
    options: &CheckOptions,
    word: Option<Word<'_>>,
    target: Option<Target>,
) -> Option<Fix> {
    let word = word.filter(|_| options.target.is_none())?;
    Some(nearest_target(word, target?))
}

/// A target instead of the one that is written.
pub(super) fn nearest_target(word: Word<'_>, target: Target) -> Fix {
    Fix::new(Applicability::Unsafe, format!("build for {target}"), word.span, target.to_string())
}
