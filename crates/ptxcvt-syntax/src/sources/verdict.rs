//! The verdict on a text and its embedded texts.

use super::assembly::{Assembly, Kind};
use super::judge::{DEAD, Judge, UNREADABLE};
use super::language::Language;
use super::reading::{Reading, Wrappers};
use super::{replacement, rows};
use crate::check::CheckOptions;

/// The texts around a text.
#[derive(Default)]
pub(super) struct Outer {
    depth: u32,
    /// True for a string, because the program around it may replace parts of it.
    template: bool,
    /// The texts that the program replaces.
    replaced: Vec<String>,
}

/// Limit on the nesting of texts.
const MAX_DEPTH: u32 = 2;

/// A text without any of these and without escapes contains no conversion; most files need not be read. `cvt` may be
/// missing because it is in several strings or wrongly spelled, or is the value of a name. Then the name of the statement
/// or function shows the assembly.
pub(super) const MARKS: [&str; 5] = ["cvt", "asm", "Asm", "inline_ptx", "ptxCode"];

/// The verdict on a text and its embedded texts.
pub(super) fn judged(
    text: &str,
    language: Language,
    options: &CheckOptions,
    wrappers: &Wrappers,
    outer: &Outer,
) -> Judge {
    if !may_have(text, language) && !wrappers.are_in(text) {
        return Judge::default();
    }
    verdict(rows::read(text, language, wrappers), text, language, options, wrappers, outer)
}

/// False if a quick search shows that a text contains no conversion. Always true for notebooks, so that invalid ones
/// are reported.
pub(super) fn may_have(text: &str, language: Language) -> bool {
    language == Language::Notebook || MARKS.iter().any(|mark| text.contains(mark)) || has_escape(text)
}

/// True if a text may have characters by their numbers: `\x63vt`.
fn has_escape(text: &str) -> bool {
    let begins =
        |after: &str| after.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'x' | 'u' | 'U'));
    text.match_indices('\\').any(|(at, _)| begins(&text[at + 1..]))
}

/// The verdict on the contents of a text.
pub(super) fn verdict(
    reading: Reading,
    text: &str,
    language: Language,
    options: &CheckOptions,
    wrappers: &Wrappers,
    outer: &Outer,
) -> Judge {
    let mut judge = Judge::default();
    let Reading { mut assemblies, strings, embedded, unread, found } = reading;
    assemblies.iter_mut().for_each(|assembly| assembly.template |= outer.template);
    let mut replaced = replacement::replaced(text);
    replaced.extend_from_slice(&outer.replaced);
    found.into_iter().for_each(|diagnostic| judge.found(diagnostic));
    unread.iter().for_each(|text| judge.unread(text));
    let (written, inline): (Vec<_>, Vec<_>) = assemblies.iter().partition(|a| a.kind == Kind::Written);
    inline.into_iter().for_each(|assembly| judge.judge(assembly, options, &replaced));
    for inner in embedded.iter().filter(|_| outer.depth < MAX_DEPTH) {
        let within = Outer {
            depth: outer.depth + 1,
            template: outer.template || inner.template,
            replaced: replaced.clone(),
        };
        let found = judged(&inner.joined.text, inner.language, options, wrappers, &within);
        judge.embed(found, inner);
    }
    judge.written(written, &replaced);
    let left_out = |place: u32| {
        let reason = match language {
            // The conversion is in a statement with too many branches.
            Language::Cpp => UNREADABLE,
            // The conversion is in an alternative for other machines.
            Language::Llvm | Language::Mlir => DEAD,
            _ => return None,
        };
        let holds = |a: &Assembly| a.kind != Kind::Written && a.span().range().contains(&(place as usize));
        assemblies.iter().any(holds).then_some(reason)
    };
    strings.iter().for_each(|string| judge.string(string, left_out));
    judge
}
