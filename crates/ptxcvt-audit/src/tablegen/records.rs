//! Evaluation: records and their classes.

use std::rc::Rc;

use super::evaluator::{Around, Evaluator, Known, Lazy, RECORD, Record, Scope};
use super::statements::Place;
use super::tree::{ClassRef, Expr, Item, Kind, Let, Statement};
use super::value::Value;

impl Evaluator {
    /// Makes a record without fields.
    pub(super) fn record(&mut self, name: &str, line: u32, defined: bool) -> usize {
        self.steps += RECORD;
        let file = self.file.clone();
        let name: Rc<str> = name.into();
        let (classes, fields) = (Vec::new(), Vec::new());
        self.records.push(Record { name, file, line, defined, classes, fields, doubt: None });
        self.records.len() - 1
    }

    pub(super) fn def(
        &mut self,
        name: Option<&Expr>,
        parents: &[ClassRef],
        items: &[Item],
        line: u32,
        place: &Place,
    ) {
        let name = self.record_name(name, line, place);
        let record = self.record(&name, line, true);
        if !name.is_empty() && self.by_name.insert(name.clone(), record).is_some() {
            self.cannot_read(line, format!("`{name}` is defined twice"));
        }
        for parent in parents {
            self.add_class(record, parent, &place.scope, Some(record));
        }
        self.surround(record, &place.around);
        self.fill(record, items, &place.scope);
    }

    /// The name of a record, empty if it has none.
    fn record_name(&mut self, name: Option<&Expr>, line: u32, place: &Place) -> Rc<str> {
        let Some(expr) = name else { return "".into() };
        let outer: Rc<str> = place.name.clone().unwrap_or_else(|| "".into());
        let scope = place.scope.with("NAME".into(), Value::Text(outer.clone()));
        let name = self.naming(expr, &scope);
        match &name {
            Value::Text(name) if place.name.is_some() && !mentions_name(expr) => {
                format!("{outer}{name}").into()
            }
            Value::Text(name) => name.clone(),
            Value::Number(number) => number.to_string().into(),
            _ => {
                self.unknown(line, "the name of a record", &name);
                "".into()
            }
        }
    }

    /// In a name, a word that is not a variable stands for itself.
    fn naming(&mut self, expr: &Expr, scope: &Scope) -> Value {
        match &expr.kind {
            Kind::Name(name) => scope.get(name).cloned().unwrap_or_else(|| Value::Text(name.clone())),
            Kind::Paste(a, b) => {
                let mut whole = self.naming(a, scope);
                if let Some(b) = b {
                    let b = self.naming(b, scope);
                    whole = self.paste(whole, b);
                }
                match whole {
                    Value::Number(number) => Value::text(&number.to_string()),
                    whole => whole,
                }
            }
            _ => self.value(expr, scope, None),
        }
    }

    pub(super) fn defm(&mut self, name: Option<&Expr>, parents: &[ClassRef], line: u32, place: &Place) {
        let name = self.record_name(name, line, place);
        let first = self.records.len();
        for parent in parents {
            if let Some(known) = self.multiclasses.get(&parent.name).cloned() {
                self.multiclass(&known, parent, &name, &place.scope);
            } else if !self.classes.contains_key(&parent.name) {
                self.cannot_read(line, format!("the multiclass `{}` was not read", parent.name));
            }
        }
        // Classes among the parents, and the `let` around, are for every record that was made.
        let made: Vec<usize> = (first..self.records.len()).filter(|at| self.records[*at].defined).collect();
        for record in made {
            for parent in parents {
                if !self.multiclasses.contains_key(&parent.name) {
                    self.add_class(record, parent, &place.scope, Some(record));
                }
            }
            self.surround(record, &place.around);
        }
    }

    fn multiclass(&mut self, known: &Known<Statement>, with: &ClassRef, name: &Rc<str>, scope: &Scope) {
        let inner = self.bind(&known.template.params, with, &known.scope, scope, None);
        let inner = inner.with("NAME".into(), Value::Text(name.clone()));
        for parent in &known.template.parents {
            if let Some(known) = self.multiclasses.get(&parent.name).cloned() {
                let run = self.deeper(|this| this.multiclass(&known, parent, name, &inner));
                if run.is_none() {
                    self.cannot_read(parent.line, "multiclasses are nested too deeply");
                }
            } else {
                self.cannot_read(parent.line, format!("the multiclass `{}` was not read", parent.name));
            }
        }
        let place = Place { scope: inner, around: known.around.clone(), name: Some(name.clone()) };
        let outer = std::mem::replace(&mut self.file, known.file.clone());
        self.statements(&known.template.body, &place);
        self.file = outer;
    }

    /// The parameters of a class with their values.
    fn bind(
        &mut self,
        params: &[(Rc<str>, Option<Expr>)],
        with: &ClassRef,
        known: &Scope,
        scope: &Scope,
        record: Option<usize>,
    ) -> Scope {
        let mut bound = known.clone();
        for (at, (param, default)) in params.iter().enumerate() {
            let named = with.args.iter().find(|(name, _)| name.as_ref() == Some(param));
            let positional = || with.args.get(at).filter(|(name, _)| name.is_none());
            let value = match (named.or_else(positional), default) {
                (Some((_, value)), _) => self.value(value, scope, record),
                (None, Some(default)) => self.value(default, &bound, record),
                (None, None) => Value::unknown(format!("`{}` has no value for `{param}`", with.name)),
            };
            bound = bound.with(param.clone(), value);
        }
        bound
    }

    /// Adds a class to a record. A class that was not read makes the record doubtful.
    pub(super) fn add_class(&mut self, record: usize, with: &ClassRef, scope: &Scope, outer: Option<usize>) {
        let Some(known) = self.classes.get(&with.name).cloned() else {
            self.records[record].classes.push(with.name.clone());
            self.records[record].doubt(format!("its class `{}` was not read", with.name));
            return;
        };
        let added = self.deeper(|this| {
            let inner = this.bind(&known.template.params, with, &known.scope, scope, outer);
            for parent in &known.template.parents {
                this.add_class(record, parent, &inner, Some(record));
            }
            this.records[record].classes.push(with.name.clone());
            this.surround(record, &known.around);
            this.fill(record, &known.template.body, &inner);
        });
        if added.is_none() {
            self.cannot_read(with.line, "classes are nested too deeply");
            self.records[record].doubt("its classes are nested too deeply");
        }
    }

    fn surround(&mut self, record: usize, around: &Around) {
        for (lets, scope) in around {
            for one in lets.iter() {
                match one {
                    Let::Set(name, value) => {
                        let lazy = Lazy { value: Some(value.clone()), scope: scope.clone() };
                        self.records[record].set(name, lazy);
                    }
                    Let::Unread(reason) => self.records[record].doubt(reason.clone()),
                }
            }
        }
    }

    fn fill(&mut self, record: usize, items: &[Item], scope: &Scope) {
        let mut scope = scope.clone();
        for item in items {
            match item {
                Item::Field(name, value) => {
                    let lazy = Lazy { value: value.clone(), scope: scope.clone() };
                    self.records[record].set(name, lazy);
                }
                Item::Defvar(name, value) => {
                    let value = self.value(value, &scope, Some(record));
                    scope = scope.with(name.clone(), value);
                }
            }
        }
    }
}

fn mentions_name(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Name(name) => &**name == "NAME",
        Kind::Paste(a, b) => mentions_name(a) || b.as_ref().is_some_and(|b| mentions_name(b)),
        Kind::Operator(_, _, args) => args.iter().any(mentions_name),
        _ => false,
    }
}
