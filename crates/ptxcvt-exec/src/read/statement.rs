//! Tokens to statements: declarations and instructions as they are written, before names mean anything.

use ptxcvt_syntax::Span;
use ptxcvt_syntax::constant::Constant;
use ptxcvt_syntax::lex::{Lexer, Token, TokenKind};

use super::Error;
use super::constant;
use crate::table::Opcode;

/// An operand as written.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub span: Span,
    pub kind: RawKind,
}

#[derive(Clone, Debug)]
pub(super) enum RawKind {
    Name(String),
    Placeholder(usize),
    Constant(Constant),
    Vector(Vec<Raw>),
    Pair(Box<Raw>, Box<Raw>),
    Not(Box<Raw>),
    Sink,
}

/// A statement as written.
pub(super) enum Statement {
    Open,
    Close(Span),
    /// `.reg` type names, each perhaps with a count.
    Registers {
        ty: (String, Span),
        names: Vec<(String, Option<u64>, Span)>,
    },
    Instruction {
        guard: Option<(Raw, bool)>,
        opcode: (Opcode, Span),
        operands: Vec<Raw>,
        span: Span,
    },
    /// `ret;`
    Return,
}

/// Reads statements one by one.
pub(super) struct Statements<'s> {
    pub text: &'s str,
    lexer: Lexer<'s>,
    pub current: Token,
    pub previous: Span,
}

impl<'s> Statements<'s> {
    pub fn new(text: &'s str, snippet: bool) -> Self {
        let mut lexer = Lexer::new(text, snippet);
        let current = lexer.token_at();
        Self { text, lexer, current, previous: Span::default() }
    }

    pub fn bump(&mut self) {
        self.previous = self.current.span;
        self.current = self.lexer.token_at();
    }

