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
use super::values::{Place, Use, Values};
use crate::identifier::names;

/// Limit on the length of a template's parameter list in bytes.
const LONGEST: usize = 1_000;

/// Words that may precede a name without declaring it.
const NO_TYPES: [&str; 20] = [
    "requires",
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

/// True for a word that may be a name.
fn is_name(word: &str) -> bool {
    is_type(word) && !NO_NAMES.contains(&word)
}

/// True if a word before a name may be its type.
fn is_type(word: &str) -> bool {
    !NO_TYPES.contains(&word) && alternative(word).is_none()
}

/// The declarations of a text.
#[derive(Default)]
pub(super) struct Declarations {
    pub names: Declared,
    /// Names of constants and variables whose values depend on the configuration.
    pub dependent: HashSet<String>,
    /// All constants, and the variables whose values depend on the configuration.
    pub followed: HashSet<String>,
    /// Names that may be assigned another value, or that something else may have.
    pub changed: HashSet<String>,
}

/// Limit on the readings of a text. Another one follows if a function depends on the target that code before it calls.
const MAX_READINGS: u32 = 16;

/// Reads the declarations of a file. `all` has the macros after its last line, and the results of `functions` are known
/// to depend on the configuration.
pub(super) fn declarations(text: &str, all: &Preprocessor, functions: HashSet<String>) -> Declarations {
    let mut reader = read(text, all, Declared { functions, ..Declared::default() }, HashSet::new());
    for _ in 1..MAX_READINGS {
        if !reader.is_late {
            break;
        }
        let Reader { names: Declared { functions, objects, constraints, .. }, values, .. } = reader;
        let names = Declared { functions, objects, constraints, ..Declared::default() };
        reader = read(text, all, names, values.dependent);
    }
    let Reader { mut names, values, .. } = reader;
    names.variables.extend(values.changing().map(str::to_owned));
    let Values { dependent, followed, mut changed, hidden, returned, .. } = values;
    changed.extend(hidden.into_iter().chain(returned));
    let [dependent, followed, changed] =
        [dependent, followed, changed].map(|names| names.into_iter().map(str::to_owned).collect());
    Declarations { names, dependent, followed, changed }
}

/// Reads the declarations of a file, of which some names and constants are known to depend on the configuration.
fn read<'s>(
    text: &'s str,
    all: &'s Preprocessor,
    names: Declared,
    dependent: HashSet<&'s str>,
) -> Reader<'s> {
    let mut reader = Reader {
        all,
        scanner: Scanner::new(text),
        names,
        values: Values { dependent, ..Values::default() },
        constants: HashSet::new(),
        before: "",
        tokens: [""; 3],
        end: 0,
        brackets: vec![Bracket::new(b'{', "")],
        read: HashSet::new(),
        called: "",
        open: Vec::new(),
        begins: true,
        statement: 0,
        is_value: false,
        first: "",
        is_class: false,
        is_late: false,
        searches: 0,
    };
    while !reader.scanner.at_end() {
        reader.step();
    }
    reader
}

/// An open bracket.
struct Bracket<'s> {
    byte: u8,
    /// The token before it.
    before: &'s str,
    /// True for the block of a class.
    is_class: bool,
    /// True for the names of `auto [a, b] = …`.
    is_binding: bool,
    /// True if the brackets are part of a declaration or an expression, not a block of statements.
    is_value: bool,
    /// The names in the brackets to which the statement may give a value.
    given: Vec<&'s str>,
    /// The last name that `[` follows.
    last: &'s str,
    /// True after the `[…]` of a lambda, whose block follows.
    is_lambda: bool,
}

impl<'s> Bracket<'s> {
    /// Ends a statement in the brackets.
    fn end(&mut self) {
        (self.given, self.last, self.is_lambda) = (Vec::new(), "", false);
    }

