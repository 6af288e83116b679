//! Statements that leave their block: `return`, `raise`, `break` and `continue`. What follows the block in its turn is reached
//! only if the block was not entered, and what the block assigned reaches nothing after it.
//!
//! The Python Language Reference, "Simple statements".

use std::collections::{BTreeMap, HashMap};

use super::place::{Conditional, ENDS, EXITS, Here, Step};

/// How far a branch is left. Later kinds leave less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Nothing in the function follows.
    Function,
    /// The loop of this number ends.
    Loop(usize),
    /// Only what follows in the same round, or in the same `try`, is not reached.
    Round,
}

/// Such a statement at the end of a branch.
#[derive(Clone, Debug)]
struct Exit {
    kind: Kind,
    /// The blocks around the conditional.
    around: Vec<Step>,
    /// How many statements precede it.
    statement: usize,
}

impl Exit {
    /// True if a place follows the conditional of the exit in the block that has it.
    fn precedes(&self, conditional: usize, here: &Here) -> bool {
        let own = |step: &Step| matches!(step, Step::Branch(number, _) if *number == conditional);
        self.statement < here.statement
            && here.path.starts_with(&self.around)
            && !here.path.get(self.around.len()).is_some_and(own)
    }
}

/// What is known of the rounds of a loop.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    /// It is over a literal list that is not empty.
    some: bool,
    breaks: bool,
    continues: bool,
}

/// All exits of a file, and the loops that run at least once.
#[derive(Debug, Default)]
pub(super) struct Exits {
    /// By the numbers of the conditional and the branch.
    all: BTreeMap<(usize, usize), Exit>,
    /// The blocks around each `break` and `continue`, from the body of its loop on, and how far it leaves them.
    jumps: Vec<(Vec<Step>, Kind)>,
    loops: HashMap<usize, Rounds>,
}

impl Exits {
    /// A statement `word` at a place leaves the innermost block.
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
        // What follows the first one is not reached.
        self.all.entry((*conditional, *branch)).or_insert(exit);
    }

    /// The innermost block at a place is a loop over a literal list that is not empty.
    pub fn runs(&mut self, here: &Here) {
        if let Some(Step::Loop(number)) = here.path.last() {
            self.loops.entry(*number).or_default().some = true;
        }
    }

    /// All statements were read: a branch is left, too, if all branches of a conditional in it are.
    pub fn finish(&mut self, conditionals: &[Conditional<'_>]) {
        // Those within others come later.
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
        // A statement within a branch may leave it earlier.
        for (path, kind) in &self.jumps {
            for step in path {
                let Step::Branch(conditional, branch) = step else { continue };
                if let Some(exit) = self.all.get_mut(&(*conditional, *branch)) {
                    exit.kind = exit.kind.max(*kind);
                }
            }
        }
    }

    /// The branches that were not taken if the program arrives at a place, each after its conditional.
    pub fn not_taken(&self, here: &Here) -> Vec<(usize, usize)> {
        let before = self.all.iter().filter(|((conditional, _), exit)| exit.precedes(*conditional, here));
        before.map(|(branch, _)| *branch).collect()
    }

    /// True if nothing that happens in the blocks from `common` on reaches a place outside of them, which follows them.
    /// `round`: it is in a later round of this loop.
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

    /// True if every statement of this block has run when it ends, except for those in further blocks.
    pub fn is_certain(&self, step: Step) -> bool {
        let Step::Loop(number) = step else { return false };
        self.loops.get(&number).is_some_and(|rounds| rounds.some && !rounds.breaks && !rounds.continues)
    }

    /// True if this block is a loop over a literal list that is not empty.
    pub fn is_entered(&self, step: Step) -> bool {
        matches!(step, Step::Loop(number) if self.loops.get(&number).is_some_and(|rounds| rounds.some))
    }

    /// True if every round of this loop that another one follows has run all statements of its body.
    pub fn is_completed(&self, step: Step) -> bool {
        matches!(step, Step::Loop(number) if self.loops.get(&number).is_none_or(|rounds| !rounds.continues))
    }
}
