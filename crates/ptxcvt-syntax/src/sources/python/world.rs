//! Enumerates combinations of outcomes of conditions and look-ups. Conditions with the same text have the same outcome,
//! and different values of one name exclude each other.

use super::comparisons::equality;
use super::conditions::{atom, decided, implied, outcome};
use super::constants::{Constant, are_equal};
use super::doubt::{Cause, Doubt};
use super::names::Names;
use super::place::{Here, Step};
use crate::identifier::is_part_char;

/// Limit on combinations.
const MAX_COMBINATIONS: usize = 256;

/// The cause of a value that later assignments could have overwritten but did not.
pub(super) const KEPT: &str = "kept";

/// One combination of outcomes.
#[derive(Default)]
pub(super) struct World {
    /// For each choice: the index of the alternative, and the number of alternatives.
    choices: Vec<(usize, usize)>,
    made: usize,
    /// The number of combinations that were tried before.
    tried: usize,
    /// Conditions and their outcomes.
    facts: Vec<(String, bool)>,
    /// The values of a loop's names in the chosen round, as conditions.
    rows: Vec<(String, bool)>,
    /// The chosen keys, by the expression that is looked up.
    keys: Vec<(String, String)>,
    /// The chosen alternatives, by the expression that needed one.
    picked: Vec<(String, usize)>,
    doubt: Doubt,
    /// True if the program does not reach the place in this combination.
    ended: bool,
    /// Branches that the program does not take if it reaches the place, each as (conditional, branch).
    not_taken: Vec<(usize, usize)>,
    /// True if the program reached the place in some combination.
    arrived: bool,
}

impl World {
    /// Calls `each` for every combination of outcomes that is possible at a place. False if there are too many.
    pub fn each(names: &Names<'_>, here: &Here, mut each: impl FnMut(&mut World)) -> bool {
        let new = || World { doubt: Doubt::at(here), ..World::default() };
        let mut world = World { not_taken: names.exits().not_taken(here), ..new() };
        loop {
            world.begin(names, here);
            each(&mut world);
            world.arrived |= !world.ended;
            world.choices.truncate(world.made);
            while let Some((chosen, count)) = world.choices.pop() {
                if chosen + 1 < count {
                    world.choices.push((chosen + 1, count));
                    break;
                }
            }
            world.tried += 1;
            // No combination reaches a place after blocks that are always left. The code there is still read.
            if world.choices.is_empty() && !world.arrived && !world.not_taken.is_empty() {
                world = new();
                continue;
            }
            if world.choices.is_empty() {
                return true;
            }
            if world.tried >= MAX_COMBINATIONS {
                return false;
            }
        }
    }

    /// True if this combination depends on several choices that may exclude each other in unknown ways.
    pub fn is_doubtful(&self) -> bool {
        self.doubt.is_serious()
    }

    /// The outcomes that the blocks around a place imply.
    fn begin(&mut self, names: &Names<'_>, here: &Here) {
        self.made = 0;
        self.facts.clear();
        self.rows.clear();
        self.keys.clear();
        self.picked.clear();
        self.doubt.clear();
        self.ended = false;
        for assertion in names.implied(here) {
            let condition = names.at(assertion.condition, assertion.here.before);
            self.doubt.need(&format!("assertion {}", assertion.here.statement), &condition);
            self.learn(&condition, true);
        }
        for step in &here.path {
            let Step::Branch(number, branch) = step else { continue };
            let conditional = names.conditional(*number);
            self.facts.push((format!("conditional {number}"), true));
            self.keys.push((format!("conditional {number}"), branch.to_string()));
            for (at, condition) in conditional.branches.iter().take(branch + 1).enumerate() {
                if let (Some(condition), false) = (condition, conditional.opaque) {
                    let condition = names.at(condition, conditional.before);
                    self.doubt.need(&format!("conditional {number}"), &condition);
                    self.learn(&condition, at == *branch);
                }
            }
        }
        self.imply(names);
    }

