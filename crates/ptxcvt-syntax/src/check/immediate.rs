//! Checks immediates.
//!
//! PTX ISA section 4.5 (constants). [`ptxcvt::forms::Operand::immediate`] decides which of them an operand accepts.

use ptxcvt::forms::{Immediate, Operand as Wanted};

use super::checker::Checker;
use super::wording::role;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::parse::{Constant, Fault, Operand};

impl<'s> Checker<'s> {
    /// Reports a constant expression that has no value.
    pub(super) fn fault(&mut self, operand: &Operand<'s>, fault: Fault) {
        self.report(Diagnostic::new(PtxCode::Constant, operand.span, fault.describe()));
    }

    pub(super) fn immediate(&mut self, wanted: &Wanted, operand: &Operand<'s>, constant: Constant) {
        use Constant::{Bits32, Bits64, Decimal, Integer};
        let (message, other) = match (wanted.immediate(), constant) {
            (Immediate::Integer | Immediate::IntegerOrFloatBits, Integer(_))
            | (Immediate::IntegerOrFloatBits | Immediate::FloatBits, Bits32(_))
            | (Immediate::Float, Decimal(_) | Bits32(_) | Bits64(_)) => return,
            (Immediate::None, _) => {
                let message = format!("{} takes a register, not an immediate", role(wanted));
                let help = format!("move it into a `{}` register first", wanted.register());
                let diagnostic = Diagnostic::new(PtxCode::ImmediateKind, operand.span, message);
                return self.report(diagnostic.with_help(help));
            }
            (Immediate::Integer | Immediate::IntegerOrFloatBits, _) => {
                (format!("{} takes an integer, not a floating-point number", role(wanted)), None)
            }
            (Immediate::Float, Integer(i)) => {
                let message = format!("{} takes a floating-point number, not an integer", role(wanted));
                (message, Some(decimal(i)))
            }
            (Immediate::FloatBits, constant) => {
                let (what, value) = match constant {
                    Integer(i) => ("an integer", i as i64 as f64),
                    Decimal(d) => ("a decimal", d),
                    Bits64(bits) => ("`0d`", f64::from_bits(bits)),
                    Bits32(bits) => ("`0f`", f32::from_bits(bits).into()),
                };
                let message = format!("{} takes `0f` and eight hexadecimal digits, not {what}", role(wanted));
                (message, Some(bits(value)))
            }
        };
        let diagnostic = Diagnostic::new(PtxCode::ImmediateKind, operand.span, message);
        self.report(match other {
            None => diagnostic,
            Some((text, applicability)) => {
                let title = format!("write `{text}`");
                diagnostic.with_help(&*title).with_fix(Fix::new(applicability, title, operand.span, text))
            }
        });
    }
}

/// An integer as a decimal literal. The edit is safe if f32 represents the number exactly.
fn decimal(integer: u64) -> (String, Applicability) {
    let value = integer as i64 as f64;
    (format!("{value:?}"), exact(value))
}

fn bits(value: f64) -> (String, Applicability) {
    (format!("0f{:08X}", (value as f32).to_bits()), exact(value))
}

fn exact(value: f64) -> Applicability {
    if f64::from(value as f32) == value { Applicability::Safe } else { Applicability::Unsafe }
}