    fn new(byte: u8, before: &'s str) -> Bracket<'s> {
        let (is_class, is_binding, is_value) = (false, false, false);
        Bracket {
            byte,
            before,
            is_class,
            is_binding,
            is_value,
            given: Vec::new(),
            last: "",
            is_lambda: false,
        }
    }
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
    /// The last three tokens, the last one first, and where it ends.
    tokens: [&'s str; 3],
    end: usize,
    /// The open brackets; the first one stands for the file.
    brackets: Vec<Bracket<'s>>,
    /// The places of names whose values are read.
    read: HashSet<usize>,
    /// The word before the last group in parentheses of the statement.
    called: &'s str,
    /// The functions whose bodies are open.
    open: Vec<&'s str>,
    /// True if the next word may begin a declaration.
    begins: bool,
    /// Where the statement begins, and its first word.
    statement: usize,
    first: &'s str,
    /// True after a `=` of the statement.
    is_value: bool,
    /// True after `struct` and the like, whose block may follow.
    is_class: bool,
    /// True if a name was found to depend on the configuration after its first use.
    is_late: bool,
    /// The number of names that were found to depend on the configuration.
    searches: u32,
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

    /// The innermost open bracket.
    fn inside(&self) -> Option<&Bracket<'s>> {
        self.brackets.last().filter(|_| self.brackets.len() > 1)
    }

    /// Follows the names to which a statement gives a value: by a declaration, or by an assignment.
    fn gives(&mut self, start: usize, word: &'s str, next: Scanner<'s>) {
        let names = &self.names;
        if self.all.names_configuration(word)
            || self.values.dependent.contains(word)
            || names.objects.contains(word)
            || names.functions.contains(word)
        {
            return self.depends();
        }
        let [last, ..] = self.tokens;
        let is_assigned = next.peek() == b'=' && !next.starts_with("==");
        let is_opened = matches!(next.peek(), b'{' | b'(' | b'[');
        let follows_type = is_type(last) && last.bytes().next().is_some_and(Scanner::is_word);
        let is_declarator = is_opened && (follows_type || matches!(last, ">" | "*" | "&" | "&&" | "}"));
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
    fn depends(&mut self) {
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
    fn defined(&mut self, at: usize, name: &'s str) {
        if self.is_default(at) {
            self.values.hidden.insert(name);
        }
        if self.open.iter().all(|function| function.is_empty()) {
            self.values.shared.insert(name);
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
                    if definition.value.is_some() {
                        self.read.insert(at);
                    }
                    let is_known = self.values.dependent.contains(definition.name);
                    let depends = self.values.constant(&definition, all);
                    if depends && !is_known {
                        self.found(definition.name, 0);
                    }
                    self.values.followed.insert(definition.name);
                    self.defined(at, definition.name);
                    if word == "constexpr" {
                        self.names.constants.insert(definition.name.to_owned());
                    }
                }
            }
            "enum" => {
                let enumerators = enumerators(text, self.scanner.at);
                self.values.followed.extend(enumerators.iter().map(|one| one.name));
                self.names.constants.extend(enumerators.into_iter().map(|one| one.name.to_owned()));
            }
            _ if self.begins && begins_number(word) => {
                for (at, definition) in definitions(text, start) {
                    if definition.value.is_some() {
                        self.read.insert(at);
                    }
                    if self.values.variable(&definition, all) {
                        self.constants.insert(at);
                        self.defined(at, definition.name);
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
            self.uses(word, next);
        }
        let is_parameter = matches!(self.tokens[0], "<" | "," | "enum");
        self.is_class |= matches!(word, "struct" | "class" | "union") && !is_parameter;
        self.before = word;
        self.begins &= word == "static";
    }

    /// Records what the use of a name may do; `after` is behind the name.
    fn uses(&mut self, name: &'s str, after: Scanner<'s>) {
        let place = Place {
            before: self.tokens,
            after,
            bracket: self.inside().map(|bracket| (bracket.byte, bracket.before)),
            is_binding: self.inside().is_some_and(|bracket| bracket.is_binding),
            first: self.first,
            is_value: self.is_value,
            called: self.called,
        };
        match place.kind() {
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
        if is_condition && !self.open.is_empty() && words.any(|word| self.all.names_configuration(word)) {
            self.mark();
        }
        self.scanner.at = line.end;
        self.before = "";
    }

    /// Follows the brackets of calls and bodies, and the ends of statements. Skips anything else.
    fn bracket(&mut self, byte: u8) {
        let bracket = || {
            let [before, second, third] = self.tokens;
            let is_auto = match before {
                "&" | "&&" => second == "auto" || (second == "const" && third == "auto"),
                word => word == "auto" || (word == "const" && second == "auto"),
            };
            let is_class = byte == b'{' && self.is_class;
            // A block follows a head in parentheses, a statement, or one of these words.
            let is_block = self.is_class
                || self.brackets.last().is_some_and(|outer| outer.is_lambda)
                || matches!(before, ")" | ";" | "{" | "}" | ":" | "")
                || matches!(
                    before,
                    "else" | "do" | "try" | "const" | "noexcept" | "override" | "final" | "mutable"
                )
                || matches!(self.first, "namespace" | "extern" | "enum" | "inline");
            let is_value = byte != b'{' || !is_block;
            Bracket { is_class, is_binding: byte == b'[' && is_auto, is_value, ..Bracket::new(byte, before) }
        };
        match byte {
            b'(' | b'[' | b'{' => {
                let inner = bracket();
                let [before, ..] = self.tokens;
                let is_operand = matches!(before, ")" | "]" | "[")
                    || (is_type(before) && before.bytes().next().is_some_and(Scanner::is_word));
                if let Some(outer) = self.brackets.last_mut() {
                    match byte {
                        b'[' => outer.is_lambda |= !is_operand && !inner.is_binding,
                        b'{' => outer.is_lambda = false,
                        _ => {}
                    }
                }
                self.brackets.push(inner);
            }
            b'=' if !self.scanner.starts_with("==") && self.tokens[0] == "]" => {
                if let Some(inside) = self.brackets.last_mut().filter(|inside| !inside.last.is_empty()) {
                    inside.given.push(inside.last);
                }
            }
            b';' => {
                if let Some(inside) = self.brackets.last_mut() {
                    inside.end();
                }
            }
            b')' | b']' | b'}' if self.brackets.len() > 1 => {
                let closed = self.brackets.pop();
                if let Some(inside) = self.brackets.last_mut() {
                    if closed.as_ref().is_some_and(|closed| !closed.is_value) {
                        inside.end();
                    }
                }
                if byte == b')' {
                    let word = closed.map_or("", |bracket| bracket.before);
                    // A specifier after the parameters of a function.
                    let is_specifier = matches!(word, "requires" | "noexcept" | "__attribute__" | "decltype");
                    if !(is_specifier && is_type(self.called) && !self.called.is_empty()) {
                        let is_word = word.bytes().next().is_some_and(Scanner::is_word);
                        self.called = if is_word { word } else { "" };
                    }
                }
            }
            _ => {}
        }
        match byte {
            b'(' => {
                self.is_class &=
                    matches!(self.before, "alignas" | "__align__" | "__attribute__" | "__declspec")
            }
            b'{' => {
                let called = std::mem::take(&mut self.called);
                let is_class = self.inside().is_some_and(|inside| inside.is_class);
                self.open.push(if is_class { "" } else { called });
            }
            b'}' => {
                self.open.pop();
                self.called = "";
            }
            b';' => self.called = "",
            _ => {}
        }
        match byte {
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' => self.scanner.step(),
            _ => literal::skip(&mut self.scanner),
        }
        self.begins = match byte {
            b'{' | b'}' | b';' => true,
            // An initialiser.
            b'(' => matches!(self.before, "for" | "if" | "constexpr" | "switch"),
            _ => false,
        };
        if self.begins {
            (self.statement, self.first, self.is_value) = (self.scanner.at, "", false);
            self.is_class = false;
        }
        self.before = "";
    }

    /// True for a name whose value depends on the configuration, such as a function that is called here.
    fn is_dependent(&self, word: &str) -> bool {
        let mut next = self.scanner;
        next.c_blanks();
        let is_called = matches!(next.peek(), b'(' | b'<');
        let Declared { functions, objects, .. } = &self.names;
        (is_called && functions.contains(word))
            || objects.contains(word)
            || self.values.dependent.contains(word)
    }

    /// Records that the functions around the place depend on the configuration.
    fn mark(&mut self) {
        let functions = self.open.iter().filter(|name| !name.is_empty() && is_type(name) && **name != "for");
        let functions: Vec<&str> = functions.copied().collect();
        for name in functions {
            if self.names.functions.insert(name.to_owned()) {
                // The head of the function has its name, too.
                self.found(name, 1);
            }
        }
    }

    /// Records that a name depends on the configuration. Its definition has it `own` times before the statement.
    fn found(&mut self, name: &str, own: usize) {
        /// Limit on the names that are searched for.
        const MAX_SEARCHES: u32 = 256;
        self.searches += 1;
        let before = &self.scanner.text[..self.statement];
        self.is_late =
            self.is_late || self.searches > MAX_SEARCHES || before.match_indices(name).nth(own).is_some();
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
