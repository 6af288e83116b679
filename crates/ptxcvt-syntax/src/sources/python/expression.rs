//! Python expressions that may be strings: literals, sums, `.format`, `.join`, conditional expressions, names,
//! dictionaries.
//!
//! The Python Language Reference, "Expressions".

use std::rc::Rc;

use super::super::text::Joined;
use super::literals;
use crate::source::Span;

/// The names of a loop, with their values in each round.
#[derive(Debug)]
pub(super) struct Rows<'s> {
    /// The offset of the loop's iterable.
    pub at: usize,
    /// The names, each with the list of its values.
    pub columns: Vec<(&'s str, Rc<Expression<'s>>)>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expression<'s> {
    /// A piece of a string.
    Text(Joined),
    /// A number, as in the source.
    Number(Joined),
    Name(&'s str),
    /// Strings one after another: literals, an f-string, a sum.
    Sum(Vec<Expression<'s>>),
    /// A template with `%s`, and the value after the operator `%`.
    Percent(Box<Expression<'s>>, Box<Expression<'s>>),
    /// A template with `{…}`, and the positional and named values of `.format(…)`.
    Format(Box<Expression<'s>>, Vec<Expression<'s>>, Vec<(&'s str, Expression<'s>)>),
    /// A template with `$name`, and the values of `.substitute(…)`.
    Substitute(Box<Expression<'s>>, Vec<Expression<'s>>, Vec<(&'s str, Expression<'s>)>),
    /// `a.replace(old, new)`
    Replace(Box<[Expression<'s>; 3]>),
    /// A function that changes the whitespace of its first argument: `.strip(…)`, `dedent(…)`.
    Trimmed(&'s str, Vec<Expression<'s>>),
    /// A literal without inserted values: its braces are text, unless `.format` follows.
    Literal(literals::Span),
    Join(Box<Expression<'s>>, Box<Expression<'s>>),
    /// `a if condition else b`
    Either {
        condition: &'s str,
        at: usize,
        then: Box<Expression<'s>>,
        other: Box<Expression<'s>>,
    },
    List(Vec<Expression<'s>>),
    /// The item of a comprehension, and the number of items if it is known.
    Repeated(Box<Expression<'s>>, Option<usize>),
    /// A dictionary, with the text of each key and its place.
    Dictionary(Vec<(&'s str, usize, Expression<'s>)>),
    /// An item of a dictionary or list, by the text of its key.
    Item(Box<Expression<'s>>, &'s str, usize),
    /// A string and the number of its copies: `"…" * 2`.
    Times(Box<Expression<'s>>, Box<Expression<'s>>),
    /// `A.OP`, `self.op`: a name, its attribute, and their place.
    Attribute(&'s str, &'s str, Span),
    /// The value that a loop gives to one of its names, by the index of the name.
    Any(Rc<Rows<'s>>, usize),
    /// Something else.
    Unknown(Span),
}

impl<'s> Expression<'s> {
    /// True if the expression's syntax shows that it may be a string.
    pub fn is_text(&self) -> bool {
        match self {
            Expression::Text(_) | Expression::Literal(_) | Expression::Format(..) | Expression::Join(..) => {
                true
            }
            Expression::Sum(parts) => parts.iter().any(Expression::is_text),
            Expression::Percent(template, _) | Expression::Substitute(template, ..) => template.is_text(),
            Expression::Replace(parts) => parts[0].is_text(),
            Expression::Trimmed(_, parts) => parts[0].is_text(),
            Expression::Times(text, _) => text.is_text(),
            Expression::Either { then, other, .. } => then.is_text() || other.is_text(),
            _ => false,
        }
    }
}

impl<'s> Expression<'s> {
    /// The only part of a sum with one part, otherwise the expression itself.
    pub fn only(&self) -> &Expression<'s> {
        match self {
            Expression::Sum(parts) if parts.len() == 1 => parts[0].only(),
            other => other,
        }
    }

    /// True for a literal, or a list or sum of literals, without names.
    pub fn is_literal(&self) -> bool {
        match self {
            Expression::Text(_) | Expression::Number(_) | Expression::Literal(_) => true,
            Expression::Sum(all) | Expression::List(all) | Expression::Trimmed(_, all) => {
                all.iter().all(Expression::is_literal)
            }
            Expression::Dictionary(all) => all.iter().all(|(.., value)| value.is_literal()),
            _ => false,
        }
    }

    /// True if a test holds for this expression or a part of it.
    pub fn any(&self, test: &mut dyn FnMut(&Expression<'s>) -> bool) -> bool {
        test(self)
            || match self {
                Expression::Sum(all) | Expression::List(all) | Expression::Trimmed(_, all) => {
                    all.iter().any(|part| part.any(test))
                }
                Expression::Dictionary(all) => all.iter().any(|(.., part)| part.any(test)),
                Expression::Percent(a, b) | Expression::Join(a, b) | Expression::Times(a, b) => {
                    a.any(test) || b.any(test)
                }
                Expression::Either { then: a, other: b, .. } => a.any(test) || b.any(test),
                Expression::Format(template, plain, named)
                | Expression::Substitute(template, plain, named) => {
                    template.any(test)
                        || plain.iter().any(|part| part.any(test))
                        || named.iter().any(|(_, part)| part.any(test))
                }
                Expression::Replace(parts) => parts.iter().any(|part| part.any(test)),
                Expression::Repeated(part, _) | Expression::Item(part, ..) => part.any(test),
                Expression::Any(rows, column) => rows.columns[*column].1.any(test),
                Expression::Text(_)
                | Expression::Number(_)
                | Expression::Literal(_)
                | Expression::Name(_)
                | Expression::Attribute(..)
                | Expression::Unknown(_) => false,
            }
    }

    /// True for a list, comprehension or dictionary.
    pub fn is_container(&self) -> bool {
        matches!(self, Expression::List(_) | Expression::Repeated(..) | Expression::Dictionary(_))
    }
}
