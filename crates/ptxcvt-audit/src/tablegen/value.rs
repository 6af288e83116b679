//! Values and records after evaluation.

use std::rc::Rc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Unset,
    Number(i64),
    Text(Rc<str>),
    List(List),
    Dag(Rc<Dag>),
    /// A record that was read: its number.
    Record(usize),
    /// The name of a record that is defined elsewhere.
    External(Rc<str>),
    /// A value that cannot be evaluated, with the reason.
    Unknown(Rc<str>),
}

/// Values in order.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    items: Rc<Vec<Value>>,
    depth: u32,
}

/// An operator and its operands, with their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Dag {
    pub operator: Value,
    pub operands: Vec<(Value, Option<Rc<str>>)>,
    depth: u32,
}

/// Lists in lists, and dags in dags; more are unknown.
const DEEPEST: u32 = 20;

impl std::ops::Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.items
    }
}

impl Value {
    pub fn unknown(reason: impl Into<Rc<str>>) -> Value {
        Value::Unknown(reason.into())
    }

    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    pub fn list(values: Vec<Value>) -> Value {
        let depth = deepest(values.iter());
        if depth > DEEPEST {
            return Value::unknown("it is nested too deeply");
        }
        Value::List(List { items: Rc::new(values), depth })
    }

    pub fn dag(operator: Value, operands: Vec<(Value, Option<Rc<str>>)>) -> Value {
        let depth = deepest(operands.iter().map(|(value, _)| value).chain([&operator]));
        if depth > DEEPEST {
            return Value::unknown("it is nested too deeply");
        }
        Value::Dag(Rc::new(Dag { operator, operands, depth }))
    }

    pub fn bit(bit: bool) -> Value {
        Value::Number(i64::from(bit))
    }

    /// The string, or the reason why the value is not a string.
    pub fn as_text(&self) -> Result<&Rc<str>, Value> {
        match self {
            Value::Text(text) => Ok(text),
            other => Err(other.instead_of("a string")),
        }
    }

    pub fn as_number(&self) -> Result<i64, Value> {
        match self {
            Value::Number(number) => Ok(*number),
            other => Err(other.instead_of("a number")),
        }
    }

    pub fn as_list(&self) -> Result<&List, Value> {
        match self {
            Value::List(list) => Ok(list),
            other => Err(other.instead_of("a list")),
        }
    }

    pub fn as_dag(&self) -> Result<&Rc<Dag>, Value> {
        match self {
            Value::Dag(dag) => Ok(dag),
            other => Err(other.instead_of("a dag")),
        }
    }

    /// The unknown value that replaces this one if another type is needed.
    fn instead_of(&self, wanted: &str) -> Value {
        match self {
            Value::Unknown(_) => self.clone(),
            Value::External(name) => Value::unknown(format!("`{name}` is defined in no file that was read")),
            _ => Value::unknown(format!("{wanted} is needed")),
        }
    }
}

/// The depth of a value with these parts.
fn deepest<'v>(parts: impl Iterator<Item = &'v Value>) -> u32 {
    let depth = |value: &Value| match value {
        Value::List(list) => list.depth,
        Value::Dag(dag) => dag.depth,
        _ => 0,
    };
    1 + parts.map(depth).max().unwrap_or(0)
}
