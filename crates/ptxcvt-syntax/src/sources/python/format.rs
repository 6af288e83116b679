//! Templates that are filled in: `"…{}…".format(…)` and `"…%s…" % …`.
//!
//! The Python Standard Library, "Format String Syntax" and "printf-style String Formatting".

use std::slice;

use super::super::text::{HOLE, Joined};
use super::evaluate::{Evaluator, Found, Kind, Value, hole, text, unknown};
use super::expression::Expression;
use super::literals::{self, Piece, decode, plain};
use super::place::Here;
use crate::source::Span;

/// The values for a template.
pub(super) struct Values<'v, 's> {
    pub positional: &'v [Expression<'s>],
    pub named: Vec<(&'s str, &'v Expression<'s>)>,
    /// The place of the values.
    pub here: &'v Here,
    /// The number of positional values inserted so far.
    pub next: usize,
}

impl<'v, 's> Values<'v, 's> {
    pub(super) fn following(&mut self) -> Option<&'v Expression<'s>> {
        self.next += 1;
        self.positional.get(self.next - 1)
    }

    pub(super) fn named(&self, name: &str) -> Option<&'v Expression<'s>> {
        // The last of several equal names counts.
        self.named.iter().rfind(|(other, _)| *other == name).map(|(_, value)| *value)
    }
}

impl<'s> Evaluator<'_, 's> {
    /// The value of `template.format(…)`.
    pub(super) fn format(
        &mut self,
        template: &Expression<'s>,
        positional: &[Expression<'s>],
        named: &[(&'s str, Expression<'s>)],
        here: &Here,
    ) -> Value {
        let named = named.iter().map(|(name, value)| (*name, value)).collect();
        let mut values = Values { positional, named, here, next: 0 };
        self.fill(template, here, &mut values, Self::braces).unwrap_or_else(|| unknown(Span::default()))
    }

    /// The value of `template % values`, if the template is a string.
    pub(super) fn percent(
        &mut self,
        template: &Expression<'s>,
        values: &Expression<'s>,
        here: &Here,
    ) -> Option<Value> {
        let found = self.container(values, here);
        let (expression, place) = match &found {
            Some((found, place)) => (&**found, place),
            None => (values, here),
        };
        let (positional, named) = match expression {
            Expression::List(items) => (&items[..], Vec::new()),
            Expression::Dictionary(_) => (&[][..], items(expression).collect()),
            one => (slice::from_ref(one), Vec::new()),
        };
        let mut values = Values { positional, named, here: place, next: 0 };
        self.fill(template, here, &mut values, Self::specifiers)
    }

    /// Fills in a template: `insert` reads each of its literals. `None` if the template is not a string.
    pub(super) fn fill(
        &mut self,
        template: &Expression<'s>,
        here: &Here,
        values: &mut Values<'_, 's>,
        insert: fn(&mut Self, literals::Span, &mut Values<'_, 's>, &mut Joined),
    ) -> Option<Value> {
        let template = match template {
            Expression::Sum(_) | Expression::Literal(_) | Expression::Trimmed(..) => Found::Plain(template),
            _ => self.resolve(template, here)?.0,
        };
        let parts = match &*template {
            // Assumes that values do not begin or end with blanks.
            Expression::Trimmed(function, parts) => {
                let whole = self.fill(&parts[0], here, values, insert)?;
                return self.without_blanks(function, &whole, &parts[1..], here);
            }
            Expression::Sum(parts) => &parts[..],
            other => slice::from_ref(other),
        };
        if !parts.iter().any(Expression::is_text) {
            return None;
        }
        let mut joined = Joined::default();
        for part in parts {
            match part {
                Expression::Literal(span) => insert(self, *span, values, &mut joined),
                // Braces and specifiers in an inserted value would be filled in, too, so this part is unknown.
                _ => joined.append_all(&hole(Span::default())),
            }
        }
        Some(text(joined))
    }

    /// Appends a literal with values in place of `{}`, `{0}` and `{name}`.
    fn braces(&mut self, literal: literals::Span, values: &mut Values<'_, 's>, joined: &mut Joined) {
        let mut pieces = Vec::new();
        decode(self.text, literal, true, |piece, pieces: &mut Vec<Piece>| pieces.push(piece), &mut pieces);
        for piece in pieces {
            match piece {
                Piece::Text(from, to) => plain(self.text, from, to, literal.escapes, joined),
                Piece::Brace(at, brace) => joined.push_as(brace, at),
                Piece::Hole(at) => {
                    let field =
                        &self.text[at.start as usize + 1..(at.end as usize).max(at.start as usize + 2) - 1];
                    let value = match field.parse::<usize>() {
                        Ok(number) => values.positional.get(number),
                        Err(_) if field.is_empty() => values.following(),
                        Err(_) => values.named(field),
                    };
                    self.insert(value, values.here, at, joined);
                }
            }
        }
    }

    /// Appends a literal with values in place of `%s`, `%d` and `%(name)s`.
    fn specifiers(&mut self, literal: literals::Span, values: &mut Values<'_, 's>, joined: &mut Joined) {
        let mut from = literal.start;
        while let Some(at) = self.text[from..literal.end].find('%').map(|n| from + n) {
            plain(self.text, from, at, literal.escapes, joined);
            let specifier = Specifier::read(&self.text[at + 1..literal.end]);
            from = at + 1 + specifier.length;
            let place = Span::new(at as u32, from as u32);
            if specifier.kind == Some('%') {
                joined.push_as("%", place);
                continue;
            }
            let value = match specifier.name {
                Some(name) => values.named(name),
                None => values.following(),
            };
            // Widths, other number bases and quotes change the text.
            let known = specifier.is_plain && matches!(specifier.kind, Some('s' | 'd' | 'i'));
            self.insert(value.filter(|_| known), values.here, place, joined);
        }
        plain(self.text, from, literal.end, literal.escapes, joined);
    }

    /// Appends a value, or a hole at `place` if it is unknown.
    pub(super) fn insert(
        &mut self,
        value: Option<&Expression<'s>>,
        here: &Here,
        place: Span,
        joined: &mut Joined,
    ) {
        let value = value.map(|value| self.value(value, here));
        match value.filter(|value| value.kind != Kind::Unknown) {
            Some(value) => joined.append_all(&value.joined),
            None => joined.push_as(HOLE, place),
        }
    }
}

/// The items of a dictionary whose keys are strings.
pub(super) fn items<'x, 's>(
    dictionary: &'x Expression<'s>,
) -> impl Iterator<Item = (&'s str, &'x Expression<'s>)> + use<'x, 's> {
    let items = match dictionary {
        Expression::Dictionary(items) => &items[..],
        _ => &[],
    };
    items.iter().map(|(key, _, value)| (key.trim_matches(['"', '\'']), value))
}

/// A format specifier: the text after a `%`.
struct Specifier<'t> {
    name: Option<&'t str>,
    /// The conversion letter. `None` if the text ends before it.
    kind: Option<char>,
    /// True if there are no flags, width or precision.
    is_plain: bool,
    /// The length in bytes.
    length: usize,
}

impl<'t> Specifier<'t> {
    fn read(text: &'t str) -> Self {
        let named = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (name, rest) = named.map_or((None, text), |(name, rest)| (Some(name), rest));
        let after = rest.trim_start_matches(|c: char| "#0- +.*hlL".contains(c) || c.is_ascii_digit());
        let kind = after.chars().next();
        let length = text.len() - after.len() + kind.map_or(0, char::len_utf8);
        Specifier { name, kind, is_plain: after.len() == rest.len(), length }
    }
}
