//! The values that a name can have at a place: every assignment that may have been the last one there, through branches,
//! loops and functions.
//!
//! The Python Language Reference, "Compound statements" and "Naming and binding".

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::classes::Class;
use super::conditions::{exclude_each_other, implied, parts};
use super::constants::Constant;
use super::exits::Exits;
use super::expression::Expression;
use super::flow::{Facts, Flow, Outcomes, Reaching, Rounds};
use super::items::FUNCTIONS;
use super::outside::pieces;
use super::place::{Conditional, ENDS, EXITS, Here, OWN_SCOPE, Step};
use crate::identifier::{self, first_name, is_part_char};

#[derive(Clone, Debug)]
pub(super) struct Assignment<'s> {
    pub here: Here,
    /// Its value; `None` if it is unknown.
    pub value: Option<Rc<Expression<'s>>>,
    /// It is made by the head of a loop, before each round.
    pub target: bool,
}

/// A function or class.
#[derive(Debug)]
pub(super) struct Scope<'s> {
    /// The place of its definition.
    pub here: Here,
    pub name: &'s str,
    /// What it has if it is a class.
    pub class: Option<Class<'s>>,
}

/// A condition that holds after the statement `assert`.
#[derive(Debug)]
pub(super) struct Implied<'s> {
    pub condition: &'s str,
    pub here: Here,
}

/// The assignments of a file.
#[derive(Debug, Default)]
pub(super) struct Names<'s> {
    pub(super) known: HashMap<&'s str, Vec<Assignment<'s>>>,
    /// Names that functions assign in other scopes.
    foreign: HashSet<&'s str>,
    /// Names of lists and dictionaries that may be changed.
    changed: HashSet<&'s str>,
    /// The blocks that are open, with the indentation of their first lines.
    open: Vec<(usize, Step)>,
    conditionals: Vec<Conditional<'s>>,
    /// The conditional that `elif` or `else` continues, by its indentation.
    last: HashMap<usize, usize>,
    pub(super) scopes: Vec<Scope<'s>>,
    /// How many statements assign each attribute: `object.name = value`. `*` stands for every attribute.
    pub(super) attributes: HashMap<&'s str, usize>,
    /// The line before has a decorator.
    decorated: bool,
    /// How many loops and other blocks there were.
    blocks: usize,
    assignments: usize,
    statements: usize,
    hidden: Rc<HashSet<String>>,
    implied: Vec<Implied<'s>>,
    exits: Exits,
    flow: Flow<'s>,
}

impl<'s> Names<'s> {
    /// Ends the blocks before a line with this indentation, whose statement hides these names and may raise an exception.
    pub fn line(&mut self, indentation: usize, hidden: HashSet<String>, raises: bool) {
        self.open.retain(|(outer, _)| *outer < indentation);
        self.hidden = Rc::new(hidden);
        self.statements += 1;
        self.flow.tree.line(indentation, self.statements, self.assignments, raises);
    }

    /// Begins the statement of a line: its first word is `word`, and it has this condition.
    pub fn statement(&mut self, indentation: usize, word: &'s str, condition: &'s str) {
        let step = match word {
            "if" => {
                let (before, path) = (self.assignments, self.path());
                self.conditionals.push(Conditional { before, path, ..Conditional::default() });
                self.last.insert(indentation, self.conditionals.len() - 1);
                self.branch(indentation, Some(condition))
            }
            "case" => {
                if !self.last.contains_key(&indentation) {
                    let path = self.path();
                    self.conditionals.push(Conditional { opaque: true, path, ..Conditional::default() });
                    self.last.insert(indentation, self.conditionals.len() - 1);
                }
                self.branch(indentation, Some(condition))
            }
            "elif" => self.branch(indentation, Some(condition)),
            "else" => self.branch(indentation, None),
            _ => {
                self.last.retain(|other, _| *other < indentation);
                match word {
                    "return" | "raise" | "continue" | "break" | EXITS | ENDS => {
                        self.exit(word);
                        return;
                    }
                    "assert" => {
                        self.implied.push(Implied { condition, here: self.here() });
                        return;
                    }
                    "def" | "class" => {
                        let class = (word == "class").then(|| Class::new(condition, self.decorated));
                        self.scopes.push(Scope { here: self.here(), name: first_name(condition), class });
                        Step::Scope(self.scopes.len())
                    }
                    "for" | "while" => Step::Loop(self.block()),
                    "try" | "except" | "with" => Step::Perhaps(self.block()),
                    "finally" => {
                        self.flow.tree.begin(indentation, word, condition, 0, self.assignments);
                        return;
                    }
                    _ => return,
                }
            }
        };
        self.flow.tree.begin(indentation, word, condition, self.scopes.len(), self.assignments);
        self.open.push((indentation, step));
    }

