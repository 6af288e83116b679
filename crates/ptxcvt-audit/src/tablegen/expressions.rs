//! Evaluates expressions of TableGen to values.

use std::rc::Rc;

use super::evaluator::{Evaluator, Scope};
use super::operators::{LONGEST, apply, paste, progression, sorted};
use super::tree::{Expr, Kind, Range};
use super::value::Value;

impl Evaluator {
    /// A field of a record; unset if it has none of that name, unknown if the record is doubtful.
    pub fn field(&mut self, record: usize, name: &str) -> Value {
        match &self.records[record].doubt {
            Some(reason) => Value::Unknown(reason.clone()),
            None => self.field_as_read(record, name),
        }
    }

    /// Like [`field`](Self::field), but also for a doubtful record. The text that makes the record doubtful may give
    /// the field another value in LLVM.
    pub fn field_as_read(&mut self, record: usize, name: &str) -> Value {
        let fields = &self.records[record].fields;
        let Some((_, lazy)) = fields.iter().find(|(known, _)| **known == *name) else { return Value::Unset };
        let lazy = lazy.clone();
        lazy.value.map_or(Value::Unset, |value| self.value(&value, &lazy.scope, Some(record)))
    }

    /// The value of an expression; `record` is the record whose field or argument it is.
    pub(super) fn value(&mut self, expr: &Expr, scope: &Scope, record: Option<usize>) -> Value {
        let value = self.deeper(|this| this.value_here(expr, scope, record));
        value.unwrap_or_else(|| Value::unknown("it is too deep, or the files are too large"))
    }

    fn value_here(&mut self, expr: &Expr, scope: &Scope, record: Option<usize>) -> Value {
        match &expr.kind {
            Kind::Unset => Value::Unset,
            Kind::Number(number) => Value::Number(*number),
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Bits => Value::unknown("single bits are not evaluated"),
            Kind::List(values) => Value::list(values.iter().map(|v| self.value(v, scope, record)).collect()),
            Kind::Dag(parts) => {
                let mut parts = parts.iter().map(|(value, name)| {
                    let value = value.as_ref().map_or(Value::Unset, |v| self.value(v, scope, record));
                    (value, name.clone())
                });
                let (operator, _) = parts.next().expect("a dag has an operator");
                Value::dag(operator, parts.collect())
            }
            Kind::Name(name) => self.name(name, scope, record),
            Kind::Instance(class) => {
                let made = self.record("", expr.line, false);
                self.add_class(made, class, scope, record);
                Value::Record(made)
            }
            Kind::Operator(name, class, args) => {
                self.operator(name, class.as_deref(), args, scope, record).unwrap_or_else(|unknown| unknown)
            }
            Kind::Cond(cases) => {
                for (condition, value) in cases {
                    match self.value(condition, scope, record).as_number() {
                        Ok(0) => {}
                        Ok(_) => return self.value(value, scope, record),
                        Err(unknown) => return unknown,
                    }
                }
                Value::unknown("no case of `!cond` holds")
            }
            Kind::Paste(a, b) => {
                let a = self.value(a, scope, record);
                match b {
                    Some(b) => {
                        let b = self.value(b, scope, record);
                        self.paste(a, b)
                    }
                    None => a,
                }
            }
            Kind::Field(of, name) => match self.value(of, scope, record) {
                Value::Record(of) => self.field(of, name),
                Value::External(of) => Value::unknown(format!("`{of}` is defined in no file that was read")),
                unknown @ Value::Unknown(_) => unknown,
                _ => Value::unknown(format!("no record has the field `{name}`")),
            },
            Kind::Index(of, ranges, many) => {
                let of = self.value(of, scope, record);
                self.index(&of, ranges, *many, scope, record).unwrap_or_else(|unknown| unknown)
            }
        }
    }

    fn name(&mut self, name: &Rc<str>, scope: &Scope, record: Option<usize>) -> Value {
        if let Some(value) = scope.get(name) {
            return value.clone();
        }
        if let Some(record) = record {
            if self.records[record].fields.iter().any(|(known, _)| known == name) {
                return self.field_as_read(record, name);
            }
            if &**name == "NAME" {
                return Value::Text(self.records[record].name.clone());
            }
        }
        match &**name {
            "true" => Value::bit(true),
            "false" => Value::bit(false),
            _ => self.sets.get(name).cloned().unwrap_or_else(|| self.reference(name)),
        }
    }

    /// The record of a name.
    fn reference(&self, name: &Rc<str>) -> Value {
        self.named(name).map_or_else(|| Value::External(name.clone()), Value::Record)
    }

    fn operator(
        &mut self,
        name: &str,
        class: Option<&str>,
        args: &[Expr],
        scope: &Scope,
        record: Option<usize>,
    ) -> Result<Value, Value> {
        match (name, args) {
            ("if", [condition, then, otherwise]) => {
                let holds = self.value(condition, scope, record).as_number()? != 0;
                Ok(self.value(if holds { then } else { otherwise }, scope, record))
            }
            ("foreach" | "sort" | "filter" | "foldl", _) => self.iteration(name, args, scope, record),
            ("cast", [value]) => {
                let value = self.value(value, scope, record);
                Ok(self.cast(class.unwrap_or(""), value))
            }
            ("isa", [value]) => {
                let value = self.value(value, scope, record);
                self.is_a(class.unwrap_or(""), &value)
            }
            ("exists", [value]) => {
                let name = self.value(value, scope, record).as_text()?.clone();
                Ok(Value::bit(self.named(&name).is_some()))
            }
            ("initialized", [value]) => Ok(Value::bit(self.value(value, scope, record) != Value::Unset)),
            _ => self.applied(name, args, scope, record),
        }
    }

