//! The tokens of a directive.
//!
//! ISO C, section 6.4 (lexical elements), as far as `#if` needs them.

use super::reach::Reach;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    /// A name that macros may still replace.
    Name(String),
    /// A name that is no macro of the file: a predefined macro, or a flag.
    Final(String),
    Operator(&'static str),
    /// The result of `defined(X)`.
    Truth(Reach),
}

/// Operators, the longest first.
const OPERATORS: [&str; 25] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "##", "(", ")", "!", "<", ">", "+", "-", "*", "/", "%",
    "&", "|", "^", "~", "?", ":",
];

/// The tokens of a text, without comments. What is no token of an expression is an operator `,`.
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
            tokens.push(number(&rest[..end]).map_or(Token::Operator(","), Token::Number));
            rest = &rest[end..];
        } else if word(first) {
            let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if let Some(operator) = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)) {
            tokens.push(Token::Operator(operator));
            rest = &rest[operator.len()..];
        } else {
            tokens.push(Token::Operator(","));
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

/// `890`, `1'000`, `0x37A`, `012`, `0b1`, `200000L`
fn number(text: &str) -> Option<i64> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    if let Some(digits) = digits.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = digits.strip_prefix("0b") {
        return i64::from_str_radix(digits, 2).ok();
    }
    match digits.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
        _ => digits.parse().ok(),
    }
}
