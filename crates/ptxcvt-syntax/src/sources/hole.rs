//! Holes: parts of an assembly that are unknown because a macro or a template's argument makes them.

use std::ops::Range;

use super::text::{HOLE, mentions};

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

/// The instructions whose opcode is a hole or begins with one, where `cvt` may be: `HOLE %0, %1;` and `@p cHOLE.f32 d, a;`.
/// Each is the place of the blank after the opcode, because a macro or a variable may have no place of its own. So is a
/// statement that is nothing but holes, by the place of the first. A hole before an opcode may be anything else: statements,
/// a declaration.
pub(super) fn unknown_opcodes(text: &str) -> impl Iterator<Item = usize> {
    let mut start = 0;
    text.split_inclusive(';').filter_map(move |statement| {
        let before = start;
        start += statement.len();
        unknown_opcode(statement).map(|at| before + at)
    })
}

/// The place after the opcode of a statement, if it is unknown.
fn unknown_opcode(statement: &str) -> Option<usize> {
    if !statement.contains(HOLE) || mentions(statement).next().is_some() {
        return None;
    }
    let is_around = |c: char| c.is_ascii_whitespace() || matches!(c, '{' | '}');
    let mut rest = statement.trim_start_matches(is_around);
    if let Some(guarded) = rest.strip_prefix('@') {
        rest = guarded.split_once(|c: char| c.is_ascii_whitespace())?.1.trim_start();
    }
    if rest.trim_end_matches(|c: char| is_around(c) || c == ';').replace(HOLE, "").trim().is_empty() {
        return statement.find(HOLE);
    }
    let (opcode, operands) = rest.split_once(|c: char| c.is_ascii_whitespace())?;
    let (known, more) = opcode.split_once(HOLE)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    let may_be = "cv".starts_with(known) && more.replace(HOLE, "").chars().all(is_part);
    (may_be && begins_with_operand(operands.trim_start())).then(|| statement.len() - operands.len() - 1)
}

/// True if a text is a list of two operands or more, not an instruction or a declaration.
fn begins_with_operand(text: &str) -> bool {
    let Some((first, _)) = (match text.strip_prefix(['{', '[']) {
        Some(inner) => inner.split_once(['}', ']']).and_then(|(_, rest)| rest.split_once(',')),
        None => text.split_once(','),
    }) else {
        return false;
    };
    // An instruction has a blank before its first operand, a declaration begins with a dot.
    !first.trim_end().contains(|c: char| c.is_ascii_whitespace() || c == ';') && !first.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_where_an_opcode_may_be_a_conversion() {
        for (text, at) in [
            ("# %0, %1;", Some(1)),
            ("{ .reg .b32 t; # t, %1; }", Some(16)),
            ("@!p # {a, b}, c;", Some(5)),
            ("c#.f32 %0, %1;", Some(6)),
            ("#.rn.#.f32 d , a;", Some(10)),
            ("# #, #;", Some(1)),
            ("# mov.b32 %0, %1;", None),
            ("# { .reg .b32 t, u; }", None),
            ("# .reg .b32 t, u;", None),
            ("# add %0, %1;", None),
            ("# ret;", None),
            ("#", Some(0)),
            ("{ ##\n}", Some(2)),
            ("@p #;", Some(3)),
            ("mov.b32 t, %1; # }", Some(15)),
            ("#(%0, %1);", None),
            ("mov.# %0, %1;", None),
            ("mov.b32 #, %1;", None),
            // Mentions of conversions are counted as such.
            ("cvt# %0, %1;", None),
            ("#cvt.rn.f16.f32 %0, %1;", None),
        ] {
            let holes = text.replace('#', HOLE);
            // The text before the place, with a character for each hole.
            let short = |end: usize| holes[..end].replace(HOLE, "#").len();
            let found: Vec<usize> = unknown_opcodes(&holes).map(short).collect();
            assert_eq!(found, at.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