    /// An operator that evaluates an expression for each element of a list.
    fn iteration(
        &mut self,
        name: &str,
        args: &[Expr],
        scope: &Scope,
        record: Option<usize>,
    ) -> Result<Value, Value> {
        match (name, args) {
            ("foreach", [Expr { kind: Kind::Name(name), .. }, over, each]) => {
                match self.value(over, scope, record) {
                    Value::Dag(dag) => {
                        let operands = dag.operands.iter().map(|(value, label)| {
                            let inner = scope.with(name.clone(), value.clone());
                            (self.value(each, &inner, record), label.clone())
                        });
                        let operands = operands.collect();
                        Ok(Value::dag(dag.operator.clone(), operands))
                    }
                    list => {
                        let inner = |value: &Value| scope.with(name.clone(), value.clone());
                        let list = list.as_list()?.iter().map(|v| self.value(each, &inner(v), record));
                        Ok(Value::list(list.collect()))
                    }
                }
            }
            ("sort", [Expr { kind: Kind::Name(name), .. }, over, key]) => {
                let mut keyed = Vec::new();
                for value in self.value(over, scope, record).as_list()?.iter() {
                    let inner = scope.with(name.clone(), value.clone());
                    keyed.push((self.value(key, &inner, record), value.clone()));
                }
                sorted(keyed)
            }
            ("filter", [Expr { kind: Kind::Name(name), .. }, over, keep]) => {
                let mut kept = Vec::new();
                for value in self.value(over, scope, record).as_list()?.iter() {
                    let inner = scope.with(name.clone(), value.clone());
                    if self.value(keep, &inner, record).as_number()? != 0 {
                        kept.push(value.clone());
                    }
                }
                Ok(Value::list(kept))
            }
            (
                "foldl",
                [start, over, Expr { kind: Kind::Name(sum), .. }, Expr { kind: Kind::Name(name), .. }, each],
            ) => {
                let mut value = self.value(start, scope, record);
                for next in self.value(over, scope, record).as_list()?.iter() {
                    let inner = scope.with(sum.clone(), value).with(name.clone(), next.clone());
                    value = self.value(each, &inner, record);
                }
                Ok(value)
            }
            _ => self.applied(name, args, scope, record),
        }
    }

    /// An operator of values alone.
    fn applied(
        &mut self,
        name: &str,
        args: &[Expr],
        scope: &Scope,
        record: Option<usize>,
    ) -> Result<Value, Value> {
        let values: Vec<Value> = args.iter().map(|v| self.value(v, scope, record)).collect();
        let applied = apply(name, &values);
        // Long values cost more.
        self.steps += match &applied {
            Ok(Value::List(list)) => list.len() as u64 / 8,
            Ok(Value::Text(text)) => text.len() as u64 / 64,
            _ => 0,
        };
        applied
    }

    /// `!isa<class>(value)`
    fn is_a(&self, class: &str, value: &Value) -> Result<Value, Value> {
        match value {
            Value::Record(of) => match (self.records[*of].is(class), &self.records[*of].doubt) {
                (false, Some(reason)) => Err(Value::Unknown(reason.clone())),
                (is, _) => Ok(Value::bit(is)),
            },
            Value::External(of) => Err(Value::unknown(format!("`{of}` is defined in no file that was read"))),
            unknown @ Value::Unknown(_) => Err(unknown.clone()),
            _ => Ok(Value::bit(false)),
        }
    }

    fn cast(&self, class: &str, value: Value) -> Value {
        match (class, value) {
            ("string", Value::Record(of)) => Value::Text(self.records[of].name.clone()),
            ("string", Value::External(name)) => Value::Text(name),
            ("string", Value::Number(number)) => Value::text(&number.to_string()),
            ("string" | "int" | "bit" | "list" | "dag" | "code", value) => value,
            (_, Value::Text(name)) => self.reference(&name),
            (_, value) => value,
        }
    }

    /// `a # b`, in which a record stands for its name.
    pub(super) fn paste(&self, a: Value, b: Value) -> Value {
        paste(&self.cast("string", a), &self.cast("string", b))
    }

    /// The numbers that ranges name.
    pub(super) fn numbers(
        &mut self,
        ranges: &[Range],
        scope: &Scope,
        record: Option<usize>,
    ) -> Result<Vec<i64>, Value> {
        let mut numbers = Vec::new();
        for (from, to) in ranges {
            let from = self.value(from, scope, record).as_number()?;
            let to = to.as_ref().map_or(Ok(from), |to| self.value(to, scope, record).as_number())?;
            let (from, to) = (i128::from(from), i128::from(to));
            let step = if from <= to { 1 } else { -1 };
            numbers.extend(progression(from, to + step, step)?);
            if numbers.len() > LONGEST {
                return Err(Value::unknown("a list is too long"));
            }
        }
        Ok(numbers)
    }

    fn index(
        &mut self,
        of: &Value,
        ranges: &[Range],
        many: bool,
        scope: &Scope,
        record: Option<usize>,
    ) -> Result<Value, Value> {
        let list = of.as_list()?;
        let numbers = self.numbers(ranges, scope, record)?;
        let item = |number: &i64| usize::try_from(*number).ok().and_then(|at| list.get(at)).cloned();
        let items: Option<Vec<Value>> = numbers.iter().map(item).collect();
        let items = items.ok_or_else(|| Value::unknown("a list has no such item"))?;
        Ok(if many { Value::list(items) } else { items.into_iter().next().unwrap_or(Value::Unset) })
    }
}
