//! The macros of a file whose uses have to be read, because arguments or other macros make a part of their assemblies.

use std::collections::HashSet;

use super::uses::Uses;

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
}

impl Expansions {
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
