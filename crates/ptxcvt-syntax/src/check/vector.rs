//! Checks the vector `{a, b, e, f}`.
//!
//! PTX ISA section 6.4.3 (vectors as operands). [`ptxcvt::forms::vector_problem`] decides which elements may be
//! combined.

use ptxcvt::counted;
use ptxcvt::forms::{Operand as Wanted, VectorElement, VectorProblem, vector_problem};

use super::checker::Checker;
use super::resolve::Resolved;
use super::wording::{are_given, pattern_of};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Constant, Operand, OperandKind, Reference, Tail};

impl<'s> Checker<'s> {
    pub(super) fn vector(&mut self, wanted: &[Wanted], vector: &Operand<'s>, elements: &[Operand<'s>]) {
        if elements.len() < wanted.len() && elements.iter().any(|element| self.is_unknown(element)) {
            return self.names(elements);
        }
        if elements.len() != wanted.len() {
            let message =
                format!("{} are needed, but {}", counted(wanted.len(), "element"), are_given(elements.len()));
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
                    Some(Resolved::Nothing) | None => {}
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
                // The parser reports these.
                OperandKind::Vector(_) | OperandKind::List(_) | OperandKind::Other => {}
            }
        }
        // Elements can be compared only if all are known.
        if known.len() != elements.len() {
            return;
        }
        let help = "write four `.f32` registers or floating-point literals";
        if let Some(problem) = vector_problem(&known) {
            let code = match problem {
                VectorProblem::Element(_) => PtxCode::RegisterKind,
                _ => PtxCode::VectorElements,
            };
            let span = problem.position().map_or(vector.span, |at| elements[at].span);
            self.report(Diagnostic::new(code, span, problem.to_string()).with_help(help));
        }
    }
}
