//! Holes: parts of an assembly that are unknown because a macro or a template's argument makes them.

use std::ops::Range;

use super::text::HOLE;

/// The statements that were left out for their holes, by their places.
#[derive(Debug, Default)]
pub(super) struct Closed(Vec<Range<usize>>);

impl Closed {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True for a place in a statement that was left out.
    pub fn contains(&self, at: usize) -> bool {
        self.0.iter().any(|statement| statement.contains(&at))
    }
}

/// Replaces a hole that is an operand with a placeholder, and a statement with a hole anywhere else with blanks.
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
            if only_operands(statement) {
                for at in from..end {
                    if bytes[at..].starts_with(hole) {
                        bytes[at..at + hole.len()].copy_from_slice(b"%[_]");
                    }
                }
            } else {
                closed.0.push(from..end);
                // Line ends stay.
                for byte in &mut bytes[from..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
            }
        }
        start = end;
    }
    *text = String::from_utf8(bytes).expect("whole characters were replaced: a statement ends with ASCII");
    closed
}

/// True if every hole of a statement is a whole operand.
fn only_operands(statement: &[u8]) -> bool {
    let hole = HOLE.as_bytes();
    let trimmed = |bytes: &[u8], last: bool| -> u8 {
        let mut bytes = bytes.iter().copied().filter(|b| !b.is_ascii_whitespace());
        if last { bytes.next_back().unwrap_or(0) } else { bytes.next().unwrap_or(0) }
    };
    // The opcode ends at the first blank.
    let opcode = statement.iter().position(u8::is_ascii_whitespace).unwrap_or(0);
    let mut at = 0;
    let mut holes = 0;
    while at < statement.len() {
        if !statement[at..].starts_with(hole) {
            at += 1;
            continue;
        }
        let (before, after) = (&statement[..at], &statement[at + hole.len()..]);
        let first = before.len() > opcode && before[opcode..].iter().all(u8::is_ascii_whitespace);
        let begins = matches!(trimmed(before, true), b',' | b'{' | b'[') || first;
        let ends = matches!(trimmed(after, false), b',' | b'}' | b']' | b';' | 0);
        if at < opcode || !begins || !ends {
            return false;
        }
        holes += 1;
        at += hole.len();
    }
    holes > 0 && opcode > 0
}
