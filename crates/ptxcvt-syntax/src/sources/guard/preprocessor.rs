//! Conditionals and macros of a file, followed line by line.
//!
//! ISO C, section 6.10 (preprocessing directives).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::scan::Line;
use super::directive::{first_word, split, split_body};
use super::expand::{Failure, Macro, Macros, Place, expand};
use super::expression::evaluate;
use super::flags::Flags;
use super::include::include_guard;
use super::outcome::Outcome;
use super::predefined::is_configured;
use super::reach::Reach;
use super::scopes::{Declared, Scopes, Variable};
use super::token::{Token, tokens};
use super::value::{Numbers, Unknowns};

/// Limits on the groups of configurations in which a condition is expanded, and on the steps. Two macros, one with a
/// definition for each target and one for each toolkit, have about 200 groups.
const MAX_VARIANTS: usize = 256;
const MAX_STEPS: usize = 2_048;

/// The definitions of a name, each with its configurations.
type Meanings = Vec<(Reach, Macro)>;

/// The open conditionals and the macros at a place of a file. A clone shares the macros until one of the two changes
/// them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preprocessor {
    open: Vec<Open>,
    /// The open statements that the compiler removes for some targets. They need not nest with the conditionals.
    statements: Vec<Open>,
    macros: Rc<HashMap<String, Meanings>>,
    /// The texts of the definitions of each macro so far, from its parameters on, also of those that end before.
    bodies: Rc<HashMap<String, Vec<String>>>,
    /// The definitions that `#pragma push_macro("X")` saved, the latest last.
    pushed: Rc<HashMap<String, Vec<Meanings>>>,
    /// C++ constants whose values depend on the configuration.
    pub(super) dependent: Rc<HashSet<String>>,
    pub(super) scopes: Rc<Scopes>,
    /// The last definition of each variable.
    pub(super) variables: Rc<HashMap<String, Variable>>,
    /// The definitions of variables that have another value in some targets, as far as an earlier reading found them.
    pub(super) late: Rc<HashSet<usize>>,
    /// The function around the place.
    pub(super) function: Option<Function>,
    /// The place in the text.
    pub place: Option<usize>,
    pub(super) declared: Rc<Declared>,
    /// True while a C++ condition is read.
    in_code: bool,
    pub(super) flags: Rc<Flags>,
    /// The configurations that reach an `#error`. `None` if there is none.
    refused: Option<Reach>,
    /// All configurations for the values of the flags for which the file does not compile.
    excluded: Option<Reach>,
    /// The number of directives so far.
    directives: u32,
}

/// A function whose statements are read.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// The number of blocks around its statements.
    pub scope: usize,
    /// The configurations that compile its beginning.
    pub here: Reach,
}

#[derive(Clone, Debug)]
struct Open {
    /// The configurations that compile the branch.
    now: Reach,
    /// The configurations that compile none of the branches so far.
    left: Reach,
}

impl Preprocessor {
    /// The state at the beginning of a file with these directives. They have no `#`, and their lines are joined.
    /// `has_code_outside`: the file has code outside of all conditionals, so it has no include guard.
    pub fn new(directives: &[String], has_code_outside: bool) -> Self {
        let include_guard = if has_code_outside { None } else { include_guard(directives) };
        Preprocessor { flags: Rc::new(Flags::new(include_guard)), ..Self::default() }
    }

    /// Sets the names that the file declares, and the flags of its conditionals.
    pub fn with_names(self, declared: Rc<Declared>) -> Self {
        Preprocessor { flags: Rc::new(declared.flags.clone()), declared, ..self }
    }

    /// The flags of the conditionals so far.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Sets the definitions of variables that [`Preprocessor::late`] returned after an earlier reading of the file.
    pub fn with_late(self, late: HashSet<usize>) -> Self {
        Preprocessor { late: Rc::new(late), ..self }
    }

    /// The definitions of variables that code read before another value in some targets was found.
    pub fn late(&self) -> &HashSet<usize> {
        &self.flags.late
    }

    /// Begins to read statements ahead, which are read again later. Returns the variables that were read before.
    pub fn begin_tests(&mut self) -> HashSet<usize> {
        Rc::make_mut(&mut self.flags).tested.clone()
    }

