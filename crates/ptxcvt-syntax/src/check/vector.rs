//! Judges the vector `{a, b, e, f}`.
//!
//! PTX ISA section 6.4.3 (vectors as operands); which elements go together is asked of [`ptxcvt::forms::vector_problem`].

use ptxcvt::forms::{Operand as Wanted, VectorElement, VectorProblem, vector_problem};

use super::checker::Checker;
use super::resolve::Resolved;
use super::wording::{are_given, pattern_of};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Constant, Operand, OperandKind, Reference, Tail};

impl<'s> Checker<'s> {
    pub(super) fn vector(&mut self, wanted: &[Wanted], vector: &Operand<'s>, elements: &[Operand<'s>]) {
        if elements.len() != wanted.len() {
            let message = format!("{} elements are needed, but {}", wanted.len(), are_given(elements.len()));
            let help = format!("write `{}`", pattern_of(wanted));
            self.names(elements);
            return self.report(Diagnostic::new(PtxCode::VectorSize, vector.span, message).with_help(help));
        }
        let mut known = Vec::with_capacity(elements.len());
        for (wanted, element) in wanted.iter().zip(elements) {
            match &element.kind {
                OperandKind::Name(Reference { tail: Some(Tail::Offset(_)), .. }) => {
                    let message = "an offset cannot be added to an element of a vector";
                    self.report(Diagnostic::new(PtxCode::OperandForm, element.span, message));
                }
                OperandKind::Name(reference) => match self.resolve(wanted, element, reference) {
                    Some(Resolved::Register(ty, _)) if reference.selector.is_some() => {
                        known.push(VectorElement::Selected(ty));
                    }
                    Some(Resolved::Register(ty, _)) => known.push(VectorElement::Register(ty)),
                    Some(Resolved::Special(width)) => known.push(VectorElement::Special { width }),
                    _ => {}
                },
                OperandKind::Placeholder(reference) => match self.filler(reference) {
                    Some(filler) if filler.is_immediate() => known.push(VectorElement::Integer),
                    Some(filler) => known.extend(filler.register_type().map(VectorElement::Register)),
                    None => {}
                },
                OperandKind::Constant(Ok(Constant::Integer(_))) => known.push(VectorElement::Integer),
                OperandKind::Constant(Ok(_)) => known.push(VectorElement::Float),
                OperandKind::Sink => self.sink(element),
                OperandKind::Address(_) => self.address(element),
                OperandKind::Constant(Err(fault)) => self.fault(element, *fault),
                _ => {}
            }
        }
        // Neighbours can be compared only where all are known.
        if known.len() != elements.len() {
            return;
        }
        let help = "write four `.f32` registers or floating-point literals";
        let (code, span, message) = match vector_problem(&known) {
            None => return,
            Some(VectorProblem::Element(at)) => {
                (PtxCode::RegisterKind, elements[at].span, "an element has to be 32 bits wide".to_string())
            }
            Some(VectorProblem::Neighbours(at)) => {
                let name = wanted[at].role.name();
                let message = format!("element `{name}` and the one before it are of different types");
                (PtxCode::VectorElements, elements[at].span, message)
            }
            Some(VectorProblem::Literal(at)) => {
                let message =
                    "a literal cannot stand beside a special register or a vector register's element";
                (PtxCode::VectorElements, elements[at].span, message.to_string())
            }
            Some(VectorProblem::Integers) => {
                (PtxCode::VectorElements, vector.span, "all elements are integers".to_string())
            }
        };
        self.report(Diagnostic::new(code, span, message).with_help(help));
    }
}
