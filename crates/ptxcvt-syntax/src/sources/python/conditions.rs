//! Conditions as texts: what their outcomes imply, and which other outcomes decide them.
//!
//! The Python Language Reference, "Boolean operations".

use super::comparisons::{compared, decides, ordered, subject, version};
use super::constants::Constant;
use super::outside::{outside, pieces};

/// A condition with leading `not` removed, and the outcome of the rest for which the condition holds.
pub(super) fn atom(condition: &str) -> (String, bool) {
    let text = one_blank(condition);
    let mut text = text.as_str();
    let mut holds = true;
    while let Some(rest) = text.strip_prefix("not ") {
        (text, holds) = (rest.trim(), !holds);
    }
    while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        if inner.contains(['(', ')']) {
            break;
        }
        text = inner.trim();
    }
    match ordered(text) {
        Some((text, outcome)) => (text, outcome == holds),
        None => (text.to_owned(), holds),
    }
}

/// The outcome of a constant condition without `not`.
pub(super) fn constant(atom: &str) -> Option<bool> {
    match atom {
        // Only type checkers treat it as true.
        "TYPE_CHECKING" | "typing.TYPE_CHECKING" => Some(false),
        _ => Constant::read(atom)
            .map(|constant| constant.is_true())
            .or_else(|| compared(atom))
            .or_else(|| version(atom)),
    }
}

/// The outcome of a constant condition. `None` for other conditions.
pub(super) fn constant_outcome(condition: &str) -> Option<bool> {
    outcome(condition, &|_| None)
}

/// True if all parts of two conditions compare the same expression with constants.
pub(super) fn have_one_subject(one: &str, other: &str) -> bool {
    let all: Vec<String> = [one, other].into_iter().flat_map(parts).collect();
    let first = all.first().and_then(|atom| subject(atom));
    first.is_some() && all.iter().all(|atom| subject(atom) == first)
}

/// The outcome of a condition, if the outcomes that `known` returns for its parts without `not` decide it.
pub(super) fn outcome(condition: &str, known: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let (text, holds) = atom(condition);
    let parts = |word: &str, by: bool| {
        let parts = split(&text, word);
        if parts.len() < 2 {
            return None;
        }
        let all = parts.iter().map(|part| outcome(part, known)).collect::<Vec<_>>();
        match () {
            () if all.contains(&Some(by)) => Some(by),
            () if all.contains(&None) => None,
            () => Some(!by),
        }
    };
    let and = || if split(&text, "or").len() < 2 { parts("and", false) } else { None };
    let found = constant(&text).or_else(|| known(&text)).or_else(|| parts("or", true)).or_else(and)?;
    Some(found == holds)
}

/// Conditions and outcomes that are equivalent to one condition's outcome: if `a and b` holds, so do both.
pub(super) fn implied(condition: &str, outcome: bool) -> Vec<(String, bool)> {
    let (text, holds) = atom(condition);
    let holds = holds == outcome;
    let (or, and) = (split(&text, "or"), split(&text, "and"));
    let parts = match (or.len(), and.len()) {
        (2.., _) if !holds => or,
        (1, 2..) if holds => and,
        _ => Vec::new(),
    };
    match parts.is_empty() {
        true => vec![(text, holds)],
        false => parts.iter().flat_map(|part| implied(part, holds)).collect(),
    }
}

/// The parts of a condition that `not`, `and` and `or` join.
pub(super) fn parts(condition: &str) -> Vec<String> {
    let (text, _) = atom(condition);
    let word = if split(&text, "or").len() > 1 { "or" } else { "and" };
    let all = split(&text, word);
    if all.len() < 2 { vec![text] } else { all.iter().flat_map(|part| parts(part)).collect() }
}

/// The outcome of a condition, if the known outcomes of other conditions decide it.
pub(super) fn decided<'f>(facts: impl Iterator<Item = &'f (String, bool)>, atom: &str) -> Option<bool> {
    let mut facts = facts;
    facts.find_map(|(known, holds)| decides(known, *holds, atom))
}

/// True if conditions cannot have these outcomes at the same time.
pub(super) fn exclude_each_other(outcomes: &[(String, bool)]) -> bool {
    outcomes.iter().enumerate().any(|(number, (condition, holds))| {
        let others = || outcomes.iter().enumerate().filter(|(n, _)| *n != number).map(|(_, fact)| fact);
        outcome(condition, &|atom| decided(others(), atom)) == Some(!holds)
    })
}

/// Splits a condition at the words `and` or `or` that are outside of brackets and strings.
fn split<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let (mut all, mut from) = (Vec::new(), 0);
    let between = format!(" {word} ");
    for at in outside(text).filter(|at| text[*at..].starts_with(&between)) {
        all.push(&text[from..at]);
        from = at + between.len();
    }
    all.push(&text[from..]);
    all
}

/// A condition in which each run of whitespace outside of strings is one blank.
fn one_blank(condition: &str) -> String {
    let mut text = String::with_capacity(condition.len());
    for (piece, is_string) in pieces(condition) {
        if is_string {
            text += piece;
            continue;
        }
        for c in piece.chars() {
            match c.is_whitespace() {
                true if text.ends_with(' ') || text.is_empty() => {}
                true => text.push(' '),
                false => text.push(c),
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}
