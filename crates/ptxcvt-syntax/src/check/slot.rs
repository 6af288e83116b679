//! The operands of a form as they are written: alone, or in braces.

use ptxcvt::Form;
use ptxcvt::forms::Operand;

/// An operand as it is to be written: alone, or a vector of several.
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
