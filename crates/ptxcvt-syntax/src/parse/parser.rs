//! The parser's basics: tokens, reports, and recovery after errors.
//!
//! The grammar is in the other files, from the smallest pieces to the largest: `expression`, `operand`, `declare`,
//! `directive`, `statement`, `module`.

use std::cell::Cell;

use super::declaration::Declaration;
use super::instruction::Instruction;
use super::lex::Lexer;
use super::token::{Token, TokenKind};
use super::visitor::{Place, Visitor};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::source::{Span, Word};

/// A parser over a text.
pub(super) struct Parser<'s, 'v, V> {
    pub(super) text: &'s str,
    lexer: Lexer<'s>,
    /// The next token.
    pub(super) current: Token,
    /// The place of the previous token.
    pub(super) previous: Span,
    /// The last byte that the lexer read before the parser went back.
    furthest: Cell<usize>,
    pub(super) visitor: &'v mut V,
    pub(super) blocks: Vec<Span>,
    pub(super) snippet: bool,
    /// `body` was called.
    pub(super) begun: bool,
    pub(super) errors: usize,
    /// Nothing is reported, because the parser is only trying.
    pub(super) quiet: bool,
    /// True in a conversion, whose operands are read completely.
    pub(super) strict: bool,
    /// The number of open braces in the current instruction.
    pub(super) open_vectors: u32,
    /// The current instruction. Its lists are reused for the next one.
    pub(super) instruction: Instruction<'s>,
    pub(super) parameters: Vec<Declaration<'s>>,
}

/// A place to which the parser can go back.
pub(super) struct Mark<'s> {
    lexer: Lexer<'s>,
    current: Token,
    previous: Span,
}

