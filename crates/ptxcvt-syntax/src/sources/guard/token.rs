//! The tokens of a directive.
//!
//! ISO C, section 6.4 (lexical elements), as far as `#if` needs them.

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
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if first.is_whitespace() || first == '\\' {
            rest = &rest[first.len_utf8()..];
        } else if rest.starts_with("//") {
            break;
        } else if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]);
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !word(c) && c != '\'').unwrap_or(rest.len());
            tokens.push(number(&rest[..end]));
            rest = &rest[end..];
        } else if let Some((length, value)) = character(rest) {
            let other = || Token::Other(rest[..length].to_owned());
            tokens.push(value.map_or_else(other, Token::Number));
            rest = &rest[length..];
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let end = end.map_or(rest.len(), |end| end + 2);
            tokens.push(Token::Other(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if word(first) {
            let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            let name = || Token::Name(rest[..end].to_owned());
            tokens.push(alternative(&rest[..end]).map_or_else(name, Token::Operator));
            rest = &rest[end..];
        } else if let Some(operator) = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)) {
            tokens.push(Token::Operator(operator));
            rest = &rest[operator.len()..];
        } else {
            tokens.push(Token::Other(first.to_string()));
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
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
