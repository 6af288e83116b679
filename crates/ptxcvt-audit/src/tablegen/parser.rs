//! Parsing: the tokens of a file, one after the other.

use std::rc::Rc;

use super::lex::{Place, Token};

/// A statement that cannot be read.
#[derive(Clone, Debug)]
pub struct Problem {
    pub line: u32,
    pub reason: String,
}

/// Nested values and statements; deeper ones are a problem.
const DEEPEST: u32 = 100;

pub(super) struct Parser {
    pub(super) tokens: Vec<(Token, Place)>,
    pub(super) at: usize,
    pub(super) depth: u32,
    pub(super) problems: Vec<Problem>,
}

pub(super) type Parsed<T> = Result<T, Problem>;

impl Parser {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    /// The token after the next one.
    pub(super) fn after(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|(token, _)| token)
    }

    /// The line of the next token, or of the last one.
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, place)| place.line)
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    pub(super) fn accept(&mut self, sign: &'static str) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(name)) if **name == *word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.problem(&format!("`{sign}` is missing"))) }
    }

    pub(super) fn name(&mut self) -> Parsed<Rc<str>> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.problem("a name is missing")),
        }
    }

    pub(super) fn problem(&self, reason: &str) -> Problem {
        Problem { line: self.line(), reason: reason.to_owned() }
    }

    /// Runs a parser one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return Err(self.problem("too many nested values or statements"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { Err(self.problem(&format!("`{word}` is missing"))) }
    }
}
