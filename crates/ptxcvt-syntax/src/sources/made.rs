//! The macros of a file that are expanded at each use: those that have assemblies in their bodies, whose places are the
//! uses, and those of which arguments or other macros supply a part.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::guard::Guards;
use super::steps::Step;
use super::uses::Uses;
use crate::identifier::names;

/// The statements to which a use of a macro expands.
#[derive(Debug)]
pub(super) struct Statements {
    pub steps: Rc<[Step]>,
    /// True if the last statement ends there.
    pub is_whole: bool,
    /// True if an expression may jump to a label.
    pub hides_jumps: bool,
}

/// The macros of a file that are expanded at each use.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    /// The ends of the statements in macros' bodies of which arguments or other macros supply a part.
    pub ends: HashSet<u32>,
    /// For each statement in a macro's body or in the arguments of a use, by its end, the guards of its places in the
    /// expanded uses.
    places: HashMap<u32, Vec<Guards>>,
    /// The expanded uses with assemblies in their arguments.
    around: Vec<Range<usize>>,
    /// Macros with a use that could not be expanded.
    pub failed: HashSet<String>,
    /// The number of uses expanded so far.
    pub uses: usize,
    /// The statements of uses, by the place of each and whether the whole function around it is followed.
    pub steps: HashMap<(usize, bool), Statements>,
    /// All macros with a definition that has parameters, including those that produce no `asm` statement.
    functions: HashSet<String>,
    /// All macros with a definition that has none.
    objects: HashSet<String>,
    /// End of the macro use that was expanded last. The macros in its arguments were expanded with it.
    pub expanded_until: usize,
}

impl Expansions {
    /// Records the definition of a macro, with or without parameters.
    pub fn define(&mut self, name: &str, has_parameters: bool) {
        let names = if has_parameters { &mut self.functions } else { &mut self.objects };
        if !names.contains(name) {
            names.insert(name.to_owned());
        }
    }

    /// True for a macro that has parameters.
    pub fn is_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// True for a macro that has parameters in all of its definitions, so that its name alone is no use.
    pub fn needs_arguments(&self, name: &str) -> bool {
        self.functions.contains(name) && !self.objects.contains(name)
    }

    /// The macros among the arguments of another one, which may use them, `LIST(DEF)` and `IF_FP8(CVT(d, a))`, and
    /// `asm`.
    pub fn passed<'a>(&self, arguments: &'a str, uses: &Uses) -> Vec<&'a str> {
        let is_one = |word: &&str| uses.has(word) || uses.is_made(word);
        let mut found: Vec<&str> = names(arguments).filter(is_one).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Records an expanded use. `has_assembly`: its arguments have an assembly.
    pub fn expanded(&mut self, place: Range<usize>, has_assembly: bool) {
        self.expanded_until = place.end;
        if has_assembly {
            self.around.push(place);
        }
    }

    /// Records a place of the statement that ends at `end`.
    pub fn place(&mut self, end: u32, guards: &Guards) {
        let is_argument = || self.around.last().is_some_and(|around| around.contains(&(end as usize)));
        if self.places.contains_key(&end) || is_argument() {
            self.places.entry(end).or_default().push(guards.clone());
        }
    }

    /// The guards of the places of a statement in the arguments of an expanded use. `None` outside of these.
    pub fn places_of_argument(&self, end: u32) -> Option<&[Guards]> {
        let at = self.around.partition_point(|around| around.end <= end as usize);
        self.around.get(at).filter(|around| around.start < end as usize)?;
        Some(self.places.get(&end).map_or(&[], Vec::as_slice))
    }

    /// The guards of the places of the statement that ends at `end` in the body of the macro `name`. `None` if they are
    /// not all known.
    pub fn places(&self, name: &str, end: u32, uses: &Uses) -> Option<&[Guards]> {
        let places = self.places.get(&end)?;
        (!self.closure(name, uses).iter().any(|name| self.failed.contains(*name))).then_some(places)
    }

    /// Records a statement in the body of a macro, which ends at `end`, and whether other macros or arguments supply a
    /// part of it.
    pub fn add(&mut self, end: u32, is_open: bool) {
        self.places.entry(end).or_default();
        if is_open {
            self.ends.insert(end);
        }
    }

    /// True if a macro is used and every use was expanded.
    pub fn all_read(&self, name: &str, uses: &Uses) -> bool {
        let is_read = |name: &&str| {
            !self.failed.contains(*name) && (uses.around(name).next().is_some() || uses.is_used(name))
        };
        self.closure(name, uses).iter().all(is_read)
    }

    /// A macro, and the macros whose bodies use one of these.
    fn closure<'n>(&self, name: &'n str, uses: &'n Uses) -> HashSet<&'n str> {
        let (mut known, mut work) = (HashSet::from([name]), vec![name]);
        while let Some(name) = work.pop() {
            work.extend(uses.around(name).filter(|outer| known.insert(*outer)));
        }
        known
    }
}
