//! Names that macros of the file declare: `DECLARE(has_fp8, __CUDA_ARCH__ >= 890);`, `const bool NAME = …;`.
//!
//! ISO C, section 6.10.3 (macro replacement). Such a name is an unknown flag if its value may depend on the target.

use super::super::definitions::{begins_number, definitions, enumerators};
use super::super::guard::split_body;
use super::super::keywords::CONTROLS;
use super::super::scan::Scanner;
use super::state::Reader;
use crate::identifier::{first_name, last_name, names};

/// Limit on the definitions of a macro that a use may mean.
const MAX_BODIES: usize = 16;

impl<'s> Reader<'s> {
    /// Records what the macro `word` declares, perhaps together with the text after it. The reader is behind the word.
    pub(super) fn declares_by_macro(&mut self, word: &str) {
        let all = self.all;
        for body in all.bodies(word).iter().rev().take(MAX_BODIES) {
            let (parameters, body) = split_body(body);
            if !body.split(';').any(|statement| keyword(statement).is_some()) {
                continue;
            }
            let mut after = self.scanner;
            let arguments = parameters.map(|_| arguments(&mut after)).unwrap_or_default();
            let text = substituted(body, parameters, &arguments) + " " + statement(after);
            let declared: Vec<String> = text.split(';').flat_map(|one| self.dependent_names(one)).collect();
            declared.into_iter().for_each(|name| self.made(name));
        }
    }

    /// Records the name that a macro stands for in the declaration of the name at `at`.
    pub(super) fn named_by_macro(&mut self, at: usize, name: &str) {
        let all = self.all;
        for body in all.bodies(name).iter().rev().take(MAX_BODIES) {
            let (parameters, body) = split_body(body);
            let mut after = Scanner { at: at + name.len(), ..self.scanner };
            let arguments = parameters.map(|_| arguments(&mut after)).unwrap_or_default();
            let text = substituted(body, parameters, &arguments);
            if self.may_depend(statement(after)) {
                self.made(last_name(text.trim_end()).to_owned());
            }
        }
    }

    /// The names that a statement declares with values that may depend on the target.
    fn dependent_names(&self, statement: &str) -> Vec<String> {
        let Some((at, word)) = keyword(statement) else { return Vec::new() };
        if word == "enum" {
            let all = enumerators(statement, at + word.len()).into_iter();
            let all = all.filter(|one| one.value.as_deref().is_some_and(|value| self.may_depend(value)));
            return all.map(|one| one.name.to_owned()).collect();
        }
        // A type is part of the definition.
        let at = if begins_number(word) { at } else { at + word.len() };
        let all = definitions(statement, at).into_iter().filter(|(at, one)| {
            let mut next = Scanner { text: statement, at: at + one.name.len() };
            next.c_blanks();
            let open = next.at;
            let is_group = next.peek() == b'(';
            next.skip_group();
            let is_function = is_group && {
                let is_empty = next.content(open).trim().is_empty();
                next.c_blanks();
                is_empty || next.peek() == b'{'
            };
            !is_function && self.may_depend(one.value.as_deref().unwrap_or(statement))
        });
        all.map(|(_, one)| one.name.to_owned()).collect()
    }

    /// True if a text names the target, or something that depends on it.
    fn may_depend(&self, text: &str) -> bool {
        names(text).any(|word| {
            self.all.names_configuration(word)
                || self.values.dependent.contains(word)
                || self.names.objects.contains(word)
        })
    }

    fn made(&mut self, name: String) {
        let is_new = !name.is_empty() && !self.all.names_configuration(&name);
        if is_new && self.names.objects.insert(name.clone()) {
            self.found(&name, 0);
        }
    }
}

/// The place and the text of the word that makes a statement the declaration of a constant, or of a variable whose
/// number is followed.
fn keyword(statement: &str) -> Option<(usize, &str)> {
    let head = statement.split(['(', '{', '=']).next().unwrap_or_default();
    let declares = |word: &str| matches!(word, "const" | "constexpr" | "enum") || begins_number(word);
    let is_statement = |word: &str| CONTROLS.contains(&word) || matches!(word, "else" | "return");
    if names(head).any(is_statement) {
        return None;
    }
    let word = names(head).find(|word| declares(word))?;
    Some((word.as_ptr() as usize - statement.as_ptr() as usize, word))
}

/// The rest of the statement after a macro.
fn statement(after: Scanner<'_>) -> &str {
    /// Longer statements are cut.
    const LONGEST: usize = 1_000;
    let mut end = after;
    while !end.at_end() && !matches!(end.peek(), b';' | b'}') && end.at < after.at + LONGEST {
        end.pass();
    }
    after.text.get(after.at..end.at).unwrap_or_default()
}

/// The arguments of a macro, which are skipped.
fn arguments<'s>(scanner: &mut Scanner<'s>) -> Vec<&'s str> {
    scanner.c_blanks();
    if scanner.peek() != b'(' {
        return Vec::new();
    }
    let open = scanner.at;
    scanner.skip_group();
    let mut inner = Scanner::new(scanner.content(open));
    let (mut all, mut start) = (Vec::new(), 0);
    while !inner.at_end() {
        if inner.peek() == b',' {
            all.push(inner.text[start..inner.at].trim());
            start = inner.at + 1;
        }
        inner.pass();
    }
    all.push(inner.text.get(start..).unwrap_or_default().trim());
    all
}

/// A macro's body with arguments in place of its parameters, joined at `##`.
fn substituted(body: &str, parameters: Option<&str>, arguments: &[&str]) -> String {
    let parameters: Vec<&str> =
        parameters.map_or_else(Vec::new, |all| all.split(',').map(first_name_of).collect());
    let (mut scanner, mut text) = (Scanner::new(body), String::new());
    while !scanner.at_end() {
        let start = scanner.at;
        if scanner.starts_with("##") {
            scanner.at += 2;
            scanner.c_blanks();
            text.truncate(text.trim_end().len());
            continue;
        }
        let word = scanner.word();
        if word.is_empty() {
            scanner.step();
        }
        let number = parameters.iter().position(|name| !word.is_empty() && *name == word);
        let argument = number.and_then(|number| arguments.get(number));
        text += argument.copied().unwrap_or(&body[start..scanner.at]);
    }
    text
}

/// The name of a parameter.
fn first_name_of(parameter: &str) -> &str {
    first_name(parameter.trim())
}
