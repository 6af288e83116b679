//! One line of a batch: an opcode, and its operands as bits.

use ptxcvt::forms::Operand;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::literal::{Parsed, WordError, read_line_with};
use ptxcvt::{Code, OperandCountError};

use super::opcodes::Known;
use crate::input_line::check_braces;
use crate::operand::{self, Unreadable};
use crate::output::clip;

/// The first word and the rest of the line.
pub fn first_word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (end > 0).then(|| line.split_at(end))
}

/// Evaluates a form over the words of a line. Remarks about operands are passed on.
pub fn evaluate(
    known: &Known,
    line: &[u8],
    remark: &mut dyn FnMut(&Operand, &str, &Parsed),
) -> Result<u64, Unreadable> {
    let Known { form, readers, operands, .. } = known;
    check_braces(line)
        .map_err(|braces| Unreadable { code: Code::OperandSyntax, message: braces.to_string() })?;
    let mut bits = [0; MAX_OPERANDS];
    let mut seen = |at: usize, word: &str, parsed: &Parsed| remark(&operands[at], word, parsed);
    let count = read_line_with(line, readers, &mut bits, &mut seen).map_err(|bad| unreadable(known, &bad))?;
    let fail = |e: OperandCountError| Unreadable { code: e.code(), message: format!("`{form}`: {e}") };
    let missing = || OperandCountError::new(readers.len(), count);
    let used = bits.get(..count).ok_or_else(missing).map_err(fail)?;
    form.eval(used).map_err(fail)
}

#[cold]
fn unreadable(known: &Known, bad: &WordError<'_>) -> Unreadable {
    let operand = &known.operands[bad.at];
    let why = operand::unreadable(&bad.error, operand);
    let (role, text) = (operand.role.name(), String::from_utf8_lossy(bad.word));
    let message = format!("operand {role} = `{}` of `{}`: {}", clip(&text), known.form, why.message);
    Unreadable { message, ..why }
}