    fn block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks
    }

    fn path(&self) -> Vec<Step> {
        self.open.iter().map(|(_, step)| *step).collect()
    }

    /// A statement that begins with `word` leaves its block: `return`, `raise`, `break` or `continue`. [`EXITS`] and [`ENDS`]
    /// stand for calls.
    pub fn exit(&mut self, word: &'s str) {
        self.exits.leave(word, &self.here());
        self.flow.tree.exit(word);
    }

    /// What follows in the statement may raise an exception.
    pub fn raise(&mut self) {
        self.flow.tree.raise();
    }

    /// The loop that begins here runs this often.
    pub fn rounds(&mut self, rounds: Rounds) {
        if !matches!(rounds, Rounds::Any | Rounds::Exactly(0)) {
            self.exits.runs(&self.here());
        }
        self.flow.tree.rounds(rounds);
    }

    /// The assignments of a name that can be the last ones at a place of its own scope; `None` if they are not followed.
    pub fn reaching(&self, name: &str, place: &Here) -> Option<Reaching> {
        self.flow.reaching(name, place, self)
    }

    /// False if the program never reaches a place, because what precedes it leaves the block.
    pub fn is_reached(&self, here: &Here) -> bool {
        !exclude_each_other(&self.around(here)) && self.flow.is_reached(here, self)
    }

    /// The statements that leave their blocks.
    pub fn exits(&self) -> &Exits {
        &self.exits
    }

    /// The conditions of earlier `assert` statements, which hold at a place.
    pub fn implied<'n>(&'n self, here: &'n Here) -> impl Iterator<Item = &'n Implied<'s>> {
        self.implied.iter().filter(|implied| {
            implied.here.statement < here.statement && here.path.starts_with(&implied.here.path)
        })
    }

    /// A condition or a name, with a number after each name in it that was assigned several times before: `x == 1` before and
    /// after an assignment of `x` are two conditions.
    pub fn at(&self, text: &str, before: usize) -> String {
        let mut found = String::new();
        for (piece, is_string) in pieces(text) {
            if is_string {
                found += piece;
                continue;
            }
            for word in piece.split_inclusive(|c: char| !is_part_char(c)) {
                let name = word.trim_end_matches(|c: char| !is_part_char(c));
                let attribute = found.ends_with('.');
                found += name;
                let assigned = self.known.get(name).filter(|_| !attribute);
                let count = assigned.map_or(0, |all| all.iter().filter(|a| a.here.before < before).count());
                if count > 1 {
                    found += &format!("@{count}");
                }
                found += &word[name.len()..];
            }
        }
        found
    }

    fn branch(&mut self, indentation: usize, condition: Option<&'s str>) -> Step {
        // The `else` of a loop or of `try` continues no conditional.
        let Some(number) = self.last.get(&indentation).copied() else { return Step::Perhaps(self.block()) };
        let conditional = &mut self.conditionals[number];
        conditional.branches.push(condition);
        Step::Branch(number, conditional.branches.len() - 1)
    }

    /// True if the function that begins here is in no other block.
    pub fn is_in_module(&self) -> bool {
        self.open.len() == 1
    }

    /// True if statements here may run several times.
    pub fn in_loop(&self) -> bool {
        self.open.iter().any(|(_, step)| matches!(step, Step::Loop(_)))
    }

    /// True if a condition has the same outcome in every round of the loops around a place: it calls nothing, and its names are
    /// assigned once, before any loop.
    pub fn is_same_everywhere(&self, condition: &str, here: &Here) -> bool {
        let in_loop = |assignment: &&Assignment<'_>| {
            assignment.here.path.iter().any(|step| matches!(step, Step::Loop(_)))
        };
        parts(condition).iter().all(|atom| {
            has_no_calls(atom)
                && words_of(atom).all(|word| match self.bound(word, here) {
                    Some((all, ..)) => all.len() == 1 && !all.iter().any(in_loop),
                    None => is_fixed(word) && !self.known.contains_key(word),
                })
        })
    }

    /// This place.
    pub fn here(&self) -> Here {
        let (path, hidden) = (self.path(), self.hidden.clone());
        Here { path, before: self.assignments, statement: self.statements, hidden, copies: None }
    }

    /// The conditional of a number.
    pub fn conditional(&self, number: usize) -> &Conditional<'s> {
        &self.conditionals[number]
    }

    /// Assigns an expression, or an unknown value, to a name. The name `*` stands for every name.
    pub fn assign(&mut self, name: &'s str, value: Option<Expression<'s>>) {
        self.push(name, value, false);
    }

    /// Like [`assign`](Self::assign), for a target of the loop that begins here.
    pub fn assign_target(&mut self, name: &'s str, value: Option<Expression<'s>>) {
        self.push(name, value, true);
    }

    fn push(&mut self, name: &'s str, value: Option<Expression<'s>>, target: bool) {
        let here = self.here();
        self.flow.tree.assign(name, self.assignments, target);
        self.assignments += 1;
        self.known.entry(name).or_default().push(Assignment { here, value: value.map(Rc::new), target });
    }

    /// The statement is a decorator of the next one.
    pub fn decorate(&mut self, decorated: bool) {
        self.decorated = decorated;
    }

    /// An attribute of some object is assigned.
    pub fn assign_attribute(&mut self, name: &'s str) {
        *self.attributes.entry(name).or_default() += 1;
    }

    /// A function assigns a name of another scope.
    pub fn assign_elsewhere(&mut self, name: &'s str) {
        self.foreign.insert(name);
    }

    /// The list or dictionary of a name may be changed.
    pub fn change(&mut self, name: &'s str) {
        self.flow.tree.change(name);
        self.changed.insert(name);
    }

    /// The functions of the library whose names the file binds to something else: by `def`, an assignment, or an import from
    /// another module, perhaps of everything.
    pub fn others(&self, text: &str) -> Vec<&'static str> {
        let is_other = |(name, module): &(&'static str, Option<&str>)| match module {
            None => self.known.contains_key(name) || self.known.contains_key("*"),
            Some(module) => self.known.contains_key(name) && !text.contains(module),
        };
        FUNCTIONS.iter().filter(|function| is_other(function)).map(|(name, _)| *name).collect()
    }

    /// The literal that a name always has.
    pub fn literal(&self, name: &str) -> Option<Rc<Expression<'s>>> {
        let certain =
            !self.are_all_changed() && !self.known.contains_key("*") && !self.foreign.contains(name);
        match &self.known.get(name).filter(|_| certain && !self.is_changed(name))?[..] {
            [Assignment { value: Some(value), target: false, .. }] => {
                Some(value.clone()).filter(|value| value.is_literal())
            }
            _ => None,
        }
    }

    /// All assignments were read: those of a name to another one make changes of one changes of the other.
    pub fn finish(&mut self) {
        self.exits.finish(&self.conditionals);
        self.flow.tree.finish();
        loop {
            let both = self.known.iter().flat_map(|(name, all)| all.iter().map(move |a| (*name, a)));
            let other = |(name, assignment): (&'s str, &Assignment<'s>)| match assignment.value.as_deref() {
                Some(Expression::Name(other)) if self.changed.contains(name) => Some(*other),
                _ => None,
            };
            let more: Vec<&str> =
                both.filter_map(other).filter(|other| !self.changed.contains(other)).collect();
            if more.is_empty() {
                return;
            }
            self.changed.extend(more);
        }
    }

    /// True if the file may assign every name by the dictionary of its names.
    fn are_all_changed(&self) -> bool {
        ["globals", "locals", "vars"].iter().any(|name| self.changed.contains(name))
    }

    /// True if nothing is known of a list or dictionary because of what may be done to it.
    pub fn is_changed(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    /// All assignments that a name at a place may refer to, in order, and the place in their scope to which it belongs: its
    /// own, or that of the function around it. `None` if the value cannot be known. The flag says that assignments after that
    /// place count, because a function may be called later.
    pub fn bound(&self, name: &str, here: &Here) -> Option<(Vec<&Assignment<'s>>, Here, bool)> {
        if self.are_all_changed() || self.foreign.contains(name) || here.hidden.contains(name) {
            return None;
        }
        let own = self.known.get(name)?;
        let all = self.known.get("*").into_iter().flatten().chain(own);
        let mut all: Vec<&Assignment<'s>> = all.collect();
        all.sort_by_key(|assignment| assignment.here.before);
        let is_scope = |step: &&Step| matches!(step, Step::Scope(_));
        let scopes = |path: &[Step]| -> Vec<Step> { path.iter().filter(is_scope).copied().collect() };
        let around = scopes(&here.path);
        let (mut place, mut later) = (here.clone(), false);
        for depth in (0..=around.len()).rev() {
            let class = match around.get(depth.wrapping_sub(1)) {
                Some(Step::Scope(number)) => self.scopes[number - 1].class.is_some(),
                _ => false,
            };
            // The names of a class are not those of its functions.
            if !class || depth == around.len() {
                let found = all.iter().copied().filter(|a| scopes(&a.here.path) == around[..depth]);
                let found: Vec<_> = found.collect();
                if own.iter().any(|a| scopes(&a.here.path) == around[..depth]) {
                    // Except for its first iterable, a comprehension in a class body uses the scope around the class.
                    let outer = class && here.hidden.contains(OWN_SCOPE);
                    return (!outer).then_some((found, place, later));
                }
            }
            if let Some(Step::Scope(number)) = around.get(depth.wrapping_sub(1)) {
                place = self.scopes[number - 1].here.clone();
                later |= !class;
            }
        }
        None
    }
}

