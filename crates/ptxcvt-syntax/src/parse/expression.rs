//! Constant expressions.
//!
//! PTX ISA section 4.5.5. Their depth is limited because the parser uses recursion only here.

use super::constant::{Constant, Fault, binding};
use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::Visitor;
use crate::code::PtxCode;
use crate::source::Span;

/// The greatest depth of a constant expression.
const MAX_DEPTH: u32 = 100;

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// A constant expression: its value and its place. `None` if the syntax is wrong, which is reported.
    pub(super) fn constant(&mut self) -> Option<(Result<Constant, Fault>, Span)> {
        let start = self.current.span;
        let mut fault = None;
        let (value, span) = self.expression(0, 0, &mut fault)?;
        Some((fault.map_or(Ok(value), Err), start.to(span)))
    }

    /// An expression whose operators have at least the precedence `least`. Keeps the first fault; an operand without a
    /// value counts as zero. Reports wrong syntax and returns `None`.
    fn expression(&mut self, least: u8, depth: u32, fault: &mut Option<Fault>) -> Option<(Constant, Span)> {
        let mut note = |value: Result<Constant, Fault>| {
            value.unwrap_or_else(|found| {
                fault.get_or_insert(found);
                Constant::signed(0)
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
            TokenKind::Name if word.text == "WARP_SZ" => Constant::signed(32),
            TokenKind::Punctuation([sign @ (b'-' | b'+' | b'!' | b'~'), 0]) => {
                self.bump();
                if matches!(self.current.kind, TokenKind::Bits32 | TokenKind::Bits64) {
                    self.expected("a decimal (`0f` and `0d` literals take no sign)");
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
                    let (mut value, end) = self.expression(u8::MAX, depth + 1, fault)?;
                    match (cast, &mut value) {
                        (".s64" | ".u64", Constant::Integer(number)) => number.is_unsigned = cast == ".u64",
                        (".s64" | ".u64", _) => drop(fault.get_or_insert(Fault::IntegerNeeded)),
                        _ => drop(fault.get_or_insert(Fault::Cast)),
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
        // An operator after `0f…` without parentheses is reported as an unexpected token.
        match token.kind {
            TokenKind::Bits32 | TokenKind::Bits64 => Some((value, span)),
            _ => self.operators((value, span), least, depth, fault),
        }
    }

    /// Reads the operators after the first operand.
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
                self.expected("a decimal (`0f` and `0d` literals take no operators)");
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
                Constant::signed(0)
            });
        }
    }
}
