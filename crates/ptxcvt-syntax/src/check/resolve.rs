//! From a name to the register that it names.
//!
//! PTX ISA sections 5.4.2 (vectors), 6.4 (operands) and chapter 10 (special registers).

use ptxcvt::forms::{Operand as Wanted, RegisterClass, RegisterType, Role};

use super::checker::Checker;
use super::special::{Special, SpecialKind};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::parse::{Entity, Member, Operand, Reference, Sign, Tail};
use crate::source::{Span, Word};

/// The meaning of a name as an operand.
pub(super) enum Resolved {
    /// A register: its type, and the place of its declaration.
    Register(RegisterType, Span),
    /// A special register of that width in bits; `None` for a predicate.
    Special(Option<u32>),
    /// A register with a wrong declaration, which was reported.
    Nothing,
}

impl<'s> Checker<'s> {
    /// The meaning of a name; `None` if it was reported.
    pub(super) fn resolve(
        &mut self,
        wanted: &Wanted,
        operand: &Operand<'s>,
        reference: &Reference<'s>,
    ) -> Option<Resolved> {
        if !self.accepts_form(operand, reference) {
            return None;
        }
        let Reference { name, selector, tail, .. } = *reference;
        let offset = tail.is_some();
        let Some(found) = self.scope.find(name.text) else {
            let Some(special) = Special::find(name.text) else {
                self.undeclared(name, Some(wanted));
                return None;
            };
            return self.special(special, name, operand, selector, offset);
        };
        if found.leading_zeros {
            let message = format!("`{}` is written with leading zeros", name.text);
            let plain = Member::of(name.text).expect("a name with leading zeros has a number").to_string();
            let title = format!("write `{plain}`");
            let diagnostic = Diagnostic::new(PtxCode::LeadingZeros, name.span, message).with_help(&*title);
            self.report(diagnostic.with_fix(Fix::new(Applicability::Safe, title, name.span, plain)));
        }
        let (ty, lanes) = match found.entity {
            Entity::Register { ty, lanes } => (ty, lanes),
            Entity::Variable(space) if offset && wanted.role != Role::Destination => {
                // An address expression is an integer of any width.
                let integer = |r: RegisterType| r.class == RegisterClass::Unsigned;
                if wanted.accepted().any(integer) && space != "tex" {
                    self.offset(operand);
                } else {
                    self.not_register(name, "an address");
                }
                return None;
            }
            Entity::Variable(space) => {
                self.not_register(name, &format!("a `.{space}` variable"));
                return None;
            }
            Entity::Function => {
                self.not_register(name, "a function");
                return None;
            }
            Entity::Label => {
                self.not_register(name, "a label");
                return None;
            }
        };
        let declared = found.declared;
        self.is_element_of(lanes, operand, reference, declared)
            .then(|| ty.map_or(Resolved::Nothing, |ty| Resolved::Register(ty, declared)))
    }

    /// True if a reference has no sign and no tail that `cvt` refuses; it reports others.
    fn accepts_form(&mut self, operand: &Operand<'s>, reference: &Reference<'s>) -> bool {
        let what = match (reference.sign, reference.tail) {
            (_, Some(Tail::Offset(Err(fault)))) => {
                self.fault(operand, fault);
                return false;
            }
            (_, Some(Tail::Predicate(_))) => "`cvt` has no predicate output",
            (Some(Sign::Minus), _) => "`cvt` does not accept a negated operand",
            (Some(Sign::Not), _) => "`!` negates predicates, which `cvt` does not accept",
            _ => return true,
        };
        self.report(Diagnostic::new(PtxCode::OperandForm, operand.span, what));
        false
    }

    /// True if a reference to `lanes` registers names one of them; it reports others.
    fn is_element_of(
        &mut self,
        lanes: u8,
        operand: &Operand<'s>,
        reference: &Reference<'s>,
        declared: Span,
    ) -> bool {
        let Reference { name, selector, .. } = *reference;
        match selector {
            Some(selector) if lanes == 1 => {
                let message =
                    format!("`{}` is not a vector and has no element `{}`", name.text, selector.text);
                let diagnostic = Diagnostic::new(PtxCode::Selector, selector.span, message);
                self.report(diagnostic.with_related(declared, "declared here"));
                false
            }
            Some(selector) if !is_element(selector.text) => {
                self.unknown_element(selector);
                false
            }
            None if lanes > 1 => {
                let message = format!("`{}` is a vector of {lanes} elements; name one of them", name.text);
                let element = format!("{}.x", name.text);
                let title = format!("write `{element}`");
                let diagnostic =
                    Diagnostic::new(PtxCode::VectorOperand, operand.span, message).with_help(&*title);
                let diagnostic =
                    diagnostic.with_fix(Fix::new(Applicability::Unsafe, title, name.span, element));
                self.report(diagnostic.with_related(declared, "declared here"));
                false
            }
            _ => true,
        }
    }

    fn special(
        &mut self,
        special: &Special,
        name: Word<'s>,
        operand: &Operand<'s>,
        selector: Option<Word<'s>>,
        offset: bool,
    ) -> Option<Resolved> {
        if self.special_gate(special, name) {
            return None;
        }
        if offset {
            let message = "an offset cannot be added to a special register";
            self.report(Diagnostic::new(PtxCode::OperandForm, operand.span, message));
            return None;
        }
        match (special.kind, selector) {
            (SpecialKind::Vector, Some(selector)) if is_element(selector.text) => {
                Some(Resolved::Special(Some(32)))
            }
            (SpecialKind::Vector, Some(selector)) => {
                self.unknown_element(selector);
                None
            }
            (SpecialKind::Vector, None) => {
                let message = format!("`{}` is a vector; name one of its elements", special.name);
                let help = format!("write `{}.x`", special.name);
                self.report(Diagnostic::new(PtxCode::VectorOperand, operand.span, message).with_help(help));
                None
            }
            (_, Some(selector)) => {
                let message =
                    format!("`{}` is not a vector and has no element `{}`", special.name, selector.text);
                self.report(Diagnostic::new(PtxCode::Selector, selector.span, message));
                None
            }
            (SpecialKind::Integer(width), None) => Some(Resolved::Special(Some(width))),
            (SpecialKind::Predicate, None) => Some(Resolved::Special(None)),
        }
    }

    fn not_register(&mut self, name: Word<'s>, what: &str) {
        let message = format!("`{}` is {what}, not a register", name.text);
        self.report(Diagnostic::new(PtxCode::NotRegister, name.span, message));
    }

    fn unknown_element(&mut self, selector: Word<'s>) {
        let message = format!("a vector has no element `{}`", selector.text);
        let help = "elements are `.x .y .z .w`, or `.r .g .b .a`";
        self.report(Diagnostic::new(PtxCode::Selector, selector.span, message).with_help(help));
    }
}

fn is_element(selector: &str) -> bool {
    matches!(selector, ".x" | ".y" | ".z" | ".w" | ".r" | ".g" | ".b" | ".a")
}
