//! One line of a batch: its words, and its operands as bits.
//!
//! Most operands are plain hexadecimal digits; everything else is read as `ptxcvt eval` reads its arguments.

use ptxcvt::forms::Operand;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::{Form, OperandCountError};

use super::opcodes::Known;
use crate::operand::{self, Unreadable};
use crate::output::clip;

/// The first word and the rest of the line.
pub fn first_word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (end > 0).then(|| line.split_at(end))
}

/// Evaluates a form over the words of a line.
pub fn evaluate(known: &Known, mut line: &[u8], wide: bool) -> Result<u64, Unreadable> {
    let Known { form, operands } = known;
    let mut given = Given { form, operands, wide, bits: [0; MAX_OPERANDS], count: 0 };
    while let Some((word, rest)) = first_word(line) {
        line = rest;
        let word = trimmed(word);
        match hexadecimal(word) {
            Some(value) => given.take(word, Some(value))?,
            None => given.take_pieces(word)?,
        }
    }
    let count = |e: OperandCountError| Unreadable { code: e.code(), message: format!("`{form}`: {e}") };
    let missing = || OperandCountError::new(operands.len(), given.count);
    let used = given.bits.get(..given.count).ok_or_else(missing).map_err(count)?;
    form.eval(used).map_err(count)
}

/// The operands of a line so far.
struct Given<'k> {
    form: &'k Form,
    operands: &'k [Operand],
    wide: bool,
    bits: [u64; MAX_OPERANDS],
    count: usize,
}

impl Given<'_> {
    /// Stores the next operand. Additional ones are only counted.
    fn take(&mut self, word: &[u8], value: Option<u64>) -> Result<(), Unreadable> {
        if let (Some(slot), Some(operand)) = (self.bits.get_mut(self.count), self.operands.get(self.count)) {
            *slot = match value {
                Some(value) if value <= u64::MAX >> (64 - operand.width) => value,
                _ => read(self.form, operand, word, self.wide)?,
            };
        }
        self.count += 1;
        Ok(())
    }

    /// Reads one operand, or several in one word.
    fn take_pieces(&mut self, word: &[u8]) -> Result<(), Unreadable> {
        let ty = self.operands.get(self.count).and_then(|operand| operand.ty);
        let mut pieces = word.split(|byte| *byte == b',').filter(|piece| !piece.is_empty());
        // `1.5,-2` are the elements of one packed operand, unless each is the bits of an operand.
        let packed = ty.is_some_and(|ty| ty.lanes() > 1);
        if packed && word.contains(&b',') && pieces.clone().any(|piece| hexadecimal(piece).is_none()) {
            return self.take(word, None);
        }
        pieces.try_for_each(|piece| self.take(piece, hexadecimal(piece)))
    }
}

/// Reads an operand that is not plain hexadecimal digits.
#[cold]
fn read(form: &Form, operand: &Operand, word: &[u8], wide: bool) -> Result<u64, Unreadable> {
    let text = String::from_utf8_lossy(word);
    operand::parse_word(form, operand, &text, wide).map_err(|bad| {
        let role = operand.role.name();
        Unreadable {
            message: format!("operand {role} = `{}` of `{form}`: {}", clip(&text), bad.message),
            ..bad
        }
    })
}

/// Removes the punctuation of PTX around operands.
fn trimmed(mut word: &[u8]) -> &[u8] {
    while let [b'{' | b',', rest @ ..] = word {
        word = rest;
    }
    while let [rest @ .., b'}' | b',' | b';'] = word {
        word = rest;
    }
    word
}

/// Up to sixteen hexadecimal digits, with or without prefix.
fn hexadecimal(word: &[u8]) -> Option<u64> {
    let digits = match word {
        [b'0', b'x' | b'X', rest @ ..] => rest,
        _ => word,
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    // Without branches on the digits, because they are random.
    let (mut value, mut all) = (0, 0);
    for byte in digits {
        let digit = DIGITS[usize::from(*byte)];
        value = value << 4 | u64::from(digit);
        all |= digit;
    }
    (all < 16).then_some(value)
}

/// The value of each byte as a hexadecimal digit, or 16.
const DIGITS: [u8; 256] = {
    let mut digits = [16; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(digit) = (byte as u8 as char).to_digit(16) {
            digits[byte] = digit as u8;
        }
        byte += 1;
    }
    digits
};
