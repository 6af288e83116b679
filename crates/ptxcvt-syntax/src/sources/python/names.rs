//! The values that a name can have at a place: assignments, followed through `if`, `elif`, `else` and functions.
//!
//! The Python Language Reference, "Compound statements" and "Naming and binding".

use std::collections::HashMap;
use std::rc::Rc;

use super::expression::Expression;

/// A block around a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A branch of a conditional, by the numbers of both.
    Branch(usize, usize),
    /// The body of a function or class.
    Scope(usize),
    /// The body of a loop or of a `with`.
    Plain,
}

/// A place in the program: the blocks around it, and how many assignments precede it.
#[derive(Clone, Debug, Default)]
pub(super) struct Here {
    pub path: Vec<Step>,
    before: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Assignment<'s> {
    pub here: Here,
    /// Its value; `None` if it is unknown.
    pub value: Option<Rc<Expression<'s>>>,
}

/// An `if` with its `elif` and `else`, or a similar statement: `try`, `match`.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditional<'s> {
    /// The condition of each branch; `None` for `else`.
    pub branches: Vec<Option<&'s str>>,
    /// Its branches have no conditions that are read: `try`, `match`.
    pub opaque: bool,
}

/// Assignments up to a place, and the blocks around that place.
#[derive(Debug, Default)]
pub(super) struct Names<'s> {
    known: HashMap<&'s str, Vec<Assignment<'s>>>,
    /// The blocks that are open, with the indentation of their first lines.
    open: Vec<(usize, Step)>,
    conditionals: Vec<Conditional<'s>>,
    /// The conditional that `elif` or `else` continues, by its indentation.
    last: HashMap<usize, usize>,
    scopes: usize,
    assignments: usize,
    /// Conditions that hold, or do not, after the statements `assert` and `if …: return`, and the blocks around these.
    implied: Vec<(Vec<Step>, &'s str, bool)>,
}

impl<'s> Names<'s> {
    /// Begins a statement whose first word is `word`, with this condition after it.
    pub fn statement(&mut self, indentation: usize, word: &str, condition: &'s str) {
        self.open.retain(|(outer, _)| *outer < indentation);
        let step = match word {
            "if" | "try" => {
                self.conditionals.push(Conditional { branches: Vec::new(), opaque: word == "try" });
                self.last.insert(indentation, self.conditionals.len() - 1);
                self.branch(indentation, Some(condition))
            }
            "case" => {
                if !self.last.contains_key(&indentation) {
                    self.conditionals.push(Conditional { branches: Vec::new(), opaque: true });
                    self.last.insert(indentation, self.conditionals.len() - 1);
                }
                self.branch(indentation, Some(condition))
            }
            "elif" | "except" => self.branch(indentation, Some(condition)),
            "else" => self.branch(indentation, None),
            _ => {
                self.last.retain(|other, _| *other < indentation);
                match word {
                    "return" | "raise" | "continue" | "break" => {
                        self.exit();
                        None
                    }
                    "assert" => {
                        let path = self.open.iter().map(|(_, step)| *step).collect();
                        self.implied.push((path, condition, true));
                        None
                    }
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

    /// Leaves the block: what follows it is reached only if the block's condition does not hold.
    fn exit(&mut self) {
        let Some(((_, Step::Branch(number, 0)), around)) = self.open.split_last() else { return };
        let conditional = &self.conditionals[*number];
        if let (Some(Some(condition)), false) = (conditional.branches.first(), conditional.opaque) {
            let path = around.iter().map(|(_, step)| *step).collect();
            self.implied.push((path, condition, false));
        }
    }

    /// The conditions that earlier statements imply at a place, and their outcomes.
    pub fn implied<'n>(&'n self, here: &'n Here) -> impl Iterator<Item = (&'s str, bool)> + 'n {
        let reached = self.implied.iter().filter(|(path, ..)| here.path.starts_with(path));
        reached.map(|(_, condition, outcome)| (*condition, *outcome))
    }

    fn branch(&mut self, indentation: usize, condition: Option<&'s str>) -> Option<Step> {
        // The `else` of a loop continues no conditional.
        let number = *self.last.get(&indentation)?;
        let conditional = &mut self.conditionals[number];
        conditional.branches.push(condition);
        Some(Step::Branch(number, conditional.branches.len() - 1))
    }

    /// True if statements here may run several times.
    pub fn in_loop(&self) -> bool {
        self.open.iter().any(|(_, step)| *step == Step::Plain)
    }

    /// This place.
    pub fn here(&self) -> Here {
        Here { path: self.open.iter().map(|(_, step)| *step).collect(), before: self.assignments }
    }

    /// The conditional of a number.
    pub fn conditional(&self, number: usize) -> &Conditional<'s> {
        &self.conditionals[number]
    }

    /// Assigns an expression, or an unknown value, to a name.
    pub fn assign(&mut self, name: &'s str, value: Option<Expression<'s>>) {
        let here = self.here();
        self.assignments += 1;
        self.known.entry(name).or_default().push(Assignment { here, value: value.map(Rc::new) });
    }

    /// The assignments that may have been made before a place, in order: those of the innermost scope that has any.
    pub fn visible(&self, name: &str, here: &Here) -> Vec<&Assignment<'s>> {
        let scopes = |path: &[Step]| -> Vec<Step> {
            path.iter().copied().filter(|step| matches!(step, Step::Scope(_))).collect()
        };
        let around = scopes(&here.path);
        let excludes = |step: &Step| match step {
            Step::Branch(number, branch) => {
                here.path.iter().any(|own| matches!(own, Step::Branch(n, b) if n == number && b != branch))
            }
            _ => false,
        };
        let visible = |a: &&Assignment<'s>| {
            a.here.before < here.before
                && around.starts_with(&scopes(&a.here.path))
                && !a.here.path.iter().any(excludes)
        };
        let found: Vec<_> = self.known.get(name).into_iter().flatten().filter(visible).collect();
        let innermost = found.iter().map(|a| scopes(&a.here.path).len()).max().unwrap_or(0);
        found.into_iter().filter(|a| scopes(&a.here.path).len() == innermost).collect()
    }
}
