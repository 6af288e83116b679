//! Checks immediates.
//!
//! PTX ISA section 4.5 (constants). [`ptxcvt::forms::Operand::immediate`] decides which of them an operand accepts.

use ptxcvt::forms::{Immediate, Operand as Wanted};

use super::checker::Checker;
use super::wording::role;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::parse::{Constant, Fault, Operand, OperandKind};

impl<'s> Checker<'s> {
    /// Reports a constant expression that has no value.
    pub(super) fn fault(&mut self, operand: &Operand<'s>, fault: Fault) {
        self.report(Diagnostic::new(PtxCode::Constant, operand.span, fault.describe()));
    }
}

/// The finding about a constant that this operand of a conversion does not accept; `None` for every other operand.
/// `text` is the text that has the operand.
///
/// ```
/// use ptxcvt_syntax::check::refused_constant;
/// use ptxcvt_syntax::parse::Tree;
/// let text = "cvt.f64.f32 d, 3;";
/// let source = "cvt.f64.f32".parse::<ptxcvt::Form>()?.operands().nth(1).unwrap();
/// let tree = Tree::of_snippet(text);
/// let operand = &tree.instructions().next().unwrap().operands[1];
/// let finding = refused_constant(&source, operand, text).unwrap();
/// assert_eq!(finding.message(), "the source `a` (`.f32`) takes a floating-point number, not an integer");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refused_constant(wanted: &Wanted, operand: &Operand<'_>, text: &str) -> Option<Diagnostic> {
    use Constant::{Bits32, Bits64, Decimal, Integer};
    let OperandKind::Constant(Ok(constant)) = operand.kind else { return None };
    let finding = |message: String| Diagnostic::new(PtxCode::ImmediateKind, operand.span, message);
    let (message, value) = match (wanted.immediate(), constant) {
        (Immediate::Integer | Immediate::IntegerOrFloatBits, Integer(_))
        | (Immediate::IntegerOrFloatBits | Immediate::FloatBits, Bits32(_))
        | (Immediate::Float, Decimal(_) | Bits32(_) | Bits64(_)) => return None,
        (Immediate::None, _) => {
            let message = format!("{} takes a register, not an immediate", role(wanted));
            let help = format!("move it into a `{}` register first", wanted.register());
            return Some(finding(message).with_help(help));
        }
        (Immediate::Integer | Immediate::IntegerOrFloatBits, _) => {
            return Some(finding(format!("{} takes an integer, not a floating-point number", role(wanted))));
        }
        (Immediate::Float, Integer(i)) => {
            let message = format!("{} takes a floating-point number, not an integer", role(wanted));
            (message, i.bits as f64)
        }
        (Immediate::FloatBits, constant) => {
            let (what, value) = match constant {
                Integer(i) => ("an integer", i.bits as f64),
                Decimal(d) => ("a decimal", d),
                Bits64(bits) => ("`0d`", f64::from_bits(bits)),
                Bits32(bits) => ("`0f`", f32::from_bits(bits).into()),
            };
            (format!("{} takes `0f` and eight hexadecimal digits, not {what}", role(wanted)), value)
        }
    };
    let other = match wanted.immediate() {
        Immediate::Float => format!("{value:?}"),
        _ => bits(value as f32),
    };
    if let Integer(i) = constant {
        if may_be_bits(&text[operand.span.range()]) {
            let i = i.bits as u64;
            let bits = u32::try_from(i).map_or_else(|_| format!("0d{i:016X}"), |i| format!("0f{i:08X}"));
            let help =
                format!("write `{bits}` for the number with these bits, or `{other}` for this integer");
            return Some(finding(message).with_help(help));
        }
    }
    let is_exact = f64::from(value as f32) == value;
    let applicability = if is_exact { Applicability::Safe } else { Applicability::Unsafe };
    let title = format!("write `{other}`");
    Some(finding(message).with_help(&*title).with_fix(Fix::new(applicability, title, operand.span, other)))
}

/// True for an integer that may be the bits of a floating-point number: one that is not decimal.
fn may_be_bits(written: &str) -> bool {
    let digits = written.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    digits.len() > 1 && digits.starts_with('0') || written.contains("0x") || written.contains("0X")
}

fn bits(value: f32) -> String {
    format!("0f{:08X}", value.to_bits())
}
