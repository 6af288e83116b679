//! The values that a name can have at a place: every assignment that may be the last one before it, through branches,
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
    /// The assigned value. `None` if it is unknown.
    pub value: Option<Rc<Expression<'s>>>,
    /// True if the head of a loop makes the assignment, before each round.
    pub target: bool,
}

/// A function or class.
#[derive(Debug)]
pub(super) struct Scope<'s> {
    /// Where the function or class is defined.
    pub here: Here,
    pub name: &'s str,
    /// The bases and properties of a class. `None` for a function.
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
    /// The constants that plain assignments give to names, as in the source.
    constants: HashMap<&'s str, &'s str>,
    /// Names that some statement binds only inside itself: in a comprehension or a `lambda`.
    inner: HashSet<String>,
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
    /// The number of statements that assign each attribute: `object.name = value`. `*` means every attribute.
    pub(super) attributes: HashMap<&'s str, usize>,
    /// True if the line before is a decorator.
    decorated: bool,
    /// The number of loops and other blocks so far.
    blocks: usize,
    assignments: usize,
    statements: usize,
    hidden: Rc<HashSet<String>>,
    implied: Vec<Implied<'s>>,
    exits: Exits,
    flow: Flow<'s>,
}

impl<'s> Names<'s> {
    /// Begins a line with this indentation, which ends deeper blocks. Its statement hides the names `hidden` and may
    /// raise an exception if `raises`.
    pub fn line(&mut self, indentation: usize, hidden: HashSet<String>, raises: bool) {
        self.open.retain(|(outer, _)| *outer < indentation);
        self.inner.extend(hidden.iter().cloned());
        self.hidden = Rc::new(hidden);
        self.statements += 1;
        self.flow.tree.line(indentation, self.statements, self.assignments, raises);
    }

    /// Begins the statement of a line, with its first word and its condition.
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

    /// Records a statement that leaves its block: `word` is `return`, `raise`, `break` or `continue`, or [`EXITS`] or
    /// [`ENDS`] for a call.
    pub fn exit(&mut self, word: &'s str) {
        self.exits.leave(word, &self.here());
        self.flow.tree.exit(word);
    }

    /// Records that the rest of the statement may raise an exception.
    pub fn raise(&mut self) {
        self.flow.tree.raise();
    }

    /// Records how often the loop that begins here runs.
    pub fn rounds(&mut self, rounds: Rounds) {
        if !matches!(rounds, Rounds::Any | Rounds::Exactly(0)) {
            self.exits.runs(&self.here());
        }
        self.flow.tree.rounds(rounds);
    }

    /// The assignments of a name that can be the last ones at a place in the same scope. `None` if they are not
    /// followed.
    pub fn reaching(&self, name: &str, place: &Here) -> Option<Reaching> {
        self.flow.reaching(name, place, self)
    }

    /// False if the program never reaches a place, because earlier statements leave the block.
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

