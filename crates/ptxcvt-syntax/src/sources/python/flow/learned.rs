//! The outcomes of conditions on the path that is followed: within `if q:` a further `if q:` is entered.
//!
//! A condition has the same outcome until a name in it is assigned, and, if it has more than names (`q.ready`, `q[0]`), until
//! its object may be changed.

use super::super::conditions::{decided, implied, outcome};
use super::tree::{Node, names};
use crate::identifier;

/// Conditions without `not`, and outcomes that they have whenever they are met.
pub(crate) type Facts = Vec<(String, bool)>;

/// Outcomes that hold on the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Learned(Facts);

impl Learned {
    /// The outcome of a condition, by these outcomes and those that hold everywhere.
    pub fn outcome(&self, condition: &str, everywhere: &Facts) -> Option<bool> {
        let all = || everywhere.iter().chain(&self.0);
        outcome(condition, &|atom: &str| decided(all(), atom))
    }

    /// A condition has this outcome, unless it has a call, which may have another one each time.
    pub fn learn(&mut self, condition: &str, outcome: bool) {
        let lasts = |(atom, _): &(String, bool)| !atom.contains('(') && !atom.contains(":=");
        for fact in implied(condition, outcome).into_iter().filter(lasts) {
            self.0.retain(|(known, _)| *known != fact.0);
            self.0.push(fact);
        }
    }

    /// A name is assigned, or its object is changed.
    pub fn forget(&mut self, name: &str, assigned: bool) {
        self.0.retain(|(atom, _)| {
            let has = name == "*" || identifier::names(atom).any(|word| word == name);
            !has || !(assigned || atom.contains(['[', '.']))
        });
    }

    /// Statements may run, or parts of them.
    pub fn forget_all(&mut self, nodes: &[Node<'_>]) {
        if self.0.is_empty() {
            return;
        }
        let mut all = Vec::new();
        names(nodes, &mut all);
        all.into_iter().for_each(|(name, assigned)| self.forget(name, assigned));
    }

    /// Keeps what holds on another path, too.
    pub fn meet(&mut self, other: &Learned) {
        self.0.retain(|fact| other.0.contains(fact));
    }
}
