//! Holes: parts of an assembly that are unknown because a macro or a template's argument makes them.

use std::ops::Range;

use super::mention::opcode_length;
use super::text::HOLE;
use crate::identifier::is_ptx;

/// The places of statements that were left out because of holes.
#[derive(Debug, Default)]
pub(super) struct Closed(Vec<Range<usize>>);

impl Closed {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn new(statements: Vec<Range<usize>>) -> Self {
        Closed(statements)
    }

    /// Replaces the statements with blanks. Line ends are kept.
    pub fn blank(&self, text: &mut String) {
        let mut bytes = std::mem::take(text).into_bytes();
        self.0.iter().for_each(|statement| blank(&mut bytes[statement.clone()]));
        *text = String::from_utf8(bytes).expect("whole statements were replaced");
    }

    /// True for a place in a statement that was left out.
    pub fn contains(&self, at: usize) -> bool {
        self.0.iter().any(|statement| statement.contains(&at))
    }
}

/// Replaces an operand that is a hole by a placeholder, and a statement with a hole elsewhere by blanks. The name of a
/// conversion's operand may contain holes (`h{i}`, `%{n}`); it is as unknown as a hole.
pub(super) fn close_holes(text: &mut String) -> Closed {
    let mut closed = Closed::default();
    if !text.contains(HOLE) {
        return closed;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    let hole = HOLE.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        // Braces of a block are separate statements; those of operands are not preceded by a semicolon.
        let end = bytes[start..].iter().position(|&b| b == b';').map_or(bytes.len(), |n| start + n + 1);
        let mut from = start;
        while bytes.get(from).is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'{' | b'}')) {
            from += 1;
        }
        let statement = &bytes[from.min(end)..end];
        if statement.windows(hole.len()).any(|w| w == hole) {
            match unknown_operands(statement) {
                Some(operands) => {
                    for operand in operands {
                        let operand = &mut bytes[from + operand.start..from + operand.end];
                        operand.fill(b' ');
                        operand[..UNKNOWN.len()].copy_from_slice(UNKNOWN);
                    }
                }
                None => {
                    closed.0.push(from..end);
                    blank(&mut bytes[from..end]);
                }
            }
        }
        start = end;
    }
    *text = String::from_utf8(bytes).expect("whole characters were replaced: a statement ends with ASCII");
    closed
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// The placeholder for an unknown operand. It has the length of a hole.
const UNKNOWN: &[u8; HOLE.len()] = b"%[_]";

/// The operands that contain holes. `None` if a hole is elsewhere.
fn unknown_operands(statement: &[u8]) -> Option<Vec<Range<usize>>> {
    let hole = HOLE.as_bytes();
    let neighbour = |bytes: &[u8], last: bool| -> u8 {
        let mut bytes = bytes.iter().copied().filter(|b| !b.is_ascii_whitespace());
        if last { bytes.next_back().unwrap_or(0) } else { bytes.next().unwrap_or(0) }
    };
    let text = std::str::from_utf8(statement).ok()?;
    let word = |from: usize| -> Option<Range<usize>> {
        let start = from + statement[from..].iter().position(|b| !b.is_ascii_whitespace())?;
        let end = start + opcode_length(&text[start..]);
        // A blank follows the opcode.
        statement[end..].iter().any(u8::is_ascii_whitespace).then_some(start..end)
    };
    let first = word(0)?;
    let opcode = if statement.starts_with(b"@") { word(first.end)? } else { first };
    let conversion = statement[opcode.clone()].starts_with(b"cvt");
    let is_name = |byte: u8| conversion && (is_ptx(byte) || byte == b'%');
    let mut operands = Vec::new();
    let mut at = 0;
    while at < statement.len() {
        if !statement[at..].starts_with(hole) {
            at += 1;
            continue;
        }
        if at < opcode.end {
            return None;
        }
        let start = statement[..at].iter().rposition(|&b| !is_name(b)).map_or(0, |n| n + 1);
        let mut end = at;
        while end < statement.len() && (statement[end..].starts_with(hole) || is_name(statement[end])) {
            end += if is_name(statement[end]) { 1 } else { hole.len() };
        }
        let is_first = statement[opcode.end..start].iter().all(u8::is_ascii_whitespace);
        let begins = matches!(neighbour(&statement[..start], true), b',' | b'{' | b'[') || is_first;
        // A hole at the end may contain the semicolon.
        let rest = &statement[end..];
        let ends = matches!(neighbour(rest, false), b',' | b'}' | b']' | b';')
            && rest.iter().any(|b| b",;".contains(b));
        if !begins || !ends || (!conversion && end - start > hole.len()) {
            return None;
        }
        operands.push(start..end);
        at = end;
    }
    Some(operands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_with_holes() {
        for (text, expected) in [
            ("cvt.a.b #, d;", Some("cvt.a.b %[_], d;")),
            ("cvt.a.b d, #;", Some("cvt.a.b d, %[_];")),
            ("cvt.a.b h#, f#;", Some("cvt.a.b %[_] , %[_] ;")),
            ("cvt.a.b %#, $#;", Some("cvt.a.b %[_] , %[_] ;")),
            ("cvt.a.b %h#_#x, {a#, 0f#};", Some("cvt.a.b %[_]        , {%[_] , %[_]  };")),
            ("@p cvt .a .b h#, #;", Some("@p cvt .a .b %[_] , %[_];")),
            ("@p cvt.a.b h#, #;", Some("@p cvt.a.b %[_] , %[_];")),
            ("cvt.a.b #, d}", Some("cvt.a.b %[_], d}")),
            ("mov.b32 #, #;", Some("mov.b32 %[_], %[_];")),
            // An opcode, a guard, an expression, a declaration, and text that may be two statements.
            ("cvt.#.b d, a;", None),
            ("cvt #, a;", None),
            ("cvt /* a */ .#.b d, a;", None),
            ("cvt .a\n.b# d, a;", None),
            ("cvt.a.b# d, a;", None),
            ("@p# cvt.a.b d, a;", None),
            ("cvt.a.b d, -#;", None),
            ("cvt.a.b d, a#.x;", None),
            ("cvt.a.b d, #", None),
            ("cvt.a.b d, {a, #}}", None),
            ("cvt.a.b d, a# cvt.a.b d, a;", None),
            ("cvt.a.b d, a#cvt.a.b d, a;", None),
            ("# cvt.a.b d, a;", None),
            (".reg .b32 a, h#;", None),
            ("mov.b32 h#, a;", None),
            ("add.u32 d, ##;", None),
        ] {
            let holes = text.replace('#', HOLE);
            let mut closed = holes.clone();
            let left_out = !close_holes(&mut closed).is_empty();
            let expected = expected.map_or(" ".repeat(holes.len()), str::to_owned);
            assert_eq!(
                (closed.trim_end(), left_out),
                (expected.trim_end(), expected.trim().is_empty()),
                "{text}"
            );
        }
    }
}
