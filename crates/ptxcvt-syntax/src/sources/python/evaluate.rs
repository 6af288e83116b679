//! The values of expressions: strings whose every byte has a place in the source, with holes for what is unknown.

use super::super::text::{HOLE, Joined};
use super::expression::Expression;
use super::literals::plain;
use super::names::Names;
use super::place::Here;
use super::reaching::{self, Last};
use super::world::World;
use crate::source::Span;

/// How deep names may refer to names.
const MAX_DEPTH: u32 = 16;

/// A value.
pub(super) struct Value {
    pub joined: Joined,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string, perhaps with holes.
    Text,
    Number,
    Unknown,
}

/// Evaluates expressions with known names in one possible world.
pub(super) struct Evaluator<'e, 's> {
    pub text: &'s str,
    pub names: &'e Names<'s>,
    pub world: &'e mut World,
    pub depth: u32,
}

impl<'s> Evaluator<'_, 's> {
    /// The value of an expression at a place.
    pub fn value(&mut self, expression: &Expression<'s>, here: &Here) -> Value {
        self.depth += 1;
        let found = if self.depth > MAX_DEPTH { None } else { self.known(expression, here) };
        self.depth -= 1;
        found.unwrap_or_else(|| unknown(Span::default()))
    }

    fn known(&mut self, expression: &Expression<'s>, here: &Here) -> Option<Value> {
        Some(match expression {
            Expression::Text(joined) => text(joined.clone()),
            Expression::Number(joined) => Value { joined: joined.clone(), kind: Kind::Number },
            Expression::Literal(span) => {
                let mut joined = Joined::default();
                plain(self.text, span.start, span.end, span.raw, &mut joined);
                text(joined)
            }
            Expression::Unknown(span) => unknown(*span),
            Expression::Sum(parts) => {
                // The values of an f-string may be numbers; a sum of numbers only is arithmetic.
                let values: Vec<Value> = parts.iter().map(|part| self.value(part, here)).collect();
                if !values.iter().any(|value| value.kind == Kind::Text) {
                    return None;
                }
                let mut joined = Joined::default();
                values.iter().for_each(|value| joined.append_all(&value.joined));
                text(joined)
            }
            Expression::Name(_) | Expression::Item(..) | Expression::Either { .. } => {
                let (found, place) = self.resolve(expression, here)?;
                return self.known_again(&found, &place);
            }
            Expression::Format(template, plain, named) => self.format(template, plain, named, here),
            Expression::Substitute(template, plain, named) => {
                return self.substitute(template, plain, named, here);
            }
            Expression::Replace(parts) => return self.replace(parts, here),
            Expression::Percent(template, values) => return self.percent(template, values, here),
            Expression::Join(separator, list) => {
                let separator = self.value(separator, here);
                let (list, place) = self.container(list, here)?;
                let items: Vec<&Expression<'_>> = match &*list {
                    Expression::List(items) => items.iter().collect(),
                    // Twice, so that the separator is there; the names that differ are unknown.
                    Expression::Repeated(item) => vec![item, item],
                    _ => return None,
                };
                let mut joined = Joined::default();
                for (number, item) in items.into_iter().enumerate() {
                    if number > 0 {
                        joined.append_all(&separator.joined);
                    }
                    joined.append_all(&self.value(item, &place).joined);
                }
                text(joined)
            }
            Expression::List(_)
            | Expression::Repeated(_)
            | Expression::Dictionary(_)
            | Expression::Any(..) => return None,
        })
    }

    fn known_again(&mut self, expression: &Expression<'s>, here: &Here) -> Option<Value> {
        let value = self.value(expression, here);
        (value.kind != Kind::Unknown).then_some(value)
    }

    /// The expression to which a name, an item or an alternative refers, and where it is.
    pub(super) fn resolve<'x>(
        &mut self,
        expression: &'x Expression<'s>,
        here: &Here,
    ) -> Option<(Found<'x, 's>, Here)> {
        match expression {
            Expression::Name(name) => {
                let Last { assignment, here: place, items: reached } =
                    reaching::last(self.names, self.world, name, here)?;
                let value = assignment.value.clone()?;
                match &*value {
                    Expression::Any(list, at) => {
                        let Expression::List(items) = &**list else { return None };
                        let all = || (0..items.len()).collect();
                        let reached: Vec<usize> = reached.unwrap_or_else(all);
                        let values: Vec<&str> = reached.iter().map(|n| self.written(&items[*n])).collect();
                        let name = self.names.at(name, here.before);
                        let event = format!("loop {at} {reached:?}");
                        let chosen = self.world.one_of(&name, &values, &event)?;
                        Some((Found::Item(list.clone(), reached[chosen]), place))
                    }
                    Expression::List(_) | Expression::Repeated(_) | Expression::Dictionary(_)
                        if self.names.is_changed(name) =>
                    {
                        None
                    }
                    _ => Some((Found::Shared(value), place)),
                }
            }
            Expression::Either { condition, at, then, other } => {
                let condition = self.names.at(condition, here.before);
                let holds = self.world.holds(&condition, &format!("expression {at}"));
                Some((Found::Plain(if holds { then } else { other }), here.clone()))
            }
            Expression::Item(container, key, at) => {
                let (found, place) = self.container(container, here)?;
                let numbers: Vec<String>;
                let keys: Vec<&str> = match &*found {
                    Expression::Dictionary(items) => items.iter().map(|(key, _)| *key).collect(),
                    Expression::List(items) => {
                        numbers = (0..items.len()).map(|n| n.to_string()).collect();
                        numbers.iter().map(String::as_str).collect()
                    }
                    _ => return None,
                };
                let chosen = self.world.key(&self.names.at(key, here.before), &keys, *at)?;
                let number = keys.iter().rposition(|key| *key == chosen)?;
                Some((found.item(number)?, place))
            }
            _ => None,
        }
    }

    /// The text of a literal; empty for other expressions.
    fn written(&self, expression: &Expression<'s>) -> &'s str {
        match expression {
            Expression::Literal(span) => &self.text[span.start..span.end],
            Expression::Sum(parts) if parts.len() == 1 => self.written(&parts[0]),
            _ => "",
        }
    }

    /// A list or dictionary, perhaps by its name.
    pub(super) fn container<'x>(
        &mut self,
        expression: &'x Expression<'s>,
        here: &Here,
    ) -> Option<(Found<'x, 's>, Here)> {
        self.depth += 1;
        let found = match expression {
            _ if self.depth > MAX_DEPTH => None,
            _ if expression.is_container() => Some((Found::Plain(expression), here.clone())),
            _ => self.resolve(expression, here).filter(|(found, _)| found.is_container()),
        };
        self.depth -= 1;
        found
    }
}

