//! Assignments that another one certainly replaces before anything reads the variable, in lines of shells and makefiles, and
//! in statements of programs.
//!
//! Only neighbours are compared: between them, nothing but assignments of values that run no code is allowed. Elsewhere,
//! both values count. CMake's variables are followed further, in `assigned`.

use std::ops::Range;

use super::tokens::{Kind, Token};
use crate::identifier::is_plain_char;

/// How many assignments after one are compared with it.
const FARTHEST: usize = 64;

/// An assignment that is a whole line or statement.
struct Assignment<'t> {
    /// What is assigned, such as `x`, or `os.environ['X']`.
    target: String,
    /// The names in the target.
    names: Vec<&'t str>,
    /// The names in the value.
    reads: Vec<&'t str>,
    /// Its evaluation runs no other code.
    is_plain: bool,
    /// It replaces the value.
    replaces: bool,
}

impl<'t> Assignment<'t> {
    /// True if the assignment has no effect on what `other` assigns, and does not use it.
    fn is_apart(&self, other: &Assignment<'t>) -> bool {
        let uses = |names: &[&str]| names.iter().any(|name| other.names.contains(name));
        self.is_plain && !uses(&self.names) && !uses(&self.reads)
    }

    /// True if the assignment certainly replaces what `other` assigns.
    fn replaces(&self, other: &Assignment<'t>) -> bool {
        let reads = self.reads.iter().any(|name| other.names.contains(name));
        self.replaces && self.is_plain && self.target == other.target && !reads
    }
}

/// For each assignment, if a later one replaces it. `None` for lines and statements that are something else.
fn replaced(all: &[Option<Assignment<'_>>]) -> Vec<bool> {
    let is_replaced = |at: usize| {
        let Some(one) = all[at].as_ref().filter(|one| one.is_plain) else { return false };
        let mut later = all[at + 1..].iter().take(FARTHEST).map_while(Option::as_ref);
        later.find(|other| !other.is_apart(one)).is_some_and(|other| other.replaces(one))
    };
    (0..all.len()).map(is_replaced).collect()
}

/// The lines of a makefile or of a script whose assignments are replaced: `F := -arch=sm_80` before `F := -arch=sm_90`.
pub fn in_lines(lines: &[&str], is_make: bool) -> Vec<bool> {
    let mut all: Vec<Option<Assignment<'_>>> = Vec::new();
    let mut of_line = Vec::new();
    for line in lines {
        of_line.push(all.len());
        // Empty lines separate nothing.
        if !line.trim().is_empty() {
            all.push(if is_make { of_make(line) } else { of_shell(line) });
        }
    }
    let replaced = replaced(&all);
    let of_line = of_line.into_iter().zip(lines);
    of_line.map(|(at, line)| !line.trim().is_empty() && replaced[at]).collect()
}

/// The assignment in a line of a makefile. A value with a reference may run code, or read what a variable was before.
fn of_make(line: &str) -> Option<Assignment<'_>> {
    if line.starts_with('\t') {
        return None;
    }
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
    let (name, rest) = line.split_at(line.find(|c| !is_plain_char(c))?);
    let rest = rest.trim_start();
    let operator = [":::=", "::=", ":=", "?=", "+=", "!=", "="]
        .into_iter()
        .find(|operator| rest.starts_with(operator))?;
    let value = &rest[operator.len()..];
    Some(Assignment {
        target: name.to_owned(),
        names: vec![name],
        reads: value.split(|c| !is_plain_char(c)).collect(),
        is_plain: !name.is_empty() && operator != "!=" && !value.contains('$'),
        replaces: matches!(operator, "=" | ":=" | "::=" | ":::="),
    })
}

/// The assignment in a line of a script: one word, perhaps after `export`, or after `ENV` of a Dockerfile.
fn of_shell(line: &str) -> Option<Assignment<'_>> {
    let line = line.trim();
    let line =
        ["export ", "ENV "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line).trim_start();
    let (name, value) =
        line.split_once('=').filter(|(name, _)| !name.is_empty() && name.chars().all(is_plain_char))?;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = match quote {
        Some(quote) => value[1..].strip_suffix(quote)?,
        None => value,
    };
    let is_word = match quote {
        Some(quote) => !inner.contains([quote, '\\']),
        None => !inner.contains(|c: char| c.is_whitespace() || ";&|<>()\\\"'".contains(c)),
    };
    is_word.then(|| Assignment {
        target: name.to_owned(),
        names: vec![name],
        reads: inner.split(|c| !is_plain_char(c)).collect(),
        is_plain: !inner.contains(['`', '$']),
        replaces: true,
    })
}

/// For each token of Python or Meson, if it is part of a statement whose assignment is replaced: `x = ['-arch=sm_80']`
/// before `x = ['-arch=sm_90']`, in the same block.
pub fn in_statements(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut all: Vec<Option<Assignment<'_>>> = Vec::new();
    // The blanks before the last statement.
    let mut block = None;
    let mut start = 0;
    while start < tokens.len() {
        let ends = |at: &usize| {
            tokens[*at].open.is_none() && (tokens[*at].kind == Kind::Line || tokens[*at].text == ";")
        };
        let end = (start..tokens.len()).find(ends).unwrap_or(tokens.len());
        if start < end {
            let before = start.checked_sub(1).map(|at| tokens[at].text.trim_start_matches('\n'));
            let own =
                before.map(|blanks| if blanks == ";" { block.unwrap_or("") } else { blanks }).unwrap_or("");
            if block.replace(own) != Some(own) {
                // Another block.
                all.push(None);
                ranges.push(start..start);
            }
            all.push(of_statement(&tokens[start..end]));
            ranges.push(start..end);
        }
        start = end + 1;
    }
    let mut of_tokens = vec![false; tokens.len()];
    for (range, replaced) in ranges.into_iter().zip(replaced(&all)) {
        of_tokens[range].fill(replaced);
    }
    of_tokens
}

/// The assignment of a statement.
fn of_statement<'t>(tokens: &'t [Token<'_>]) -> Option<Assignment<'t>> {
    let mark = tokens.iter().position(|token| token.open.is_none() && token.text == "=")?;
    let (target, value) = (&tokens[..mark], &tokens[mark + 1..]);
    let words = |tokens: &'t [Token<'_>]| -> Vec<&'t str> {
        tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect()
    };
    // A name with attributes and an index.
    let is_target = target.first().is_some_and(|token| token.kind == Kind::Word)
        && target.iter().all(|token| token.kind != Kind::Mark || matches!(token.text, "." | "[" | "]"));
    // A call or an index in a value, an attribute or a division, which may fail, and a second `=`.
    let runs = value.windows(2).any(|pair| {
        let is_value = pair[0].kind != Kind::Mark || matches!(pair[0].text, ")" | "]" | "}");
        is_value && matches!(pair[1].text, "(" | "[")
    }) || value
        .iter()
        .any(|token| token.kind == Kind::Mark && [".", "/", "//", "%"].contains(&token.text));
    let chains = value.iter().any(|token| matches!(token.text, "=" | ":=") && token.kind == Kind::Mark);
    let is_formatted = value
        .iter()
        .any(|token| matches!(&token.kind, Kind::String(_)) && token.text.starts_with(['f', 'F']));
    let is_lazy = words(value).iter().any(|word| ["lambda", "yield", "await", "for"].contains(word));
    is_target.then(|| Assignment {
        target: target.iter().map(|token| token.text).collect(),
        names: words(target),
        reads: words(value),
        is_plain: !(runs || chains || is_formatted || is_lazy || value.is_empty()),
        replaces: true,
    })
}
