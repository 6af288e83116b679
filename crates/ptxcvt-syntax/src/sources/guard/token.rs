//! The tokens of a directive.
//!
//! ISO C, section 6.4 (lexical elements), as far as `#if` needs them.

use super::reach::Reach;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    /// A number with the suffix `u`.
    Unsigned(i64),
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
            let other = || Token::Other(rest[..end].to_owned());
            tokens.push(number(&rest[..end]).unwrap_or_else(other));
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

/// `890`, `1'000`, `0x37A`, `012`, `0b1`, `200000L`
fn number(text: &str) -> Option<Token> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    let unsigned = text[digits.len()..].contains('u');
    let number = if let Some(digits) = digits.strip_prefix("0x") {
        i64::from_str_radix(digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        i64::from_str_radix(digits, 2)
    } else {
        match digits.strip_prefix('0') {
            Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8),
            _ => digits.parse(),
        }
    };
    number.ok().map(if unsigned { Token::Unsigned } else { Token::Number })
}
