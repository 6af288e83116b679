//! Checks the operands of a legal opcode: their number and the kind of each.
//!
//! PTX ISA sections 6.4 (operands), 9.4.1 (sizes), 9.7.9.21. [`ptxcvt::forms::Operand`] decides what an operand
//! accepts.

use ptxcvt::forms::{Operand as Wanted, RegisterClass, RegisterType, Role};
use ptxcvt::{Form, counted};

use super::checker::Checker;
use super::immediate::refused_constant;
use super::resolve::Resolved;
use super::slot::Slot;
use super::wording::{are_given, kinds, pattern, role};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::parse::{Entity, Instruction, Operand, OperandKind, Reference, Tail};
use crate::source::{Span, Word};

impl<'s> Checker<'s> {
    pub(super) fn operands(&mut self, form: Form, slots: &[Slot], conversion: &Instruction<'s>) {
        let given = &conversion.operands;
        if given.len() != slots.len() {
            // If a comma is missing, the number of operands is meaningless. The missing comma is reported elsewhere.
            if !conversion.complete {
                return;
            }
            self.names(given);
            // An unknown part may expand to several operands.
            if given.len() < slots.len() && given.iter().any(|operand| self.is_unknown(operand)) {
                return;
            }
            let message =
                format!("`{form}` takes {}, but {}", counted(slots.len(), "operand"), are_given(given.len()));
            let help = format!("write `{form} {};`", pattern(slots));
            return self
                .report(Diagnostic::new(PtxCode::OperandNumber, conversion.span, message).with_help(help));
        }
        for (slot, operand) in slots.iter().zip(given) {
            match (slot, &operand.kind) {
                (Slot::One(wanted), _) => self.operand(wanted, operand, conversion.opcode.source()),
                (Slot::Vector(wanted), OperandKind::Vector(elements)) => {
                    self.vector(wanted, operand, elements);
                }
                (Slot::Vector(_), OperandKind::Placeholder(_)) => {}
                (Slot::Vector(wanted), _) => {
                    let message = format!("`{form}` takes its {} in braces", counted(wanted.len(), "source"));
                    let diagnostic = Diagnostic::new(PtxCode::VectorOperand, operand.span, message);
                    self.report(match &operand.kind {
                        OperandKind::Name(Reference { name, selector: None, .. })
                            if self.lanes(name.text) == Some(4) =>
                        {
                            let elements = format!("{{{0}.x, {0}.y, {0}.z, {0}.w}}", name.text);
                            let title = format!("write `{elements}`");
                            let fix = Fix::new(Applicability::Safe, &*title, operand.span, elements);
                            diagnostic.with_help(title).with_fix(fix)
                        }
                        _ => diagnostic.with_help(format!("write `{form} {};`", pattern(slots))),
                    });
                }
            }
        }
    }

    fn lanes(&self, name: &'s str) -> Option<u8> {
        match self.scope.find(name)?.entity {
            Entity::Register { lanes, .. } => Some(lanes),
            _ => None,
        }
    }

    fn operand(&mut self, wanted: &Wanted, operand: &Operand<'s>, text: &'s str) {
        let destination = wanted.role == Role::Destination;
        match &operand.kind {
            OperandKind::Constant(Err(fault)) => self.fault(operand, *fault),
            OperandKind::Constant(_) if destination => {
                let message = "the destination is a constant; it must be a register";
                self.report(Diagnostic::new(PtxCode::Destination, operand.span, message));
            }
            OperandKind::Constant(Ok(_)) => {
                if let Some(finding) = refused_constant(wanted, operand, text) {
                    self.report(finding);
                }
            }
            OperandKind::Vector(elements) => {
                let message = format!("{} is one register, not a vector", role(wanted));
                let mut diagnostic = Diagnostic::new(PtxCode::VectorOperand, operand.span, message);
                if elements.len() > 1 {
                    diagnostic = diagnostic.with_help("write packed sources one by one, without braces");
                }
                self.report(diagnostic);
            }
            OperandKind::Name(reference) => {
                let (name, offset) = (reference.name, matches!(reference.tail, Some(Tail::Offset(_))));
                let Some(resolved) = self.resolve(wanted, operand, reference) else { return };
                match resolved {
                    Resolved::Register(ty, declared) if !wanted.accepts(ty) => {
                        self.wrong_register(wanted, operand, name, ty, declared);
                    }
                    Resolved::Register(..) if offset && destination => {
                        let message = "the destination is an expression; it must be a register";
                        self.report(Diagnostic::new(PtxCode::Destination, operand.span, message));
                    }
                    Resolved::Register(..) if offset => self.offset(operand),
                    Resolved::Special(_) if destination => {
                        let message =
                            format!("`{}` is a special register, which cannot be written to", name.text);
                        self.report(Diagnostic::new(PtxCode::Destination, operand.span, message));
                    }
                    Resolved::Special(width) if !width.is_some_and(|width| wanted.accepts_special(width)) => {
                        self.special_refused(wanted, operand, name, width);
                    }
                    Resolved::Register(..) | Resolved::Special(_) | Resolved::Nothing => {}
                }
            }
            OperandKind::Placeholder(reference) => self.placeholder(wanted, operand, reference),
            OperandKind::Sink => self.sink(operand),
            OperandKind::Address(_) => self.address(operand),
            // The parser reports these.
            OperandKind::List(_) | OperandKind::Other => {}
        }
    }

    fn special_refused(
        &mut self,
        wanted: &Wanted,
        operand: &Operand<'s>,
        name: Word<'s>,
        width: Option<u32>,
    ) {
        let message = match width {
            None => format!("`{}` is a predicate", name.text),
            Some(width) if wanted.accepts_special(64) => {
                format!("`{}` has {width} bits; {} has {}", name.text, role(wanted), wanted.width)
            }
            Some(_) => format!("{} cannot be a special register", role(wanted)),
        };
        let help = format!("move it into a `{}` register first", wanted.register());
        self.report(Diagnostic::new(PtxCode::SpecialRegister, operand.span, message).with_help(help));
    }

    fn wrong_register(
        &mut self,
        wanted: &Wanted,
        operand: &Operand<'s>,
        name: Word<'s>,
        ty: RegisterType,
        declared: Span,
    ) {
        let message = format!("`{}` is `{ty}`, but {} takes {}", name.text, role(wanted), kinds(wanted));
        let help = match (ty.class, wanted.role) {
            (RegisterClass::Predicate, Role::Destination) => {
                "convert into a number, and compare that with `setp`".to_owned()
            }
            (RegisterClass::Predicate, _) => selp(wanted, name.text),
            _ => format!("declare it `{}`", wanted.register()),
        };
        let diagnostic = Diagnostic::new(PtxCode::RegisterKind, operand.span, message).with_help(help);
        self.report(diagnostic.with_related(declared, format!("declared `{ty}` here")));
    }
}

/// Help: how `selp` makes a number of a predicate. `selp` has at least 16 bits.
fn selp(wanted: &Wanted, predicate: &str) -> String {
    let (letter, values) = match wanted.register().class {
        RegisterClass::Float => ("f", "1.0, 0.0"),
        RegisterClass::Signed => ("s", "1, 0"),
        RegisterClass::Unsigned => ("u", "1, 0"),
        _ => ("b", "1, 0"),
    };
    let width = wanted.width.max(if letter == "f" { 32 } else { 16 });
    format!("make a number of the predicate: `selp.{letter}{width} d, {values}, {predicate};`")
}
