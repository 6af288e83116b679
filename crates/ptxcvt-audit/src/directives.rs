//! Lines for FileCheck: which conversions they name, between regular expressions and in them.

use crate::modes::words;

/// A line for FileCheck.
pub struct Directive<'l> {
    pub prefix: &'l str,
    /// What follows the prefix, such as `NEXT`.
    pub suffix: &'l str,
    /// Its text is not a regular expression.
    pub literal: bool,
    pub text: &'l str,
}

/// The opcodes of a line; `None` for an opcode that contains a regular expression.
pub fn conversions<'l>(directive: &Directive<'l>) -> Vec<Option<&'l str>> {
    let pieces = if directive.literal { vec![Piece::Text(directive.text)] } else { pieces(directive.text) };
    let mut found = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(text) => {
                // The last word is empty if a space or comma ends the text.
                let mut words = words(text).map(|word| word.trim_start_matches(['{', '('])).peekable();
                while let Some(word) = words.next() {
                    let goes_on = words.peek().is_none() && pieces.get(at + 1).is_some_and(Piece::may_go_on);
                    // The text before an opcode does not matter: FileCheck finds a text anywhere in a line.
                    if word.starts_with("cvt.") || (goes_on && word == "cvt") {
                        found.push((!goes_on).then_some(word));
                    }
                }
            }
            Piece::Pattern(pattern) => {
                let begins =
                    |at: usize| at == 0 || pattern[..at].ends_with(['(', '|', ']', '*', '+', '?', ' ']);
                let opcodes = ["cvt.", "cvt\\"].iter().flat_map(|start| pattern.match_indices(start));
                found.extend(opcodes.filter(|(at, _)| begins(*at)).map(|_| None));
            }
        }
    }
    found
}

/// A part of a line for FileCheck.
enum Piece<'l> {
    Text(&'l str),
    /// A regular expression, or a variable: what is between `{{` and `}}`, or `[[` and `]]`.
    Pattern(&'l str),
}

impl Piece<'_> {
    /// Whether a word can continue here. It cannot if a space or the end of the line must follow.
    fn may_go_on(&self) -> bool {
        const SPACES: [&str; 7] = [" ", "\\s", "\\t", "[ ]", "[ \\t]", "[[:space:]]", "[[:blank:]]"];
        let Piece::Pattern(pattern) = self else { return false };
        let space = |space: &&str| {
            let rest = pattern.strip_prefix(*space);
            rest.is_some_and(|rest| !rest.starts_with(['*', '?', '{']) && !rest.contains('|'))
        };
        *pattern != "$" && !SPACES.iter().any(space)
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let opens = ["{{", "[["].iter().filter_map(|open| rest.find(open)).min();
        let Some((before, (pattern, after))) = opens.and_then(|at| {
            let close = if rest[at..].starts_with('{') { "}}" } else { "]]" };
            Some((&rest[..at], rest[at + 2..].split_once(close)?))
        }) else {
            pieces.push(Piece::Text(rest));
            return pieces;
        };
        pieces.extend([Piece::Text(before), Piece::Pattern(pattern)]);
        rest = after;
    }
}
