//! Judges immediates.
//!
//! PTX ISA section 4.5 (constants); which of them an operand takes is asked of [`ptxcvt::forms::Operand::immediate`].

use ptxcvt::forms::{Immediate, Operand as Wanted};

use super::checker::Checker;
use super::wording::role;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Constant, Fault, Operand};

impl<'s> Checker<'s> {
    /// A constant expression without a value.
    pub(super) fn fault(&mut self, operand: &Operand<'s>, fault: Fault) {
        self.report(Diagnostic::new(PtxCode::Constant, operand.span, fault.describe()));
    }

    pub(super) fn immediate(&mut self, wanted: &Wanted, operand: &Operand<'s>, constant: Constant) {
        use Constant::{Bits32, Bits64, Decimal, Integer};
        let (message, help) = match (wanted.immediate(), constant) {
            (Immediate::Integer | Immediate::IntegerOrFloatBits, Integer(_))
            | (Immediate::IntegerOrFloatBits | Immediate::FloatBits, Bits32(_))
            | (Immediate::Float, Decimal(_) | Bits32(_) | Bits64(_)) => return,
            (Immediate::None, _) => {
                let message = format!("{} takes a register, not an immediate", role(wanted));
                (message, format!("move it into a `{}` register first", wanted.register()))
            }
            (Immediate::Integer | Immediate::IntegerOrFloatBits, _) => {
                (format!("{} takes an integer, not a floating-point number", role(wanted)), String::new())
            }
            (Immediate::Float, Integer(i)) => {
                (format!("{} takes a floating-point number, not an integer", role(wanted)), decimal_help(i))
            }
            (Immediate::FloatBits, Integer(i)) => {
                let message =
                    format!("{} takes `0f` and eight hexadecimal digits, not an integer", role(wanted));
                (message, bits_help(i as i64 as f64))
            }
            (Immediate::FloatBits, Decimal(d)) => (
                format!("{} takes `0f` and eight hexadecimal digits, not a decimal", role(wanted)),
                bits_help(d),
            ),
            (Immediate::FloatBits, Bits64(bits)) => {
                let message = format!("{} takes `0f` and eight hexadecimal digits, not `0d`", role(wanted));
                (message, bits_help(f64::from_bits(bits)))
            }
        };
        let diagnostic = Diagnostic::new(PtxCode::ImmediateKind, operand.span, message);
        self.report(if help.is_empty() { diagnostic } else { diagnostic.with_help(help) });
    }
}

fn decimal_help(integer: u64) -> String {
    format!("write `{:?}`", integer as i64 as f64)
}

fn bits_help(value: f64) -> String {
    format!("write `0f{:08X}`", (value as f32).to_bits())
}