impl<'s, 'v, V: Visitor<'s>> Parser<'s, 'v, V> {
    pub(super) fn new(text: &'s str, snippet: bool, visitor: &'v mut V) -> Self {
        let mut lexer = Lexer::new(text, snippet);
        let current = lexer.token_at();
        Self {
            text,
            lexer,
            current,
            previous: Span::default(),
            furthest: Cell::new(0),
            visitor,
            blocks: Vec::new(),
            snippet,
            begun: false,
            errors: 0,
            quiet: false,
            strict: false,
            open_vectors: 0,
            instruction: Instruction::default(),
            parameters: Vec::new(),
        }
    }

    /// A parser that continues at a place.
    pub(super) fn at(mut self, place: &Place) -> Self {
        self.lexer = self.lexer.starting(place.at as usize);
        self.current = self.lexer.token_at();
        self.previous = place.previous;
        self.blocks.clone_from(&place.blocks);
        self.begun = place.begun;
        self
    }

    /// The current place.
    pub(super) fn place(&self) -> Place {
        // The lexer may have read the rest of a line.
        let seen = self.lexer.position().max(self.furthest.get());
        let line = self.text.as_bytes().get(seen..).and_then(|rest| rest.iter().position(|&b| b == b'\n'));
        Place {
            at: self.current.span.start,
            previous: self.previous,
            blocks: self.blocks.clone(),
            begun: self.begun,
            seen: line.map_or(self.text.len(), |n| seen + n + 1) as u32,
        }
    }

    // Tokens.

    pub(super) fn bump(&mut self) {
        self.previous = self.current.span;
        self.current = self.lexer.token_at();
    }

    /// Continues at a byte, before which these tokens end with `previous`.
    pub(super) fn go_to(&mut self, previous: Span, at: usize) {
        self.previous = previous;
        self.lexer = self.lexer.clone().starting(at);
        self.current = self.lexer.token_at();
    }

    pub(super) fn mark(&self) -> Mark<'s> {
        Mark { lexer: self.lexer.clone(), current: self.current, previous: self.previous }
    }

    pub(super) fn go_back(&mut self, mark: Mark<'s>) {
        self.looked(&self.lexer);
        Mark { lexer: self.lexer, current: self.current, previous: self.previous } = mark;
    }

    /// A discarded lexer has read up to here.
    fn looked(&self, lexer: &Lexer<'s>) {
        self.furthest.set(self.furthest.get().max(lexer.position()));
    }

    /// The token after the current one.
    pub(super) fn peek(&self) -> Token {
        let mut lexer = self.lexer.clone();
        let token = lexer.token_at();
        self.looked(&lexer);
        token
    }

    pub(super) fn slice(&self, span: Span) -> &'s str {
        &self.text[span.range()]
    }

    pub(super) fn word(&self) -> Word<'s> {
        Word { text: self.slice(self.current.span), span: self.current.span }
    }

    /// Skips the punctuation `mark` if it is the current token.
    pub(super) fn take(&mut self, mark: u8) -> bool {
        let found = self.current.is(mark);
        if found {
            self.bump();
        }
        found
    }

    // Errors.

    pub(super) fn report(&mut self, code: PtxCode, span: Span, message: impl Into<std::sync::Arc<str>>) {
        if !self.quiet {
            self.errors += 1;
            self.visitor.problem(Diagnostic::new(code, span, message));
        }
    }

    fn report_with(&mut self, code: PtxCode, span: Span, message: String, fix: Fix) {
        if !self.quiet {
            self.errors += 1;
            self.visitor.problem(Diagnostic::new(code, span, message).with_fix(fix));
        }
    }

    /// A fix that inserts a mark after the previous token.
    fn insert(&self, mark: &'static str) -> Fix {
        let here = Span::new(self.previous.end, self.previous.end);
        Fix::new(Applicability::Safe, format!("write `{mark}`"), here, mark)
    }

    /// Reports a missing comma between two operands, with a fix if both are certainly operands.
    pub(super) fn missing_comma(&mut self) {
        if self.current.kind == TokenKind::Name && self.peek().kind == TokenKind::Dotted {
            return self.expected("`,` or `;`");
        }
        let found: String = self.slice(self.current.span).chars().take(40).collect();
        let message = format!("expected `,` or `;`, found `{found}`");
        self.report_with(PtxCode::Syntax, self.current.span, message, self.insert(","));
    }

    /// Reports "expected …, found …" at the current token, or the lexer's error if there is one.
    pub(super) fn expected(&mut self, what: &str) {
        match self.current.kind {
            TokenKind::Nul => {} // the loop in `run` comes to it
            TokenKind::Unknown => self.unknown_character(),
            TokenKind::Unterminated => self.unterminated(),
            _ if what.ends_with("`;`") && self.ends_statement() => {
                let last: String = self.slice(self.previous).chars().take(40).collect();
                let message = format!("expected `;` after `{last}`");
                self.report_with(PtxCode::Syntax, self.previous, message, self.insert(";"));
            }
            TokenKind::End => {
                let message = format!("expected {what}, found the end of the text");
                self.report(PtxCode::Syntax, self.previous, message);
            }
            _ => {
                let found: String = self.slice(self.current.span).chars().take(40).collect();
                self.report(PtxCode::Syntax, self.current.span, format!("expected {what}, found `{found}`"));
            }
        }
    }

    /// True if a statement without a semicolon ends before the current token: that is the end of the text, closes the
    /// block, or begins another statement on a new line.
    fn ends_statement(&self) -> bool {
        match self.current.kind {
            TokenKind::End | TokenKind::Punctuation([b'}', 0]) => true,
            TokenKind::Name | TokenKind::Dotted | TokenKind::Punctuation([b'@', 0]) => self.on_new_line(),
            _ => false,
        }
    }

    /// True if the current token is the first of its line.
    pub(super) fn on_new_line(&self) -> bool {
        self.slice(Span::new(self.previous.end, self.current.span.start)).contains('\n')
    }

    pub(super) fn unknown_character(&mut self) {
        let mut span = self.current.span;
        self.bump();
        while self.current.kind == TokenKind::Unknown && self.current.span.start == span.end {
            span.end = self.current.span.end;
            self.bump();
        }
        let shown: String = self.slice(span).chars().take(12).map(|c| c.escape_debug().to_string()).collect();
        self.report(PtxCode::Character, span, format!("unexpected `{shown}`"));
    }

    pub(super) fn unterminated(&mut self) {
        let what = if self.slice(self.current.span).starts_with('"') { "string" } else { "comment" };
        self.report(PtxCode::Unterminated, self.current.span, format!("this {what} is never closed"));
        self.bump();
    }

    /// Skips the rest of the statement: past its `;`, or up to the end of its block or a line that begins a new
    /// statement.
    pub(super) fn recover(&mut self) {
        self.recover_in(0);
    }

    /// Like [`recover`](Self::recover) after a statement with `open` braces that are not closed yet.
    pub(super) fn recover_in(&mut self, mut open: u32) {
        loop {
            let new_line = self.on_new_line();
            match self.current.kind {
                TokenKind::End | TokenKind::Nul => return,
                TokenKind::Name | TokenKind::Dotted if new_line => return,
                TokenKind::Punctuation([b'{' | b'}' | b'@', 0]) if new_line => return,
                TokenKind::Punctuation([b'{', 0]) => open += 1,
                TokenKind::Punctuation([b'}', 0]) if open == 0 => return,
                TokenKind::Punctuation([b'}', 0]) => open -= 1,
                TokenKind::Punctuation([b';', 0]) => return self.bump(),
                _ => {}
            }
            self.bump();
        }
    }

    pub(super) fn semicolon(&mut self, what: &str) {
        if !self.take(b';') {
            self.expected(what);
            self.recover();
        }
    }

    // Skipping.

    /// Skips a group in brackets of any kind, which begins at the current token.
    pub(super) fn skip_group(&mut self) {
        let (first, mut open) = (self.current.span, 0_u32);
        loop {
            match self.current.kind {
                TokenKind::Punctuation([b'(' | b'[' | b'{', 0]) => open += 1,
                TokenKind::Punctuation([b')' | b']' | b'}', 0]) => open -= 1,
                TokenKind::End | TokenKind::Nul => {
                    return self.report(PtxCode::Unbalanced, first, "this bracket is never closed");
                }
                TokenKind::Unknown => {
                    self.unknown_character();
                    continue;
                }
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Skips a directive's arguments and its `;`.
    pub(super) fn skip_statement(&mut self) {
        loop {
            match self.current.kind {
                TokenKind::Punctuation([b';', 0]) => return self.bump(),
                TokenKind::Punctuation([b'(' | b'[' | b'{', 0]) => self.skip_group(),
                TokenKind::Punctuation([b'}', 0]) | TokenKind::End | TokenKind::Nul => {
                    return self.expected("`;`");
                }
                TokenKind::Unknown => self.unknown_character(),
                TokenKind::Unterminated => self.unterminated(),
                _ => self.bump(),
            }
        }
    }
}
