//! The C++ tokens that conditions need: conditions of the preprocessor and of `if constexpr` in [`super`], and those in
//! LLVM's sources in `ptxcvt-audit`.
//!
//! ISO C++, "Lexical conventions".

use std::ops::Range;

use super::literal::{self, PREFIXES, RAW};
use super::scan::Scanner;
use crate::cpp;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme<'s> {
    /// A name or keyword.
    Word(&'s str),
    /// Text that begins with a digit, such as `0x320`, `1'000u` or `1.5f`.
    Number(&'s str),
    /// A character constant with its value. `None` if it has several characters, or one that is not ASCII.
    Character(Option<i64>),
    /// A string, with its prefix.
    String,
    /// One of the lexer's operators, or its alternative token: `and` is `&&`.
    Operator(&'static str),
    /// Any other character.
    Other,
}

/// The alternative tokens of C++, and the operators for which they stand.
///
/// ISO C++, "Alternative tokens".
const ALTERNATIVES: [(&str, &str); 11] = [
    ("and", "&&"),
    ("and_eq", "&="),
    ("bitand", "&"),
    ("bitor", "|"),
    ("compl", "~"),
    ("not", "!"),
    ("not_eq", "!="),
    ("or", "||"),
    ("or_eq", "|="),
    ("xor", "^"),
    ("xor_eq", "^="),
];

/// The operator for which a word is an alternative token.
pub(super) fn alternative(word: &str) -> Option<&'static str> {
    ALTERNATIVES.iter().find(|(name, _)| *name == word).map(|(_, operator)| *operator)
}

/// Reads the tokens of a text with their places. Comments, blanks and backslashes that join lines are skipped.
#[derive(Clone, Debug)]
pub struct Lexer<'s> {
    scanner: Scanner<'s>,
    /// The operators that conditions may contain. Each one precedes its own prefixes.
    operators: &'static [&'static str],
    /// Where the last token ends; `None` before the first one.
    last: Option<usize>,
}

impl<'s> Lexer<'s> {
    /// Reads a text. `operators` lists longer operators before their prefixes.
    #[must_use]
    pub fn new(text: &'s str, operators: &'static [&'static str]) -> Self {
        Lexer { scanner: Scanner::new(text), operators, last: None }
    }

    /// Reads the directive of the preprocessor that is next, and returns it without its `#` and its comments. `None` if
    /// a token is next.
    pub fn directive(&mut self) -> Option<String> {
        self.scanner.c_blanks();
        let text = self.scanner.text;
        // A directive is the first token of its line.
        let begins_line = self.last.is_none_or(|last| text[last..self.scanner.at].contains('\n'));
        if !begins_line || self.scanner.hash() == 0 {
            return None;
        }
        let line = self.scanner.directive();
        self.end(line.end);
        Some(line.text)
    }

    /// Skips the rest of a line, with the lines that a backslash or a comment joins to it.
    pub fn skip_line(&mut self) {
        self.end(self.scanner.logical_line(self.scanner.at).end);
    }

    /// True at the end of the text.
    #[must_use]
    pub fn at_end(&self) -> bool {
        self.scanner.at_end()
    }

    fn end(&mut self, at: usize) {
        self.scanner.at = at;
        self.last = Some(at);
    }

    /// Skips the string whose quotation mark is next.
    fn string(&mut self) -> Lexeme<'s> {
        self.scanner.skip_string(b'"');
        Lexeme::String
    }

    /// Skips the character constant that begins at `start`, the next character being its quotation mark.
    fn character(&mut self, start: usize) -> Lexeme<'s> {
        let text = self.scanner.text;
        let open = self.scanner.at;
        let close = self.scanner.skip_string(b'\'');
        let is_closed = text.as_bytes().get(close) == Some(&b'\'');
        let value = cpp::character(&text[open + 1..close]).filter(|_| is_closed);
        // The types of characters with a prefix are unsigned or wider.
        Lexeme::Character(value.filter(|value| start == open || *value >= 0))
    }

    /// Skips a word, or the literal whose prefix it is.
    fn word(&mut self) -> Lexeme<'s> {
        let start = self.scanner.at;
        let word = self.scanner.word();
        match self.scanner.peek() {
            b'\'' if PREFIXES.contains(&word) => return self.character(start),
            b'"' if PREFIXES.contains(&word) => return self.string(),
            b'"' if RAW.contains(&word) => {
                let mut ahead = self.scanner;
                let content = literal::raw(&mut ahead);
                // A raw string that does not end is a word and a string.
                if content.is_some_and(|(_, end)| end < ahead.text.len()) {
                    self.scanner = ahead;
                    return Lexeme::String;
                }
            }
            _ => {}
        }
        let operator = alternative(word).filter(|operator| self.operators.contains(operator));
        operator.map_or(Lexeme::Word(word), Lexeme::Operator)
    }
}