    /// A condition or a name, in which each name that is always the same constant is replaced by it, and each name that
    /// was assigned several times before gets a number: `x == 1` before and after an assignment of `x` are two
    /// conditions.
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
                if let Some(constant) = self.constant(name).filter(|_| !attribute) {
                    found += constant;
                    found += &word[name.len()..];
                    continue;
                }
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
        // The `else` of a loop or of `try` does not continue a conditional.
        let Some(number) = self.last.get(&indentation).copied() else { return Step::Perhaps(self.block()) };
        let conditional = &mut self.conditionals[number];
        conditional.branches.push(condition);
        Step::Branch(number, conditional.branches.len() - 1)
    }

    /// True if the function that begins here is at the top level of the module.
    pub fn is_in_module(&self) -> bool {
        self.open.len() == 1
    }

    /// True if statements here may run several times.
    pub fn in_loop(&self) -> bool {
        self.open.iter().any(|(_, step)| matches!(step, Step::Loop(_)))
    }

    /// True if a condition has the same outcome in every round of the loops around a place: it has no calls, and its
    /// names are assigned once, before any loop.
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

    /// The current place.
    pub fn here(&self) -> Here {
        let (path, hidden) = (self.path(), self.hidden.clone());
        Here { path, before: self.assignments, statement: self.statements, hidden, copies: None }
    }

    /// The conditional with this number.
    pub fn conditional(&self, number: usize) -> &Conditional<'s> {
        &self.conditionals[number]
    }

    /// Records the assignment of an expression, or of an unknown value, to a name. `*` means every name.
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

    /// Records whether the line is a decorator of the next statement.
    pub fn decorate(&mut self, decorated: bool) {
        self.decorated = decorated;
    }

    /// Records the assignment of an attribute of any object.
    pub fn assign_attribute(&mut self, name: &'s str) {
        *self.attributes.entry(name).or_default() += 1;
    }

    /// Records that a function assigns a name of another scope.
    pub fn assign_elsewhere(&mut self, name: &'s str) {
        self.foreign.insert(name);
    }

    /// Records that the list or dictionary of a name may change.
    pub fn change(&mut self, name: &'s str) {
        self.flow.tree.change(name);
        self.changed.insert(name);
    }

    /// The library functions whose names the file binds to something else: by `def`, by an assignment, or by an import
    /// from another module, which may be `import *`.
    pub fn others(&self, text: &str) -> Vec<&'static str> {
        let is_other = |(name, module): &(&'static str, Option<&str>)| match module {
            None => self.known.contains_key(name) || self.known.contains_key("*"),
            Some(module) => self.known.contains_key(name) && !text.contains(module),
        };
        FUNCTIONS.iter().filter(|function| is_other(function)).map(|(name, _)| *name).collect()
    }

    /// Records that the last assignment of a name gives it a constant, if the text is one.
    pub fn assign_constant(&mut self, name: &'s str, text: &'s str) {
        if Constant::read(text).is_some() {
            self.constants.insert(name, text);
        }
    }

    /// The constant that is a name's value everywhere, as in the source.
    fn constant(&self, name: &str) -> Option<&'s str> {
        let text = self.constants.get(name)?;
        let is_certain = !self.are_all_changed() && !self.known.contains_key("*");
        let is_only = matches!(&self.known.get(name)?[..], [Assignment { target: false, .. }]);
        let is_other = self.foreign.contains(name) || self.inner.contains(name) || self.is_changed(name);
        (is_certain && is_only && !is_other).then_some(*text)
    }

    /// The literal that is a name's value everywhere.
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

    /// Call this after all assignments are read. After `a = b`, a change of the list `a` also counts as one of `b`.
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

    /// True if the file may assign any name through `globals()` and its like.
    fn are_all_changed(&self) -> bool {
        ["globals", "locals", "vars"].iter().any(|name| self.changed.contains(name))
    }

    /// True if the contents of a list or dictionary are unknown, because it may be changed.
    pub fn is_changed(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    /// All assignments to which a name at a place may refer, in order, and a place in their scope: the given place, or
    /// that of the enclosing function. `None` if the value is unknown. The flag is true if assignments after that place
    /// count, too, because a function may be called later.
    pub fn bound(&self, name: &str, here: &Here) -> Option<(Vec<&Assignment<'s>>, Here, bool)> {
        if self.are_all_changed() || self.foreign.contains(name) || here.hidden.contains(name) {
            return None;
        }
        let own = self.known.get(name)?;
        let all = self.known.get("*").into_iter().flatten().chain(own);
        let mut all: Vec<&Assignment<'s>> = all.collect();
        ptxcvt::order_by(&mut all, |assignment| assignment.here.before as u64);
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

    /// True if the condition has no calls, and its names are assigned once, before any loop.
    fn are_constant(&self, atom: &str) -> bool {
        let once = |name: &str| match self.known.get(name) {
            Some(all) => all.len() == 1 && !all[0].here.path.iter().any(|step| matches!(step, Step::Loop(_))),
            None => is_fixed(name),
        };
        has_no_calls(atom) && words_of(atom).all(once)
    }
}

/// True if a condition neither calls a function nor reads anything that may change without an assignment.
fn has_no_calls(atom: &str) -> bool {
    !atom.contains(['(', '[', '.'])
}

/// The words of a condition outside of string literals.
fn words_of(atom: &str) -> impl Iterator<Item = &str> {
    let code = pieces(atom).into_iter().filter(|(_, is_string)| !is_string);
    code.flat_map(|(code, _)| identifier::names(code))
}

/// True for a word of a condition that is not a name.
fn is_fixed(word: &str) -> bool {
    matches!(word, "" | "in" | "is" | "not") || Constant::read(word).is_some()
}
