//! Reads declarations token by token.

use std::collections::HashSet;

use super::super::definitions::{begins_number, definitions, enumerators};
use super::super::guard::{Declared, split};
use super::super::literal;
use super::super::scan::Scanner;
use super::super::values::{Place, Use};
use super::parameters::parameters;
use super::state::{Context, Reader};
use super::words::{is_name, is_type};
use crate::identifier::names;

/// Reads the declarations of a file, of which some names and constants are known to depend on the configuration.
pub(super) fn read<'s>(
    scanner: Scanner<'s>,
    Context { all, regions }: Context<'s>,
    names: Declared,
    dependent: HashSet<&'s str>,
) -> Reader<'s> {
    let mut reader = Reader::new(scanner, all, regions, names, dependent);
    while !reader.scanner.at_end() {
        reader.step();
    }
    reader
}

impl<'s> Reader<'s> {
    /// Reads a word, a directive, a bracket or another character, or skips blanks or a comment.
    fn step(&mut self) {
        let start = self.scanner.at;
        match self.scanner.peek() {
            byte if byte.is_ascii_whitespace() => self.scanner.step(),
            b'/' if self.scanner.starts_with("//") || self.scanner.starts_with("/*") => {
                self.scanner.c_comment();
            }
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let word = self.scanner.word();
                if literal::RAW.contains(&word) && self.scanner.peek() == b'"' {
                    self.scanner.at = start;
                    literal::skip(&mut self.scanner);
                } else {
                    self.word(start, word);
                }
            }
            b'#' | b'%' if self.scanner.hash() > 0 && self.scanner.begins_line() => return self.directive(),
            byte => self.bracket(byte),
        }
        let token = &self.scanner.text[start..self.scanner.at];
        if !token.trim_ascii().is_empty() && !token.starts_with("//") && !token.starts_with("/*") {
            self.token(start, token);
        }
    }

    /// Records a token. Characters that are one operator are one token.
    fn token(&mut self, start: usize, token: &'s str) {
        /// Operators of two or three characters.
        const OPERATORS: [&str; 16] =
            ["&&", "||", "==", "!=", "<=", ">=", "++", "--", "->", "::", "<<", ">>", "..", "...", "[[", "]]"];
        self.is_value |= token.contains('=');
        let [last, second, _] = self.tokens;
        let begin = start.saturating_sub(last.len());
        let joined = self.scanner.text.get(begin..self.scanner.at).unwrap_or_default();
        let is_joined = self.end == start && OPERATORS.contains(&joined);
        self.tokens = if is_joined { [joined, second, self.tokens[2]] } else { [token, last, second] };
        self.end = self.scanner.at;
    }

    /// True for a definition that does not give the value of its name: the default of a member or of a parameter.
    fn is_default(&self, at: usize) -> bool {
        const CONDITIONS: [&str; 5] = ["for", "if", "constexpr", "while", "switch"];
        let Some(inside) = self.inside() else { return false };
        match inside.byte {
            b'{' => {
                let written = self.scanner.text.get(self.statement..at).unwrap_or_default();
                inside.is_class && !names(written).any(|word| matches!(word, "static" | "constexpr"))
            }
            _ => !CONDITIONS.contains(&inside.before),
        }
    }

    /// Records the definition of a name at a place.
    fn defined(&mut self, at: usize, name: &'s str, value: Option<&str>) {
        self.home(name, value);
        if self.is_default(at) {
            self.values.hidden.insert(name);
        }
        if !self.is_in_function() {
            self.values.shared.insert(name);
        }
    }

    /// Reads the declaration or change that the word at `start` begins.
    fn word(&mut self, start: usize, word: &'s str) {
        let (text, all) = (self.scanner.text, self.all);
        self.declares_by_macro(word);
        match word {
            "template" => self.names.parameters.extend(parameters(text, self.scanner.at)),
            "const" | "constexpr" => {
                for (at, definition) in definitions(text, self.scanner.at) {
                    self.named_by_macro(at, definition.name);
                    self.constants.insert(at);
                    if definition.value.is_some() {
                        self.read.insert(at);
                    }
                    let is_known = self.values.dependent.contains(definition.name);
                    let depends = self.values.constant(&definition, all);
                    if depends && !is_known {
                        self.found(definition.name, 0);
                    }
                    self.values.followed.insert(definition.name);
                    self.defined(at, definition.name, definition.value.as_deref());
                    self.branch(at, definition.name, definition.value.as_deref().unwrap_or_default());
                    if word == "constexpr" {
                        self.names.constants.insert(definition.name.to_owned());
                    }
                }
            }
            "enum" => {
                let enumerators = enumerators(text, self.scanner.at);
                for one in &enumerators {
                    self.home(one.name, one.value.as_deref());
                    self.constants.insert(one.name.as_ptr() as usize - text.as_ptr() as usize);
                }
                self.values.followed.extend(enumerators.iter().map(|one| one.name));
                self.names.constants.extend(enumerators.into_iter().map(|one| one.name.to_owned()));
            }
            _ if self.begins && begins_number(word) => {
                for (at, definition) in definitions(text, start) {
                    self.named_by_macro(at, definition.name);
                    if let Some(value) = &definition.value {
                        self.read.insert(at);
                        self.branch(at, definition.name, value);
                    }
                    if self.values.variable(&definition, all) {
                        self.constants.insert(at);
                        self.defined(at, definition.name, definition.value.as_deref());
                        // `static` keeps the variable for other calls.
                        let written = text.get(self.statement..at).unwrap_or_default();
                        if names(written).any(|word| word == "static") {
                            self.values.shared.insert(definition.name);
                        }
                    }
                }
            }
            _ if self.open.is_empty() => {}
            _ if all.names_configuration(word) || self.is_dependent(word) => self.mark(),
            _ if self.first == "return" && self.reads_branched(start, word) => self.mark(),
            _ => {}
        }
        let is_constant = self.constants.contains(&start);
        let declares = !self.before.is_empty() && is_type(self.before) && is_name(word) && !is_constant;
        let mut next = self.scanner;
        next.c_blanks();
        let is_declared = matches!(next.peek(), b',' | b')' | b'=' | b';' | b'{' | b'[' | b'(' | b':')
            // The register of a variable.
            || ["asm", "__asm"].iter().any(|word| next.starts_with(word));
        if declares && is_declared {
            self.names.variables.insert(word.to_owned());
        }
        if self.begins {
            self.first = word;
        }
        self.gives(start, word, next);
        if !is_constant {
            self.uses(start, word, next);
        }
        let is_parameter = matches!(self.tokens[0], "<" | "," | "enum");
        self.is_class |= matches!(word, "struct" | "class" | "union") && !is_parameter;
        self.before = word;
        self.begins &= word == "static";
    }

    /// Records what the use of a name at `start` may do; `after` is behind the name.
    fn uses(&mut self, start: usize, name: &'s str, after: Scanner<'s>) {
        let place = Place {
            before: self.tokens,
            after,
            bracket: self.inside().map(|bracket| (bracket.byte, bracket.before)),
            is_binding: self.inside().is_some_and(|bracket| bracket.is_binding),
            first: self.first,
            is_value: self.is_value,
            called: self.called,
        };
        let kind = place.kind();
        if kind != Use::Reads && !self.read.contains(&start) {
            self.values.assigned.insert(name);
        }
        match kind {
            Use::Reads if self.tokens[0] == "return" => drop(self.values.returned.insert(name)),
            Use::Reads => {}
            Use::Changes => drop(self.values.changed.insert(name)),
            Use::Hides => {
                self.values.changed.insert(name);
                self.values.hidden.insert(name);
            }
        }
    }

    /// Reads a directive: a condition on the configuration marks the functions around it.
    fn directive(&mut self) {
        let line = self.scanner.directive();
        let (directive, rest) = split(&line.text);
        let is_condition = matches!(directive, "if" | "ifdef" | "ifndef" | "elif");
        let mut words = names(rest);
        if is_condition && words.any(|word| self.all.names_configuration(word)) {
            // An initialiser with a branch for each target.
            self.depends();
            self.mark();
        }
        self.scanner.at = line.end;
        self.before = "";
    }
}
