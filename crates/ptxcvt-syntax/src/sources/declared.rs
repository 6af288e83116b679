//! What the declarations of a C++ file say about names: constants and their values, parameters of templates, variables, and
//! functions with results that depend on the target.
//!
//! ISO C++, "Declarations". Types are not resolved: a name that is declared in several ways has no known value.

use std::collections::HashSet;

use super::definitions::{begins_number, definitions, enumerators};
use super::guard::{Declared, Preprocessor, split};
use super::lexeme::alternative;
use super::literal;
use super::scan::Scanner;
use super::values::{self, Values};

/// The longest list of parameters of a template that is read.
const LONGEST: usize = 1_000;

/// Words before a name that declare nothing.
const NO_TYPES: [&str; 19] = [
    "return",
    "throw",
    "case",
    "goto",
    "else",
    "do",
    "delete",
    "new",
    "sizeof",
    "alignof",
    "typename",
    "operator",
    "using",
    "namespace",
    "constexpr",
    "const",
    "if",
    "while",
    "switch",
];

/// True if a word before a name may be its type.
fn is_type(word: &str) -> bool {
    !NO_TYPES.contains(&word) && alternative(word).is_none()
}

/// Reads the declarations of a file. `all` has the macros after its last line.
pub(super) fn declared(text: &str, all: &Preprocessor) -> Declared {
    let mut names = Declared::default();
    let mut scanner = Scanner::new(text);
    // The word before, if only blanks follow it; what is called last; the functions whose bodies are open.
    let (mut before, mut calls, mut called, mut open) = ("", Vec::new(), "", Vec::new());
    let mut constants = HashSet::new();
    let mut values = Values::default();
    let mut begins = true;
    while !scanner.at_end() {
        let start = scanner.at;
        match scanner.peek() {
            byte if byte.is_ascii_whitespace() => {
                scanner.step();
                continue;
            }
            b'/' if scanner.starts_with("//") || scanner.starts_with("/*") => {
                scanner.c_comment();
                continue;
            }
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let word = scanner.word();
                if literal::RAW.contains(&word) && scanner.peek() == b'"' {
                    scanner.at = start;
                    literal::skip(&mut scanner);
                    continue;
                }
                match word {
                    "template" => names.parameters.extend(parameters(text, scanner.at)),
                    "const" | "constexpr" => {
                        for (at, definition) in definitions(text, scanner.at) {
                            constants.insert(at);
                            values.constant(&definition, all);
                            if word == "constexpr" {
                                names.constants.insert(definition.name.to_owned());
                            }
                        }
                    }
                    "enum" => {
                        let enumerators = enumerators(text, scanner.at).into_iter();
                        names.constants.extend(enumerators.map(|one| one.name.to_owned()));
                    }
                    _ if begins && begins_number(word) => {
                        for (at, definition) in definitions(text, start) {
                            if values.variable(&definition, all) {
                                constants.insert(at);
                            }
                        }
                    }
                    _ if open.is_empty() => {}
                    _ if all.names_configuration(word) => mark(&mut names, &open),
                    _ => {}
                }
                let declares = !before.is_empty() && is_type(before) && !constants.contains(&start);
                let mut next = scanner;
                next.c_blanks();
                if declares && matches!(next.peek(), b',' | b')' | b'=' | b';' | b'{' | b'[' | b'(' | b':') {
                    names.variables.insert(word.to_owned());
                }
                if !constants.contains(&start)
                    && values::is_changed(&Scanner { text, at: start }, calls.last().copied())
                {
                    values.changed.insert(word);
                }
                before = word;
                begins &= word == "static";
                continue;
            }
            b'#' | b'%' if scanner.hash() > 0 && scanner.begins_line() => {
                let line = scanner.directive();
                let (directive, rest) = split(&line.text);
                let is_condition = matches!(directive, "if" | "ifdef" | "ifndef" | "elif");
                let mut words = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                if is_condition && !open.is_empty() && words.any(|word| all.names_configuration(word)) {
                    mark(&mut names, &open);
                }
                scanner.at = line.end;
                before = "";
                continue;
            }
            b'(' => {
                calls.push(before);
                scanner.step();
            }
            b')' => {
                called = calls.pop().unwrap_or_default();
                scanner.step();
            }
            b'{' => {
                open.push(std::mem::take(&mut called));
                scanner.step();
            }
            b'}' => {
                open.pop();
                called = "";
                scanner.step();
            }
            b';' => {
                called = "";
                scanner.step();
            }
            _ => literal::skip(&mut scanner),
        }
        begins = match text.as_bytes()[start] {
            b'{' | b'}' | b';' => true,
            // An initialiser.
            b'(' => calls.last().is_some_and(|word| matches!(*word, "for" | "if" | "constexpr" | "switch")),
            _ => false,
        };
        before = "";
    }
    names.variables.extend(values.changing().map(str::to_owned));
    names
}

/// Marks the functions around a place as ones that depend on the configuration.
fn mark(names: &mut Declared, open: &[&str]) {
    let functions = open.iter().filter(|name| !name.is_empty() && is_type(name) && **name != "for");
    names.functions.extend(functions.map(|name| (*name).to_owned()));
}

/// The names of the parameters of a template, from after `template` on.
fn parameters(text: &str, at: usize) -> Vec<String> {
    let mut scanner = Scanner { text, at };
    scanner.c_blanks();
    let (mut found, mut depth, mut last, mut has_default) = (Vec::new(), 0, "", false);
    while !scanner.at_end() && scanner.at < at + LONGEST {
        match scanner.peek() {
            b'<' => {
                depth += 1;
                scanner.step();
            }
            byte @ (b'>' | b',') => {
                if depth == 1 {
                    found.push(last.to_owned());
                    has_default = false;
                }
                depth -= i32::from(byte == b'>');
                scanner.step();
            }
            b'=' => {
                has_default |= depth == 1;
                scanner.step();
            }
            b'(' | b'{' => scanner.skip_group(),
            b';' => break,
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let word = scanner.word();
                if depth == 1 && !has_default {
                    last = word;
                }
            }
            _ => literal::skip(&mut scanner),
        }
        if depth <= 0 {
            break;
        }
    }
    found
}
