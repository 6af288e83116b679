//! Names that have a constant value, or are functions, in a branch of the preprocessor: `#if` with `bool fp8 = true;`, and
//! after `#else` `bool fp8 = false;`.

use super::super::guard::{Given, is_capital};
use super::super::scan::Scanner;
use super::state::Reader;
use crate::cpp::arithmetic;
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Records that a declaration at `at` gives a value to a name, if the value is a constant and only some configurations
    /// read it.
    pub(super) fn branch(&mut self, at: usize, name: &'s str, value: &str) {
        // The variables of a loop or a condition are for its statement.
        let is_in_group = self.inside().is_some_and(|inside| inside.byte == b'(');
        if !is_in_group && !self.has_variable(value) {
            let scope = self.starts.last().filter(|_| self.is_in_function()).copied();
            self.branches(at, name, scope, false);
        }
    }

    /// Records that a function is declared at `at`, if only some configurations read it.
    pub(super) fn branch_function(&mut self, at: usize, name: &'s str) {
        self.branches(at, name, None, true);
    }

    fn branches(&mut self, at: usize, name: &'s str, scope: Option<usize>, is_function: bool) {
        let reach = self.regions.at(at);
        if reach.is_all() {
            return;
        }
        let all = self.names.branched.entry(name.to_owned()).or_default();
        let starts = |given: &Given| given.within.as_ref().map(|within| within.start);
        if all.iter().any(|given| given.reach == reach && starts(given) == scope) {
            return;
        }
        let by_target = reach.depends();
        // The end of the block is set when it ends.
        all.push(Given { within: scope.map(|start| start..usize::MAX), is_function, reach });
        match scope {
            Some(start) => self.given.push((start, name)),
            None if by_target => self.found(name, 0),
            None => {}
        }
    }

    /// Ends the block that began at `start`.
    pub(super) fn end_block(&mut self, start: usize) {
        let end = self.scanner.at;
        let (ended, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.given).into_iter().partition(|(at, _)| *at == start);
        self.given = open;
        for (_, name) in ended {
            let all = self.names.branched.get_mut(name).into_iter().flatten();
            let within = all.filter_map(|given| given.within.as_mut());
            within.filter(|within| within.start == start).for_each(|within| within.end = end);
        }
    }

    /// True if the word at `start` reads a name that the target decides.
    pub(super) fn reads_branched(&self, start: usize, word: &str) -> bool {
        if !self.names.branched.contains_key(word) {
            return false;
        }
        let mut next = Scanner { at: start + word.len(), ..self.scanner };
        next.c_blanks();
        let is_given = (next.peek() == b'=' && !next.starts_with("==")) || self.constants.contains(&start);
        !is_given
            && !self.read.contains(&start)
            && self.names.is_branched(word, Some(start), &self.regions.at(start))
    }

    /// True if a value may be that of a variable, and not a constant.
    fn has_variable(&self, value: &str) -> bool {
        const CONSTANTS: [&str; 8] = [
            "true",
            "false",
            "nullptr",
            "sizeof",
            "alignof",
            "static_cast",
            "const_cast",
            "reinterpret_cast",
        ];
        let is_constant = |word: &str| {
            CONSTANTS.contains(&word)
                || arithmetic(word).is_some()
                || is_capital(word)
                || self.names.constants.contains(word)
                || self.names.parameters.contains(word)
                || value.contains(&format!("::{word}"))
        };
        names(value).any(|word| !is_constant(word))
    }
}