    pub fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or("")
    }

    pub fn word(&self) -> &'s str {
        self.slice(self.current.span)
    }

    pub fn take(&mut self, mark: u8) -> bool {
        let found = self.current.is(mark);
        if found {
            self.bump();
        }
        found
    }

    pub fn expected(&self, what: &str) -> Error {
        match self.current.kind {
            TokenKind::End => {
                Error::new(self.previous, format!("expected {what}, found the end of the text"))
            }
            TokenKind::Unterminated => Error::new(self.current.span, "this comment or string has no end"),
            _ => {
                let found: String = self.word().chars().take(40).collect();
                Error::new(self.current.span, format!("expected {what}, found `{found}`"))
            }
        }
    }

    pub fn demand(&mut self, mark: u8) -> Result<(), Error> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(mark)))) }
    }

    /// A name: `%r1`, `tmp`; `%%r1` of inline assembly is `%r1`.
    pub fn name(&mut self, what: &str) -> Result<(String, Span), Error> {
        let span = self.current.span;
        if self.current.kind != TokenKind::Name {
            return Err(self.expected(what));
        }
        let text = self.word();
        let name = text.strip_prefix("%%").map_or(text.to_owned(), |rest| format!("%{rest}"));
        self.bump();
        Ok((name, span))
    }

    /// The next statement; `None` at the end of the text.
    pub fn next(&mut self) -> Result<Option<Statement>, Error> {
        loop {
            return Ok(Some(match self.current.kind {
                TokenKind::End => return Ok(None),
                TokenKind::Line => {
                    self.bump();
                    continue;
                }
                TokenKind::Punctuation([b';', 0]) => {
                    self.bump();
                    continue;
                }
                TokenKind::Punctuation([b'{', 0]) => {
                    self.bump();
                    Statement::Open
                }
                TokenKind::Punctuation([b'}', 0]) => {
                    self.bump();
                    Statement::Close(self.previous)
                }
                TokenKind::Dotted => match self.directive()? {
                    Some(statement) => statement,
                    None => continue,
                },
                TokenKind::Name if self.is_label() => {
                    self.bump();
                    self.bump();
                    continue;
                }
                TokenKind::Name | TokenKind::Punctuation([b'@', 0]) => self.instruction()?,
                _ => return Err(self.expected("an instruction or `.reg`")),
            }));
        }
    }

    /// A label: nothing can jump to it here, so it says nothing.
    fn is_label(&self) -> bool {
        self.lexer.clone().token_at().is(b':')
    }

    fn directive(&mut self) -> Result<Option<Statement>, Error> {
        let span = self.current.span;
        match self.word() {
            ".reg" => self.registers().map(Some),
            ".pragma" | ".loc" => {
                while !matches!(self.current.kind, TokenKind::End) && !self.take(b';') {
                    self.bump();
                }
                Ok(None)
            }
            other => Err(Error::new(
                span,
                format!("`{other}` does not run here: a block holds `.reg` and instructions"),
            )),
        }
    }

    fn registers(&mut self) -> Result<Statement, Error> {
        self.bump();
        if self.current.kind != TokenKind::Dotted {
            return Err(self.expected("a register type"));
        }
        let ty = (self.word()[1..].to_owned(), self.current.span);
        self.bump();
        let mut names = Vec::new();
        loop {
            let (name, span) = self.name("the name of a register")?;
            let mut count = None;
            if self.take(b'<') {
                let digits = self.word().parse().ok();
                count =
                    Some(digits.filter(|n| *n <= 4096).ok_or_else(|| self.expected("a count up to 4096"))?);
                self.bump();
                self.demand(b'>')?;
            }
            names.push((name, count, span));
            if !self.take(b',') {
                break;
            }
        }
        self.demand(b';')?;
        Ok(Statement::Registers { ty, names })
    }

    fn instruction(&mut self) -> Result<Statement, Error> {
        let start = self.current.span;
        let guard = match self.take(b'@') {
            true => {
                let negated = self.take(b'!');
                Some((self.operand()?, negated))
            }
            false => None,
        };
        let (mut opcode, mut span) = self.name("an instruction")?;
        while self.current.kind == TokenKind::Dotted {
            opcode.push_str(self.word());
            span = span.to(self.current.span);
            self.bump();
        }
        if opcode == "ret" && guard.is_none() {
            self.demand(b';')?;
            return Ok(Statement::Return);
        }
        let name = opcode.split('.').next().unwrap_or_default();
        // Before the operands: why an instruction cannot run says more than that it takes an address.
        let opcode = opcode.parse::<Opcode>().map_err(|e| Error {
            span,
            message: if e.message.starts_with(&format!("`{name}")) {
                e.message
            } else {
                format!("`{opcode}`: {}", e.message)
            },
            help: e.help,
        })?;
        let mut operands = Vec::new();
        while !self.current.is(b';') && self.current.kind != TokenKind::End {
            operands.push(self.operand()?);
            if !self.take(b',') {
                break;
            }
        }
        let end = self.previous;
        // Inline assembly may leave the last one out.
        if self.current.kind != TokenKind::End && !self.current.is(b'}') {
            self.demand(b';')?;
        }
        Ok(Statement::Instruction { guard, opcode: (opcode, span), operands, span: start.to(end) })
    }

    fn operand(&mut self) -> Result<Raw, Error> {
        let start = self.current.span;
        if self.take(b'{') {
            let mut parts = Vec::new();
            loop {
                parts.push(self.simple()?);
                if !self.take(b',') {
                    break;
                }
            }
            self.demand(b'}')?;
            return Ok(Raw { span: start.to(self.previous), kind: RawKind::Vector(parts) });
        }
        if self.take(b'!') {
            let inner = self.simple()?;
            return Ok(Raw { span: start.to(self.previous), kind: RawKind::Not(Box::new(inner)) });
        }
        let first = self.simple()?;
        if self.take(b'|') {
            let second = self.simple()?;
            let kind = RawKind::Pair(Box::new(first), Box::new(second));
            return Ok(Raw { span: start.to(self.previous), kind });
        }
        Ok(first)
    }

    fn simple(&mut self) -> Result<Raw, Error> {
        let span = self.current.span;
        let kind = match self.current.kind {
            TokenKind::Name if self.word() == "_" => {
                self.bump();
                RawKind::Sink
            }
            TokenKind::Name if self.word() != "WARP_SZ" => {
                let name = self.name("an operand")?.0;
                if self.current.kind == TokenKind::Dotted || self.current.is(b'+') {
                    return Err(Error::new(span.to(self.current.span), "only plain registers run here"));
                }
                RawKind::Name(name)
            }
            TokenKind::Placeholder => {
                // `${0:r}` is `$0`.
                let digits: String = self
                    .word()
                    .chars()
                    .skip_while(|c| !c.is_ascii_digit())
                    .take_while(char::is_ascii_digit)
                    .collect();
                let number = digits.parse().map_err(|_| self.expected("a number"))?;
                self.bump();
                RawKind::Placeholder(number)
            }
            TokenKind::Punctuation([b'[', 0]) => {
                return Err(Error::new(span, "an address: nothing that works on memory runs here"));
            }
            _ => RawKind::Constant(constant::expression(self)?),
        };
        Ok(Raw { span: span.to(self.previous), kind })
    }
}
