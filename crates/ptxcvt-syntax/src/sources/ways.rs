//! The ways out of a C++ statement.

use std::collections::BTreeMap;

use super::guard::{Outcome, Reach};

/// For each way out of a statement, the configurations that can take it. Leaving the function does not count as a way.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// To the next statement.
    pub falls: Reach,
    /// Out of the loop or `switch` around it.
    pub breaks: Reach,
    /// To the next round of the loop around it.
    pub continues: Reach,
    /// To a label, by the place of the `goto`.
    pub gotos: BTreeMap<usize, Reach>,
}

impl Ways {
    pub fn none() -> Ways {
        let none = Reach::none;
        Ways { falls: none(), breaks: none(), continues: none(), gotos: BTreeMap::new() }
    }

    /// The ways of either statement.
    pub fn or(mut self, other: &Ways) -> Ways {
        self.gotos.extend(other.gotos.iter().map(|(at, reach)| (*at, reach.clone())));
        Ways {
            falls: self.falls.or(&other.falls),
            breaks: self.breaks.or(&other.breaks),
            continues: self.continues.or(&other.continues),
            gotos: self.gotos,
        }
    }

    /// The ways in some configurations.
    pub fn and(&self, reach: &Reach) -> Ways {
        Ways {
            falls: self.falls.and(reach),
            breaks: self.breaks.and(reach),
            continues: self.continues.and(reach),
            gotos: self.gotos.iter().map(|(at, goto)| (*at, goto.and(reach))).collect(),
        }
    }

    /// The ways out of a loop with this body, which tests its condition first.
    pub fn of_loop(&self, condition: &Outcome) -> Ways {
        let falls = condition.no.or(&condition.yes.and(&self.breaks));
        Ways { falls, gotos: self.and(&condition.yes).gotos, ..Ways::none() }
    }

    /// The ways out of a loop with this body, which tests its condition last.
    pub fn of_do(&self, condition: &Outcome) -> Ways {
        let tests = self.falls.or(&self.continues);
        let falls = self.breaks.or(&tests.and(&condition.no));
        Ways { falls, gotos: self.gotos.clone(), ..Ways::none() }
    }
}
