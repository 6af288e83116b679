//! The verdict on one assembly: holes are closed, the text is checked, and findings are brought back to the source.

use std::collections::HashSet;

use ptxcvt::targets::Suffix;
use ptxcvt::{IsaVersion, Target};

use super::Assembly;
use super::guard::Guard;
use super::text::HOLE;
use crate::check::{CheckOptions, Fillers, Findings, check_filled};
use crate::code::{Code, PtxCode};

/// Why a conversion was not judged.
const MACRO: &str = "part of it is a macro or a template's argument";
const FOREIGN: &str = "the operands are another machine's";
const UNREADABLE: &str = "the statement cannot be read";

/// Judges an assembly and adds what was found.
pub(super) fn judge(assembly: &Assembly, options: &CheckOptions, found: &mut Findings) {
    if !assembly.complete {
        // Of a call whose text is made elsewhere nothing can be said, not even that it converts.
        if mentions_conversion(assembly.text()) {
            *found.stats.skipped.entry(UNREADABLE).or_default() += 1;
        }
        return;
    }
    let mut text = assembly.text().to_owned();
    if !mentions_conversion(&text) {
        return;
    }
    if assembly.constraints.foreign {
        *found.stats.skipped.entry(FOREIGN).or_default() += 1;
        return;
    }
    let closed = close_holes(&mut text);
    if closed.conversions > 0 {
        *found.stats.skipped.entry(MACRO).or_default() += closed.conversions;
    }
    let known = !assembly.constraints.unknown;
    let operands = if known { &assembly.constraints.operands[..] } else { &[] };
    let fillers = Fillers { operands, names_unknown: closed.statements > 0 };
    let mut seen = HashSet::new();
    for (round, (target, isa)) in machines(assembly, options).into_iter().enumerate() {
        let options = CheckOptions { target, isa, snippet: true };
        let report = check_filled(&text, &options, &fillers);
        if round == 0 {
            found.stats.assemblies += 1;
            found.stats.add(&report.stats, |at| assembly.joined.locate(crate::Span::new(at, at + 1)).start);
        }
        for diagnostic in report.diagnostics {
            // What a macro opens or closes is not known.
            let broken = matches!(diagnostic.code(), Code::Ptx(PtxCode::Unbalanced | PtxCode::NothingRead));
            let place = assembly.joined.locate(diagnostic.span());
            if (broken && closed.statements > 0) || !seen.insert((diagnostic.code(), place)) {
                continue;
            }
            let moved =
                diagnostic.moved(|span| assembly.joined.locate(span), |span| assembly.joined.exact(span));
            found.diagnostics.push(moved);
        }
    }
}

/// True where `cvt.` stands as the beginning of a word, or `cvt` before a hole.
pub(super) fn mentions_conversion(text: &str) -> bool {
    text.match_indices("cvt").any(|(at, _)| {
        let before = text[..at].bytes().next_back();
        let begins = before.is_none_or(|b| !b.is_ascii_alphanumeric() && !b"_.%$".contains(&b));
        begins && (text[at + 3..].starts_with('.') || text[at + 3..].starts_with(HOLE))
    })
}

/// What was given up for holes.
#[derive(Default)]
pub(super) struct Closed {
    pub conversions: usize,
    pub statements: usize,
}

/// A hole that is an operand becomes a placeholder; a statement with a hole anywhere else becomes blanks.
pub(super) fn close_holes(text: &mut String) -> Closed {
    let mut closed = Closed::default();
    if !text.contains(HOLE) {
        return closed;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    let hole = HOLE.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        // Braces of a block are statements of their own, those of operands are not preceded by a semicolon.
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
                let words = String::from_utf8_lossy(statement);
                closed.conversions += usize::from(mentions_conversion(&words));
                closed.statements += 1;
                // Lines stay, and so do the semicolon and the brace of a block that a macro does not hide.
                for byte in &mut bytes[from..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
            }
        }
        start = end;
    }
    // Whole characters were replaced: a statement ends with ASCII.
    *text = String::from_utf8(bytes).unwrap_or_default();
    closed
}

/// True where every hole of a statement stands alone where an operand stands.
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

/// For which machines an assembly is judged: those that its guards admit first, each, or those of the options.
pub(super) fn machines(
    assembly: &Assembly,
    options: &CheckOptions,
) -> Vec<(Option<Target>, Option<IsaVersion>)> {
    let machine = |guard: &Guard| {
        let target = match (guard.target, options.target) {
            (Some(least), Some(wanted)) if admits(least, wanted) => Some(wanted),
            (least, wanted) => least.or(wanted),
        };
        let isa = match (guard.isa(), options.isa) {
            (Some(least), Some(wanted)) => Some(least.max(wanted)),
            (least, wanted) => least.or(wanted),
        };
        // A toolkit that knows the target brings its first version at least.
        let isa = match (target, isa) {
            (Some(target), Some(isa)) if options.isa.is_none() => Some(isa.max(target.introduced())),
            _ => isa,
        };
        (target, isa)
    };
    let mut all: Vec<_> = match &assembly.guards[..] {
        [] => vec![machine(&Guard::default())],
        guards => guards.iter().map(machine).collect(),
    };
    let mut seen = HashSet::new();
    all.retain(|machine| seen.insert(*machine));
    all
}

/// True where code that is guarded for `least` is compiled for `wanted`, too.
fn admits(least: Target, wanted: Target) -> bool {
    match least.suffix() {
        Suffix::Plain => wanted.sm() >= least.sm(),
        Suffix::Family => wanted.sm() / 10 == least.sm() / 10 && wanted.sm() >= least.sm(),
        _ => wanted == least,
    }
}