    /// Ends what [`Preprocessor::begin_tests`] began.
    pub fn end_tests(&mut self, tested: HashSet<usize>) {
        Rc::make_mut(&mut self.flags).tested = tested;
    }

    /// Begins a function, with this number of blocks around its statements.
    pub fn begin_function(&mut self, scope: usize) {
        self.function = Some(Function { scope, here: self.here() });
        if !self.flags.tested.is_empty() {
            Rc::make_mut(&mut self.flags).tested.clear();
        }
    }

    /// The names that the file declares.
    pub fn names(&self) -> &Declared {
        &self.declared
    }

    /// The C++ constants and variables so far whose values depend on the configuration.
    pub fn dependent_names(&self) -> impl Iterator<Item = String> + use<> {
        self.dependent.iter().cloned().collect::<Vec<_>>().into_iter()
    }

    /// A value that changes when other words may depend on the configuration.
    pub fn revision(&self) -> (u32, usize) {
        (self.directives, self.dependent.len())
    }

    /// The configurations in which an `#error` so far stops the compiler.
    pub fn refused(&self) -> Reach {
        self.refused.clone().unwrap_or_else(Reach::none)
    }

    /// Records that the file does not compile in these configurations.
    pub fn refuse(&mut self, refused: &Reach) {
        self.refused = Some(self.refused.take().map_or_else(|| refused.clone(), |all| all.or(refused)));
    }

    /// Leaves out the values of flags for which all configurations are in `refused`: the file is not compiled with them.
    pub fn with_refused(self, refused: &Reach) -> Self {
        let excluded = Some(refused.for_all()).filter(|excluded| !excluded.is_none() && !excluded.is_all());
        Preprocessor { excluded, ..self }
    }

    /// The configurations that compile the code here, for the values of the flags with which the file is compiled.
    pub fn here(&self) -> Reach {
        let read = self.read();
        let here = self.statements.last().map_or_else(|| read.clone(), |statement| read.and(&statement.now));
        self.excluded.as_ref().map_or_else(|| here.clone(), |excluded| here.without_values(excluded))
    }

    /// The configurations that read the current line.
    pub(crate) fn read(&self) -> Reach {
        self.open.last().map_or_else(Reach::all, |open| open.now.clone())
    }

    /// Begins a statement that the compiler removes in other configurations.
    pub fn enter(&mut self, outcome: &Outcome) {
        let outer = self.statements.last().map_or_else(Reach::all, |statement| statement.now.clone());
        let (now, left) = (outer.and(&outcome.yes), outer.and(&outcome.no));
        self.statements.push(Open { now, left });
    }

    /// Moves to the statement after `else`.
    pub fn alternative(&mut self) {
        if let Some(statement) = self.statements.last_mut() {
            std::mem::swap(&mut statement.now, &mut statement.left);
        }
    }

    /// Ends a statement.
    pub fn leave(&mut self) {
        self.statements.pop();
    }

    /// A copy to return to. It has no flags until it [keeps](Self::keep_flags) those of `self`. If two copies shared
    /// the flags, the next new flag would copy all of them, and a long file has many.
    pub fn without_flags(&self) -> Preprocessor {
        Preprocessor { flags: Rc::default(), ..self.clone() }
    }

    /// A copy for another text. The flags move to the copy until they are [kept](Self::keep_flags).
    pub fn with_flags_taken(&mut self) -> Preprocessor {
        let flags = std::mem::take(&mut self.flags);
        Preprocessor { flags, ..self.clone() }
    }

    /// Takes over the flags of a copy, and nothing else.
    pub fn keep_flags(&mut self, clone: Preprocessor) {
        self.flags = clone.flags;
    }

