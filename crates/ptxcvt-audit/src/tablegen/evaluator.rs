//! The state of an evaluation: classes, records, names in scope, limits.

use std::collections::HashMap;
use std::rc::Rc;

use super::tree::{Expr, Item, Lets, Statement, Template};
use super::value::Value;

/// A record: `def`, or a class with arguments in a value.
#[derive(Debug)]
pub struct Record {
    pub name: Rc<str>,
    pub file: Rc<str>,
    pub line: u32,
    /// It is a `def`.
    pub defined: bool,
    /// Its classes, and theirs.
    pub classes: Vec<Rc<str>>,
    pub(super) fields: Vec<(Rc<str>, Lazy)>,
    /// Why it is not known what the record is: a class or a `let` of it that was not read may change every field.
    pub doubt: Option<Rc<str>>,
}

/// A field's value, evaluated when it is needed: a later `let` may change the fields that it names.
#[derive(Clone, Debug)]
pub(super) struct Lazy {
    pub value: Option<Rc<Expr>>,
    pub scope: Scope,
}

/// The names in scope, the innermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(Option<Rc<(Rc<str>, Value, Scope)>>);

impl Scope {
    pub fn with(&self, name: Rc<str>, value: Value) -> Scope {
        Scope(Some(Rc::new((name, value, self.clone()))))
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut scope = self;
        while let Some(inner) = &scope.0 {
            if *inner.0 == *name {
                return Some(&inner.1);
            }
            scope = &inner.2;
        }
        None
    }
}

impl Drop for Scope {
    /// Frees a long chain of scopes without recursion.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(inner) = next {
            next = Rc::into_inner(inner).and_then(|mut inner| inner.2.0.take());
        }
    }
}

/// `let` around statements, with the scope of its values.
pub(super) type Around = Vec<(Lets, Scope)>;

/// A class or multiclass with the scope and the `let` around it.
#[derive(Debug)]
pub(super) struct Known<Body> {
    pub file: Rc<str>,
    pub template: Rc<Template<Body>>,
    pub scope: Scope,
    pub around: Around,
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    pub file: Rc<str>,
    pub line: u32,
    pub reason: String,
}

/// The evaluation of files in their order.
#[derive(Debug, Default)]
pub struct Evaluator {
    pub(super) classes: HashMap<Rc<str>, Rc<Known<Item>>>,
    pub(super) multiclasses: HashMap<Rc<str>, Rc<Known<Statement>>>,
    pub(super) records: Vec<Record>,
    pub(super) by_name: HashMap<Rc<str>, usize>,
    pub(super) scope: Scope,
    /// The lists of `defset`, which are known everywhere.
    pub(super) sets: HashMap<Rc<str>, Value>,
    pub(super) file: Rc<str>,
    pub(super) unread: Vec<Unread>,
    pub(super) depth: u32,
    pub(super) steps: u64,
}

/// Nested evaluations; a deeper value is unknown.
const DEEPEST: u32 = 120;
/// Evaluated values and statements, and the weight of a record among them, which needs more memory. LLVM 23 with all that
/// NVPTX.td includes takes 16 million.
const MOST_STEPS: u64 = 60_000_000;
pub(super) const RECORD: u64 = 50;

impl Evaluator {
    /// The records in their order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// A record as a place that could not be read.
    pub fn at(&self, record: usize, reason: impl Into<String>) -> Unread {
        let Record { file, line, .. } = &self.records[record];
        Unread { file: file.clone(), line: *line, reason: reason.into() }
    }

    /// The number of a record.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The places that could not be read.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    pub(super) fn cannot_read(&mut self, line: u32, reason: impl Into<String>) {
        self.unread.push(Unread { file: self.file.clone(), line, reason: reason.into() });
    }

    /// True if the files are too large to read the rest.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// Runs an evaluation one level deeper; `None` beyond the limits.
    pub(super) fn deeper<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.steps += 1;
        if self.depth >= DEEPEST || self.is_exhausted() {
            return None;
        }
        self.depth += 1;
        let outcome = evaluate(self);
        self.depth -= 1;
        Some(outcome)
    }
}

impl Record {
    /// True if the record is of a class.
    pub fn is(&self, class: &str) -> bool {
        self.classes.iter().any(|name| **name == *class)
    }

    pub(super) fn doubt(&mut self, reason: impl Into<Rc<str>>) {
        self.doubt.get_or_insert_with(|| reason.into());
    }

    pub(super) fn set(&mut self, name: &Rc<str>, lazy: Lazy) {
        match self.fields.iter_mut().find(|(known, _)| known == name) {
            // A class that declares a field again without a value leaves it.
            Some(_) if lazy.value.is_none() => {}
            Some((_, field)) => *field = lazy,
            None => self.fields.push((name.clone(), lazy)),
        }
    }
}
