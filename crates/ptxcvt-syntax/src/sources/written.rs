//! PTX in strings that are no inline assembly: whole modules, and strings of complete statements, as compilers write
//! them. Anything else is a part of a statement, or text about PTX.
//!
//! The values that a format inserts for `{}`, `%s` and `$t` are unknown.

use std::borrow::Cow;

use super::assembly::{Assembly, Kind};
use super::constraint::Operands;
use super::hole::{Closed, close_holes};
use super::text::{HOLE, Joined};
use crate::check::{self, CheckOptions, Fillers, Findings, check_filled};
use crate::code::Code;
use crate::source::{Source, Span};

/// The verdict on such a string.
pub(super) struct Written {
    pub findings: Findings,
    /// The statements that were left out.
    pub closed: Closed,
}

/// The assembly with a hole for each part that a format replaces.
pub(super) fn formatted(assembly: &Assembly) -> Cow<'_, Assembly> {
    let text = assembly.text();
    let (mut joined, mut from, mut at) = (Joined::default(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let Some(length) = format_part(rest, text[..at].bytes().next_back()) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        joined.append(&assembly.joined, from..at);
        joined.push_as(HOLE, assembly.joined.locate(Span::new(at as u32, (at + length) as u32)));
        at += length;
        from = at;
    }
    if from == 0 {
        return Cow::Borrowed(assembly);
    }
    joined.append(&assembly.joined, from..text.len());
    let operands = Operands { unknown: true, ..Operands::default() };
    let formatted = Assembly::new(joined, operands, assembly.guards.clone(), assembly.span(), true);
    Cow::Owned(formatted.of_kind(Kind::Written))
}

/// The length of the part of a format that a text begins with: `{}`, `{name}`, `{0:x}`, `%s`, `%5u`, and Dr.Jit's `$v`.
fn format_part(text: &str, before: Option<u8>) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = |n: usize| bytes.get(n).copied().unwrap_or(0);
    match at(0) {
        b'{' => {
            let end = text.find('}')?;
            let inner = &text[1..end];
            let part = |c: char| c.is_ascii_alphanumeric() || "_.:[]!".contains(c);
            // `{$r0}` is a placeholder of PTX, and braces around blanks or lists are PTX's.
            inner.chars().all(part).then_some(end + 1)
        }
        b'%' => {
            let flags = bytes[1..].iter().take_while(|b| b"-+#0123456789.".contains(b)).count();
            let size = bytes[1 + flags..].iter().take_while(|b| b"hlzjt".contains(b)).count();
            let letter = 1 + flags + size;
            let known =
                b"diouxXeEgGcsp".contains(&at(letter)) || (size == 0 && flags > 0 && at(letter) == b'f');
            let ends = !(at(letter + 1).is_ascii_alphanumeric() || at(letter + 1) == b'_');
            // `%r%d` is a register with a number.
            (known && ends && before != Some(b'%')).then_some(letter + 1)
        }
        // `$0` and `$name` in an opcode: a placeholder is a whole operand.
        b'$' if before == Some(b'.') || at(1 + word_length(&bytes[1..])) == b'.' => {
            Some(1 + word_length(&bytes[1..])).filter(|length| *length > 1)
        }
        b'$' if at(1).is_ascii_lowercase() && !(at(2).is_ascii_alphanumeric() || at(2) == b'_') => Some(2),
        _ => None,
    }
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// Judges a string; `None` if it is not known to be whole statements.
pub(super) fn check(assembly: &Assembly) -> Option<Written> {
    // A driver reads up to the NUL that ends a string of C.
    let text = assembly.text().trim_end_matches('\0');
    if is_module(text) {
        // Its own target and version count.
        let source = Source::new("module", text.as_bytes());
        let findings = check::check(&source, &CheckOptions::default());
        let readable = findings.diagnostics.iter().all(|d| !is_syntax(d.code()));
        return readable.then_some(Written { findings, closed: Closed::default() });
    }
    let mut text = text.to_owned();
    if !assembly.joined.mentions().all(|(at, _)| is_statement(&text, at)) {
        return None;
    }
    let closed = close_holes(&mut text);
    let operands = if assembly.operands.unknown { &[] } else { &assembly.operands.fillers[..] };
    let fillers = Fillers { operands, names_unknown: true };
    let findings = check_filled(&text, &CheckOptions::default().snippet(true), &fillers);
    // Text that does not parse as PTX may be something else.
    let readable = findings.diagnostics.iter().all(|d| !is_syntax(d.code()));
    readable.then_some(Written { findings, closed })
}

/// True for a text that begins with `.version` after blanks and comments.
fn is_module(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest.starts_with(".version") && !text.contains(HOLE)
}

/// True if the conversion at a place begins a statement, perhaps after a guard or a label, and a semicolon ends it before
/// another line begins with a word.
fn is_statement(text: &str, at: usize) -> bool {
    let start = text[..at].rfind([';', '{', '}', '\n']).map_or(0, |n| n + 1);
    let before = text[start..at].trim();
    let guard = before.starts_with('@') && before.split_whitespace().count() == 1;
    // A word and a colon may begin a message as well.
    let label = before.starts_with('$') && before.ends_with(':') && !before.contains(char::is_whitespace);
    let Some(end) = text[at..].find(';') else { return false };
    // Words without commas between them are prose; operands have no blanks within.
    let operands = text[at..at + end].split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    let listed = operands.split(',').all(|operand| {
        let operand = operand.trim().trim_matches(['{', '}']).trim();
        !operand.contains(char::is_whitespace)
    });
    (before.is_empty() || guard || label) && !operands.trim().is_empty() && listed
}

/// True for findings about the text's form: `CVT2nn`.
fn is_syntax(code: Code) -> bool {
    code.as_str().starts_with("CVT2")
}