    /// Calls a function for code, where C++ constants have values; they have none in directives.
    pub(super) fn code<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.in_code, true);
        let result = read(self);
        self.in_code = before;
        result
    }

    /// The definitions of a name. `None` if the file has none here.
    pub(super) fn meanings(&self, name: &str) -> Option<&[(Reach, Macro)]> {
        let constant = self.scopes.get(name).filter(|_| self.in_code);
        let known = self.macros.get(name).map(|known| &known[..]);
        // A macro that is not defined here hides no constant.
        let defines = |(reach, meaning): &&(Reach, Macro)| {
            matches!(meaning, Macro::Object(..) | Macro::Function(..)) && !reach.and(&self.read()).is_none()
        };
        match (known, constant) {
            (Some(known), Some(constant)) if !known.iter().any(|one| defines(&one)) => Some(constant),
            (known, constant) => known.or(constant),
        }
    }

    /// Two flags for tokens and the macros in them: whether they name a compiler's macro that depends on the
    /// configuration, and whether their definitions depend on the configuration.
    pub(super) fn depends(&self, tokens: &[Token]) -> (bool, bool) {
        let (mut known, mut work) = (HashSet::new(), vec![tokens]);
        let (here, mut is_by_definition) = (self.read(), false);
        while let Some(tokens) = work.pop() {
            for (at, token) in tokens.iter().enumerate() {
                let (Token::Name(name) | Token::Final(name)) = token else { continue };
                let is_called = tokens.get(at + 1) == Some(&Token::Operator("("));
                let Declared { functions, objects, .. } = &*self.declared;
                let is_dependent = || {
                    self.dependent.contains(name)
                        || functions.contains(name)
                        || objects.contains(name)
                        || self.differs(name)
                        || self.branched(name, is_called) == Some(true)
                };
                if is_configured(name) || (self.in_code && is_dependent()) {
                    return (true, is_by_definition);
                }
                if let Some(meanings) = self.meanings(name).filter(|_| known.insert(name)) {
                    let is_one = meanings.len() < 2
                        || meanings.iter().filter(|(reach, _)| !reach.and(&here).is_none()).count() < 2;
                    is_by_definition |= !is_one && meanings.iter().any(|(reach, _)| reach.depends());
                    work.extend(meanings.iter().filter_map(|(_, meaning)| match meaning {
                        Macro::Object(tokens, _) | Macro::Function(_, tokens, _) => Some(&tokens[..]),
                        Macro::Before | Macro::Undefined => None,
                    }));
                }
            }
        }
        (false, is_by_definition)
    }

    /// True if a variable has a value that may differ between threads in some of the configurations here, and another
    /// one in the others.
    pub(super) fn differs(&self, name: &str) -> bool {
        let known = self.variables.get(name).filter(|known| known.is_elsewhere);
        known.is_some_and(|known| !self.here().and(&known.varies.not()).is_none())
    }

    /// True for a variable that has only a constant value here, and that nothing in the file changes: the compiler may know
    /// it.
    pub(super) fn may_be_known(&self, name: &str) -> bool {
        let known = self.variables.get(name).filter(|_| !self.declared.assigned.contains(name));
        known.is_some_and(|known| self.here().and(&known.varies).is_none())
    }

    /// For a name that may be another thing in some of the configurations that read this line, whether the target decides.
    /// A name outside of functions counts only as that of a function that is called: others are constants, or may be
    /// hidden by other things of the same name.
    pub(super) fn branched(&self, name: &str, is_called: bool) -> Option<bool> {
        if !self.declared.branched.contains_key(name) {
            return None;
        }
        let here = self.read();
        let all = self.declared.branches(name, self.place, &here);
        let all = all.filter(|given| if is_called { given.is_function } else { given.within.is_some() });
        all.map(|given| given.reach.depends()).reduce(|all, one| all || one)
    }

    /// Reads a directive of the source.
    pub fn line(&mut self, line: &Line) {
        self.read_directive(&line.text, Some(line.start as u32));
    }

    /// Reads a directive, without its `#` and with its lines joined.
    pub fn directive(&mut self, text: &str) {
        self.read_directive(text, None);
    }

    fn read_directive(&mut self, text: &str, place: Place) {
        self.directives = self.directives.wrapping_add(1);
        let (name, rest) = split(text);
        match name {
            "if" | "ifdef" | "ifndef" => {
                let outer = self.read();
                let condition = self.condition(name, rest);
                let (now, left) = (outer.and(&condition), outer.and(&condition.not()));
                self.open.push(Open { now, left });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let condition = match name {
                    "else" => Reach::all(),
                    _ => self.condition(&name[2..], rest),
                };
                if let Some(open) = self.open.last_mut() {
                    open.now = open.left.and(&condition);
                    open.left = open.left.and(&condition.not());
                }
            }
            "endif" => drop(self.open.pop()),
            "define" => self.define(rest, place),
            "undef" => self.redefine(first_word(rest), Macro::Undefined),
            "pragma" => self.pragma(rest),
            "error" => {
                let here = self.read();
                self.refuse(&here);
            }
            _ => {}
        }
    }

    fn condition(&mut self, directive: &str, text: &str) -> Reach {
        match directive {
            "ifdef" => self.defined(first_word(text)),
            "ifndef" => self.defined(first_word(text)).not(),
            _ => self.truth(tokens(text)),
        }
    }

    fn define(&mut self, text: &str, place: Place) {
        let name = first_word(text);
        let rest = &text.trim_start()[name.len()..];
        Rc::make_mut(&mut self.bodies).entry(name.to_owned()).or_default().push(rest.to_owned());
        let meaning = match split_body(rest) {
            (Some(parameters), body) => {
                let parameters = parameters.split(',').map(|name| name.trim().to_owned());
                let parameters = parameters.filter(|name| !name.is_empty()).collect();
                Macro::Function(parameters, tokens(body), place)
            }
            (None, body) => Macro::Object(tokens(body), place),
        };
        self.redefine(name, meaning);
    }

    fn redefine(&mut self, name: &str, meaning: Macro) {
        if name.is_empty() {
            return;
        }
        self.change_to(name, vec![(Reach::all(), meaning)]);
    }

    /// Sets the meanings of a name in the configurations that read the current line.
    fn change_to(&mut self, name: &str, meanings: Meanings) {
        let here = self.read();
        let elsewhere = here.not();
        let macros = Rc::make_mut(&mut self.macros);
        let known = macros.entry(name.to_owned()).or_insert_with(not_defined);
        known.iter_mut().for_each(|(reach, _)| *reach = reach.and(&elsewhere));
        known.extend(meanings.into_iter().map(|(reach, meaning)| (reach.and(&here), meaning)));
        known.retain(|(reach, _)| !reach.is_none());
    }

    /// `push_macro("X")` saves the definition of `X`, and `pop_macro("X")` restores it. Assumes that both are in
    /// branches of the same configurations.
    ///
    /// The GNU C preprocessor manual, "Pragmas".
    fn pragma(&mut self, text: &str) {
        let (action, rest) = text.trim().split_once('(').unwrap_or_default();
        let name = rest.trim().strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let Some((name, _)) = name.filter(|(name, _)| !name.is_empty()) else { return };
        match action.trim() {
            "push_macro" => {
                let known = self.macros.get(name).cloned().unwrap_or_else(not_defined);
                Rc::make_mut(&mut self.pushed).entry(name.to_owned()).or_default().push(known);
            }
            "pop_macro" => {
                let known = Rc::make_mut(&mut self.pushed).get_mut(name).and_then(Vec::pop);
                if let Some(known) = known {
                    self.change_to(name, known);
                }
            }
            _ => {}
        }
    }

    /// The texts of a macro's definitions, from their parameters on. Empty if the file has none so far.
    pub fn bodies(&self, name: &str) -> &[String] {
        self.bodies.get(name).map_or(&[], |all| &all[..])
    }

    /// The configurations in which a name is defined.
    fn defined(&mut self, name: &str) -> Reach {
        let flags = Rc::make_mut(&mut self.flags);
        let Some(known) = self.macros.get(name) else { return flags.defined(name) };
        known.iter().fold(Reach::none(), |all, (reach, meaning)| match meaning {
            Macro::Undefined => all,
            Macro::Before => all.or(&reach.and(&flags.defined(name))),
            Macro::Object(..) | Macro::Function(..) => all.or(reach),
        })
    }

    /// The configurations in which a condition is true.
    fn truth(&mut self, condition: Vec<Token>) -> Reach {
        let depends = self.depends(&condition).0;
        let variants = self.expand(condition);
        let mut all = Reach::none();
        for (reach, tokens) in variants {
            let flags = Rc::make_mut(&mut self.flags);
            let truth = match evaluate(&tokens, Numbers::Directive, flags) {
                Some(value) => value.is_true(flags),
                None if depends => Reach::unknown_by_target(),
                None => Reach::unknown(),
            };
            all = all.or(&reach.and(&truth));
        }
        all
    }

    /// Expands a condition for each group of configurations in which the macros have the same definitions. The result
    /// has no tokens if the condition is invalid. If there are too many groups, macros with several definitions have
    /// unknown values.
    pub(super) fn expand(&mut self, text: Vec<Token>) -> Vec<(Reach, Vec<Token>)> {
        let parts = self.parts(Reach::all(), |file, chosen| expand(text.clone(), &mut Part { file, chosen }));
        let parts = parts.map(|parts| {
            parts.into_iter().map(|(reach, tokens)| (reach, tokens.unwrap_or_default())).collect()
        });
        parts.unwrap_or_else(|| {
            let tokens = expand(text, &mut Any { file: self }).unwrap_or_default();
            vec![(Reach::all(), tokens)]
        })
    }

    /// The groups of the configurations `all` in which macros have the same definitions, each with the expansion, which
    /// is `None` if the text is invalid. The whole result is `None` if there are too many groups.
    pub(super) fn parts<T>(
        &mut self,
        all: Reach,
        mut expand: impl FnMut(&mut Self, &HashMap<String, usize>) -> Result<T, Failure>,
    ) -> Option<Vec<(Reach, Option<T>)>> {
        let (mut done, mut work, mut steps) = (Vec::new(), vec![(all, HashMap::new())], 0);
        while let Some((reach, chosen)) = work.pop() {
            steps += 1;
            if steps > MAX_STEPS || done.len() > MAX_VARIANTS {
                return None;
            }
            match expand(self, &chosen) {
                Ok(found) => done.push((reach, Some(found))),
                Err(Failure::Unreadable) => done.push((reach, None)),
                Err(Failure::Several(name)) => {
                    for (number, (part, _)) in self.meanings(&name).unwrap_or_default().iter().enumerate() {
                        let reach = reach.and(part);
                        if !reach.is_none() {
                            let mut chosen: HashMap<String, usize> = chosen.clone();
                            chosen.insert(name.clone(), number);
                            work.push((reach, chosen));
                        }
                    }
                }
            }
        }
        Some(done)
    }
}

