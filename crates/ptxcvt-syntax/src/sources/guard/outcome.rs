//! The outcome of a C++ condition.

use super::reach::Reach;

/// The keyword before a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `if constexpr`: every name is a constant.
    Constant,
    If,
    Loop,
}

/// The configurations that compile a statement, and those that compile its `else` branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub yes: Reach,
    pub no: Reach,
}

impl Outcome {
    /// Every configuration compiles both.
    pub fn both() -> Outcome {
        Outcome { yes: Reach::all(), no: Reach::all() }
    }

    /// Each may or may not be compiled.
    pub fn unknown() -> Outcome {
        Outcome { yes: Reach::unknown(), no: Reach::unknown() }
    }

    /// Like [`Outcome::unknown`]; if `by_target`, the outcome may depend on the target.
    pub fn unknown_if(by_target: bool) -> Outcome {
        match by_target {
            true => Outcome { yes: Reach::unknown_by_target(), no: Reach::unknown_by_target() },
            false => Outcome::unknown(),
        }
    }

    /// True if the outcome depends on the configuration for some values of the flags.
    pub fn depends(&self) -> bool {
        self.yes.depends() || self.no.depends()
    }
}
