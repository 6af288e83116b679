//! The statements of a file as a tree, and the assignments of a name that can be the last ones before a place.
//!
//! The Python Language Reference, "Compound statements" and "Simple statements".

mod learned;
mod paths;
mod tree;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use self::paths::Places;
use self::tree::{Tree, conditions_in_loops};
use super::conditions::exclude_each_other;
use super::place::{Here, Step};

pub(super) use self::learned::Facts;
pub(super) use self::paths::Reach;
pub(super) use self::tree::Rounds;

/// Limit on conditions for which both outcomes are followed.
const MAX_FREE: usize = 4;

/// Facts about conditions.
pub(super) trait Outcomes {
    /// The outcomes that the blocks around a place imply for one whole run of its function.
    fn around(&self, here: &Here) -> Facts;

    /// True if a condition has the same outcome each time it is evaluated.
    fn are_constant(&self, condition: &str) -> bool;
}

/// The assignments that reach a place, by their numbers.
pub(super) type Reaching = Rc<[Reach]>;

/// The assignments that reach a place, by name. `None` if they are not followed.
type ByName = HashMap<String, Option<Reaching>>;

/// The statements of a file.
#[derive(Debug, Default)]
pub(super) struct Flow<'s> {
    pub tree: Tree<'s>,
    known: RefCell<HashMap<(usize, String, Facts), Rc<Places>>>,
    /// Results for places in any round, by scope and place, then by name.
    reaching: RefCell<HashMap<(usize, usize, usize), ByName>>,
    /// For each scope, conditions in loops that have the same outcome in every round.
    constant: RefCell<HashMap<usize, Rc<Vec<String>>>>,
}

impl Flow<'_> {
    /// The assignments of a name that can be the last ones at a place in the same scope. `None` if they are not
    /// followed.
    pub fn reaching(&self, name: &str, here: &Here, outcomes: &dyn Outcomes) -> Option<Reaching> {
        let key = (scope(here), here.statement, here.before);
        let known = self.reaching.borrow().get(&key).and_then(|names| names.get(name).cloned());
        let found = known.unwrap_or_else(|| {
            let copies =
                self.places(name, here, outcomes).and_then(|places| places.get(&(key.1, key.2)).cloned());
            let found = copies.map(|copies| {
                let all: BTreeSet<Reach> = copies.values().flatten().copied().collect();
                all.into_iter().collect::<Reaching>()
            });
            let mut reaching = self.reaching.borrow_mut();
            reaching.entry(key).or_default().insert(name.to_owned(), found.clone());
            found
        })?;
        let Some(wanted) = &here.copies else { return Some(found) };
        let places = self.places(name, here, outcomes)?;
        let copies = places.get(&(here.statement, here.before))?;
        let own: BTreeSet<Reach> =
            wanted.iter().filter_map(|copy| copies.get(copy)).flatten().copied().collect();
        Some(own.into_iter().collect())
    }

    /// False if no path through the function leads to a place.
    pub fn is_reached(&self, here: &Here, outcomes: &dyn Outcomes) -> bool {
        let places = self.places("", here, outcomes);
        places.is_none_or(|places| places.contains_key(&(here.statement, here.before)))
    }

    fn places(&self, name: &str, here: &Here, outcomes: &dyn Outcomes) -> Option<Rc<Places>> {
        let scope = scope(here);
        let nodes = self.tree.scope(scope)?;
        let key = (scope, name.to_owned(), outcomes.around(here));
        if let Some(known) = self.known.borrow().get(&key) {
            return Some(known.clone());
        }
        let constant = self
            .constant
            .borrow_mut()
            .entry(scope)
            .or_insert_with(|| {
                let mut all = Vec::new();
                conditions_in_loops(nodes, false, &mut all);
                all.retain(|condition| outcomes.are_constant(condition));
                Rc::new(all)
            })
            .clone();
        let free: Vec<&String> = constant
            .iter()
            .filter(|atom| !key.2.iter().any(|(known, _)| known == *atom))
            .take(MAX_FREE)
            .collect();
        let mut found = Places::new();
        for number in 0..1_usize << free.len() {
            let outcome = |at: usize| (free[at].clone(), number >> at & 1 == 1);
            let facts: Facts = key.2.iter().cloned().chain((0..free.len()).map(outcome)).collect();
            if exclude_each_other(&facts) {
                continue;
            }
            for (place, copies) in paths::places(nodes, name, &facts) {
                let known = found.entry(place).or_default();
                copies
                    .into_iter()
                    .for_each(|(copy, reaching)| known.entry(copy).or_default().extend(reaching));
            }
        }
        let found = Rc::new(found);
        self.known.borrow_mut().insert(key, found.clone());
        Some(found)
    }
}

/// The number of the function or class that contains a place, or 0 at the top level.
fn scope(here: &Here) -> usize {
    let own = here.path.iter().rev().find_map(|step| match step {
        Step::Scope(number) => Some(*number),
        _ => None,
    });
    own.unwrap_or(0)
}
