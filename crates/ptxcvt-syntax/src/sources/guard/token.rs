//! The tokens of a directive.
//!
//! ISO C, section 6.4 (lexical elements), as far as `#if` needs them.

use std::ops::Range;

use super::super::literal;
use super::super::scan::Scanner;
use super::reach::Reach;
use crate::cpp::{self, Integer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    /// A number that is written in another way than in decimal digits: `0x320`, `800u`.
    Written(Integer, String),
    /// A name that macros may still replace.
    Name(String),
    /// A name that is no macro of the file: a predefined macro, or a flag.
    Final(String),
    Operator(&'static str),
    /// The result of `defined(X)`.
    Truth(Reach),
    /// Text that is no token of an expression.
    Other(String),
}

/// Operators, the longest first.
const OPERATORS: [&str; 26] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "##", "(", ")", "!", "<", ">", "+", "-", "*", "/", "%",
    "&", "|", "^", "~", "?", ":", ",",
];

/// The tokens of a text, without comments.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    placed(text).into_iter().map(|(token, _)| token).collect()
}

/// The tokens of a text with their places in it, without comments.
pub(super) fn placed(text: &str) -> Vec<(Token, Range<usize>)> {
    let mut tokens: Vec<(Token, Range<usize>)> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if first.is_whitespace() || first == '\\' {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]);
            continue;
        }
        let (token, length) = if first.is_ascii_digit() {
            let end = rest.find(|c: char| !word(c) && c != '\'').unwrap_or(rest.len());
            (number(&rest[..end]), end)
        } else if let Some((length, value)) = character(rest) {
            let other = || Token::Other(rest[..length].to_owned());
            (value.map_or_else(other, Token::Number), length)
        } else if first == '"' {
            let end = string(rest);
            (Token::Other(rest[..end].to_owned()), end)
        } else if word(first) {
            let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            match raw_string(rest, end) {
                Some(length) => (Token::Other(rest[..length].to_owned()), length),
                None => {
                    let name = || Token::Name(rest[..end].to_owned());
                    (alternative(&rest[..end]).map_or_else(name, Token::Operator), end)
                }
            }
        } else if let Some(operator) = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)) {
            (Token::Operator(operator), operator.len())
        } else {
            (Token::Other(first.to_string()), first.len_utf8())
        };
        let start = text.len() - rest.len();
        tokens.push((token, start..start + length));
        rest = &rest[length..];
    }
    tokens
}

/// The length of the string at the beginning of a text, with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// The length of a raw string with its prefix, the first `quote` bytes of the text; `None` if none begins here, or if it does not end.
fn raw_string(text: &str, quote: usize) -> Option<usize> {
    if !text[quote..].starts_with('"') || !literal::RAW.contains(&&text[..quote]) {
        return None;
    }
    let mut scanner = Scanner { text, at: quote };
    let (_, end) = literal::raw(&mut scanner)?;
    (end < text.len()).then_some(scanner.at)
}

/// A token that begins with a digit.
fn number(text: &str) -> Token {
    match cpp::integer(text) {
        None => Token::Other(text.to_owned()),
        Some(Integer { bits, is_unsigned: false }) if bits.to_string() == text => Token::Number(bits),
        Some(integer) => Token::Written(integer, text.to_owned()),
    }
}

/// The length of a character constant at the beginning of a text, with its prefix, and its value; `None` if there is none.
/// The value is not known if it has several characters, or one that is not ASCII.
fn character(text: &str) -> Option<(usize, Option<i64>)> {
    let prefix = ["u8", "u", "U", "L", ""]
        .into_iter()
        .find(|prefix| text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('\'')))?;
    let inside = &text[prefix.len() + 1..];
    let mut escaped = false;
    let end = inside.find(|c| {
        let ends = c == '\'' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let Some(end) = end else { return Some((text.len(), None)) };
    // Characters with a prefix have types without a sign, or of more bits.
    let value = cpp::character(&inside[..end]).filter(|value| prefix.is_empty() || *value >= 0);
    Some((prefix.len() + end + 2, value))
}

/// The operator for which a word is an alternative token in C++.
///
/// ISO C++, "Alternative tokens".
fn alternative(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "&&",
        "bitand" => "&",
        "bitor" => "|",
        "compl" => "~",
        "not" => "!",
        "not_eq" => "!=",
        "or" => "||",
        "xor" => "^",
        _ => return None,
    })
}
