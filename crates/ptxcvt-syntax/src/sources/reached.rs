//! What is known while the statements of C++ are read that are followed.

use std::ops::Range;

use super::branch::Condition;
use super::guard::{Preprocessor, Reach};

/// What was read with a statement.
#[derive(Default)]
pub(super) struct Reached {
    /// The places of the statements in it.
    pub statements: Vec<usize>,
    /// The places of macros that were expanded.
    pub macros: Vec<usize>,
    /// True if an expression may jump to a label.
    pub hides_jumps: bool,
    /// Labels that code outside of this part of the text names are entered from there. `None` if there is no such code.
    pub part: Option<Range<usize>>,
}

impl Reached {
    /// True while a whole function is read.
    pub fn is_of_function(&self) -> bool {
        self.part.is_none()
    }

    /// The state while the expansion of a macro is read.
    pub fn of_expansion(&self) -> Reached {
        Reached { part: self.part.clone(), ..Reached::default() }
    }
}

/// A `switch` whose block is being read.
pub(super) struct Open<'s> {
    pub selector: Option<Condition<'s>>,
    /// The macros before the block.
    pub before: Preprocessor,
    /// The configurations that jump to no `case`.
    pub rest: Reach,
    /// The configurations with a `default`.
    pub default: Reach,
}
