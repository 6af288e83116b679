//! The strings to which a name can be bound at a place: assignments, followed through `if`, `elif`, `else`
//! and functions.
//!
//! The Python Language Reference, "Compound statements" and "Naming and binding".

use std::collections::{BTreeSet, HashMap};

/// A block around a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A branch of a conditional, by the numbers of both.
    Branch(usize, usize),
    /// The body of a function or class.
    Scope(usize),
    /// The body of a loop or of a `with`.
    Plain,
}

#[derive(Clone, Debug)]
struct Assignment {
    path: Vec<Step>,
    /// The place of its string; `None` if the value is something else.
    value: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Conditional {
    branches: usize,
    /// One of the branches is always taken.
    exhaustive: bool,
}

/// No more combinations of branches than this are followed.
const MAX_COMBINATIONS: usize = 256;

/// Assignments up to a place, and the blocks around that place.
#[derive(Debug, Default)]
pub(super) struct Names<'s> {
    known: HashMap<&'s str, Vec<Assignment>>,
    /// The blocks that are open, with the indentation of their first lines.
    open: Vec<(usize, Step)>,
    conditionals: Vec<Conditional>,
    /// The conditional that `elif` or `else` continues, by its indentation.
    last: HashMap<usize, usize>,
    scopes: usize,
}

impl<'s> Names<'s> {
    /// Begins a statement whose first word is `word`.
    pub fn statement(&mut self, indentation: usize, word: &str) {
        self.open.retain(|(outer, _)| *outer < indentation);
        let step = match word {
            "if" | "try" => {
                self.conditionals.push(Conditional { branches: 0, exhaustive: word == "try" });
                self.last.insert(indentation, self.conditionals.len() - 1);
                self.branch(indentation, false)
            }
            "case" => {
                if !self.last.contains_key(&indentation) {
                    self.conditionals.push(Conditional::default());
                    self.last.insert(indentation, self.conditionals.len() - 1);
                }
                self.branch(indentation, false)
            }
            "elif" | "except" => self.branch(indentation, false),
            "else" => self.branch(indentation, true),
            _ => {
                self.last.retain(|other, _| *other < indentation);
                match word {
                    "def" | "class" => {
                        self.scopes += 1;
                        Some(Step::Scope(self.scopes))
                    }
                    "for" | "while" | "with" | "match" => Some(Step::Plain),
                    _ => None,
                }
            }
        };
        self.open.extend(step.map(|step| (indentation, step)));
    }

    fn branch(&mut self, indentation: usize, exhaustive: bool) -> Option<Step> {
        // The `else` of a loop continues no conditional.
        let number = *self.last.get(&indentation)?;
        let conditional = &mut self.conditionals[number];
        conditional.branches += 1;
        conditional.exhaustive |= exhaustive;
        Some(Step::Branch(number, conditional.branches - 1))
    }

    fn path(&self) -> Vec<Step> {
        self.open.iter().map(|(_, step)| *step).collect()
    }

    /// Assigns a string, or an unknown value, to a name.
    pub fn assign(&mut self, name: &'s str, value: Option<usize>) {
        let path = self.path();
        self.known.entry(name).or_default().push(Assignment { path, value });
    }

    /// True if a name may be bound to a string here.
    pub fn is_string(&self, name: &str) -> bool {
        self.visible(name).iter().any(|assignment| assignment.value.is_some())
    }

    /// The assignments that may have been made before this place: those of the innermost scope that has any.
    fn visible(&self, name: &str) -> Vec<&Assignment> {
        let here = self.path();
        let scopes = |path: &[Step]| -> Vec<Step> {
            path.iter().copied().filter(|step| matches!(step, Step::Scope(_))).collect()
        };
        let around = scopes(&here);
        let visible = |a: &&Assignment| {
            let excludes = |step: &Step| match step {
                Step::Branch(number, branch) => {
                    here.iter().any(|own| matches!(own, Step::Branch(n, b) if n == number && b != branch))
                }
                _ => false,
            };
            around.starts_with(&scopes(&a.path)) && !a.path.iter().any(excludes)
        };
        let found: Vec<&Assignment> = self.known.get(name).into_iter().flatten().filter(visible).collect();
        let innermost = found.iter().map(|a| scopes(&a.path).len()).max().unwrap_or(0);
        found.into_iter().filter(|a| scopes(&a.path).len() == innermost).collect()
    }

    /// The strings that some names stand for here, in every combination of branches. `None` in place of an unknown
    /// value.
    pub fn values(&self, names: &[&str]) -> Vec<Vec<Option<usize>>> {
        let here = self.path();
        let visible: Vec<Vec<&Assignment>> = names.iter().map(|name| self.visible(name)).collect();
        let branch = |step: &Step| match step {
            Step::Branch(number, _) => Some(*number),
            _ => None,
        };
        let fixed: BTreeSet<usize> = here.iter().filter_map(branch).collect();
        let steps = visible.iter().flatten().flat_map(|a| a.path.iter().filter_map(branch));
        let open: Vec<usize> =
            steps.filter(|number| !fixed.contains(number)).collect::<BTreeSet<_>>().into_iter().collect();
        let counts = open.iter().map(|number| {
            let conditional = self.conditionals[*number];
            conditional.branches + usize::from(!conditional.exhaustive)
        });
        let counts: Vec<usize> = counts.collect();
        let combinations = counts.iter().fold(1_usize, |all, count| all.saturating_mul(*count));
        if combinations > MAX_COMBINATIONS {
            return Vec::new();
        }
        let mut found = Vec::new();
        for combination in 0..combinations {
            let taken = |number: usize| {
                let mut rest = combination;
                for (other, count) in open.iter().zip(&counts) {
                    if *other == number {
                        return Some(rest % count);
                    }
                    rest /= count;
                }
                None
            };
            let holds = |step: &Step| match step {
                Step::Branch(number, branch) => taken(*number).is_none_or(|taken| taken == *branch),
                _ => true,
            };
            let value = |assignments: &Vec<&Assignment>| {
                let made = assignments.iter().rev().find(|a| a.path.iter().all(holds));
                made.and_then(|assignment| assignment.value)
            };
            let values: Vec<_> = visible.iter().map(value).collect();
            if !found.contains(&values) {
                found.push(values);
            }
        }
        found
    }
}
