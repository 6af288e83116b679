//! The state of an evaluation: classes, records, names in scope, limits.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::tree::{Expr, Item, Lets, Statement, Template};
use super::value::Value;

/// A record: `def`, or a class with arguments in a value.
#[derive(Debug)]
pub struct Record {
    pub name: Rc<str>,
    pub file: Rc<str>,
    pub line: u32,
    /// True for a `def`, false for a record that a value makes.
    pub defined: bool,
    /// Its classes and their parent classes.
    pub classes: Vec<Rc<str>>,
    pub(super) fields: Vec<(Rc<str>, Lazy)>,
    /// The reason if the record is uncertain: it has a class or a `let` that could not be read and may change every field.
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
    /// The lists of `defset`, which are visible in every scope.
    pub(super) sets: HashMap<Rc<str>, Value>,
    pub(super) file: Rc<str>,
    /// The files that were read. Another `include` of one adds nothing, as with the guards that LLVM's files have.
    pub(super) files: HashSet<Rc<str>>,
    /// The files that include it.
    pub(super) including: Vec<Rc<str>>,
    pub(super) unread: Vec<Unread>,
    pub(super) depth: u32,
    pub(super) steps: u64,
}

/// The maximum depth of nested evaluations. Deeper values are unknown.
const DEEPEST: u32 = 120;
/// The maximum number of evaluated values and statements; LLVM 23, with all files that NVPTX.td includes, needs 16 million.
/// A record counts as several of them, because it needs more memory.
const MOST_STEPS: u64 = 60_000_000;
pub(super) const RECORD: u64 = 50;

impl Evaluator {
    /// The records in their order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The place of a record, with the reason why it could not be read.
    pub fn at(&self, record: usize, reason: impl Into<String>) -> Unread {
        let Record { file, line, .. } = &self.records[record];
        Unread { file: file.clone(), line: *line, reason: reason.into() }
    }

    /// The index of the record with this name.
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
            // A class that declares the field again, without a value, leaves its value unchanged.
            Some(_) if lazy.value.is_none() => {}
            Some((_, field)) => *field = lazy,
            None => self.fields.push((name.clone(), lazy)),
        }
    }
}
