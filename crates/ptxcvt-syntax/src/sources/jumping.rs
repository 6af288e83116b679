//! Macros of a C++ file by what their bodies name: labels and jumps to them (`#define CHECK(x) if (x) goto fail`),
//! `static_assert`, and macros of other files.

use std::collections::{HashMap, HashSet};

use super::keywords::ASSERTIONS;
use super::labels;
use super::literal;
use super::scan::Scanner;
use crate::identifier::names;

/// The macros of a file that jump to labels, have labels or assertions, or name macros of other files.
#[derive(Debug, Default)]
pub(super) struct Jumping {
    jumps: HashSet<String>,
    labels: HashSet<String>,
    /// The macros with a `static_assert`.
    asserts: HashSet<String>,
    /// The macros that name macros of other files.
    strange: HashSet<String>,
    /// Whether each macro of the file has parameters. Macros with definitions of both kinds are missing.
    parameters: HashMap<String, bool>,
}

impl Jumping {
    /// Reads the definitions of a file: the name of each, and the text after the name.
    pub fn new(all: &[(&str, &str)]) -> Self {
        let has_goto = |body: &str| names(body).any(|word| word == "goto");
        let mut parameters: HashMap<&str, Option<bool>> = HashMap::new();
        for (name, rest) in all {
            let has = rest.starts_with('(');
            parameters
                .entry(name)
                .and_modify(|known| *known = known.filter(|known| *known == has))
                .or_insert(Some(has));
        }
        let is_strange = |body: &str| names(body).any(|word| is_name(word) && !parameters.contains_key(word));
        let strange = closure(all, is_strange);
        let parameters = parameters.into_iter().filter_map(|(name, has)| Some((name.to_owned(), has?)));
        Jumping {
            jumps: closure(all, has_goto),
            labels: closure(all, has_label),
            asserts: closure(all, |body| names(body).any(|word| ASSERTIONS.contains(&word))),
            strange,
            parameters: parameters.collect(),
        }
    }

    /// Whether a macro has parameters. `None` if it is not a macro of the file, or has definitions of both kinds.
    pub fn has_parameters(&self, name: &str) -> Option<bool> {
        self.parameters.get(name).copied()
    }

    /// True for a name of a macro of another file, or of a macro of this file that has such a name.
    pub fn is_strange(&self, name: &str) -> bool {
        self.strange.contains(name) || (is_name(name) && !self.parameters.contains_key(name))
    }

    /// True for a macro with a `static_assert`.
    pub fn asserts(&self, name: &str) -> bool {
        self.asserts.contains(name)
    }

    /// The macros that jump to labels.
    pub fn jumps(&self) -> &HashSet<String> {
        &self.jumps
    }

    /// The macros that have labels.
    pub fn labels(&self) -> &HashSet<String> {
        &self.labels
    }
}

/// True for a name in capitals, as macros have. Names of one letter are those of parameters and types, and those that
/// begin with two underscores are the compiler's.
fn is_name(word: &str) -> bool {
    let is_first = word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    word.len() > 1
        && is_first
        && !word.starts_with("__")
        && !word.contains(|c: char| c.is_ascii_lowercase() || !c.is_ascii())
}

/// The macros with a body for which `is_one` holds, and those that use them.
fn closure(all: &[(&str, &str)], is_one: impl Fn(&str) -> bool) -> HashSet<String> {
    let (found, mut left): (Vec<_>, Vec<_>) = all.iter().copied().partition(|(_, body)| is_one(body));
    let mut known: HashSet<String> = found.into_iter().map(|(name, _)| name.to_owned()).collect();
    let mut count = 0;
    while count < known.len() {
        count = known.len();
        left.retain(|(name, body)| {
            let uses = names(body).any(|word| known.contains(word));
            if uses {
                known.insert((*name).to_owned());
            }
            !uses
        });
    }
    known
}

/// True if the text after a macro's name has a label.
fn has_label(rest: &str) -> bool {
    let body = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, body)| body);
    let (mut scanner, mut begins) = (Scanner::new(body), true);
    loop {
        scanner.c_blanks();
        let byte = scanner.peek();
        if scanner.at_end() {
            return false;
        }
        if !Scanner::is_word(byte) || byte.is_ascii_digit() || literal::begins(&scanner) {
            literal::skip(&mut scanner);
            begins = matches!(byte, b';' | b'{' | b'}' | b')' | b':');
            continue;
        }
        let word = scanner.word();
        let mut next = scanner;
        loop {
            next.c_blanks();
            // A part of the name that is pasted to it.
            if next.peek() != b'#' {
                break;
            }
            while next.peek() == b'#' {
                next.step();
            }
            next.c_blanks();
            next.word();
        }
        let has_colon = next.peek() == b':' && !next.starts_with("::");
        if begins && has_colon && labels::may_be(word) {
            return true;
        }
        begins = matches!(word, "else" | "do");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_with_labels() {
        for (rest, expected) in [
            ("(x) x:", true),
            ("(x) label_##x:", true),
            (" g(); done: ;", true),
            (" if (x) done: g()", true),
            (" x ? y : z", false),
            (" std::x(y)", false),
            (" case 3:", false),
            (" default:", false),
            (" asm(\"x\" : \"=r\"(y) : \"r\"(z) : \"memory\")", false),
            (" int x : 3", false),
            (" \"x:\"", false),
        ] {
            assert_eq!(has_label(rest), expected, "{rest}");
        }
        let all = [("A", "(x) x:"), ("B", " A(y) g()"), ("C", " goto y"), ("D", ""), ("D", "(x)")];
        let found = Jumping::new(&all);
        assert_eq!((found.labels().len(), found.jumps().len()), (2, 1));
        assert_eq!(["A", "C", "D"].map(|name| found.has_parameters(name)), [Some(true), Some(false), None]);
    }
}
