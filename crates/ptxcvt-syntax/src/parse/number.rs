//! The end and the kind of a number, for the lexer.
//!
//! PTX ISA section 4.5 (constants).

use super::token::TokenKind;

/// The first index from `from` on whose byte is not one of these.
pub(super) fn end_while(text: &[u8], from: usize, more: impl Fn(u8) -> bool) -> usize {
    let rest = &text[from.min(text.len())..];
    rest.iter().position(|&b| !more(b)).map_or(text.len(), |n| from + n)
}

/// The kind and the end of the number that begins with the digit at `start`.
pub(super) fn number(text: &[u8], start: usize) -> (TokenKind, usize) {
    let at = |index: usize| text.get(index).copied().unwrap_or(0);
    let hexadecimal = |digits: usize| {
        let from = start + 2;
        let end = end_while(text, from, |b| b.is_ascii_hexdigit());
        (end - from >= digits).then_some(from + digits)
    };
    let suffixed = |end: usize| end + usize::from(at(end) == b'U');
    let some_digits = |of: fn(&u8) -> bool| {
        let end = end_while(text, start + 2, |b| of(&b));
        (end > start + 2).then(|| (TokenKind::Integer, suffixed(end)))
    };
    let prefixed = match (at(start), at(start + 1)) {
        (b'0', b'f' | b'F') => hexadecimal(8).map(|end| (TokenKind::Bits32, end)),
        (b'0', b'd' | b'D') => hexadecimal(16).map(|end| (TokenKind::Bits64, end)),
        (b'0', b'x' | b'X') => some_digits(u8::is_ascii_hexdigit),
        (b'0', b'b' | b'B') => some_digits(|b| matches!(b, b'0' | b'1')),
        _ => None,
    };
    prefixed.unwrap_or_else(|| {
        let digits = end_while(text, start, |b| b.is_ascii_digit());
        // `1.` is a number.
        let fraction = match at(digits) {
            b'.' => end_while(text, digits + 1, |b| b.is_ascii_digit()),
            _ => digits,
        };
        match exponent(text, fraction) {
            end if end > digits => (TokenKind::Decimal, end),
            _ if at(start) == b'0' => {
                let octal = end_while(text, start, |b| matches!(b, b'0'..=b'7'));
                (TokenKind::Integer, suffixed(octal))
            }
            _ => (TokenKind::Integer, suffixed(digits)),
        }
    })
}

/// Index just past the exponent at `from`, or `from` if there is no exponent.
pub(super) fn exponent(text: &[u8], from: usize) -> usize {
    if !matches!(text.get(from), Some(b'e' | b'E')) {
        return from;
    }
    let sign = usize::from(matches!(text.get(from + 1), Some(b'+' | b'-')));
    let end = end_while(text, from + 1 + sign, |b| b.is_ascii_digit());
    if end > from + 1 + sign { end } else { from }
}
