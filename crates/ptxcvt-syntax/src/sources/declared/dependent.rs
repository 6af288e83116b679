//! Finds names whose values depend on the configuration.

use super::super::guard::Declared;
use super::super::scan::Scanner;
use super::state::Reader;
use super::words::{is_name, is_type};
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Follows the names to which a statement gives a value: by a declaration, or by an assignment.
    pub(super) fn gives(&mut self, start: usize, word: &'s str, next: Scanner<'s>) {
        let names = &self.names;
        if self.all.names_configuration(word)
            || self.values.dependent.contains(word)
            || names.objects.contains(word)
            || names.functions.contains(word)
        {
            return self.depends();
        }
        let [last, before, _] = self.tokens;
        let is_assigned = next.peek() == b'=' && !next.starts_with("==");
        let is_opened = matches!(next.peek(), b'{' | b'(' | b'[');
        let follows_type = is_type(last) && last.bytes().next().is_some_and(Scanner::is_word);
        // After a number, they are operators.
        let follows_number = before.starts_with(|c: char| c.is_ascii_digit());
        let follows_sign = last == ">" || (!follows_number && matches!(last, "*" | "&" | "&&"));
        let is_declarator = is_opened && (follows_type || follows_sign || last == "}");
        let is_declared = follows_type || follows_sign;
        if is_name(word) && is_declared && (is_assigned || is_declarator) {
            match !self.is_in_function() && next.peek() == b'(' {
                true => self.branch_function(start, word),
                false => self.branch(start, word, value(next)),
            }
        }
        let Some(inside) = self.brackets.last_mut() else { return };
        let is_member = is_opened && inside.byte == b'{' && matches!(last, ":" | ",");
        if self.read.contains(&start) || !is_name(word) {
            return;
        }
        if inside.is_binding {
            let outer = self.brackets.len() - 2;
            self.brackets[outer].given.push(word);
        } else if is_assigned || is_declarator || is_member {
            inside.given.push(word);
        } else if next.peek() == b'[' {
            inside.last = word;
        }
    }

    /// Records that the names to which the statement gives a value depend on the configuration.
    pub(super) fn depends(&mut self) {
        const CONSTRAINTS: [&str; 2] = ["concept", "using"];
        let written = self.scanner.text.get(self.statement..self.scanner.at).unwrap_or_default();
        let is_constraint = names(written).take(16).any(|word| CONSTRAINTS.contains(&word));
        let mut added: Vec<&str> = Vec::new();
        for bracket in self.brackets.iter().rev() {
            for name in &bracket.given {
                if self.names.objects.insert((*name).to_owned()) {
                    added.push(*name);
                }
                if is_constraint {
                    self.names.constraints.insert((*name).to_owned());
                }
            }
            if !bracket.is_value {
                break;
            }
        }
        added.into_iter().for_each(|name| self.found(name, 0));
    }

    /// True for a name whose value depends on the configuration, such as a function that is called here.
    pub(super) fn is_dependent(&self, word: &str) -> bool {
        let mut next = self.scanner;
        next.c_blanks();
        let is_called = matches!(next.peek(), b'(' | b'<');
        let Declared { functions, objects, .. } = &self.names;
        (is_called && functions.contains(word))
            || objects.contains(word)
            || self.values.dependent.contains(word)
    }

    /// Records that the functions around the place depend on the configuration.
    pub(super) fn mark(&mut self) {
        let functions = self.open.iter().filter(|name| !name.is_empty() && is_type(name) && **name != "for");
        let functions: Vec<&str> = functions.copied().collect();
        for name in functions {
            if self.names.functions.insert(name.to_owned()) {
                // The head of the function has its name, too.
                self.found(name, 1);
            }
        }
    }
}

/// The value that a declaration or an assignment gives to the name before `next`: the text after `=`, or in brackets.
fn value(mut next: Scanner<'_>) -> &str {
    /// Longer values count as values of variables.
    const LONGEST: usize = 200;
    let start = next.at;
    while !next.at_end() && !matches!(next.peek(), b';' | b',' | b')' | b'}') && next.at < start + LONGEST {
        next.pass();
    }
    next.text.get(start..next.at).unwrap_or_default()
}