    /// Adds the outcomes that follow from the branches that are not taken.
    fn imply(&mut self, names: &Names<'_>) {
        loop {
            let before = self.facts.len();
            for (number, branch) in self.not_taken.clone() {
                let conditional = names.conditional(number);
                if conditional.opaque {
                    continue;
                }
                let branches = conditional.branches.iter().take(branch + 1).enumerate();
                let wanted = branches.filter_map(|(at, condition)| {
                    let condition = names.at((*condition)?, conditional.before);
                    Some((self.known(&condition), condition, at == branch))
                });
                let wanted: Vec<_> = wanted.filter(|(known, _, taken)| *known != Some(*taken)).collect();
                // Another branch is taken, or this one's condition does not hold.
                let settled = wanted.iter().any(|(known, ..)| known.is_some());
                for (_, condition, _) in wanted.iter().filter(|_| !settled) {
                    self.doubt.need(&format!("conditional {number}"), condition);
                }
                if let ([(None, condition, taken)], false) = (&wanted[..], settled) {
                    self.learn(condition, !*taken);
                }
            }
            if self.facts.len() == before {
                return;
            }
        }
    }

    /// The branch that a conditional takes, if it is known. `None` also if it takes no branch.
    fn taken(&self, names: &Names<'_>, number: usize) -> Option<usize> {
        let name = format!("conditional {number}");
        if let Some((_, branch)) = self.keys.iter().find(|(key, _)| *key == name) {
            return branch.parse().ok();
        }
        let conditional = names.conditional(number);
        for (at, condition) in conditional.branches.iter().enumerate().filter(|_| !conditional.opaque) {
            match condition {
                None => return Some(at),
                Some(condition) => match self.known(&names.at(condition, conditional.before)) {
                    Some(true) => return Some(at),
                    Some(false) => {}
                    None => return None,
                },
            }
        }
        None
    }

    /// Records the outcome of a condition.
    fn learn(&mut self, condition: &str, outcome: bool) {
        self.facts.extend(implied(condition, outcome));
    }

    /// The outcome of a condition, if earlier ones decide it.
    fn known(&self, condition: &str) -> Option<bool> {
        outcome(condition, &|atom| {
            decided(self.facts.iter().chain(&self.rows), atom).or_else(|| {
                let (subject, value) = equality(atom)?;
                let (_, chosen) = self.keys.iter().find(|(key, _)| key == subject)?;
                are_equal(chosen, value)
            })
        })
    }

    /// The branch that a conditional takes; `None` if it takes none.
    pub fn branch(&mut self, names: &Names<'_>, number: usize) -> Option<usize> {
        let name = format!("conditional {number}");
        if let Some((_, branch)) = self.keys.iter().find(|(key, _)| *key == name) {
            return branch.parse().ok();
        }
        let conditional = names.conditional(number);
        let mut found = None;
        if conditional.opaque {
            // It is possible that no pattern matches.
            let all = conditional.branches.iter().any(|pattern| pattern.is_some_and(|text| text == "_"));
            let chosen = self.choose(conditional.branches.len() + usize::from(!all), |_| Cause {
                name: &name,
                path: &conditional.path,
            });
            found = (chosen < conditional.branches.len()).then_some(chosen);
        } else {
            for (at, condition) in conditional.branches.iter().enumerate() {
                let holds = |condition: &str| {
                    let cause = Cause { name: &name, path: &conditional.path };
                    self.holds(&names.at(condition, conditional.before), cause.of(condition, names))
                };
                if condition.is_none_or(holds) {
                    found = Some(at);
                    break;
                }
            }
        }
        let branch = found.map_or("none".to_owned(), |branch| branch.to_string());
        self.keys.push((name, branch));
        found
    }

    /// Whether a condition holds.
    pub fn holds(&mut self, condition: &str, cause: Cause<'_>) -> bool {
        if let Some(outcome) = self.known(condition) {
            return outcome;
        }
        let holds = (self.choice(2) == 0) == atom(condition).1;
        self.doubt.add(cause.name, Some(condition), cause.path);
        self.learn(condition, holds);
        holds
    }

