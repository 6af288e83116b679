//! Adjacent string literals of C++ outside `asm` statements.
//!
//! ISO C++, "String literals".

use super::escape::{Escapes, unescape};
use super::scan::Scanner;
use super::statement::{RAW, raw};
use super::text::{HOLE, Joined};
use crate::source::Span;

/// Adjacent literals as one string.
pub(super) struct Adjacent {
    pub joined: Joined,
    /// False if its end was not found, or a directive is between its parts.
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
