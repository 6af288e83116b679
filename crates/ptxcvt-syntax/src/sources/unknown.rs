//! Instructions with unknown opcodes. Each may be a conversion.

use super::mention::mentions;
use super::text::HOLE;
use crate::identifier::is_plain_char;

/// Instructions whose opcode is a hole or contains one where `cvt` may be: `HOLE %0, %1;` and `@p cHOLE.f32 d, a;`.
/// Returns the place of the blank after the opcode, because a macro or a variable may have no place. For a statement
/// that consists only of holes, returns the place of the first hole. A hole before an opcode does not count: it may be
/// statements or a declaration.
pub(super) fn unknown_opcodes(text: &str) -> impl Iterator<Item = usize> {
    let mut start = 0;
    text.split_inclusive(';').filter_map(move |statement| {
        let before = start;
        start += statement.len();
        unknown_opcode(statement).map(|at| before + at)
    })
}

/// The state spaces whose names begin declarations inside functions.
const SPACES: [&str; 7] = ["reg", "local", "shared", "param", "const", "global", "tex"];

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
    let (opcode, after) = rest.split_once(|c: char| c.is_ascii_whitespace())?;
    let (known, more) = opcode.split_once(HOLE)?;
    // `OPCODE .rn.f16.f32 d, a;`, but not a declaration after a macro.
    let mut operands = after;
    if let Some(modifiers) = operands.trim_start().strip_prefix('.') {
        let name = modifiers.split(|c: char| !is_plain_char(c)).next().unwrap_or_default();
        let (_, rest) = modifiers.split_once(|c: char| c.is_ascii_whitespace())?;
        operands = if SPACES.contains(&name) { after } else { rest };
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    let may_be = "cv".starts_with(known) && more.replace(HOLE, "").chars().all(is_part);
    (may_be && begins_with_operand(operands.trim_start())).then(|| statement.len() - after.len() - 1)
}

/// True if a text is a list of at least two operands, not an instruction or a declaration.
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
            ("# .rn.f16.f61 %0, %1;", Some(1)),
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
            // Mentioned conversions are counted elsewhere.
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
