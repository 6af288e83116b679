//! Conditions under which a place of a function is reached: Boolean functions of the predicates that branches test.
//!
//! They are binary decision diagrams. Equal conditions are equal numbers, so a join of `p` and `!p` is recognised as
//! always true.

use std::collections::HashMap;

/// A condition. Conditions of one [`Conditions`] are equal if and only if their numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Condition(u32);

pub(super) const NEVER: Condition = Condition(0);
pub(super) const ALWAYS: Condition = Condition(1);

/// The largest number of conditions. Conversions need some hundreds.
const MOST: usize = 1 << 18;

/// A decision: by the value of a variable, one of two conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Decision {
    pub variable: u32,
    /// The condition if the variable is false.
    pub no: Condition,
    /// The condition if it is true.
    pub yes: Condition,
}

/// All conditions of a function.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    decisions: Vec<Decision>,
    known: HashMap<Decision, Condition>,
    /// Results of [`choose`](Self::choose).
    chosen: HashMap<[Condition; 3], Condition>,
}

impl Conditions {
    /// The condition that a variable is true.
    pub fn variable(&mut self, variable: u32) -> Condition {
        self.decision(Decision { variable, no: NEVER, yes: ALWAYS })
    }

    pub fn and(&mut self, a: Condition, b: Condition) -> Condition {
        self.choose(a, b, NEVER)
    }

    pub fn or(&mut self, a: Condition, b: Condition) -> Condition {
        self.choose(a, ALWAYS, b)
    }

    pub fn not(&mut self, a: Condition) -> Condition {
        self.choose(a, NEVER, ALWAYS)
    }

    /// True if `b` holds whenever `a` does.
    pub fn implies(&mut self, a: Condition, b: Condition) -> bool {
        self.choose(a, b, ALWAYS) == ALWAYS
    }

    /// True if `a` and `b` never hold together.
    pub fn exclude(&mut self, a: Condition, b: Condition) -> bool {
        self.and(a, b) == NEVER
    }

    /// True if there are too many conditions to continue.
    pub fn is_full(&self) -> bool {
        self.decisions.len() > MOST
    }

    /// The decision of a condition other than [`NEVER`] and [`ALWAYS`].
    pub fn of(&self, condition: Condition) -> Decision {
        self.decisions[condition.0 as usize - 2]
    }

    /// `a ? b : c`
    fn choose(&mut self, a: Condition, b: Condition, c: Condition) -> Condition {
        match (a, b, c) {
            (ALWAYS, b, _) => return b,
            (NEVER, _, c) => return c,
            (a, ALWAYS, NEVER) => return a,
            (_, b, c) if b == c => return b,
            _ => {}
        }
        if let Some(known) = self.chosen.get(&[a, b, c]) {
            return *known;
        }
        // A function with that many conditions is refused, so any result will do.
        if self.is_full() {
            return NEVER;
        }
        let first = |x: Condition| if x.0 < 2 { u32::MAX } else { self.of(x).variable };
        let variable = first(a).min(first(b)).min(first(c));
        let part = |x: Condition, yes: bool| match x.0 >= 2 && self.of(x).variable == variable {
            true if yes => self.of(x).yes,
            true => self.of(x).no,
            false => x,
        };
        let [yes, no] = [true, false].map(|side| [a, b, c].map(|x| part(x, side)));
        let [yes, no] = [yes, no].map(|[a, b, c]| self.choose(a, b, c));
        let result = self.decision(Decision { variable, no, yes });
        self.chosen.insert([a, b, c], result);
        result
    }

    fn decision(&mut self, decision: Decision) -> Condition {
        if decision.no == decision.yes {
            return decision.no;
        }
        *self.known.entry(decision).or_insert_with(|| {
            self.decisions.push(decision);
            Condition(self.decisions.len() as u32 + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_are_recognised() {
        let mut all = Conditions::default();
        let [p, q, r] = [0, 1, 2].map(|n| all.variable(n));
        let not_p = all.not(p);
        assert_eq!(all.or(p, not_p), ALWAYS);
        assert_eq!(all.and(p, not_p), NEVER);
        // (p & q) | (p & !q) | !p
        let [pq, not_q] = [all.and(p, q), all.not(q)];
        let other = all.and(p, not_q);
        let both = all.or(pq, other);
        assert_eq!(both, p);
        assert_eq!(all.or(both, not_p), ALWAYS);
        assert!(all.implies(pq, q) && !all.implies(q, pq));
        assert!(all.exclude(pq, not_q) && !all.exclude(pq, r));
    }
}
