//! The constant words that a file passes to its private functions: with `def _pack(kind, a)`, the calls `_pack("bf16",
//! x)` and `_pack("f16", y)` give `kind` two values. A function is private if it is at the top level and its name
//! begins with `_`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::expression::{Expression, Rows};
use super::literals::{Span, Tokens};
use crate::identifier::is_plain;
use crate::source;

/// Limit on the different calls of a function; the parameters of functions with more are not followed.
const MAX_CALLS: usize = 64;

/// The calls of each private function.
#[derive(Debug, Default)]
pub(super) struct Callers<'s>(HashMap<&'s str, Vec<Arguments<'s>>>);

/// The arguments of a call; `None` for an argument that is not a word. An unknown call has no arguments.
#[derive(Debug, Default)]
struct Arguments<'s> {
    positional: Vec<Option<Span>>,
    named: Vec<(&'s str, Option<Span>)>,
}

impl<'s> Callers<'s> {
    /// The calls in a file.
    pub fn of(text: &'s str) -> Self {
        let mut found = Callers::default();
        let names = private(text);
        if names.is_empty() {
            return found;
        }
        let mut tokens = Tokens::new(text);
        while !tokens.scanner.at_end() {
            let start = tokens.scanner.at;
            if tokens.scanner.peek() == b'#' {
                tokens.comment();
            } else if tokens.quote().is_some() {
                let formatted = tokens.literal().is_some_and(|span| span.formatted);
                let literal = &text[start..tokens.scanner.at];
                // Calls inside f-strings are not read.
                for name in names.iter().filter(|name| formatted && literal.contains(**name)) {
                    found.0.entry(name).or_default().push(Arguments::default());
                }
            } else {
                match tokens.scanner.word() {
                    "" => tokens.scanner.step(),
                    name if names.contains(name) && !is_other(&text[..start]) => {
                        let call = arguments(text, tokens.scanner.at).unwrap_or_default();
                        found.0.entry(name).or_default().push(call);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The values of a function's parameters in each call, if some are words. `parameters` has the name of each
    /// parameter, and its position unless it is keyword-only. `at` is the place of the function.
    pub fn rows(
        &self,
        function: &str,
        parameters: &[(&'s str, Option<usize>)],
        (text, at): (&'s str, usize),
    ) -> Option<Rc<Rows<'s>>> {
        let calls = self.0.get(function)?;
        let value = |call: &Arguments<'s>, (name, place): (&'s str, Option<usize>)| {
            let named = call.named.iter().find(|(other, _)| *other == name).and_then(|(_, value)| *value);
            named.or_else(|| call.positional.get(place?).copied().flatten())
        };
        let mut known = parameters.to_vec();
        known.retain(|parameter| calls.iter().any(|call| value(call, *parameter).is_some()));
        if known.is_empty() {
            return None;
        }
        let written = |value: &Option<Span>| value.map(|span| &text[span.start..span.end]);
        let mut rows: Vec<Vec<Option<Span>>> = Vec::new();
        for call in calls {
            let row: Vec<_> = known.iter().map(|parameter| value(call, *parameter)).collect();
            let is_new = !rows.iter().any(|other| other.iter().map(written).eq(row.iter().map(written)));
            if is_new && rows.len() == MAX_CALLS {
                return None;
            }
            rows.extend(is_new.then_some(row));
        }
        let item = |value: Option<Span>| {
            value.map_or(Expression::Unknown(source::Span::default()), Expression::Literal)
        };
        let column = |number: usize| rows.iter().map(|row| item(row[number])).collect();
        let columns = known
            .iter()
            .enumerate()
            .map(|(number, (name, _))| (*name, Rc::new(Expression::List(column(number)))));
        Some(Rc::new(Rows { at, columns: columns.collect() }))
    }
}

/// The names of private functions that are defined exactly once.
fn private(text: &str) -> HashSet<&str> {
    let (mut once, mut again) = (HashSet::new(), HashSet::new());
    for line in text.lines().filter_map(|line| line.strip_prefix("def ")) {
        let name = line.split('(').next().unwrap_or_default().trim_end();
        if !once.insert(name) {
            again.insert(name);
        }
    }
    once.retain(|name| !again.contains(name) && name.starts_with('_') && !name.starts_with("__"));
    once
}

/// True if the name after `before` is an attribute, or is being defined.
fn is_other(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.ends_with('.') || before.ends_with("def")
}

/// The arguments of the call whose name ends at `from`. `None` if there is no call, or if some arguments are unpacked
/// from a list or dictionary.
fn arguments(text: &str, from: usize) -> Option<Arguments<'_>> {
    let mut tokens = Tokens::new(text);
    tokens.scanner.at = from;
    tokens.blanks(false);
    if tokens.scanner.peek() != b'(' {
        return None;
    }
    let open = tokens.scanner.at;
    let (positional, named) = tokens.arguments();
    let written = &text[open..tokens.scanner.at];
    if written.match_indices('*').any(|(at, _)| written[..at].trim_end().ends_with(['(', ','])) {
        return None;
    }
    let word = |value: &Expression<'_>| match value.only() {
        Expression::Literal(span) if is_word(&text[span.start..span.end]) => Some(*span),
        _ => None,
    };
    Some(Arguments {
        positional: positional.iter().map(word).collect(),
        named: named.iter().map(|(name, value)| (*name, word(value))).collect(),
    })
}

/// True for the name of a type or an opcode. Strings that are whole statements are judged where they are written.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| is_plain(b) || matches!(b, b'.' | b':'))
}