impl<'s> Iterator for Lexer<'s> {
    type Item = (Lexeme<'s>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        self.scanner.c_blanks();
        // Blanks outside of ASCII, and ASCII blanks that `c_blanks` does not skip.
        while let Some(blank) =
            self.scanner.text[self.scanner.at..].chars().next().filter(|c| c.is_whitespace())
        {
            self.scanner.at += blank.len_utf8();
            self.scanner.c_blanks();
        }
        if self.scanner.at_end() {
            return None;
        }
        let start = self.scanner.at;
        let rest = &self.scanner.text[start..];
        let lexeme = match self.scanner.peek() {
            b'0'..=b'9' => {
                self.scanner.number();
                Lexeme::Number(&self.scanner.text[start..self.scanner.at])
            }
            b'"' => self.string(),
            b'\'' => self.character(start),
            byte if Scanner::is_word(byte) => self.word(),
            _ => match self.operators.iter().find(|operator| rest.starts_with(**operator)) {
                Some(operator) => {
                    self.scanner.at += operator.len();
                    Lexeme::Operator(operator)
                }
                None => {
                    self.scanner.step();
                    Lexeme::Other
                }
            },
        };
        self.last = Some(self.scanner.at);
        Some((lexeme, start..self.scanner.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: &[&str] = &["&&", "||", "!=", "<", "!", "+"];

    fn read(text: &str) -> Vec<(Lexeme<'_>, &str)> {
        Lexer::new(text, OPERATORS).map(|(lexeme, place)| (lexeme, &text[place])).collect()
    }

    fn is(text: &str, expected: &[Lexeme<'_>]) {
        let found: Vec<Lexeme<'_>> = read(text).into_iter().map(|(lexeme, _)| lexeme).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_are_no_tokens() {
        let (a, b) = (Lexeme::Word("a"), Lexeme::Word("b"));
        is("a // b \\\n c\nb", &[a, b]);
        is("a // b \\\r\n c\r\nb", &[a, b]);
        is("a /*/ c */ b", &[a, b]);
        is("a /* c", &[a]);
        is("a \\\n b", &[a, b]);
        is("a\u{a0}b\u{c}", &[a, b]);
    }

    #[test]
    fn literals_are_single_tokens() {
        is(r#"R"x(a " b)x" "a\"b" u8"c""#, &[Lexeme::String; 3]);
        is(r#"R"x(a)"#, &[Lexeme::Word("R"), Lexeme::String]);
        let (byte, wide) = (Lexeme::Character(Some(-1)), Lexeme::Character(None));
        is(r"'\xff' L'\xff' 'ab' u'a' '", &[byte, wide, wide, Lexeme::Character(Some(97)), wide]);
        is("1'000u 0x1F 1.5f", &["1'000u", "0x1F", "1.5f"].map(Lexeme::Number));
    }

    #[test]
    fn alternative_tokens_are_operators() {
        is(
            "not a and b",
            &[Lexeme::Operator("!"), Lexeme::Word("a"), Lexeme::Operator("&&"), Lexeme::Word("b")],
        );
        // This is not an operator of the list.
        is("a xor b", &[Lexeme::Word("a"), Lexeme::Word("xor"), Lexeme::Word("b")]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        assert_eq!(
            read("a /* ! */ && é"),
            [(Lexeme::Word("a"), "a"), (Lexeme::Operator("&&"), "&&"), (Lexeme::Word("é"), "é")]
        );
    }

    #[test]
    fn a_directive_is_the_first_token_of_its_line() {
        let mut lexer = Lexer::new("/* x */ #if A /* y */ \\\n B\na # b\n  %:endif", OPERATORS);
        assert_eq!(lexer.directive().as_deref().map(str::trim), Some("if A    B"));
        assert_eq!(lexer.directive(), None);
        assert_eq!(lexer.next().map(|(lexeme, _)| lexeme), Some(Lexeme::Word("a")));
        assert_eq!(lexer.directive(), None);
        lexer.skip_line();
        assert_eq!(lexer.directive().as_deref(), Some("endif"));
        assert!(lexer.at_end());
    }
}
