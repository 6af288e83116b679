//! References in lines of makefiles and shells that compare, remove or replace words. What they look for is no target.
//!
//! GNU Make's manual, "Functions for String Substitution and Analysis" and "Substitution References"; Bash's manual, "Shell
//! Parameter Expansion".

use super::targets::Targets;
use super::tokens::VALUE;
use crate::identifier::is_plain_char;

/// References in references deeper than this are left as they are.
const DEEPEST: u32 = 8;

/// What the references of a file remove from words.
#[derive(Default)]
pub struct References {
    /// What they take away, from words that other lines give.
    removed: Targets,
}

impl References {
    /// A line with the values of these references, or [`VALUE`] where they are not known.
    pub fn replaced(&mut self, line: &str, is_make: bool, found: &mut Targets) -> String {
        self.replaced_within(line, is_make, 0, found)
    }

    /// Ends the file: targets that something removes may not be built.
    pub fn end(self, found: &mut Targets) {
        found.open |= found.targets.iter().any(|target| self.removed.targets.contains(target));
    }

    fn replaced_within(&mut self, text: &str, is_make: bool, depth: u32, found: &mut Targets) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let after = rest[at..].trim_start_matches('$');
            let dollars = rest.len() - at - after.len();
            out += &rest[..at + dollars];
            rest = after;
            if !rest.starts_with(['(', '{']) {
                continue;
            }
            let Some(end) = closed(rest).filter(|_| depth < DEEPEST) else { break };
            let inner = self.replaced_within(&rest[1..end], is_make, depth + 1, found);
            // A recipe has `$$` for the `$` of its shell.
            let value = self.value(&inner, is_make && dollars == 1, found);
            match value {
                Some(value) => {
                    out.truncate(out.len() - dollars);
                    out += &value;
                }
                None => out.extend([&rest[..1], &inner, &rest[end..=end]]),
            }
            rest = &rest[end + 1..];
        }
        out + rest
    }

    /// The value of a reference; `None` for one of another kind.
    fn value(&mut self, inner: &str, of_make: bool, found: &mut Targets) -> Option<String> {
        let unknown = || Some(VALUE.to_owned());
        let (name, rest) = inner.split_once([' ', '\t']).unwrap_or((inner, ""));
        match (name, &arguments(rest)[..]) {
            ("error" | "findstring" | "info" | "value" | "warning", _) => return unknown(),
            ("filter" | "filter-out", [patterns, text @ ..]) => {
                let words = || text.iter().flat_map(|part| part.split_whitespace());
                if name == "filter-out" {
                    self.removes(patterns);
                }
                if patterns.contains(['%', '$']) {
                    words().for_each(|word| found.mention(word));
                    return unknown();
                }
                let is_kept = |word: &&str| {
                    (name == "filter") == patterns.split_whitespace().any(|pattern| pattern == *word)
                };
                return Some(words().filter(is_kept).collect::<Vec<_>>().join(" "));
            }
            ("subst" | "patsubst", [from, values @ ..]) => {
                self.removes(from);
                values.iter().for_each(|value| found.mention(value));
                return unknown();
            }
            _ => {}
        }
        let (variable, rest) = inner.split_at(inner.find(|c| !is_plain_char(c))?);
        let index = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let rest = index.map_or(rest, |(_, rest)| rest);
        let (from, to) = match rest.chars().next().filter(|_| !variable.is_empty())? {
            // `$(F:a=b)`; `${F:=b}` of a shell is a default.
            ':' if of_make => rest[1..].split_once('=')?,
            '/' if !of_make => {
                let rest = rest.trim_start_matches('/');
                rest.split_once('/').unwrap_or((rest, ""))
            }
            '#' | '%' if !of_make => (rest.trim_matches(['#', '%']), ""),
            _ => return None,
        };
        self.removes(from);
        found.mention(to);
        unknown()
    }

    fn removes(&mut self, text: &str) {
        self.removed.options(&text.split_whitespace().collect::<Vec<_>>());
    }
}

/// The end of the bracket that opens at the beginning of a text.
fn closed(text: &str) -> Option<usize> {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('{', '}') };
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        depth += usize::from(c == open);
        depth -= usize::from(c == close);
        (depth == 0).then_some(at)
    })
}

/// The arguments of a function of Make.
fn arguments(text: &str) -> Vec<&str> {
    let (mut all, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    all
}