    /// The key of `keys` that a look-up finds.
    pub fn key<'k>(&mut self, looked_up: &str, keys: &[&'k str], cause: Cause<'_>) -> Option<&'k str> {
        // If keys are equal, the last one counts.
        if let Some(known) = keys.iter().rev().find(|key| are_equal(key, looked_up) == Some(true)) {
            return Some(*known);
        }
        if Constant::read(looked_up).is_some() && keys.iter().all(|key| Constant::read(key).is_some()) {
            return None;
        }
        if let Some((_, chosen)) = self.keys.iter().find(|(name, _)| name == looked_up) {
            return keys.iter().copied().find(|key| key == chosen);
        }
        let (possible, _) =
            self.possible(keys.len(), &|number| vec![(looked_up.to_owned(), keys[number].to_owned())]);
        let chosen = self.choose(possible.len(), |_| cause);
        let chosen = *possible.get(chosen)?;
        self.keys.push((looked_up.to_owned(), keys[chosen].to_owned()));
        Some(keys[chosen])
    }

    /// Chooses one of a loop's rounds. `values` returns the names that are literals in a round, with their values.
    /// `None` if the known conditions exclude every round.
    pub fn round(
        &mut self,
        cause: Cause<'_>,
        rounds: &[usize],
        values: &dyn Fn(usize) -> Vec<(String, String)>,
    ) -> Option<usize> {
        if let Some((_, picked)) = self.picked.iter().find(|(known, _)| known == cause.name) {
            return rounds.get(*picked).copied();
        }
        let (possible, followed) = self.possible(rounds.len(), &|number| values(rounds[number]));
        let chosen = match self.doubt.runs(cause.path) && followed {
            true => {
                self.doubt.round(cause.path);
                self.choice(possible.len())
            }
            false => self.choose(possible.len(), |_| cause),
        };
        let chosen = *possible.get(chosen)?;
        self.picked.push((cause.name.to_owned(), chosen));
        // Names have other values in another round, so these values do not exclude any value in a later choice.
        let row =
            values(rounds[chosen]).into_iter().map(|(name, value)| (format!("{name} == {value}"), true));
        self.rows.extend(row);
        Some(rounds[chosen])
    }

    /// The alternatives that the known conditions allow; `values` returns the names that are literals in each. The flag
    /// is false if a condition on such a name is not followed and might exclude more alternatives.
    fn possible(
        &mut self,
        count: usize,
        values: &dyn Fn(usize) -> Vec<(String, String)>,
    ) -> (Vec<usize>, bool) {
        let is_part = |c: char| is_part_char(c) || c == '@';
        let mut unfollowed: Option<String> = None;
        let admits = |number: &usize| {
            let values = values(*number);
            let equal: Vec<_> =
                values.iter().map(|(name, value)| (format!("{name} == {value}"), true)).collect();
            let mut admitted = true;
            for (atom, holds) in &self.facts {
                match outcome(atom, &|part| decided(equal.iter(), part)) {
                    Some(outcome) => admitted &= outcome == *holds,
                    None => {
                        let mut words = atom.split(|c| !is_part(c));
                        let name = words.find_map(|word| values.iter().find(|(name, _)| *name == word));
                        unfollowed = unfollowed.take().or(name.map(|(name, _)| name.clone()));
                    }
                }
            }
            admitted
        };
        let possible = (0..count).filter(admits).collect();
        let followed = unfollowed.is_none();
        if let Some(name) = unfollowed {
            self.doubt.add(&format!("condition on {name}"), None, &[]);
        }
        (possible, followed)
    }

    /// Chooses one of `count` alternatives. Later calls for the same event return the same alternative. `cause` returns
    /// the cause of an alternative.
    pub fn pick<'t>(&mut self, event: &str, count: usize, cause: impl Fn(usize) -> Cause<'t>) -> usize {
        if let Some((_, picked)) = self.picked.iter().find(|(known, _)| known == event) {
            return *picked;
        }
        let chosen = self.choose(count, cause);
        self.picked.push((event.to_owned(), chosen));
        chosen
    }

    /// The number of copies of a statement to judge: 1, or 2 in a combination that may not happen.
    pub fn copies(&mut self) -> usize {
        let more = self.choice(2);
        if more > 0 {
            self.doubt();
        }
        1 + more
    }

    /// Records that this combination may not happen.
    pub fn doubt(&mut self) {
        self.doubt.add("a class that others are made from", None, &[]);
        self.doubt.add("its objects", None, &[]);
    }

    /// Records that the program ends before the place in this combination.
    pub fn ends(&mut self) {
        self.ended = true;
    }

    /// True if the program does not reach the place in this combination.
    pub fn has_ended(&mut self, names: &Names<'_>) -> bool {
        self.ended |=
            self.not_taken.iter().any(|(number, branch)| self.taken(names, *number) == Some(*branch));
        self.ended
    }

    /// Chooses one of `count` alternatives.
    fn choose<'t>(&mut self, count: usize, cause: impl Fn(usize) -> Cause<'t>) -> usize {
        let chosen = self.choice(count);
        if count > 1 {
            let cause = cause(chosen);
            self.doubt.add(cause.name, None, cause.path);
        }
        chosen
    }

    fn choice(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        if self.made == self.choices.len() {
            self.choices.push((0, count));
        }
        let (chosen, _) = self.choices[self.made];
        self.made += 1;
        chosen
    }
}