pub(super) fn text(joined: Joined) -> Value {
    Value { joined, kind: Kind::Text }
}

pub(super) fn hole(span: Span) -> Joined {
    let mut joined = Joined::default();
    joined.push_as(HOLE, span);
    joined
}

pub(super) fn unknown(span: Span) -> Value {
    Value { joined: hole(span), kind: Kind::Unknown }
}

/// An expression that is borrowed, or shared by the places that name it.
#[derive(Clone)]
pub(super) enum Found<'x, 's> {
    Plain(&'x Expression<'s>),
    Shared(std::rc::Rc<Expression<'s>>),
    /// An item of a shared list or dictionary.
    Item(std::rc::Rc<Expression<'s>>, usize),
}

impl<'x, 's> Found<'x, 's> {
    /// An item of a list or dictionary.
    fn item(self, number: usize) -> Option<Found<'x, 's>> {
        match self {
            Found::Plain(list) => item(list, number).map(Found::Plain),
            Found::Shared(list) => item(&list, number).is_some().then(|| Found::Item(list.clone(), number)),
            Found::Item(..) => None,
        }
    }
}

fn item<'x, 's>(list: &'x Expression<'s>, number: usize) -> Option<&'x Expression<'s>> {
    match list {
        Expression::List(items) => items.get(number),
        Expression::Dictionary(items) => items.get(number).map(|(_, value)| value),
        _ => None,
    }
}

impl<'s> std::ops::Deref for Found<'_, 's> {
    type Target = Expression<'s>;

    fn deref(&self) -> &Expression<'s> {
        match self {
            Found::Plain(expression) => expression,
            Found::Shared(expression) => expression,
            Found::Item(list, number) => item(list, *number).unwrap_or(list),
        }
    }
}
