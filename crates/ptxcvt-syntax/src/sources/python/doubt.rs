//! Whether the choices of a combination can meet: the causes that it has, and the rounds of loops.

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
    /// The condition whose outcome was chosen, if it is one.
    condition: Option<String>,
    /// The loops around it.
    loops: Vec<Step>,
}

/// The causes of a combination.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    /// Causes that do not depend on each other.
    causes: Vec<Chosen>,
    /// Conditions without which the program does not arrive at the place, each with its cause.
    needed: Vec<(String, String)>,
    /// Loops for which one iteration was chosen, although all reach this place.
    rounds: Vec<Step>,
    /// The loops around the place.
    around: Vec<Step>,
}

impl Doubt {
    /// Without a cause, at a place.
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

    /// The program arrives at the place only with an outcome of this condition.
    pub fn need(&mut self, name: &str, condition: &str) {
        // A module that is run as a program has this name; nothing else depends on it.
        let is_program = condition.contains("__name__");
        let known = |(_, known): &(String, String)| known == condition;
        if constant_outcome(condition).is_none() && !is_program && !self.needed.iter().any(known) {
            self.needed.push((name.to_owned(), condition.to_owned()));
        }
    }

    /// True if every round of the innermost loop of a path arrives at the place.
    pub fn runs(&self, path: &[Step]) -> bool {
        path.last().is_some_and(|step| self.around.contains(step))
    }

    /// One round of the innermost loop of a path is chosen.
    pub fn round(&mut self, path: &[Step]) {
        self.rounds.extend(path.last().filter(|step| !self.rounds.contains(step)));
    }

    /// True if the choices may exclude each other, or exclude the place: there are several causes, or one may depend on the round.
    /// Rounds of several loops do not exclude each other.
    pub fn is_serious(&self) -> bool {
        match &self.causes[..] {
            [] => false,
            [cause] => {
                cause.loops.iter().any(|step| self.rounds.contains(step)) || self.is_other_needed(cause)
            }
            _ => true,
        }
    }

    /// True if the place needs a condition that a cause may exclude. Numbers and strings that are compared with the same name exclude
    /// each other as far as they are followed.
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