impl Outcomes for Names<'_> {
    fn around(&self, here: &Here) -> Facts {
        let own = here.path.rsplit(|step| matches!(step, Step::Scope(_))).next().unwrap_or_default();
        let mut facts = Facts::new();
        for step in own {
            let Step::Branch(number, branch) = step else { continue };
            let conditional = &self.conditionals[*number];
            let conditions = conditional.branches.iter().take(branch + 1).enumerate();
            for (at, condition) in conditions.filter(|_| !conditional.opaque) {
                facts.extend(condition.iter().flat_map(|text| implied(text, at == *branch)));
            }
        }
        facts.retain(|(atom, _)| self.are_constant(atom));
        facts
    }

    /// It calls nothing, and its names are assigned once, before any loop.
    fn are_constant(&self, atom: &str) -> bool {
        let once = |name: &str| match self.known.get(name) {
            Some(all) => all.len() == 1 && !all[0].here.path.iter().any(|step| matches!(step, Step::Loop(_))),
            None => is_fixed(name),
        };
        has_no_calls(atom) && words_of(atom).all(once)
    }
}

/// True if nothing in a condition calls a function or reads what may change without an assignment.
fn has_no_calls(atom: &str) -> bool {
    !atom.contains(['(', '[', '.'])
}

/// The words of a condition; string literals have none.
fn words_of(atom: &str) -> impl Iterator<Item = &str> {
    let code = pieces(atom).into_iter().filter(|(_, is_string)| !is_string);
    code.flat_map(|(code, _)| identifier::names(code))
}

/// True for a word of a condition that is no name.
fn is_fixed(word: &str) -> bool {
    matches!(word, "" | "in" | "is" | "not") || Constant::read(word).is_some()
}
