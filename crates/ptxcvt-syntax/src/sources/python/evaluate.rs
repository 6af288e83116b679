//! The values of expressions: strings whose every byte has a place in the source, with holes for what is unknown.

use std::rc::Rc;

use super::super::text::{HOLE, Joined};
use super::conditions::constant_outcome;
use super::constants::{self, Constant, are_equal, integer};
use super::doubt::Cause;
use super::expression::{Expression, Rows};
use super::literals::plain;
use super::names::Names;
use super::place::Here;
use super::reaching::{self, Last};
use super::world::World;
use crate::identifier::is_name;
use crate::source::Span;

/// How deep names may refer to names.
const MAX_DEPTH: u32 = 16;

/// Limit on the copies of a repeated string; further copies of a statement add nothing.
const MAX_COPIES: i64 = 64;

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
                plain(self.text, span.start, span.end, span.escapes, &mut joined);
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
            Expression::Attribute(.., span) => {
                let found = self.resolve(expression, here);
                let found = found.and_then(|(found, place)| self.known_again(&found, &place));
                found.unwrap_or_else(|| unknown(*span))
            }
            Expression::Times(part, count) => {
                let (part, count) = (self.value(part, here), self.value(count, here));
                let count = Some(count).filter(|count| count.kind == Kind::Number)?;
                let mut joined = Joined::default();
                (0..integer(&count.joined.text)?.min(MAX_COPIES))
                    .for_each(|_| joined.append_all(&part.joined));
                text(joined)
            }
            Expression::Format(template, plain, named) => self.format(template, plain, named, here),
            Expression::Substitute(template, plain, named) => {
                return self.substitute(template, plain, named, here);
            }
            Expression::Replace(parts) => return self.replace(parts, here),
            Expression::Percent(template, values) => return self.percent(template, values, here),
            Expression::Trimmed(function, parts) => return self.trimmed(function, parts, here),
            Expression::Join(separator, list) => {
                let separator = self.value(separator, here).joined;
                let (list, place) = self.container(list, here)?;
                let items: Vec<Joined> = match &*list {
                    Expression::List(items) => {
                        items.iter().map(|item| self.value(item, &place).joined).collect()
                    }
                    Expression::Repeated(item, count) => {
                        let item = self.value(item, &place).joined;
                        self.copies(item, &separator, *count)
                    }
                    _ => return None,
                };
                let mut joined = Joined::default();
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        joined.append_all(&separator);
                    }
                    joined.append_all(item);
                }
                text(joined)
            }
            Expression::List(_)
            | Expression::Repeated(..)
            | Expression::Dictionary(_)
            | Expression::Any(..) => return None,
        })
    }

    /// The copies of an item. If their number is unknown, a statement is judged once, and a second copy as uncertain.
    /// Any other text is followed by unknown text.
    fn copies(&mut self, item: Joined, separator: &Joined, count: Option<usize>) -> Vec<Joined> {
        let is_statement = item.text.trim_end().ends_with([';', '}'])
            || separator.text.trim_start().starts_with(';')
            || item.mentions().next().is_some();
        match count {
            Some(count) => vec![item; count.min(MAX_COPIES as usize)],
            None if is_statement => vec![item; self.world.copies()],
            None => {
                let mut more = item;
                more.append_all(&hole(Span::default()));
                vec![more]
            }
        }
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
                let last = reaching::last(self.names, self.world, name, here)?;
                self.assigned(name, last, here)
            }
            Expression::Attribute(object, name, span) => {
                let all = self.names.attribute(object, name, here)?;
                let event = format!("attribute {}", span.start);
                let cause = Cause { name: &event, path: &here.path };
                let class = &all[self.world.pick(&event, all.len(), |_| cause)];
                if class.perhaps {
                    self.world.doubt();
                }
                let last = reaching::last(self.names, self.world, class.name, &class.end)?;
                self.assigned(class.name, last, &class.end)
            }
            Expression::Either { condition, at, then, other } => {
                let condition = self.names.at(condition, here.before);
                let event = format!("expression {at}");
                let cause = Cause { name: &event, path: &here.path }.of(&condition, self.names);
                let holds = self.world.holds(&condition, cause);
                Some((Found::Plain(if holds { then } else { other }), here.clone()))
            }
            Expression::Item(container, key, at) => {
                let (found, place) = self.container(container, here)?;
                let numbers: Vec<String>;
                let keys: Vec<&str> = match &*found {
                    Expression::Dictionary(items) => items.iter().map(|(key, ..)| *key).collect(),
                    Expression::List(items) => {
                        numbers = (0..items.len()).map(|n| n.to_string()).collect();
                        numbers.iter().map(String::as_str).collect()
                    }
                    _ => return None,
                };
                if let Some(value) = self.key(key, here) {
                    let number = keys.iter().rposition(|key| are_equal(key, &value) == Some(true))?;
                    return Some((found.item(number)?, place));
                }
                // `items[-1]`
                let last = integer(key).filter(|n| *n < 0 && matches!(*found, Expression::List(_)));
                if let Some(back) = last {
                    let number = keys.len().checked_add_signed(isize::try_from(back).ok()?)?;
                    return Some((found.item(number)?, place));
                }
                let event = format!("key {at}");
                let cause = Cause { name: &event, path: &here.path }.of(key, self.names);
                let mut looked_up = self.names.at(key, here.before);
                // `t[i == 1]`, where `i` is always the same.
                if let (None, Some(outcome)) = (Constant::read(&looked_up), constant_outcome(&looked_up)) {
                    looked_up = (if outcome { "True" } else { "False" }).to_owned();
                }
                let chosen = self.world.key(&looked_up, &keys, cause)?;
                let number = keys.iter().rposition(|key| *key == chosen)?;
                Some((found.item(number)?, place))
            }
            _ => None,
        }
    }

    /// The value of a key that is a name, as a literal, if it is known.
    fn key(&mut self, key: &'s str, here: &Here) -> Option<String> {
        if Constant::read(key).is_some() || !is_name(key) {
            return None;
        }
        let value = self.value(&Expression::Name(key), here);
        let text = Some(value.joined.text).filter(|text| !text.contains(HOLE))?;
        match value.kind {
            Kind::Text => Some(constants::written(&text)),
            Kind::Number => Some(text),
            Kind::Unknown => None,
        }
    }

    /// The expression that the last assignment of a name gives it.
    fn assigned<'x>(&mut self, name: &str, last: Last<'_, 's>, here: &Here) -> Option<(Found<'x, 's>, Here)> {
        let Last { assignment, here: place, items: reached } = last;
        let value = assignment.value.clone()?;
        match &*value {
            Expression::Any(rows, column) => {
                let column = &rows.columns[*column].1;
                let Expression::List(items) = &**column else { unreachable!("a column is a list") };
                let all = || (0..items.len()).collect();
                let reached: Vec<usize> = reached.unwrap_or_else(all);
                let round = self.round(rows, &reached, &place, here)?;
                Some((Found::Shared(column.clone(), vec![round]), place))
            }
            _ if value.is_container() && self.names.is_changed(name) => None,
            _ => Some((Found::Shared(value, Vec::new()), place)),
        }
    }

    /// The iteration of a loop from which the loop's variables have their values at a place.
    fn round(&mut self, rows: &Rows<'s>, reached: &[usize], place: &Here, here: &Here) -> Option<usize> {
        let event = format!("loop {} {reached:?}", rows.at);
        let names: Vec<String> =
            rows.columns.iter().map(|(name, _)| self.names.at(name, here.before)).collect();
        let values = |round: usize| {
            let value = |(column, name): (&(&str, Rc<Expression<'s>>), &'_ String)| {
                let Expression::List(items) = &*column.1 else { unreachable!("a column is a list") };
                Some((name.clone(), written(self.text, &items[round])?))
            };
            rows.columns.iter().zip(&names).filter_map(value).collect()
        };
        self.world.round(Cause { name: &event, path: &place.path }, reached, &values)
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

/// The literal for an expression that is a constant string or number.
fn written(text: &str, expression: &Expression<'_>) -> Option<String> {
    match expression.only() {
        Expression::Literal(span) => {
            let mut joined = Joined::default();
            plain(text, span.start, span.end, span.escapes, &mut joined);
            Some(constants::written(&joined.text))
        }
        Expression::Number(joined) => Some(joined.text.clone()),
        _ => None,
    }
}

/// An expression that is borrowed, or shared by the places that name it.
#[derive(Clone)]
pub(super) enum Found<'x, 's> {
    Plain(&'x Expression<'s>),
    /// An item of a shared list or dictionary, by its number and those of the lists around it.
    Shared(Rc<Expression<'s>>, Vec<usize>),
}

impl<'s> Found<'_, 's> {
    /// An item of a list or dictionary.
    fn item(mut self, number: usize) -> Option<Self> {
        match &mut self {
            Found::Plain(list) => *list = item(list, number)?,
            Found::Shared(_, numbers) => numbers.push(number),
        }
        Some(self)
    }
}

fn item<'x, 's>(list: &'x Expression<'s>, number: usize) -> Option<&'x Expression<'s>> {
    match list {
        Expression::List(items) => items.get(number),
        Expression::Dictionary(items) => items.get(number).map(|(.., value)| value),
        _ => None,
    }
}

impl<'s> std::ops::Deref for Found<'_, 's> {
    type Target = Expression<'s>;

    fn deref(&self) -> &Expression<'s> {
        match self {
            Found::Plain(expression) => expression,
            Found::Shared(whole, numbers) => {
                let inner = numbers.iter().try_fold(&**whole, |list, number| item(list, *number));
                inner.expect("the item was found")
            }
        }
    }
}
