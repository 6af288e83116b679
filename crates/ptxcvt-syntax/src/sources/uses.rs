//! The uses of a file's macros that contain assemblies: their bodies are compiled at the uses, not at the definitions.
//!
//! ISO C, section 6.10.3 (macro replacement).

use std::collections::{HashMap, HashSet};

use super::guard::{Reach, split};
use crate::identifier::{first_name, is_part_char, names};

/// The uses of the macros of a file.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Macros whose bodies may contain an assembly or use such a macro.
    names: HashSet<String>,
    /// Macros whose bodies are only the keyword, perhaps with qualifiers: `#define ASM asm volatile`.
    keywords: HashSet<String>,
    /// Macros that paste names together, which may be those of other macros, and macros whose bodies use one. Empty if
    /// no macro has an assembly.
    pasting: HashSet<String>,
    /// The configurations of each use outside of definitions, by macro.
    at: HashMap<String, Vec<Reach>>,
    /// For each macro, the macros whose bodies use it, with the configurations of the use.
    within: HashMap<String, Vec<(String, Reach)>>,
}

impl Uses {
    /// The macros that the directives of a file define, without uses.
    pub fn new(directives: &[String]) -> Self {
        let defined: Vec<(&str, &str)> = directives.iter().filter_map(|line| defined(line)).collect();
        let bodies: Vec<Body<'_>> =
            defined.iter().map(|(name, body)| (*name, names(body).collect())).collect();
        let made = around(bodies.clone(), |(_, words)| words.iter().any(|word| is_asm(word)));
        let pastes: HashSet<&str> =
            defined.iter().filter(|(_, body)| body.contains("##")).map(|(name, _)| *name).collect();
        let pasting = match made.is_empty() {
            true => HashSet::new(),
            false => around(bodies, |(name, _)| pastes.contains(name)),
        };
        Uses { names: made, keywords: keywords(directives), pasting, ..Uses::default() }
    }

    /// True for `asm` and for macros that expand to it.
    pub fn is_keyword(&self, word: &str) -> bool {
        is_asm(word) || self.keywords.contains(word)
    }

    /// True for `asm`, and for macros whose bodies may contain an assembly.
    pub fn has(&self, word: &str) -> bool {
        is_asm(word) || self.names.contains(word)
    }

    /// True for a macro that may expand to an assembly, except macros that expand to `asm` itself.
    pub fn is_made(&self, word: &str) -> bool {
        (self.names.contains(word) && !self.keywords.contains(word)) || self.pasting.contains(word)
    }

    /// The macros whose bodies use the macro `name`.
    pub fn around(&self, name: &str) -> impl Iterator<Item = &str> {
        self.within.get(name).into_iter().flatten().map(|(outer, _)| outer.as_str())
    }

    /// True for a macro that is used outside of definitions.
    pub fn is_used(&self, name: &str) -> bool {
        self.at.contains_key(name)
    }

    /// Records a word that may name a macro, in the body of the macro `body_of` or outside of definitions.
    pub fn word(&mut self, word: &str, body_of: Option<&str>, here: impl FnOnce() -> Reach) {
        if !self.names.contains(word) {
            return;
        }
        match body_of {
            Some(other) => add(self.within.entry(word.to_owned()).or_default(), (other.to_owned(), here())),
            None => add(self.at.entry(word.to_owned()).or_default(), here()),
        }
    }

    /// The configurations of each place that uses a macro. `None` if the file does not use it.
    pub fn of(&self, name: &str) -> Option<Vec<Reach>> {
        let (mut known, mut at) = (vec![(name, Reach::all())], 0);
        let mut all = Vec::new();
        while let Some((name, inner)) = known.get(at).cloned() {
            at += 1;
            self.at.get(name).into_iter().flatten().for_each(|use_| add(&mut all, use_.and(&inner)));
            let outer = self.within.get(name).into_iter().flatten();
            outer.for_each(|(outer, here)| add(&mut known, (outer, here.and(&inner))));
        }
        (!all.is_empty()).then_some(all)
    }
}

/// The name of a macro, and the names in its body.
type Body<'s> = (&'s str, HashSet<&'s str>);

/// The macros that fulfil a condition, and those whose bodies use one of these.
fn around(mut bodies: Vec<Body<'_>>, holds: impl Fn(&Body<'_>) -> bool) -> HashSet<String> {
    let mut all: HashSet<String> = HashSet::new();
    loop {
        let is_one = |body: &Body<'_>| holds(body) || body.1.iter().any(|word| all.contains(*word));
        let (found, left): (Vec<_>, Vec<_>) = bodies.into_iter().partition(is_one);
        bodies = left;
        if found.is_empty() {
            return all;
        }
        all.extend(found.iter().map(|(name, _)| (*name).to_owned()));
    }
}

/// Adds a use, unless the list contains an equal one.
fn add<T: PartialEq>(uses: &mut Vec<T>, new: T) {
    /// Limit on the different uses of a macro; others are ignored.
    const MAX: usize = 1_000;
    if uses.len() < MAX && !uses.contains(&new) {
        uses.push(new);
    }
}

pub(super) fn is_asm(word: &str) -> bool {
    matches!(word, "asm" | "__asm" | "__asm__")
}

/// The macros whose bodies are `asm` or another such macro, followed only by words.
fn keywords(directives: &[String]) -> HashSet<String> {
    let mut found: HashSet<String> = HashSet::new();
    loop {
        let more = directives.iter().filter_map(|line| defined(line)).filter(|(name, body)| {
            let first = body.split_whitespace().next().unwrap_or("");
            let blank = body.starts_with(char::is_whitespace);
            let only = body.chars().all(|c| is_part_char(c) || c.is_whitespace());
            blank && only && (is_asm(first) || found.contains(first)) && !found.contains(*name)
        });
        let more: Vec<String> = more.map(|(name, _)| name.to_owned()).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The name and the body of the macro that a directive defines.
pub(super) fn defined(directive: &str) -> Option<(&str, &str)> {
    let ("define", rest) = split(directive) else { return None };
    let rest = rest.trim_start();
    Some(rest.split_at(first_name(rest).len())).filter(|(name, _)| !name.is_empty())
}
