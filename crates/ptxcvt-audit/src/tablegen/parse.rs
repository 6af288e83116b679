//! Parsing: statements. `classes.rs` has the bodies of classes and records, `values.rs` the values.

use std::rc::Rc;

use super::lex::{Token, tokens};
use super::parser::{Parsed, Parser, Problem};
use super::tree::{Action, Let, Statement};

/// Reads a file. A statement with a problem is left out with all that is in it.
pub fn parse(text: &str) -> (Vec<Statement>, Vec<Problem>) {
    let mut parser = Parser { tokens: tokens(text), at: 0, depth: 0, problems: Vec::new() };
    let mut statements = Vec::new();
    while parser.at < parser.tokens.len() {
        statements.extend(parser.statement_or_skip());
    }
    (statements, parser.problems)
}

impl Parser {
    /// A statement. If it cannot be read, it is skipped with all statements in it.
    fn statement_or_skip(&mut self) -> Option<Statement> {
        let (begin, depth) = (self.at, self.depth);
        match self.statement() {
            Ok(statement) => statement,
            Err(problem) => {
                self.problems.push(problem);
                self.depth = depth;
                self.at = begin;
                self.skip_statement();
                None
            }
        }
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
