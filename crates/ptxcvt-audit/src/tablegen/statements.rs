//! Evaluation: statements. `records.rs` has records and their classes.

use std::rc::Rc;

use super::evaluator::{Around, Evaluator, Known, Scope};
use super::parse::parse;
use super::tree::{Action, Range, Statement, Template};
use super::value::Value;

/// The context of statements.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub scope: Scope,
    pub around: Around,
    /// The prefix of the names of a multiclass's records.
    pub name: Option<Rc<str>>,
}

/// The text of an included file; `None` if it is not one of the files to read.
pub type Include<'f> = dyn Fn(&str) -> Option<String> + 'f;

impl Evaluator {
    /// Reads a file and the files that it includes.
    pub fn read(&mut self, name: &str, text: &str, include: &Include<'_>) {
        let outer = std::mem::replace(&mut self.file, name.into());
        self.files.insert(name.into());
        self.including.push(outer.clone());
        let (statements, problems) = parse(text);
        for problem in problems {
            self.cannot_read(problem.line, problem.reason);
        }
        let mut place = Place { scope: self.scope.clone(), ..Place::default() };
        for statement in &statements {
            match &statement.kind {
                Action::Include(file) => {
                    let is_open = **file == *self.file || self.including.iter().any(|open| **open == **file);
                    if is_open {
                        self.cannot_read(statement.line, "files include each other");
                    } else if self.files.contains(&**file) {
                        continue;
                    } else if let Some(text) = include(file) {
                        self.scope = place.scope.clone();
                        let read = self.deeper(|this| this.read(file, &text, include));
                        if read.is_none() {
                            self.cannot_read(statement.line, "too many files include each other");
                        }
                        place.scope = self.scope.clone();
                    }
                }
                _ => self.statement(statement, &mut place),
            }
        }
        self.scope = place.scope;
        self.file = outer;
        self.including.pop();
    }

    pub(super) fn statements(&mut self, statements: &[Statement], place: &Place) {
        let mut place = place.clone();
        for statement in statements {
            self.statement(statement, &mut place);
        }
    }

    fn statement(&mut self, statement: &Statement, place: &mut Place) {
        if self.deeper(|this| this.statement_here(statement, place)).is_none() {
            self.cannot_read(statement.line, "too many nested statements, or too many values");
        }
    }

    fn statement_here(&mut self, statement: &Statement, place: &mut Place) {
        let line = statement.line;
        match &statement.kind {
            Action::Class(name, template) => {
                let known = known(&self.file, template, place);
                self.classes.insert(name.clone(), known);
            }
            Action::Multiclass(name, template) => {
                let known = known(&self.file, template, place);
                self.multiclasses.insert(name.clone(), known);
            }
            Action::Def(name, parents, items) => self.def(name.as_ref(), parents, items, line, place),
            Action::Defm(name, parents) => self.defm(name.as_ref(), parents, line, place),
            Action::Foreach(name, over, body) => match self.items(over, &place.scope) {
                Ok(values) => {
                    for value in values {
                        if self.is_exhausted() {
                            break;
                        }
                        let scope = place.scope.with(name.clone(), value);
                        self.statements(body, &Place { scope, ..place.clone() });
                    }
                }
                Err(unknown) => self.unknown(line, "the list of a loop", &unknown),
            },
            Action::If(condition, then, otherwise) => {
                match self.value(condition, &place.scope, None).as_number() {
                    Ok(0) => self.statements(otherwise, place),
                    Ok(_) => self.statements(then, place),
                    Err(unknown) => self.unknown(line, "a condition", &unknown),
                }
            }
            Action::Let(lets, body) => {
                let mut inner = place.clone();
                inner.around.push((lets.clone(), place.scope.clone()));
                self.statements(body, &inner);
            }
            Action::Defvar(name, value) => {
                let value = self.value(value, &place.scope, None);
                place.scope = place.scope.with(name.clone(), value);
            }
            Action::Defset(name, body) => {
                let first = self.records.len();
                self.statements(body, place);
                let defined = (first..self.records.len()).filter(|at| self.records[*at].defined);
                let defined = Value::list(defined.map(Value::Record).collect());
                self.sets.insert(name.clone(), defined);
            }
            Action::Include(_) => self.cannot_read(line, "a file is included inside a statement"),
        }
    }

    pub(super) fn unknown(&mut self, line: u32, what: &str, value: &Value) {
        let reason = match value {
            Value::Unknown(reason) => reason.clone(),
            other => format!("{other:?}").into(),
        };
        self.cannot_read(line, format!("{what} is not known: {reason}"));
    }

    /// The values of a loop.
    fn items(&mut self, over: &[Range], scope: &Scope) -> Result<Vec<Value>, Value> {
        if let [(list, None)] = over {
            return match self.value(list, scope, None) {
                Value::Number(number) => Ok(vec![Value::Number(number)]),
                list => list.as_list().map(|list| list.to_vec()),
            };
        }
        Ok(self.numbers(over, scope, None)?.into_iter().map(Value::Number).collect())
    }
}

fn known<Body>(file: &Rc<str>, template: &Rc<Template<Body>>, place: &Place) -> Rc<Known<Body>> {
    let (scope, around) = (place.scope.clone(), place.around.clone());
    Rc::new(Known { file: file.clone(), template: template.clone(), scope, around })
}
