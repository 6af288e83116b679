//! Statements that leave their block: `return`, `raise`, `break` and `continue`. Statements after such a block are
//! reached only if the block was not entered, so the block's assignments do not reach them.
//!
//! The Python Language Reference, "Simple statements".

use std::collections::{BTreeMap, HashMap};

use super::place::{Conditional, ENDS, EXITS, Here, Step};

/// How far a statement leaves its branch, from the farthest to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// It leaves the function.
    Function,
    /// It ends the loop with this number.
    Loop(usize),
    /// It leaves the current round of a loop, or the current `try`.
    Round,
}

/// A statement at the end of a branch that leaves it.
#[derive(Clone, Debug)]
struct Exit {
    kind: Kind,
    /// The blocks around the conditional.
    around: Vec<Step>,
    /// The number of statements before it.
    statement: usize,
}

impl Exit {
    /// True if a place follows the exit's conditional in the same block.
    fn precedes(&self, conditional: usize, here: &Here) -> bool {
        let own = |step: &Step| matches!(step, Step::Branch(number, _) if *number == conditional);
        self.statement < here.statement
            && here.path.starts_with(&self.around)
            && !here.path.get(self.around.len()).is_some_and(own)
    }
}

/// Properties of a loop's rounds.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    /// True for a loop over a literal list that is not empty.
    some: bool,
    breaks: bool,
    continues: bool,
}

/// All exits of a file, and properties of its loops.
#[derive(Debug, Default)]
pub(super) struct Exits {
    /// The exits, by the numbers of their conditional and branch.
    all: BTreeMap<(usize, usize), Exit>,
    /// For each `break` and `continue`, the blocks around it, beginning with the body of its loop, and how far it
    /// leaves them.
    jumps: Vec<(Vec<Step>, Kind)>,
    loops: HashMap<usize, Rounds>,
}

impl Exits {
    /// Records that the statement `word` leaves the innermost block at a place.
    pub fn leave(&mut self, word: &str, here: &Here) {
        let around = here.path.iter().rev().find_map(|step| match step {
            Step::Loop(number) => Some(*number),
            _ => None,
        });
        if let (Some(number), "break" | "continue") = (around, word) {
            let rounds = self.loops.entry(number).or_default();
            rounds.breaks |= word == "break";
            rounds.continues |= word == "continue";
            let body = here
                .path
                .iter()
                .rposition(|step| *step == Step::Loop(number))
                .expect("the loop is around it");
            let kind = if word == "break" { Kind::Loop(number) } else { Kind::Round };
            self.jumps.push((here.path[body..].to_vec(), kind));
        }
        let Some((Step::Branch(conditional, branch), around_it)) = here.path.split_last() else { return };
        let function = here.path.rsplit(|step| matches!(step, Step::Scope(_))).next().unwrap_or_default();
        // `except` and `finally` follow.
        let caught = function.iter().any(|step| matches!(step, Step::Perhaps(_)));
        let kind = match (word, around) {
            ("return" | "raise" | EXITS, _) if !caught => Kind::Function,
            (ENDS, _) => Kind::Function,
            ("break", Some(number)) if !caught => Kind::Loop(number),
            _ => Kind::Round,
        };
        let exit = Exit { kind, around: around_it.to_vec(), statement: here.statement };
        // Only the first exit of a branch is reached.
        self.all.entry((*conditional, *branch)).or_insert(exit);
    }

    /// Records that the innermost block at a place is a loop over a literal list that is not empty.
    pub fn runs(&mut self, here: &Here) {
        if let Some(Step::Loop(number)) = here.path.last() {
            self.loops.entry(*number).or_default().some = true;
        }
    }

    /// Call this after all statements are read. A branch is also left if all branches of a conditional inside it are
    /// left.
    pub fn finish(&mut self, conditionals: &[Conditional<'_>]) {
        // Inner conditionals have higher numbers.
        for (number, conditional) in conditionals.iter().enumerate().rev() {
            let branches = 0..conditional.branches.len();
            let exits: Option<Vec<&Exit>> = branches.map(|branch| self.all.get(&(number, branch))).collect();
            let Some(exits) = exits.filter(|_| conditional.is_complete()) else { continue };
            let Some(last) = exits.iter().max_by_key(|exit| exit.statement) else { continue };
            let Some((Step::Branch(outer, branch), around)) = last.around.split_last() else { continue };
            let kind = exits.iter().map(|exit| exit.kind).max().unwrap_or(Kind::Round);
            let exit = Exit { kind, around: around.to_vec(), statement: last.statement };
            self.all.entry((*outer, *branch)).or_insert(exit);
        }
        // A statement inside a branch may leave it earlier.
        for (path, kind) in &self.jumps {
            for step in path {
                let Step::Branch(conditional, branch) = step else { continue };
                if let Some(exit) = self.all.get_mut(&(*conditional, *branch)) {
                    exit.kind = exit.kind.max(*kind);
                }
            }
        }
    }

    /// The branches that cannot have been taken if the program reaches a place, each as (conditional, branch).
    pub fn not_taken(&self, here: &Here) -> Vec<(usize, usize)> {
        let before = self.all.iter().filter(|((conditional, _), exit)| exit.precedes(*conditional, here));
        before.map(|(branch, _)| *branch).collect()
    }

    /// True if a program that enters the blocks of `path` from `common` on does not reach `here`, a later place outside
    /// of them. `round`: the place is in a later round of this loop.
    pub fn end_before(&self, path: &[Step], common: usize, here: &Here, round: Option<Step>) -> bool {
        path[common..].iter().any(|step| {
            let Step::Branch(conditional, branch) = step else { return false };
            self.all.get(&(*conditional, *branch)).is_some_and(|exit| match (exit.kind, round) {
                (Kind::Function, _) => true,
                (Kind::Loop(number), Some(round)) => round == Step::Loop(number),
                (_, None) => exit.precedes(*conditional, here),
                (Kind::Round, Some(_)) => false,
            })
        })
    }

    /// True if every statement of this block has run when it ends, apart from nested blocks.
    pub fn is_certain(&self, step: Step) -> bool {
        let Step::Loop(number) = step else { return false };
        self.loops.get(&number).is_some_and(|rounds| rounds.some && !rounds.breaks && !rounds.continues)
    }

    /// True if this block is a loop over a literal list that is not empty.
    pub fn is_entered(&self, step: Step) -> bool {
        matches!(step, Step::Loop(number) if self.loops.get(&number).is_some_and(|rounds| rounds.some))
    }

    /// True if every round of this loop runs its whole body before the next round.
    pub fn is_completed(&self, step: Step) -> bool {
        matches!(step, Step::Loop(number) if self.loops.get(&number).is_none_or(|rounds| !rounds.continues))
    }
}
