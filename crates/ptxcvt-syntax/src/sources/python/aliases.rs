//! Other names of the functions that accept assembly: `asm = tl.inline_asm_elementwise`, `import … as asm`, and `asm =
//! functools.partial(tl.inline_asm_elementwise, …)`.

use std::collections::HashSet;

use super::super::scan::Scanner;
use super::call::is_known;
use crate::identifier::{first_name, last_name};

/// The names by which a file calls the functions that accept assembly.
#[derive(Debug, Default)]
pub(super) struct Aliases<'s>(HashSet<&'s str>);

impl<'s> Aliases<'s> {
    /// Collects the names of a file. Scopes are ignored.
    pub fn of(text: &'s str) -> Self {
        let mut found = Aliases::default();
        loop {
            let before = found.0.len();
            for line in text.split(['\n', ';']) {
                found.line(line);
            }
            if found.0.len() == before {
                return found;
            }
        }
    }

    /// True if a file calls such a function by this name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    fn line(&mut self, line: &'s str) {
        let mut scanner = Scanner::new(line);
        let mut found = Vec::new();
        while !scanner.at_end() {
            let start = scanner.at;
            let word = scanner.word();
            if word.is_empty() {
                scanner.step();
                continue;
            }
            let after = line[scanner.at..].trim_start_matches(['"', '\'', ' ']);
            let (before, attribute) = (line[..start].trim_end(), line[..start].ends_with('.'));
            if !(is_known(word) || (self.contains(word) && !attribute)) || after.starts_with(['(', '=', ':'])
            {
                continue;
            }
            if let Some(name) = after.strip_prefix("as ") {
                found.push(first_name(name.trim_start()));
            }
            // Each name before an `=`, including those of arguments in calls.
            for (at, _) in before.match_indices('=') {
                found.push(last_name(before[..at].trim_end()));
            }
        }
        self.0.extend(found.into_iter().filter(|name| !name.is_empty() && !is_known(name)));
    }
}
