//! `--stats`: what became of the elements, counted by the reference evaluator.

use std::ops::AddAssign;

use ptxcvt::{Explanation, Outcome};

/// Elements by what happened to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub elements: u64,
    pub exact: u64,
    pub rounded: u64,
    pub nan: u64,
    pub saturated: u64,
    pub overflowed: u64,
    pub flushed: u64,
    pub wrapped: u64,
}

impl Counts {
    /// Adds one instruction's elements, the first `wanted` in memory.
    pub fn add(&mut self, explanation: &Explanation, wanted: usize) {
        // The lowest element comes first in memory and last in the account.
        for element in explanation.elements().iter().rev().take(wanted) {
            self.elements += 1;
            self.flushed += u64::from(element.flushed);
            *match element.outcome {
                Outcome::RoundedUp | Outcome::RoundedDown => &mut self.rounded,
                Outcome::Saturated => &mut self.saturated,
                Outcome::Overflowed => &mut self.overflowed,
                Outcome::Wrapped => &mut self.wrapped,
                Outcome::Nan(_) => &mut self.nan,
                _ => &mut self.exact,
            } += 1;
        }
    }

    /// Names and numbers, for printing.
    pub fn rows(&self) -> [(&'static str, u64); 8] {
        [
            ("elements", self.elements),
            ("exact", self.exact),
            ("rounded", self.rounded),
            ("nan", self.nan),
            ("saturated", self.saturated),
            ("overflowed", self.overflowed),
            ("flushed", self.flushed),
            ("wrapped", self.wrapped),
        ]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.elements += other.elements;
        self.exact += other.exact;
        self.rounded += other.rounded;
        self.nan += other.nan;
        self.saturated += other.saturated;
        self.overflowed += other.overflowed;
        self.flushed += other.flushed;
        self.wrapped += other.wrapped;
    }
}
