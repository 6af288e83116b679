//! Places in a program: the blocks around a statement, and the numbers of statements and assignments before it.
//!
//! The Python Language Reference, "Compound statements".

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// A hidden name of every statement with a comprehension or a `lambda`. It differs from all real names.
pub(super) const OWN_SCOPE: &str = "";

/// Stands for the first word of a statement that raises an exception which few handlers catch. It is not valid Python.
pub(super) const EXITS: &str = "!exits";
/// Stands for the first word of a statement that ends the program at once.
pub(super) const ENDS: &str = "!ends";

/// A block around a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A branch of a conditional, by the numbers of both.
    Branch(usize, usize),
    /// The body of a function or class, by its number.
    Scope(usize),
    /// The body of a loop, which runs any number of times.
    Loop(usize),
    /// A block that may be left early or not be entered: `try`, `except`, `with`.
    Perhaps(usize),
}

/// A place in the program: the blocks around it, and the number of assignments before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Here {
    pub path: Vec<Step>,
    pub before: usize,
    /// The number of statements before it.
    pub statement: usize,
    /// Names that the statement binds locally, in comprehensions and in `lambda`.
    pub hidden: Rc<HashSet<String>>,
    /// The rounds of loops in which the program may be at this place. `None` for any round.
    pub copies: Option<Rc<BTreeSet<u64>>>,
}

/// An `if` with its `elif` and `else`, or the cases of a `match`.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditional<'s> {
    /// The condition of each branch; `None` for `else`.
    pub branches: Vec<Option<&'s str>>,
    /// True for a `match`, whose patterns are not read as conditions.
    pub opaque: bool,
    /// The number of assignments before it.
    pub before: usize,
    /// The blocks around it.
    pub path: Vec<Step>,
}

impl Conditional<'_> {
    /// True if one of its branches is always taken.
    pub fn is_complete(&self) -> bool {
        self.branches.iter().any(|condition| match condition {
            Some(pattern) => self.opaque && *pattern == "_",
            None => true,
        })
    }
}
