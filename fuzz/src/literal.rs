//! Opcodes with operands as text: parsing and evaluating never panics.

use ptxcvt::literal::Reader;
use ptxcvt::{Form, Spelling};

/// Valid lines: an opcode and an operand.
pub const SEEDS: &[&str] = &["cvt.rn.f16.f32 0x1.8p3", "cvt.rn.satfinite.e4m3x2.f32 -inf", "cvt.u16.u8 010"];

/// Parses an opcode and an operand, and evaluates the form.
///
/// # Panics
///
/// Panics if a legal form does not print as it parses.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (opcode, operand) = text.split_once(' ').unwrap_or((&text, ""));
    let Some(form) = Spelling::new(opcode).form() else { return };
    assert_eq!(form.to_string().parse::<Form>().ok(), Some(form), "{opcode:?}");
    let read = |o| Reader::operand(&form, &o).wide(true).read(operand).ok().map(|read| read.bits);
    let operands: Option<Vec<u64>> = form.operands().skip(1).map(read).collect();
    if let Some(operands) = operands {
        form.eval(&operands).expect("one value per operand");
    }
}
