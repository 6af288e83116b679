//! Replacement in strings: `"…TYPE…".replace("TYPE", …)` and `Template("…$ty…").substitute(ty=…)`.
//!
//! The Python Standard Library, `str.replace` and "Template strings".

use super::super::text::{HOLE, Joined};
use super::evaluate::{Evaluator, Kind, Value, text};
use super::expression::Expression;
use super::format::{Values, items};
use super::literals::{self, plain};
use super::place::Here;
use crate::identifier::is_plain;
use crate::source::Span;

impl<'s> Evaluator<'_, 's> {
    /// The value of `text.replace(old, new)`, with a hole for each `old` if `new` is unknown.
    pub(super) fn replace(&mut self, parts: &[Expression<'s>; 3], here: &Here) -> Option<Value> {
        let [whole, old, new] = parts.each_ref().map(|part| self.value(part, here));
        let key = &old.joined.text;
        let known = whole.kind == Kind::Text && old.kind == Kind::Text && !key.contains(HOLE);
        if !known || key.is_empty() || new.kind == Kind::Number {
            return None;
        }
        let (mut joined, mut from) = (Joined::default(), 0);
        for (at, _) in whole.joined.text.match_indices(key.as_str()) {
            joined.append(&whole.joined, from..at);
            from = at + key.len();
            match new.kind {
                Kind::Unknown => {
                    joined.push_as(HOLE, whole.joined.locate(Span::new(at as u32, from as u32)));
                }
                _ => joined.append_all(&new.joined),
            }
        }
        joined.append(&whole.joined, from..whole.joined.text.len());
        Some(text(joined))
    }

    /// The value of `Template(template).substitute(mapping, name=value)`.
    pub(super) fn substitute(
        &mut self,
        template: &Expression<'s>,
        mapping: &[Expression<'s>],
        named: &[(&'s str, Expression<'s>)],
        here: &Here,
    ) -> Option<Value> {
        let found = mapping.first().and_then(|mapping| self.container(mapping, here));
        // All values are evaluated at one place. If some are arguments here, a mapping from elsewhere is unknown.
        let found = found.filter(|(_, place)| named.is_empty() || place.before == here.before);
        let place = found.as_ref().map_or(here, |(_, place)| place);
        let mapped = found.iter().flat_map(|(mapping, _)| items(mapping));
        let all = mapped.chain(named.iter().map(|(name, value)| (*name, value))).collect();
        let mut values = Values { positional: &[], named: all, here: place, next: 0 };
        self.fill(template, here, &mut values, Self::dollars)
    }

    /// Appends a literal with values in place of `$name` and `${name}`.
    fn dollars(&mut self, literal: literals::Span, values: &mut Values<'_, 's>, joined: &mut Joined) {
        let mut from = literal.start;
        while let Some(at) = self.text[from..literal.end].find('$').map(|n| from + n) {
            plain(self.text, from, at, literal.escapes, joined);
            let rest = &self.text[at + 1..literal.end];
            if rest.starts_with('$') {
                from = at + 2;
                joined.push_as("$", Span::new(at as u32, from as u32));
                continue;
            }
            let braced = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
            let length = |text: &str| text.bytes().take_while(|b| is_plain(*b)).count();
            let name = braced.unwrap_or(&rest[..length(rest)]);
            from = at + 1 + name.len() + if braced.is_some() { 2 } else { 0 };
            let place = Span::new(at as u32, from as u32);
            // `$0` is not a name, and `safe_substitute` leaves it unchanged.
            match name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                true => self.insert(values.named(name), values.here, place, joined),
                false => joined.push(&self.text[at..from], at),
            }
        }
        plain(self.text, from, literal.end, literal.escapes, joined);
    }
}
