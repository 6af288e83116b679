//! Places in a program: the blocks around a statement, and what precedes it.
//!
//! The Python Language Reference, "Compound statements".

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// Is among the hidden names of a statement that has a comprehension or a `lambda`. No name is like it.
pub(super) const OWN_SCOPE: &str = "";

/// The word of a statement that raises what few handlers catch. No statement of Python begins with it.
pub(super) const EXITS: &str = "!exits";
/// The word of a statement that ends the program at once.
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

/// A place in the program: the blocks around it, and how many assignments precede it.
#[derive(Clone, Debug, Default)]
pub(super) struct Here {
    pub path: Vec<Step>,
    pub before: usize,
    /// How many statements precede it.
    pub statement: usize,
    /// Names that the statement binds within itself: those of comprehensions and of `lambda`.
    pub hidden: Rc<HashSet<String>>,
    /// The rounds of loops in which the program is there; `None` if it may be in any.
    pub copies: Option<Rc<BTreeSet<u64>>>,
}

/// An `if` with its `elif` and `else`, or the cases of a `match`.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditional<'s> {
    /// The condition of each branch; `None` for `else`.
    pub branches: Vec<Option<&'s str>>,
    /// Its branches have no conditions that are read: `match`.
    pub opaque: bool,
    /// How many assignments precede it.
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
