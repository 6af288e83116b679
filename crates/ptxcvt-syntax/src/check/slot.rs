//! The operands of a form as PTX writes them: single, or in braces.

use ptxcvt::Form;
use ptxcvt::forms::Operand;

/// An operand as PTX writes it: single, or a vector in braces.
#[derive(Debug)]
pub(super) enum Slot {
    One(Operand),
    Vector(Vec<Operand>),
}

pub(super) fn slots(form: Form) -> Vec<Slot> {
    let mut slots = Vec::new();
    for operand in form.operands() {
        match slots.last_mut() {
            Some(Slot::Vector(elements)) if operand.in_vector => elements.push(operand),
            _ if operand.in_vector => slots.push(Slot::Vector(vec![operand])),
            _ => slots.push(Slot::One(operand)),
        }
    }
    slots
}