/// The group of configurations in which each macro has the chosen definition; `chosen` has its number.
pub(super) struct Part<'p> {
    pub file: &'p mut Preprocessor,
    pub chosen: &'p HashMap<String, usize>,
}

impl Macros for Part<'_> {
    fn get(&mut self, name: &str) -> Result<Option<Macro>, Failure> {
        let Some(known) = self.file.meanings(name) else { return Ok(None) };
        match (known, self.chosen.get(name)) {
            ([(_, only)], _) => Ok(Some(only.clone())),
            (known, Some(number)) => Ok(Some(known[*number].1.clone())),
            (_, None) => Err(Failure::Several(name.to_owned())),
        }
    }

    fn defined(&mut self, name: &str) -> Token {
        Token::Truth(self.file.defined(name))
    }
}

/// All configurations at once: each use of a macro with several definitions becomes a separate flag.
struct Any<'p> {
    file: &'p mut Preprocessor,
}

impl Macros for Any<'_> {
    fn get(&mut self, name: &str) -> Result<Option<Macro>, Failure> {
        let Some(known) = self.file.meanings(name) else { return Ok(None) };
        if let [(_, only)] = known {
            return Ok(Some(only.clone()));
        }
        let parameters = known.iter().find_map(|(_, meaning)| match meaning {
            Macro::Function(parameters, ..) => Some(parameters.clone()),
            _ => None,
        });
        let value = vec![Token::Final(Rc::make_mut(&mut self.file.flags).fresh())];
        Ok(Some(match parameters {
            Some(parameters) => Macro::Function(parameters, value, None),
            None => Macro::Object(value, None),
        }))
    }

    fn defined(&mut self, name: &str) -> Token {
        Token::Truth(self.file.defined(name))
    }
}

/// The meaning of a name before the file defines it.
fn not_defined() -> Meanings {
    vec![(Reach::all(), Macro::Before)]
}
