//! Rust's generic parameters and arguments, and how to tell them from comparisons.
//!
//! The Rust Reference, "Generic parameters" and "Paths".

use super::super::scan::Scanner;
use super::super::syntax::Reader;
use super::things::{closes, next, reader};

/// Words that begin expressions and do not occur in types.
const EXPRESSIONS: [&str; 9] = ["if", "match", "loop", "while", "let", "return", "in", "else", "break"];
/// Words after which a type begins.
const PREFIXES: [&str; 9] = ["mut", "const", "dyn", "impl", "as", "for", "fn", "extern", "unsafe"];

/// Skips the generic parameters or arguments that begin at this `<`. Returns false, and skips nothing, if the text
/// cannot be parameters or arguments.
pub(super) fn skip(at: &mut Reader<'_>) -> bool {
    let mut ahead = reader(at.syntax, at.scanner.text, at.scanner.at);
    if ahead.scanner.starts_with("<=") || !inside(&mut ahead) {
        return false;
    }
    at.scanner.at = ahead.scanner.at;
    true
}

/// True if a type can end before this byte.
pub(super) fn ends_type(byte: u8) -> bool {
    matches!(byte, b',' | b')' | b']' | b'}' | b'>' | b'=' | b';' | b'+' | b':' | b'{' | 0)
}

/// Moves from a `<` past its `>`. False at a token that generic arguments cannot contain.
fn inside(reader: &mut Reader<'_>) -> bool {
    let mut open = 0_u32;
    // True after a word or a group, where a type ends.
    let mut after_type = false;
    while !reader.scanner.at_end() && !closes(reader) {
        let first = reader.scanner.peek();
        if first.is_ascii_whitespace() || reader.comment() {
            reader.blanks();
            continue;
        }
        if ["==", "!=", "=>"].iter().any(|operator| reader.scanner.starts_with(operator)) {
            return false;
        }
        if reader.scanner.starts_with("->") || reader.scanner.starts_with("::") {
            reader.scanner.at += 2;
            after_type = false;
            continue;
        }
        match first {
            b'<' => open += 1,
            b'>' => {
                open -= 1;
                if open == 0 {
                    reader.scanner.step();
                    return true;
                }
            }
            // `&T` and `*const T` begin types; between two types these are operators.
            b'&' | b'*' if after_type => return false,
            b'/' | b'%' | b'|' | b'^' | b'.' | b';' => return false,
            // Literals are arguments, and defaults of parameters.
            b'!' | b'-' | b'?' | b'=' | b'+' | b'&' | b'*' | b',' | b':' | b'\'' | b'"' | b'#' | b'$' => {}
            b'(' | b'[' | b'{' => {}
            byte if Scanner::is_word(byte) => {}
            _ => return false,
        }
        if first == b'{' && after_type {
            return false;
        }
        let start = reader.scanner.at;
        reader.pass();
        let word = &reader.scanner.text[start..reader.scanner.at];
        if EXPRESSIONS.contains(&word) {
            return false;
        }
        let is_type = Scanner::is_word(first) && !PREFIXES.contains(&word);
        after_type = is_type || matches!(first, b'(' | b'[' | b'{' | b'>');
    }
    false
}

/// True if the `<` here begins generic arguments after which a type can end: `Vec<A, B>,` but not `a < b, c > d`.
pub(super) fn is_type(at: &Reader<'_>) -> bool {
    let mut ahead = reader(at.syntax, at.scanner.text, at.scanner.at);
    skip(&mut ahead) && (ahead.scanner.starts_with("::") || ends_type(next(&ahead)))
}
