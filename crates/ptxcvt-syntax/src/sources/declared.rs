//! The names that a C++ file declares: constants with their values, template parameters, variables, and functions with
//! results that depend on the target.
//!
//! ISO C++, "Declarations". Types are not resolved. The value of a name that is declared in several ways is unknown.

use std::collections::HashSet;

use super::definitions::{begins_number, definitions, enumerators};
use super::guard::{Declared, Preprocessor, split};
use super::lexeme::alternative;
use super::literal;
use super::scan::Scanner;
use super::values::{self, Values};
use crate::identifier::names;

/// Limit on the length of a template's parameter list in bytes.
const LONGEST: usize = 1_000;

/// Words that may precede a name without declaring it.
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

/// Other words that are not names.
const NO_NAMES: [&str; 4] = ["for", "asm", "__asm__", "__asm"];

/// True if a word before a name may be its type.
fn is_type(word: &str) -> bool {
    !NO_TYPES.contains(&word) && alternative(word).is_none()
}

/// The declarations of a text.
#[derive(Default)]
pub(super) struct Declarations {
    pub names: Declared,
    /// Names of constants and variables whose values depend on the configuration; `variables` are the variables among
    /// them.
    pub dependent: HashSet<String>,
    pub variables: HashSet<String>,
    /// Names that may be assigned another value.
    pub changed: HashSet<String>,
}

/// Reads the declarations of a file. `all` has the macros after its last line.
pub(super) fn declarations(text: &str, all: &Preprocessor) -> Declarations {
    let mut reader = Reader {
        all,
        scanner: Scanner::new(text),
        names: Declared::default(),
        values: Values::default(),
        constants: HashSet::new(),
        before: "",
        calls: Vec::new(),
        called: "",
        open: Vec::new(),
        begins: true,
    };
    while !reader.scanner.at_end() {
        reader.step();
    }
    let Reader { mut names, values, .. } = reader;
    names.variables.extend(values.changing().map(str::to_owned));
    let [dependent, variables, changed] = [values.dependent, values.variables, values.changed]
        .map(|names| names.into_iter().map(str::to_owned).collect());
    Declarations { names, dependent, variables, changed }
}

struct Reader<'s> {
    all: &'s Preprocessor,
    scanner: Scanner<'s>,
    names: Declared,
    values: Values<'s>,
    /// The places of the names of constants.
    constants: HashSet<usize>,
    /// The previous word, if only blanks follow it.
    before: &'s str,
    /// The words before the open parentheses.
    calls: Vec<&'s str>,
    /// The word before the last group in parentheses of the statement.
    called: &'s str,
    /// The functions whose bodies are open.
    open: Vec<&'s str>,
    /// True if the next word may begin a declaration.
    begins: bool,
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
            b'#' | b'%' if self.scanner.hash() > 0 && self.scanner.begins_line() => self.directive(),
            byte => self.bracket(byte),
        }
    }

    /// Reads the declaration or change that the word at `start` begins.
    fn word(&mut self, start: usize, word: &'s str) {
        let (text, all) = (self.scanner.text, self.all);
        match word {
            "template" => self.names.parameters.extend(parameters(text, self.scanner.at)),
            "const" | "constexpr" => {
                for (at, definition) in definitions(text, self.scanner.at) {
                    self.constants.insert(at);
                    self.values.constant(&definition, all);
                    if word == "constexpr" {
                        self.names.constants.insert(definition.name.to_owned());
                    }
                }
            }
            "enum" => {
                let enumerators = enumerators(text, self.scanner.at).into_iter();
                self.names.constants.extend(enumerators.map(|one| one.name.to_owned()));
            }
            _ if self.begins && begins_number(word) => {
                for (at, definition) in definitions(text, start) {
                    if self.values.variable(&definition, all) {
                        self.constants.insert(at);
                    }
                }
            }
            _ if self.open.is_empty() => {}
            _ if all.names_configuration(word) => self.mark(),
            _ => {}
        }
        let is_constant = self.constants.contains(&start);
        let is_name = is_type(word) && !NO_NAMES.contains(&word);
        let declares = !self.before.is_empty() && is_type(self.before) && is_name && !is_constant;
        let mut next = self.scanner;
        next.c_blanks();
        if declares && matches!(next.peek(), b',' | b')' | b'=' | b';' | b'{' | b'[' | b'(' | b':') {
            self.names.variables.insert(word.to_owned());
        }
        if !is_constant && values::is_changed(&Scanner { text, at: start }, self.calls.last().copied()) {
            self.values.changed.insert(word);
        }
        self.before = word;
        self.begins &= word == "static";
    }

    /// Reads a directive: a condition on the configuration marks the functions around it.
    fn directive(&mut self) {
        let line = self.scanner.directive();
        let (directive, rest) = split(&line.text);
        let is_condition = matches!(directive, "if" | "ifdef" | "ifndef" | "elif");
        let mut words = names(rest);
        if is_condition && !self.open.is_empty() && words.any(|word| self.all.names_configuration(word)) {
            self.mark();
        }
        self.scanner.at = line.end;
        self.before = "";
    }

    /// Follows the brackets of calls and bodies, and the ends of statements. Skips anything else.
    fn bracket(&mut self, byte: u8) {
        match byte {
            b'(' => self.calls.push(self.before),
            b')' => self.called = self.calls.pop().unwrap_or_default(),
            b'{' => self.open.push(std::mem::take(&mut self.called)),
            b'}' => {
                self.open.pop();
                self.called = "";
            }
            b';' => self.called = "",
            _ => {}
        }
        match byte {
            b'(' | b')' | b'{' | b'}' | b';' => self.scanner.step(),
            _ => literal::skip(&mut self.scanner),
        }
        self.begins = match byte {
            b'{' | b'}' | b';' => true,
            // An initialiser.
            b'(' => {
                self.calls.last().is_some_and(|word| matches!(*word, "for" | "if" | "constexpr" | "switch"))
            }
            _ => false,
        };
        self.before = "";
    }

    /// Records that the functions around the place depend on the configuration.
    fn mark(&mut self) {
        let functions = self.open.iter().filter(|name| !name.is_empty() && is_type(name) && **name != "for");
        self.names.functions.extend(functions.map(|name| (*name).to_owned()));
    }
}

/// The names of a template's parameters. `at` is just after the word `template`.
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
