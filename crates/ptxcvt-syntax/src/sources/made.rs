//! Macros that must be expanded at each use, because their arguments or other macros supply part of an `asm` statement.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::steps::Step;
use super::uses::Uses;
use crate::identifier::is_part_char;

/// The statements to which a use of a macro expands.
#[derive(Debug)]
pub(super) struct Statements {
    pub steps: Rc<[Step]>,
    /// True if the last statement ends there.
    pub is_whole: bool,
    /// True if an expression may jump to a label.
    pub hides_jumps: bool,
}

/// The macros of a file that must be expanded at each use.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    /// Macros that build an `asm` statement from arguments or other macros, and macros that use such a macro.
    names: HashSet<String>,
    /// End offsets, within the macro definitions, of the statements that these macros produce.
    pub ends: HashSet<u32>,
    /// Macros with a use that could not be expanded.
    pub failed: HashSet<String>,
    /// The number of uses expanded so far.
    pub uses: usize,
    /// The statements of uses, by the place of each and whether the whole function around it is followed.
    pub steps: HashMap<(usize, bool), Statements>,
    /// All macros with parameters, including those that produce no `asm` statement.
    functions: HashSet<String>,
    /// End of the macro call being read, if its arguments name other macros. Those names are not counted as uses.
    pub passed_until: usize,
}

impl Expansions {
    /// Records the definition of a macro, with or without parameters.
    pub fn define(&mut self, name: &str, has_parameters: bool) {
        match has_parameters {
            true => self.functions.insert(name.to_owned()),
            false => self.functions.remove(name),
        };
    }

    /// True for a macro with parameters.
    pub fn is_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// The macros with parameters that are passed by name to another macro, which may use them: `LIST(DEF)`.
    pub fn passed(&self, arguments: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if self.names.is_empty() {
            return found;
        }
        let words = arguments.split(',').map(str::trim).filter(|word| word.chars().all(is_part_char));
        for word in words.filter(|word| self.has(word) && self.is_function(word)) {
            if !found.iter().any(|known| known == word) {
                found.push(word.to_owned());
            }
        }
        found
    }

    /// True for a macro that must be expanded at each use.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Records that the body of the macro `body_of` contains `word`: if `word` must be expanded, so must `body_of`.
    pub fn word(&mut self, word: &str, body_of: Option<&str>) {
        if let Some(name) = body_of.filter(|_| self.names.contains(word)) {
            self.names.insert(name.to_owned());
        }
    }

    /// Adds a macro whose body has a statement that ends at `end`, and all macros that use it.
    pub fn add(&mut self, name: &str, end: u32, uses: &Uses) {
        self.ends.insert(end);
        let mut work = vec![name];
        while let Some(name) = work.pop() {
            if self.names.insert(name.to_owned()) {
                work.extend(uses.around(name));
            }
        }
    }

    /// True if a macro is used and every use was expanded.
    pub fn all_read(&self, name: &str, uses: &Uses) -> bool {
        let (mut known, mut work) = (HashSet::from([name]), vec![name]);
        while let Some(name) = work.pop() {
            let around: Vec<&str> = uses.around(name).collect();
            if self.failed.contains(name) || (around.is_empty() && !uses.is_used(name)) {
                return false;
            }
            work.extend(around.into_iter().filter(|outer| known.insert(*outer)));
        }
        true
    }
}
