//! The ways out of a statement of C++.

use super::guard::{Outcome, Reach};

/// For each way out of a statement, the configurations in which it can be taken. What leaves the function takes none.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// To the next statement.
    pub falls: Reach,
    /// Out of the loop or `switch` around it.
    pub breaks: Reach,
    /// To the next round of the loop around it.
    pub continues: Reach,
}

impl Ways {
    pub fn none() -> Ways {
        Ways { falls: Reach::none(), breaks: Reach::none(), continues: Reach::none() }
    }

    /// The ways of either statement.
    pub fn or(&self, other: &Ways) -> Ways {
        Ways {
            falls: self.falls.or(&other.falls),
            breaks: self.breaks.or(&other.breaks),
            continues: self.continues.or(&other.continues),
        }
    }

    /// The ways in some configurations.
    pub fn and(&self, reach: &Reach) -> Ways {
        Ways {
            falls: self.falls.and(reach),
            breaks: self.breaks.and(reach),
            continues: self.continues.and(reach),
        }
    }

    /// The ways out of a loop with this body, which tests its condition first.
    pub fn of_loop(&self, condition: &Outcome) -> Ways {
        Ways { falls: condition.no.or(&condition.yes.and(&self.breaks)), ..Ways::none() }
    }

    /// The ways out of a loop with this body, which tests its condition last.
    pub fn of_do(&self, condition: &Outcome) -> Ways {
        let tests = self.falls.or(&self.continues);
        Ways { falls: self.breaks.or(&tests.and(&condition.no)), ..Ways::none() }
    }
}
