//! C++ constants that a file defines, by scope, and the other names that it declares.
//!
//! ISO C++, "Scope" and "Constant expressions".

use std::collections::{HashMap, HashSet};

use super::expand::Macro;
use super::flags::Flags;
use super::reach::Reach;
use super::regions::Given;

/// The definition of a constant.
#[derive(Clone, Debug)]
pub(crate) struct Definition<'s> {
    pub name: &'s str,
    /// `None` if it is unknown.
    pub value: Option<String>,
    pub is_bool: bool,
    pub is_unsigned: bool,
}

/// The names that a file declares, in all scopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// Template parameters: constants with a value for each use.
    pub parameters: HashSet<String>,
    /// Constants and functions that are declared with `constexpr`.
    pub constants: HashSet<String>,
    /// Names that are declared without `const`: variables, parameters of functions, functions.
    pub variables: HashSet<String>,
    /// Functions whose bodies depend on the configuration.
    pub functions: HashSet<String>,
    /// Objects, types and concepts whose definitions or assigned values depend on the configuration, and are not read.
    pub objects: HashSet<String>,
    /// The types and concepts among them.
    pub constraints: HashSet<String>,
    /// Names that have a constant value, or are functions, in the branch of a conditional: for code outside of the branch,
    /// another branch or nothing decides what they are.
    pub branched: HashMap<String, Vec<Given>>,
    /// Names that may be assigned another value than that of their definitions, anywhere in the file.
    pub assigned: HashSet<String>,
    /// Constants that the file defines with different values in several classes and namespaces.
    pub homonyms: HashMap<String, Homonyms>,
    /// The flags of the conditionals.
    pub flags: Flags,
}

/// The places outside of functions that define a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Homonyms {
    /// Where the blocks of classes begin that have it as a member.
    pub classes: Vec<usize>,
    /// The number of blocks of namespaces that have it.
    pub namespaces: usize,
}

/// A block that may have constants which are not defined before it in its text: those of a class, of its bases, and of
/// other blocks of the same namespace.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outer {
    Namespace,
    /// The block that begins at `at`.
    Class {
        at: usize,
        has_bases: bool,
    },
    /// The block of a function whose head names its class or namespace: `void S::m() {`.
    Member,
}

impl Declared {
    /// The places that give a name a value, but not in all of the configurations `here`, which compile the place.
    pub fn branches(&self, name: &str, place: Option<usize>, here: &Reach) -> impl Iterator<Item = &Given> {
        let given = self.branched.get(name).into_iter().flatten();
        given.filter(move |given| given.differs(place, here))
    }

    /// True if the target decides what a name is at a place which the configurations `here` compile.
    pub fn is_branched(&self, name: &str, place: Option<usize>, here: &Reach) -> bool {
        self.branches(name, place, here).any(|given| given.reach.depends())
    }
}

/// A variable that is not a constant.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// Where its name is in the text, which identifies the definition.
    pub at: usize,
    /// The number of blocks around the definition.
    pub scope: usize,
    /// The configurations that compile the definition.
    pub here: Reach,
    /// The configurations in which it has a value that may differ between threads.
    pub varies: Reach,
    /// True if it has another value in some of the targets that compile its definition.
    pub is_elsewhere: bool,
}

/// The constants of the scopes around a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    known: HashMap<String, Vec<Constant>>,
    /// The scope and the name of each constant, the innermost last.
    order: Vec<(usize, String)>,
}

#[derive(Clone, Debug)]
struct Constant {
    /// The number of blocks around the definition.
    scope: usize,
    /// The values, each with a group of configurations. The groups cover all configurations.
    parts: Vec<(Reach, Macro)>,
    /// True if its value may differ between threads.
    varies: bool,
    /// True if this hides a constant of an outer scope, because another one may be meant.
    hides: bool,
}

impl Scopes {
    /// The values of a constant. `None` if no constant with this name is defined here.
    pub fn get(&self, name: &str) -> Option<&[(Reach, Macro)]> {
        self.known.get(name)?.last().map(|constant| &constant.parts[..])
    }

    /// True for a constant with a value that the compiler may know.
    pub fn may_be_known(&self, name: &str) -> bool {
        self.known.get(name).and_then(|all| all.last()).is_some_and(|constant| !constant.varies)
    }

    /// Defines a constant in the configurations of `here`. If it has several definitions there, its value is unknown.
    /// `varies`: its value may differ between threads.
    pub fn define(
        &mut self,
        name: &str,
        scope: usize,
        here: &Reach,
        (values, varies): (Vec<(Reach, Macro)>, bool),
    ) {
        let list = self.known.entry(name.to_owned()).or_default();
        if list.last().is_none_or(|constant| constant.scope != scope || constant.hides) {
            list.push(Constant { scope, parts: vec![(Reach::all(), Macro::Before)], varies, hides: false });
            self.order.push((scope, name.to_owned()));
        }
        let parts = &mut list.last_mut().expect("it was added").parts;
        let is_value = |meaning: &Macro| !matches!(meaning, Macro::Before);
        let known = parts.iter().filter(|(_, meaning)| is_value(meaning));
        let conflict = known.fold(Reach::none(), |all, (reach, _)| all.or(reach)).and(here);
        let new = here.and(&conflict.not());
        for (reach, meaning) in parts.iter_mut() {
            *reach = match is_value(meaning) {
                true => reach.and(&conflict.not()),
                false => reach.and(&new.not()).or(&conflict),
            };
        }
        if !parts.iter().any(|(_, meaning)| !is_value(meaning)) {
            parts.push((conflict, Macro::Before));
        }
        parts.extend(values.into_iter().map(|(reach, meaning)| (reach.and(&new), meaning)));
        parts.retain(|(reach, _)| !reach.is_none());
    }

    /// Begins the block `outer` with `scope` blocks around its content: what it may mean by a name that the file
    /// defines elsewhere, too, is unknown until it defines that name itself.
    pub fn begin(&mut self, scope: usize, outer: Outer, homonyms: &HashMap<String, Homonyms>) {
        for (name, all) in homonyms {
            let Some(list) = self.known.get_mut(name) else { continue };
            let Some(constant) = list.last() else { continue };
            let may_be_other = match outer {
                Outer::Namespace => all.namespaces > usize::from(constant.scope > 0),
                Outer::Class { at, has_bases } => {
                    all.classes.contains(&at) || (has_bases && !all.classes.is_empty())
                }
                Outer::Member => true,
            };
            if may_be_other {
                let parts = vec![(Reach::all(), Macro::Before)];
                list.push(Constant { scope, parts, varies: constant.varies, hides: true });
                self.order.push((scope, name.clone()));
            }
        }
    }

    /// Leaves the blocks that are nested more deeply than `scope`.
    pub fn leave(&mut self, scope: usize) {
        while self.order.last().is_some_and(|(inner, _)| *inner > scope) {
            let (_, name) = self.order.pop().expect("there is a last one");
            let list = self.known.get_mut(&name).expect("it was defined");
            list.pop();
            if list.is_empty() {
                self.known.remove(&name);
            }
        }
    }

    /// Makes every value unknown, because the open blocks are unknown.
    pub fn forget(&mut self) {
        for constant in self.known.values_mut().flatten() {
            constant.parts = vec![(Reach::all(), Macro::Before)];
        }
    }
}
