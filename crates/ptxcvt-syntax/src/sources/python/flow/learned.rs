//! Known outcomes of conditions on a path: inside `if q:`, another `if q:` is entered.
//!
//! An outcome is known until a name in the condition is assigned. For attributes and items (`q.ready`, `q[0]`), it is
//! known only until the object may change.

use super::super::conditions::{decided, implied, outcome};
use super::tree::{Node, names};
use crate::identifier;

/// Conditions without `not`, each with the outcome that it always has.
pub(crate) type Facts = Vec<(String, bool)>;

/// Outcomes that hold on the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Learned(Facts);

impl Learned {
    /// The outcome of a condition, if these outcomes and those of `everywhere` decide it.
    pub fn outcome(&self, condition: &str, everywhere: &Facts) -> Option<bool> {
        let all = || everywhere.iter().chain(&self.0);
        outcome(condition, &|atom: &str| decided(all(), atom))
    }

    /// Records the outcome of a condition. Conditions with calls are ignored, because each call may return another
    /// value.
    pub fn learn(&mut self, condition: &str, outcome: bool) {
        let lasts = |(atom, _): &(String, bool)| !atom.contains('(') && !atom.contains(":=");
        for fact in implied(condition, outcome).into_iter().filter(lasts) {
            self.0.retain(|(known, _)| *known != fact.0);
            self.0.push(fact);
        }
    }

    /// Forgets conditions on a name that is assigned, or whose object is changed.
    pub fn forget(&mut self, name: &str, assigned: bool) {
        self.0.retain(|(atom, _)| {
            let has = name == "*" || identifier::names(atom).any(|word| word == name);
            !has || !(assigned || atom.contains(['[', '.']))
        });
    }

    /// Forgets conditions that some of these statements may change.
    pub fn forget_all(&mut self, nodes: &[Node<'_>]) {
        if self.0.is_empty() {
            return;
        }
        let mut all = Vec::new();
        names(nodes, &mut all);
        all.into_iter().for_each(|(name, assigned)| self.forget(name, assigned));
    }

    /// Keeps only the outcomes that also hold on another path.
    pub fn meet(&mut self, other: &Learned) {
        self.0.retain(|fact| other.0.contains(fact));
    }
}
