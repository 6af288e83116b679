//! Words of plain hexadecimal digits, which are bits in batch input.

use super::reader::is_float_literal;

/// Up to sixteen hexadecimal digits, with or without prefix. `None` also for PTX's own literals, which consist of such
/// digits, too: `0f3F800000` is the number 1. [`Reader::read_word`](super::Reader::read_word) reads everything else.
#[inline]
pub(super) fn hexadecimal(word: &[u8]) -> Option<u64> {
    let digits = match word {
        [b'0', b'x' | b'X', rest @ ..] => rest,
        _ if is_float_literal(word) => return None,
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
