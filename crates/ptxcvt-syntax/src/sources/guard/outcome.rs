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
    pub(super) fn of(yes: Reach) -> Outcome {
        Outcome { no: yes.not(), yes }
    }

    /// Both may be compiled or not.
    pub fn unknown() -> Outcome {
        Outcome { yes: Reach::unknown(), no: Reach::unknown() }
    }
}
