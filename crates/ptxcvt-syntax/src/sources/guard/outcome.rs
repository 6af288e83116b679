//! What a condition of C++ decides.

use super::reach::Reach;

/// The keyword before a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `if constexpr`: every name is a constant.
    Constant,
    If,
    Loop,
}

/// The configurations that compile a statement, and those that compile its alternative.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub yes: Reach,
    pub no: Reach,
}

impl Outcome {
    /// Both are compiled.
    pub fn both() -> Outcome {
        Outcome { yes: Reach::all(), no: Reach::all() }
    }

    /// Both may be compiled or not.
    pub fn unknown() -> Outcome {
        Outcome { yes: Reach::unknown(), no: Reach::unknown() }
    }

    /// Like [`Outcome::unknown`]; with `by_target` it may depend on the target.
    pub fn unknown_if(by_target: bool) -> Outcome {
        match by_target {
            true => Outcome { yes: Reach::unknown_by_target(), no: Reach::unknown_by_target() },
            false => Outcome::unknown(),
        }
    }

    /// True if the target decides for some values of the flags.
    pub fn depends(&self) -> bool {
        self.yes.depends() || self.no.depends()
    }
}
