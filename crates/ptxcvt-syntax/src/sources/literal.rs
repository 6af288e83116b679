//! String literals of C++: raw ones, adjacent ones outside `asm` statements, and how to skip them.
//!
//! ISO C++, "String literals".

use super::escape::{Escapes, unescape};
use super::scan::Scanner;
use super::text::{HOLE, Joined};
use crate::source::Span;

/// Prefixes of a raw string.
pub(super) const RAW: [&str; 5] = ["R", "LR", "u8R", "uR", "UR"];

/// Prefixes of other strings. Any other word before a quote is a macro.
pub(super) const PREFIXES: [&str; 4] = ["L", "u8", "u", "U"];

/// True if a literal begins here.
pub(super) fn begins(scanner: &Scanner<'_>) -> bool {
    let mut ahead = Scanner { text: scanner.text, at: scanner.at };
    let word = ahead.word();
    ahead.peek() == b'"' && (word.is_empty() || RAW.contains(&word) || PREFIXES.contains(&word))
}

/// Adjacent literals, joined to one string.
pub(super) struct Adjacent {
    pub joined: Joined,
    /// False if the end was not found, or if a directive is between the parts.
    pub whole: bool,
}

/// Reads the literals from here on, with a hole for a macro between or after them. The scanner ends after the last one.
pub(super) fn adjacent(scanner: &mut Scanner<'_>) -> Adjacent {
    let mut joined = Joined::default();
    let mut whole = true;
    let mut end = scanner.at;
    loop {
        let start = scanner.at;
        match scanner.peek() {
            b'"' => {
                let to = scanner.skip_string(b'"');
                whole &= scanner.text.as_bytes().get(to) == Some(&b'"');
                unescape(scanner.text, start + 1, to, Escapes::C, &mut joined);
                end = scanner.at;
            }
            b'#' => {
                whole &= !scanner.begins_line() || scanner.at == end;
                break;
            }
            byte if Scanner::is_word(byte) => {
                let word = scanner.word();
                if RAW.contains(&word) && scanner.peek() == b'"' {
                    match raw(scanner) {
                        Some((from, to)) => joined.push(&scanner.text[from..to], from),
                        None => break,
                    }
                    end = scanner.at;
                } else if scanner.peek() == b'"' && PREFIXES.contains(&word) {
                    // The literal is read next.
                } else {
                    // A macro, or the suffix of a literal.
                    joined.push_as(HOLE, Span::new(start as u32, scanner.at as u32));
                    end = scanner.at;
                }
            }
            _ => break,
        }
        scanner.c_blanks();
    }
    scanner.at = end;
    Adjacent { joined, whole }
}

/// Reads a literal. Otherwise skips a prefix, a comment, a number, a word or one byte, and returns an empty text.
pub(super) fn piece(scanner: &mut Scanner<'_>) -> Joined {
    let mut joined = Joined::default();
    let text = scanner.text;
    match scanner.peek() {
        b'"' => {
            let start = scanner.at + 1;
            let end = scanner.skip_string(b'"');
            unescape(text, start, end, Escapes::C, &mut joined);
        }
        byte if Scanner::is_word(byte) => {
            let word = scanner.word();
            if RAW.contains(&word) && scanner.peek() == b'"' {
                match raw(scanner) {
                    Some((from, to)) => joined.push(&text[from..to], from),
                    None => scanner.step(),
                }
            }
        }
        _ => skip(scanner),
    }
    joined
}

/// Limit on the length of a raw string's delimiter `x`, from the standard.
const LONGEST_DELIMITER: usize = 16;

/// Skips `R"x(…)x"` from its quote on. Returns the beginning and the end of its content. `None` if there is no
/// delimiter and `(`.
pub(super) fn raw(scanner: &mut Scanner<'_>) -> Option<(usize, usize)> {
    let text = scanner.text;
    let is_end =
        |byte: &u8| matches!(byte, b'(' | b')' | b'\\' | b'"') || byte.is_ascii_whitespace() || *byte == 0x0b;
    let delimiter = text.as_bytes()[scanner.at + 1..].iter().position(is_end)?;
    let open = scanner.at + 1 + delimiter;
    if delimiter > LONGEST_DELIMITER || text.as_bytes()[open] != b'(' {
        return None;
    }
    let close = format!("){}\"", &text[scanner.at + 1..open]);
    let end = text[open..].find(&close).map(|n| open + n);
    scanner.at = end.map_or(text.len(), |end| end + close.len());
    Some((open + 1, end.unwrap_or(text.len())))
}

/// Skips a comment, a literal, a number, a word or one byte.
pub(super) fn skip(scanner: &mut Scanner<'_>) {
    match scanner.peek() {
        b'/' => drop(scanner.c_comment()),
        quote @ (b'"' | b'\'') => drop(scanner.skip_string(quote)),
        b'0'..=b'9' => scanner.number(),
        byte if Scanner::is_word(byte) => {
            let word = scanner.word();
            if scanner.peek() == b'"' && RAW.contains(&word) && raw(scanner).is_none() {
                scanner.step();
            }
        }
        _ => scanner.step(),
    }
}
