//! The tokens of a directive.
//!
//! ISO C, section 6.4 (lexical elements), as far as `#if` needs them.

use std::ops::Range;

use super::super::lexeme::{Lexeme, Lexer};
use super::reach::Reach;
use crate::cpp::{self, Integer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    /// A number that is not written in plain decimal digits: `0x320`, `800u`.
    Written(Integer, String),
    /// A name that may still be expanded.
    Name(String),
    /// A name that is not a macro of the file: a predefined macro, or a flag.
    Final(String),
    Operator(&'static str),
    /// The result of `defined(X)`.
    Truth(Reach),
    /// Text that is not a token of an expression.
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
    let token = |(lexeme, place): (Lexeme<'_>, Range<usize>)| {
        let token = match lexeme {
            Lexeme::Word(word) => Token::Name(word.to_owned()),
            Lexeme::Number(digits) => number(digits),
            Lexeme::Character(Some(value)) => Token::Number(value),
            Lexeme::Operator(operator) => Token::Operator(operator),
            Lexeme::Character(None) | Lexeme::String | Lexeme::Other => {
                Token::Other(text[place.clone()].to_owned())
            }
        };
        (token, place)
    };
    Lexer::new(text, &OPERATORS).map(token).collect()
}

/// A token that begins with a digit.
fn number(text: &str) -> Token {
    match cpp::integer(text) {
        None => Token::Other(text.to_owned()),
        Some(Integer { bits, is_unsigned: false }) if bits.to_string() == text => Token::Number(bits),
        Some(integer) => Token::Written(integer, text.to_owned()),
    }
}
