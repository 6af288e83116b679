//! The macros of a file whose uses have to be read, because arguments or other macros make a part of their assemblies.

use std::collections::HashSet;

use super::uses::Uses;
use crate::identifier::is_part_char;

/// The macros whose uses have to be read.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    /// Those that make an assembly of their arguments or of other macros, and those whose bodies use one of them.
    names: HashSet<String>,
    /// Where the statements end that such macros make, in their definitions.
    pub ends: HashSet<u32>,
    /// Those with a use that could not be read.
    pub failed: HashSet<String>,
    /// How many uses were met.
    pub uses: usize,
    /// The macros with parameters, whether or not they make an assembly.
    functions: HashSet<String>,
    /// Where the use of a macro ends whose arguments name others: these names are no uses of their own.
    pub passed_until: usize,
}

impl Expansions {
    /// Notes the definition of a macro, with parameters or without.
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

    /// The macros with parameters whose names are among the arguments of another one, which may use them.
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

    /// True for a macro whose uses have to be read.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Notes a word in the body of a macro.
    pub fn word(&mut self, word: &str, body_of: Option<&str>) {
        if let Some(name) = body_of.filter(|_| self.names.contains(word)) {
            self.names.insert(name.to_owned());
        }
    }

    /// Adds a macro whose body has a statement that ends at `end`.
    pub fn add(&mut self, name: &str, end: u32, uses: &Uses) {
        self.ends.insert(end);
        let mut work = vec![name];
        while let Some(name) = work.pop() {
            if self.names.insert(name.to_owned()) {
                work.extend(uses.around(name));
            }
        }
    }

    /// True if a macro is used and every use was read.
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
