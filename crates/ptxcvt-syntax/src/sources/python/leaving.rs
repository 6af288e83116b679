//! Calls and assertions that never return: `sys.exit()`, `pytest.skip()`, `assert False`.
//!
//! The Python Library Reference, "sys", "os" and "constants added by the site module"; pytest's reference, "Functions".

use std::collections::HashSet;

use super::super::scan::Scanner;
use super::conditions::outcome;
use super::place::{ENDS, EXITS};
use crate::identifier::first_name;

/// Functions that raise an exception.
const RAISE: [&str; 2] = ["self.skipTest", "self.fail"];

/// Functions that raise exceptions which `except Exception` does not catch. Names without a dot are built in.
const EXIT: [&str; 7] =
    ["sys.exit", "exit", "quit", "pytest.skip", "pytest.fail", "pytest.xfail", "pytest.exit"];

/// Functions that end the process at once.
const END: [&str; 2] = ["os._exit", "os.abort"];

/// The first words of statements that leave a block, so that what follows is not reached.
pub(super) const WORDS: [&str; 4] = ["return", "raise", "break", "continue"];

/// The functions that never return, by the names that a file uses for them.
#[derive(Debug, Default)]
pub(super) struct Leaving<'s> {
    /// Names of [`RAISE`], [`EXIT`] and [`END`] that the file imports, or that it annotates with `NoReturn`.
    imported: Vec<(&'s str, &'static str)>,
    /// Names that the file binds to something else.
    own: HashSet<&'s str>,
}

impl<'s> Leaving<'s> {
    /// Collects the names of a file. Scopes are ignored.
    pub fn of(text: &'s str) -> Self {
        let mut found = Leaving::default();
        for line in text.lines().map(str::trim) {
            let (line, is_function) = match line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ") {
                Some(rest) => (rest, true),
                None => (line, false),
            };
            if is_function {
                let name = first_name(line);
                let never =
                    line.split_once("->").map(|(_, after)| after.trim_start_matches(['"', '\'', ' ']));
                let never = never.map(|after| after.strip_prefix("typing.").unwrap_or(after));
                match never.map(first_name) {
                    // Its callers may catch its exceptions.
                    Some("NoReturn" | "Never") => found.imported.push((name, "raise")),
                    _ => drop(found.own.insert(name)),
                }
            } else if let Some((module, names)) =
                line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
            {
                found.import(module.trim(), names);
            } else if let Some((name, _)) = line.split_once('=').filter(|(_, value)| !value.starts_with('='))
            {
                found.own.insert(name.trim());
            }
        }
        found
    }

    fn import(&mut self, module: &str, names: &'s str) {
        for name in names.trim_matches(['(', ')']).split(',') {
            let (name, other) = match name.split_once(" as ") {
                Some((name, other)) => (name.trim(), other.trim()),
                None => (name.trim(), name.trim()),
            };
            match word_of(&format!("{module}.{name}")) {
                Some(word) => self.imported.push((first_name(other), word)),
                None => drop(self.own.insert(first_name(other))),
            }
        }
    }

    /// How a statement leaves its block: like `raise`, or as [`EXITS`] or [`ENDS`]. `None` if the next statement is
    /// reached.
    pub fn word(&self, statement: &str) -> Option<&'static str> {
        if let Some(exception) = statement.strip_prefix("raise ") {
            return Some(if first_name(exception.trim_start()) == "SystemExit" { EXITS } else { "raise" });
        }
        let mut scanner = Scanner::new(statement);
        loop {
            if scanner.word().is_empty() {
                return None;
            }
            if !scanner.take(b'.') {
                break;
            }
        }
        let callee = &statement[..scanner.at];
        let rest = statement[scanner.at..].trim_start_matches([' ', '\t']);
        if callee == "assert" {
            return is_false(rest).then_some("raise");
        }
        let argument = rest.strip_prefix('(')?;
        if callee.rsplit('.').next() == Some("static_assert") {
            return is_false(argument).then_some("raise");
        }
        let imported = self.imported.iter().find(|(name, _)| *name == callee).map(|(_, word)| *word);
        imported.or_else(|| word_of(callee)).filter(|_| !self.own.contains(callee))
    }
}

/// True if a line cannot raise an exception that a handler of `Exception` catches.
pub(super) fn is_quiet(line: &str, word: Option<&str>) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim();
    let heads = ["while True:", "while 1:", "else:", "finally:", "try:"];
    match heads.iter().find_map(|head| line.strip_prefix(head)) {
        Some("") => true,
        Some(rest) => is_quiet(rest, None),
        None => {
            matches!(line, "pass" | "break" | "continue" | "return") || matches!(word, Some(EXITS | ENDS))
        }
    }
}

fn word_of(function: &str) -> Option<&'static str> {
    let raises = RAISE.contains(&function).then_some("raise");
    let raises = raises.or_else(|| EXIT.contains(&function).then_some(EXITS));
    raises.or_else(|| END.contains(&function).then_some(ENDS))
}

/// True if the condition at the beginning of a text is constant and false.
fn is_false(text: &str) -> bool {
    let end = text.find([',', ')', '\n', '\r', ';', '#']).unwrap_or(text.len());
    outcome(&text[..end], &|_| None) == Some(false)
}
