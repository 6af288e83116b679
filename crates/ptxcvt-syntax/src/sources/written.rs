//! PTX in strings other than inline assembly: whole modules, and strings of complete statements, as compilers contain
//! them. Other strings are parts of statements, or text about PTX.

use std::borrow::Cow;
use std::ops::Range;

use super::assembly::Assembly;
use super::hole::{Closed, close_holes};
use super::mention::{mentions, opcode_length};
use super::module;
use super::template::{formatted, placeholders};
use super::text::HOLE;
use crate::check::{CheckOptions, Fillers, Findings, check_filled};
use crate::code::{Code, PtxCode};
use crate::diagnostic::Diagnostic;

/// The verdict on a string with PTX.
pub(super) struct Written<'a> {
    /// The text that was judged.
    pub assembly: Cow<'a, Assembly>,
    pub findings: Findings,
    /// The statements that were left out.
    pub closed: Closed,
}

/// Judges a string. `None` unless it clearly consists of whole statements. `replaced` has the texts that the program
/// replaces.
pub(super) fn check<'a>(assembly: &'a Assembly, replaced: &[String]) -> Option<Written<'a>> {
    if begins_module(assembly.text()) {
        return module(assembly, replaced);
    }
    let assembly = formatted(assembly, replaced);
    // A driver reads up to the NUL at the end of a C string.
    let mut text = assembly.text().trim_end_matches('\0').to_owned();
    if !has_statements(&text) {
        return None;
    }
    let closed = close_holes(&mut text);
    let operands = if assembly.operands.unknown { &[] } else { &assembly.operands.fillers[..] };
    let fillers = Fillers { operands, names_unknown: true, words: assembly.operands.words, of_program: true };
    let findings = check_filled(&text, &CheckOptions::default().snippet(true), &fillers);
    is_readable(&findings).then_some(Written { assembly, findings, closed })
}

/// Judges a module for its own target and version. Statements with placeholders are left out. Without its `.version` or
/// `.target`, a module is judged for every version or target.
fn module<'a>(assembly: &'a Assembly, replaced: &[String]) -> Option<Written<'a>> {
    let mut text = assembly.text().trim_end_matches('\0').to_owned();
    let mut places = placeholders(&text, true, replaced);
    // `%p` may be a register.
    places.retain(|place| !declares(&text, &text[place.clone()]));
    places.extend(text.match_indices(HOLE).map(|(at, _)| at..at + HOLE.len()));
    let statements = assembly.joined.mentions().map(|(at, _)| statement(&text, at));
    let unknown =
        statements.filter(|s| places.iter().any(|place| s.start < place.end && place.start < s.end));
    let closed = Closed::new(unknown.collect());
    closed.blank(&mut text);
    places.retain(|place| !closed.contains(place.start));
    let complete = module::without(&mut text, &places);
    let fillers = Fillers { of_program: true, names_unknown: !places.is_empty(), ..Fillers::default() };
    let mut findings = check_filled(&text, &CheckOptions::default(), &fillers);
    // Unknown parts may open and close braces.
    findings.diagnostics.retain(|found| places.is_empty() || !is_broken(found));
    if !complete {
        findings.diagnostics.retain(|found| !is_head(found));
    }
    let assembly = Cow::Borrowed(assembly);
    is_readable(&findings).then_some(Written { assembly, findings, closed })
}

/// True if a module declares registers whose names begin with this text.
fn declares(text: &str, name: &str) -> bool {
    let declarations = text.split(".reg").skip(1);
    declarations.filter_map(|rest| rest.split_once(';')).any(|(declaration, _)| declaration.contains(name))
}

/// True if the whole text is valid PTX; otherwise it may be something else.
fn is_readable(findings: &Findings) -> bool {
    findings.diagnostics.iter().all(|d| !is_syntax(d.code()))
}

/// True for a text that begins with a module directive, after blanks, comments and unknown parts.
pub(super) fn begins_module(text: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || HOLE.contains(c);
    let mut rest = text.trim_start_matches(blank);
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start_matches(blank);
    }
    let directive =
        rest.strip_prefix('.').map_or("", |rest| rest.split(char::is_whitespace).next().unwrap_or_default());
    module::DIRECTIVES.contains(&directive)
}

/// The statement of the conversion at a place, with its semicolon.
fn statement(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind([';', '{', '}', '\n']).map_or(0, |n| n + 1);
    start..text[at..].find(';').map_or(text.len(), |n| at + n + 1)
}

/// True if the conversion at a place begins a statement, perhaps after a guard or a label, and a semicolon ends it
/// before another line begins with a word.
fn is_statement(text: &str, at: usize) -> bool {
    let before = text[statement(text, at).start..at].trim();
    let guard = before.starts_with('@') && before.split_whitespace().count() == 1;
    // A word and a colon may begin a message as well.
    let label = before.starts_with('$') && before.ends_with(':') && !before.contains(char::is_whitespace);
    let Some(end) = text[at..].find(';') else { return false };
    // Words without commas between them are prose; operands do not contain blanks.
    let operands = &text[at + opcode_length(&text[at..at + end])..at + end];
    let listed = operands.split(',').all(|operand| {
        let operand = operand.trim().trim_matches(['{', '}']).trim();
        !operand.contains(char::is_whitespace)
    });
    (before.is_empty() || guard || label) && !operands.trim().is_empty() && listed
}

/// True if each conversion of a text is a whole statement.
pub(super) fn has_statements(text: &str) -> bool {
    mentions(text).all(|at| is_statement(text, at))
}

/// True for syntax findings: `CVT2nn`.
pub(super) fn is_syntax(code: Code) -> bool {
    code.as_str().starts_with("CVT2")
}

/// True for findings that may be caused by a statement that was left out: a macro may open or close braces.
pub(super) fn is_broken(diagnostic: &Diagnostic) -> bool {
    diagnostic.code() == PtxCode::Unbalanced.into()
}

/// True for findings about a missing `.version` or `.target`.
pub(super) fn is_head(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code(), Code::Ptx(PtxCode::MissingVersion | PtxCode::MissingTarget))
}
