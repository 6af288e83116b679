//! The operands of a conversion, as they are written.
//!
//! PTX ISA sections 6.1 (operand types), 6.4 (vectors as operands) and 4.5.5 (constant expressions).

use std::ops::Range;

use crate::codes::PtxCode;
use crate::constant::{Constant, Fault, binding};
use crate::lex::TokenKind;
use crate::parse::{Parser, Visitor, Word};
use crate::span::Span;

/// Constant expressions deeper than this are not read.
const MAX_DEPTH: u32 = 100;

/// An operand and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand<'s> {
    /// All of it.
    pub span: Span,
    /// What it is.
    pub kind: OperandKind<'s>,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind<'s> {
    /// `%r1`, `v.x`
    Name {
        /// The name.
        name: Word<'s>,
        /// `.x`
        selector: Option<Word<'s>>,
        /// What is written around it that `cvt` might not take.
        extra: Extra,
    },
    /// An immediate.
    Constant(Constant),
    /// An immediate that was found wrong, and reported.
    Faulty,
    /// `{a, b, e, f}`: which of the conversion's elements.
    Vector(Range<usize>),
    /// `_`
    Sink,
    /// `[a]`
    Address,
    /// `%0` of inline assembly, whose type is not known.
    Placeholder,
}

/// What is written around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Nothing.
    None,
    /// `-a`
    Minus,
    /// `!a`
    Not,
    /// `a+4`
    Offset,
    /// `d|p`
    PredicateOutput,
}

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Reads all operands up to the `;`, or to where it is missing. False where the text is wrong, which is
    /// then reported.
    pub(crate) fn read_operands(&mut self) -> bool {
        self.operands.clear();
        self.elements.clear();
        self.open_vectors = 0;
        if self.current.is(b';') {
            return true;
        }
        loop {
            let operand = match self.current.is(b'{') {
                true => self.vector(),
                false => self.operand(),
            };
            match operand {
                Some(operand) => self.operands.push(operand),
                None => return false,
            }
            if !self.take(b',') {
                return true;
            }
        }
    }

    fn vector(&mut self) -> Option<Operand<'s>> {
        let (start, first) = (self.current.span, self.elements.len());
        self.bump();
        self.open_vectors = 1;
        loop {
            if self.current.is(b'{') {
                self.expected("an element: a vector holds no vector");
                return None;
            }
            let element = self.operand()?;
            self.elements.push(element);
            let end = self.current.span;
            if self.take(b'}') {
                self.open_vectors = 0;
                let kind = OperandKind::Vector(first..self.elements.len());
                return Some(Operand { span: start.to(end), kind });
            }
            if !self.take(b',') {
                self.expected("`,` or `}`");
                return None;
            }
        }
    }

    fn operand(&mut self) -> Option<Operand<'s>> {
        let start = self.current.span;
        let is_constant = |word: &str| word == "WARP_SZ";
        match self.current.kind {
            TokenKind::Name if self.word().text == "_" => {
                self.bump();
                Some(Operand { span: start, kind: OperandKind::Sink })
            }
            TokenKind::Name if !is_constant(self.word().text) => self.name(start, Extra::None),
            TokenKind::Placeholder => {
                self.bump();
                let mut span = start;
                if self.current.kind == TokenKind::Dotted {
                    span = start.to(self.current.span);
                    self.bump();
                }
                Some(Operand { span, kind: OperandKind::Placeholder })
            }
            TokenKind::Punctuation([b'[', 0]) => {
                while !matches!(self.current.kind, TokenKind::End | TokenKind::Nul) && !self.current.is(b';')
                {
                    let span = start.to(self.current.span);
                    if self.take(b']') {
                        return Some(Operand { span, kind: OperandKind::Address });
                    }
                    self.bump();
                }
                self.expected("`]`");
                None
            }
            TokenKind::Punctuation([sign @ (b'-' | b'!'), 0])
                if matches!(self.peek().kind, TokenKind::Name)
                    && !is_constant(self.slice(self.peek().span)) =>
            {
                self.bump();
                self.name(start, if sign == b'-' { Extra::Minus } else { Extra::Not })
            }
            _ => self.constant(),
        }
    }

    /// A name and what follows it.
    fn name(&mut self, start: Span, mut extra: Extra) -> Option<Operand<'s>> {
        let name = self.word();
        let mut end = name.span;
        self.bump();
        let selector = (self.current.kind == TokenKind::Dotted).then(|| {
            let selector = self.word();
            end = selector.span;
            self.bump();
            selector
        });
        if self.current.is(b'+') && selector.is_none() {
            self.bump();
            end = self.constant()?.span;
            extra = Extra::Offset;
        } else if self.take(b'|') {
            end = self.current.span;
            if self.current.kind != TokenKind::Name {
                self.expected("a predicate register");
                return None;
            }
            self.bump();
            extra = Extra::PredicateOutput;
        }
        Some(Operand { span: start.to(end), kind: OperandKind::Name { name, selector, extra } })
    }

    /// A constant expression.
    fn constant(&mut self) -> Option<Operand<'s>> {
        let start = self.current.span;
        let mut fault = None;
        let (value, span) = self.expression(0, 0, &mut fault)?;
        let kind = match fault {
            None => OperandKind::Constant(value),
            Some(fault) => {
                self.report(PtxCode::Constant, span, Fault::describe(fault));
                OperandKind::Faulty
            }
        };
        Some(Operand { span: start.to(span), kind })
    }

    /// An expression whose operators bind at least as tightly as `least`. The first fault is noted, and zero
    /// stands for what has no value; `None` where the syntax is wrong, which is then reported.
    fn expression(&mut self, least: u8, depth: u32, fault: &mut Option<Fault>) -> Option<(Constant, Span)> {
        let mut note = |value: Result<Constant, Fault>| {
            value.unwrap_or_else(|found| {
                fault.get_or_insert(found);
                Constant::Integer(0)
            })
        };
        if depth > MAX_DEPTH {
            let message = format!("constant expressions are read up to {MAX_DEPTH} levels deep");
            self.report(PtxCode::Limit, self.current.span, message);
            return None;
        }
        let (token, mut span) = (self.current, self.current.span);
        let word = self.word();
        let value = match token.kind {
            TokenKind::Integer => note(Constant::integer(word.text)),
            TokenKind::Decimal => note(Constant::decimal(word.text)),
            TokenKind::Bits32 | TokenKind::Bits64 => note(Constant::bits(word.text)),
            TokenKind::Name if word.text == "WARP_SZ" => Constant::Integer(32),
            TokenKind::Punctuation([sign @ (b'-' | b'+' | b'!' | b'~'), 0]) => {
                self.bump();
                if matches!(self.current.kind, TokenKind::Bits32 | TokenKind::Bits64) {
                    self.expected("a decimal: `0f` and `0d` literals take no sign");
                    return None;
                }
                let (operand, end) = self.expression(u8::MAX, depth + 1, fault)?;
                let value = operand.unary(sign).unwrap_or_else(|found| {
                    fault.get_or_insert(found);
                    operand
                });
                return self.operators((value, span.to(end)), least, depth, fault);
            }
            TokenKind::Punctuation([b'(', 0]) => {
                self.bump();
                if self.current.kind == TokenKind::Dotted {
                    let cast = self.word().text;
                    self.bump();
                    if !self.take(b')') {
                        self.expected("`)`");
                        return None;
                    }
                    let (value, end) = self.expression(u8::MAX, depth + 1, fault)?;
                    if !matches!(cast, ".s64" | ".u64") {
                        fault.get_or_insert(Fault::Cast);
                    } else if !matches!(value, Constant::Integer(_)) {
                        fault.get_or_insert(Fault::IntegerNeeded);
                    }
                    return self.operators((value, span.to(end)), least, depth, fault);
                }
                let (value, _) = self.expression(0, depth + 1, fault)?;
                if !self.current.is(b')') {
                    self.expected("`)`");
                    return None;
                }
                span = span.to(self.current.span);
                value
            }
            _ => {
                self.expected("an operand");
                return None;
            }
        };
        self.bump();
        // The operator after a bare `0f…` is then found where `,` or `;` should be.
        match token.kind {
            TokenKind::Bits32 | TokenKind::Bits64 => Some((value, span)),
            _ => self.operators((value, span), least, depth, fault),
        }
    }

    /// The operators after a first operand.
    fn operators(
        &mut self,
        (mut left, mut span): (Constant, Span),
        least: u8,
        depth: u32,
        fault: &mut Option<Fault>,
    ) -> Option<(Constant, Span)> {
        loop {
            let TokenKind::Punctuation(operator) = self.current.kind else { return Some((left, span)) };
            let tightness = if operator == *b"?\0" { Some(0) } else { binding(operator) };
            let Some(tightness) = tightness.filter(|&t| t >= least) else { return Some((left, span)) };
            self.bump();
            if matches!(self.current.kind, TokenKind::Bits32 | TokenKind::Bits64) {
                self.expected("a decimal: `0f` and `0d` literals take no operators");
                return None;
            }
            let result = if tightness == 0 {
                let (yes, _) = self.expression(0, depth + 1, fault)?;
                if !self.take(b':') {
                    self.expected("`:`");
                    return None;
                }
                let (no, end) = self.expression(0, depth + 1, fault)?;
                span = span.to(end);
                left.choose(yes, no)
            } else {
                let (right, end) = self.expression(tightness + 1, depth + 1, fault)?;
                span = span.to(end);
                left.binary(operator, right)
            };
            left = result.unwrap_or_else(|found| {
                fault.get_or_insert(found);
                Constant::Integer(0)
            });
        }
    }
}
