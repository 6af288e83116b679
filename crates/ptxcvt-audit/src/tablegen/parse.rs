//! Parsing: statements. `classes.rs` has the bodies of classes and records, `values.rs` the values.

use std::rc::Rc;

use super::lex::{Place, Token, tokens};
use super::tree::{Action, Let, Statement};

/// A statement that cannot be read.
#[derive(Clone, Debug)]
pub struct Problem {
    pub line: u32,
    pub reason: String,
}

/// Reads a file. A statement with a problem is left out with all that is in it.
pub fn parse(text: &str) -> (Vec<Statement>, Vec<Problem>) {
    let mut parser = Parser { tokens: tokens(text), at: 0, depth: 0, problems: Vec::new() };
    let mut statements = Vec::new();
    while parser.at < parser.tokens.len() {
        statements.extend(parser.statement_or_skip());
    }
    (statements, parser.problems)
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

    /// A statement; `None` if it has no effect here.
    pub(super) fn statement(&mut self) -> Parsed<Option<Statement>> {
        let begin = self.at;
        let statement = self.deeper(Self::statement_here)?;
        let conditional = self.tokens[begin..self.at].iter().any(|(_, place)| place.conditional);
        if !conditional {
            return Ok(statement);
        }
        Ok(statement.map(|statement| {
            let reason = "it is within `#ifdef` or `#else`, whose condition is not known";
            let (lets, line) = (Rc::new(vec![Let::Unread(reason.into())]), statement.line);
            Statement { kind: Action::Let(lets, vec![statement]), line }
        }))
    }

    fn statement_here(&mut self) -> Parsed<Option<Statement>> {
        let line = self.line();
        let word = self.name()?;
        let kind = match &*word {
            "class" => {
                let name = self.name()?;
                Action::Class(name, Rc::new(self.template(Self::items)?))
            }
            "multiclass" => {
                let name = self.name()?;
                Action::Multiclass(name, Rc::new(self.template(Self::multiclass_body)?))
            }
            "def" => {
                let name = self.record_name()?;
                let parents = self.parents()?;
                Action::Def(name, parents, Rc::new(self.items()?))
            }
            "defm" => {
                let name = self.record_name()?;
                let parents = self.parents()?;
                self.expect(";")?;
                Action::Defm(name, parents)
            }
            "foreach" => {
                let name = self.name()?;
                self.expect("=")?;
                let braces = self.accept("{");
                let (over, _) = self.ranges()?;
                if braces {
                    self.expect("}")?;
                }
                self.word("in")?;
                Action::Foreach(name, over, self.statements()?)
            }
            "if" => {
                let condition = self.value()?;
                self.word("then")?;
                let then = self.statements()?;
                let otherwise = if self.accept_word("else") { self.statements()? } else { Vec::new() };
                Action::If(condition, then, otherwise)
            }
            "let" => {
                let lets = self.lets_or_unread()?;
                self.word("in")?;
                Action::Let(lets, self.statements()?)
            }
            "defvar" => {
                let name = self.name()?;
                self.expect("=")?;
                let value = self.value()?;
                self.expect(";")?;
                Action::Defvar(name, value)
            }
            "defset" => {
                self.kind()?;
                let name = self.name()?;
                self.expect("=")?;
                Action::Defset(name, self.statements()?)
            }
            "assert" | "dump" | "deftype" => {
                while !matches!(self.peek(), None | Some(Token::Sign(";"))) {
                    self.at += 1;
                }
                self.expect(";")?;
                return Ok(None);
            }
            "include" => match self.next() {
                Some(Token::Text(name)) => Action::Include(name),
                _ => return Err(self.problem("the name of a file is missing")),
            },
            _ => {
                self.at -= 1;
                return Err(self.problem(&format!("`{word}` begins no statement")));
            }
        };
        Ok(Some(Statement { kind, line }))
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { Err(self.problem(&format!("`{word}` is missing"))) }
    }

    /// A statement, or several in braces.
    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        if self.peek() == Some(&Token::Sign("{")) {
            return self.multiclass_body();
        }
        Ok(self.statement()?.into_iter().collect())
    }

    pub(super) fn multiclass_body(&mut self) -> Parsed<Vec<Statement>> {
        if self.accept(";") {
            return Ok(Vec::new());
        }
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.accept("}") {
            if self.at >= self.tokens.len() {
                return Err(self.problem("`}` is missing"));
            }
            statements.extend(self.statement_or_skip());
        }
        Ok(statements)
    }
}
