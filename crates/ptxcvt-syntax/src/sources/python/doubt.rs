//! Whether the choices of a combination are possible together: their causes, and the rounds of loops.

use super::conditions::{constant_outcome, have_one_subject};
use super::names::Names;
use super::place::{Here, Step};

/// What decides a choice: a conditional, a block or an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cause<'c> {
    pub name: &'c str,
    /// The blocks around it.
    pub path: &'c [Step],
}

impl<'c> Cause<'c> {
    /// The cause of a condition's outcome, which is the same in every round if the condition is constant.
    pub fn of(self, condition: &str, names: &Names<'_>) -> Cause<'c> {
        let here = Here { path: self.path.to_vec(), before: usize::MAX, ..Here::default() };
        if names.is_same_everywhere(condition, &here) { Cause { path: &[], ..self } } else { self }
    }
}

/// A cause that decided something.
#[derive(Debug)]
struct Chosen {
    name: String,
    /// The condition whose outcome was chosen. `None` for other choices.
    condition: Option<String>,
    /// The loops around it.
    loops: Vec<Step>,
}

/// The causes of a combination.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    /// Causes that do not depend on each other.
    causes: Vec<Chosen>,
    /// Conditions that the program needs to reach the place, as (cause, condition).
    needed: Vec<(String, String)>,
    /// Loops for which one iteration was chosen, although all reach this place.
    rounds: Vec<Step>,
    /// The loops around the place.
    around: Vec<Step>,
}

impl Doubt {
    /// No causes yet, at a place.
    pub fn at(here: &Here) -> Self {
        Doubt { around: loops(&here.path), ..Doubt::default() }
    }

    pub fn clear(&mut self) {
        self.causes.clear();
        self.needed.clear();
        self.rounds.clear();
    }

    pub fn add(&mut self, name: &str, condition: Option<&str>, path: &[Step]) {
        if !self.causes.iter().any(|known| known.name == name) {
            let condition = condition.map(str::to_owned);
            self.causes.push(Chosen { name: name.to_owned(), condition, loops: loops(path) });
        }
    }

    /// Records that the program reaches the place only with one outcome of this condition.
    pub fn need(&mut self, name: &str, condition: &str) {
        // `__name__` tells only whether the module runs as a program; no other condition depends on it.
        let is_program = condition.contains("__name__");
        let known = |(_, known): &(String, String)| known == condition;
        if constant_outcome(condition).is_none() && !is_program && !self.needed.iter().any(known) {
            self.needed.push((name.to_owned(), condition.to_owned()));
        }
    }

    /// True if every round of the innermost loop of a path reaches the place.
    pub fn runs(&self, path: &[Step]) -> bool {
        path.last().is_some_and(|step| self.around.contains(step))
    }

    /// Records that one round of the innermost loop of a path was chosen.
    pub fn round(&mut self, path: &[Step]) {
        self.rounds.extend(path.last().filter(|step| !self.rounds.contains(step)));
    }

    /// True if the choices may exclude each other or the place: there are several causes, or one may depend on the
    /// round. Rounds of different loops do not exclude each other.
    pub fn is_serious(&self) -> bool {
        match &self.causes[..] {
            [] => false,
            [cause] => {
                cause.loops.iter().any(|step| self.rounds.contains(step)) || self.is_other_needed(cause)
            }
            _ => true,
        }
    }

    /// True if the place needs a condition that the cause may exclude. Comparisons of one expression with constants do
    /// not count, because their outcomes are followed exactly.
    fn is_other_needed(&self, cause: &Chosen) -> bool {
        self.needed.iter().any(|(name, needed)| {
            let followed = |own: &String| have_one_subject(own, needed);
            *name != cause.name && !cause.condition.as_ref().is_some_and(followed)
        })
    }
}

fn loops(path: &[Step]) -> Vec<Step> {
    path.iter().filter(|step| matches!(step, Step::Loop(_))).copied().collect()
}
