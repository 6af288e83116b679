//! Whether the choices of a combination can meet: the causes that it has, and the rounds of loops.

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

/// The causes of a combination.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    /// Causes that do not depend on each other, each with the loops around it.
    causes: Vec<(String, Vec<Step>)>,
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
        self.rounds.clear();
    }

    pub fn add(&mut self, name: &str, path: &[Step]) {
        if !self.causes.iter().any(|(known, _)| known == name) {
            self.causes.push((name.to_owned(), loops(path)));
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

    /// True if the choices may exclude each other: there are several causes, or one may depend on the round. Rounds of several
    /// loops do not exclude each other.
    pub fn is_serious(&self) -> bool {
        match &self.causes[..] {
            [] => false,
            [(_, around)] => around.iter().any(|step| self.rounds.contains(step)),
            _ => true,
        }
    }
}

fn loops(path: &[Step]) -> Vec<Step> {
    path.iter().filter(|step| matches!(step, Step::Loop(_))).copied().collect()
}
