//! Names that macros of the file declare: `DECLARE(has_fp8, __CUDA_ARCH__ >= 890);`, `const bool NAME = …;`.
//!
//! ISO C, section 6.10.3 (macro replacement). Such a name is an unknown flag if its value may depend on the target.

use super::super::definitions::begins_number;
use super::super::guard::split_body;
use super::super::hidden::CONTROLS;
use super::super::scan::Scanner;
use super::state::Reader;
use super::words::is_name;
use crate::identifier::{first_name, last_name, names};

impl<'s> Reader<'s> {
    /// Records the names that the macro `word`, which begins a statement, declares. The reader is behind the word.
    pub(super) fn declares_by_macro(&mut self, word: &str) {
        if self.all.bodies(word).iter().any(|body| split_body(body).1.split(';').any(declares)) {
            self.made(word, self.scanner);
        }
    }

    /// Records the names that a macro gives to the declaration of the name at `at`.
    pub(super) fn named_by_macro(&mut self, at: usize, name: &str) {
        if !self.all.bodies(name).is_empty() {
            self.made(name, Scanner { at: at + name.len(), ..self.scanner });
        }
    }

    /// Records the names that a use of a macro may declare, if the statement names the configuration. `after` is behind
    /// the macro's name.
    fn made(&mut self, name: &str, mut after: Scanner<'s>) {
        let start = after.at;
        after.c_blanks();
        let mut arguments = "";
        if after.peek() == b'(' {
            let open = after.at;
            after.skip_group();
            arguments = after.content(open);
        }
        while !after.at_end() && !matches!(after.peek(), b';' | b'{' | b'}') {
            after.pass();
        }
        let written = after.text.get(start..after.at).unwrap_or_default();
        let bodies = self.all.bodies(name);
        let depends = |word: &str| {
            self.all.names_configuration(word)
                || self.values.dependent.contains(word)
                || self.names.objects.contains(word)
        };
        if !names(written).chain(bodies.iter().flat_map(|body| names(body))).any(depends) {
            return;
        }
        let made: Vec<String> = bodies.iter().flat_map(|body| given(body, arguments)).collect();
        for name in made {
            if self.names.objects.insert(name.clone()) {
                self.found(&name, 0);
            }
        }
    }
}

/// True if a statement is the declaration of a constant or of a variable whose number is followed.
fn declares(statement: &str) -> bool {
    let head = statement.split(['(', '{', '=']).next().unwrap_or_default();
    let declares = |word: &str| matches!(word, "const" | "constexpr" | "enum") || begins_number(word);
    let is_statement = |word: &str| CONTROLS.contains(&word) || word == "else";
    names(head).any(declares) && !names(head).any(is_statement)
}

/// The names in the arguments and in the body of a macro, and those that it joins.
fn given(body: &str, arguments: &str) -> Vec<String> {
    let (parameters, body) = split_body(body);
    let arguments: Vec<&str> = names(arguments).filter(|word| is_name(word)).collect();
    let is_parameter = |word: &str| parameters.is_some_and(|all| names(all).any(|one| one == word));
    // Which argument a parameter has does not matter here.
    let meanings = |word: &'_ str| match is_parameter(word) {
        true => arguments.iter().map(|&word| word.to_owned()).collect(),
        false => vec![word.to_owned()],
    };
    let mut found: Vec<String> = names(body).filter(|word| is_name(word)).flat_map(meanings).collect();
    let mut rest = body;
    while let Some((left, right)) = rest.split_once("##") {
        let left = last_name(left.trim_end());
        let next = first_name(right.trim_start());
        for left in meanings(left) {
            found.extend(meanings(next).iter().map(|right| format!("{left}{right}")));
        }
        rest = right;
    }
    found.retain(|name| !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()));
    found
}
