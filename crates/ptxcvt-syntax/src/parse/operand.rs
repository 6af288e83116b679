//! Operands. Operands of conversions are read completely, those of other instructions as far as the parser understands
//! them.
//!
//! PTX ISA sections 6.1 (operand types), 6.4 (addresses, arrays, vectors and labels as operands).

use super::instruction::{Instruction, Operand, OperandKind, Reference, Sign, Tail};
use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::Visitor;
use crate::source::Span;

/// The greatest depth of operands within operands: `[map, {x, y}]` has depth two.
const MAX_DEPTH: u32 = 3;

fn is_constant(word: &str) -> bool {
    word == "WARP_SZ"
}

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Reads the operands of a conversion up to the `;`, or to the place where it is missing. Reports wrong syntax and
    /// returns false.
    pub(super) fn operands(&mut self, instruction: &mut Instruction<'s>) -> bool {
        self.open_vectors = 0;
        if self.current.is(b';') {
            return true;
        }
        loop {
            match self.operand(0) {
                Some(operand) => instruction.operands.push(operand),
                None => return std::mem::take(&mut self.quiet),
            }
            if self.take(b',') {
                continue;
            }
            let another = matches!(
                self.current.kind,
                TokenKind::Name | TokenKind::Placeholder | TokenKind::Integer | TokenKind::Decimal
            ) || self.current.is(b'{');
            if !another || self.on_new_line() {
                self.quiet = false;
                return true;
            }
            // A comma is missing. Report only this, whatever follows.
            self.missing_comma();
            self.quiet = true;
            instruction.complete = false;
        }
    }

    /// Reads the operands of any other instruction up to the `;`. An operand that is not understood is
    /// [`OperandKind::Other`]. False if the text is wrong, which is reported.
    pub(super) fn any_operands(&mut self, instruction: &mut Instruction<'s>) -> bool {
        self.open_vectors = 0;
        if self.current.is(b';') {
            return true;
        }
        // Snippets have placeholders.
        if !self.snippet && !self.visitor.reads_all_operands() && self.skip_plain_operands() {
            return true;
        }
        let call = instruction.opcode.name() == "call";
        loop {
            let mark = self.mark();
            self.quiet = true;
            let operand = if call && self.current.is(b'(') { self.list() } else { self.operand(0) };
            self.quiet = false;
            match operand {
                Some(operand) if self.current.is(b',') || self.current.is(b';') => {
                    instruction.operands.push(operand);
                }
                _ => {
                    self.go_back(mark);
                    match self.other() {
                        Some(operand) => instruction.operands.push(operand),
                        None => return false,
                    }
                }
            }
            if !self.take(b',') {
                return true;
            }
        }
    }

    /// Skips an operand that is not understood, up to its comma or semicolon.
    fn other(&mut self) -> Option<Operand<'s>> {
        let start = self.current.span;
        // No operand begins with this token.
        let operator = matches!(self.current.kind, TokenKind::Punctuation([b'*' | b'/' | b'=' | b'^', 0]));
        // In a snippet, `%0` is an operand of CUDA's `asm`.
        let percent = self.current.is(b'%') && !self.snippet;
        let dotted = self.current.kind == TokenKind::Dotted;
        if operator || percent || dotted || self.current.is(b',') || self.current.is(b';') {
            self.expected("an operand");
            return None;
        }
        let mut open = 0_u32;
        // Two operands without a comma between them mean that a semicolon is missing.
        let mut ended = false;
        // A colon belongs to `a ? b : c`; directly after a name it ends a label.
        let mut choices = 0_u32;
        loop {
            use TokenKind as K;
            match self.current.kind {
                K::Punctuation([b':', 0]) if choices == 0 => {
                    self.expected("`,` or `;`");
                    return None;
                }
                K::Punctuation([mark @ (b'?' | b':'), 0]) => {
                    choices = if mark == b'?' { choices + 1 } else { choices - 1 };
                    ended = false;
                }
                K::Punctuation([b';', 0]) => {
                    if open > 0 {
                        self.expected("a closing bracket");
                        return None;
                    }
                    break;
                }
                K::Punctuation([b',', 0]) if open == 0 => break,
                K::Punctuation([b'(' | b'[' | b'{', 0]) => {
                    if ended && self.current.is(b'{') {
                        self.expected("`,` or `;`");
                        return None;
                    }
                    open += 1;
                    ended = false;
                }
                K::Punctuation([b')' | b']' | b'}', 0]) if open > 0 => {
                    open -= 1;
                    ended = true;
                }
                K::Name | K::Integer | K::Decimal | K::Bits32 | K::Bits64 | K::Placeholder | K::String
                    if !ended =>
                {
                    ended = true;
                }
                K::Punctuation([b'}' | b')' | b']', 0])
                | K::Name
                | K::Integer
                | K::Decimal
                | K::Bits32
                | K::Bits64
                | K::Placeholder
                | K::String
                | K::End
                | K::Nul
                | K::Unknown
                | K::Unterminated => {
                    self.expected("`,` or `;`");
                    return None;
                }
                K::Punctuation([b'@', 0]) if ended => {
                    self.expected("`,` or `;`");
                    return None;
                }
                K::Dotted => {}
                _ => ended = false,
            }
            self.bump();
        }
        Some(Operand::new(start.to(self.previous), OperandKind::Other))
    }

    fn operand(&mut self, depth: u32) -> Option<Operand<'s>> {
        let start = self.current.span;
        match self.current.kind {
            TokenKind::Punctuation([b'{', 0]) => self.vector(depth),
            TokenKind::Punctuation([b'[', 0]) => self.address(depth),
            TokenKind::Name if self.word().text == "_" && (self.strict || !self.peek().is(b'|')) => {
                self.bump();
                Some(Operand::new(start, OperandKind::Sink))
            }
            TokenKind::Name if !is_constant(self.word().text) => self.reference(start, None),
            TokenKind::Placeholder => self.reference(start, None),
            TokenKind::Punctuation([sign @ (b'-' | b'!'), 0]) => {
                let next = self.peek();
                let named = match next.kind {
                    TokenKind::Name => !is_constant(self.slice(next.span)),
                    kind => kind == TokenKind::Placeholder,
                };
                if !named {
                    return self.immediate();
                }
                self.bump();
                self.reference(start, Some(if sign == b'-' { Sign::Minus } else { Sign::Not }))
            }
            _ => self.immediate(),
        }
    }

    fn immediate(&mut self) -> Option<Operand<'s>> {
        let (value, span) = self.constant()?;
        Some(Operand::new(span, OperandKind::Constant(value)))
    }

    /// `{a, b, e, f}`
    fn vector(&mut self, depth: u32) -> Option<Operand<'s>> {
        let start = self.current.span;
        self.bump();
        self.open_vectors = 1;
        let mut elements = Vec::new();
        loop {
            if depth >= MAX_DEPTH || (self.strict && self.current.is(b'{')) {
                self.expected("an element (a vector cannot hold a vector)");
                return None;
            }
            elements.push(self.operand(depth + 1)?);
            let end = self.current.span;
            if self.take(b'}') {
                self.open_vectors = 0;
                return Some(Operand::new(start.to(end), OperandKind::Vector(elements)));
            }
            if !self.take(b',') {
                self.expected("`,` or `}`");
                return None;
            }
        }
    }

    /// `[a+4]`, `[map, {x, y}]`
    fn address(&mut self, depth: u32) -> Option<Operand<'s>> {
        let (start, mark) = (self.current.span, self.mark());
        let (quiet, strict) = (self.quiet, self.strict);
        (self.quiet, self.strict) = (true, false);
        self.bump();
        let parts = self.separated(b']', depth);
        (self.quiet, self.strict) = (quiet, strict);
        if let Some((parts, end)) = parts {
            return Some(Operand::new(start.to(end), OperandKind::Address(parts)));
        }
        self.go_back(mark);
        while !matches!(self.current.kind, TokenKind::End | TokenKind::Nul) && !self.current.is(b';') {
            let span = start.to(self.current.span);
            if self.take(b']') {
                return Some(Operand::new(span, OperandKind::Address(Vec::new())));
            }
            self.bump();
        }
        self.expected("`]`");
        None
    }

    /// `(a, b)` of a `call`.
    fn list(&mut self) -> Option<Operand<'s>> {
        let start = self.current.span;
        self.bump();
        if self.current.is(b')') {
            let span = start.to(self.current.span);
            self.bump();
            return Some(Operand::new(span, OperandKind::List(Vec::new())));
        }
        let (parts, end) = self.separated(b')', 0)?;
        Some(Operand::new(start.to(end), OperandKind::List(parts)))
    }

    /// Operands between commas up to `close`, and the place of `close`.
    fn separated(&mut self, close: u8, depth: u32) -> Option<(Vec<Operand<'s>>, Span)> {
        let mut parts = Vec::new();
        loop {
            if depth >= MAX_DEPTH {
                return None;
            }
            parts.push(self.operand(depth + 1)?);
            let end = self.current.span;
            if self.take(close) {
                return Some((parts, end));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    /// A name or a placeholder, and its tail.
    fn reference(&mut self, start: Span, sign: Option<Sign>) -> Option<Operand<'s>> {
        let kind = match self.current.kind {
            TokenKind::Placeholder => OperandKind::Placeholder,
            _ => OperandKind::Name,
        };
        let mut reference = Reference::new(self.word()).signed(sign);
        self.bump();
        if self.current.kind == TokenKind::Dotted {
            reference.selector = Some(self.word());
            self.bump();
        }
        if self.current.is(b'+') && reference.selector.is_none() {
            self.bump();
            let (value, _) = self.constant()?;
            reference.tail = Some(Tail::Offset(value));
        } else if self.current.is(b'-') && !self.strict {
            // `a-4` is `a` and the constant `-4`.
            let (value, _) = self.constant()?;
            reference.tail = Some(Tail::Offset(value));
        } else if self.current.is(b'[') && !self.strict {
            self.bump();
            let (value, _) = self.constant()?;
            reference.tail = Some(Tail::Index(value));
            if !self.take(b']') {
                self.expected("`]`");
                return None;
            }
        } else if self.take(b'|') {
            if !matches!(self.current.kind, TokenKind::Name | TokenKind::Placeholder) {
                self.expected("a predicate register");
                return None;
            }
            reference.tail = Some(Tail::Predicate(self.word()));
            self.bump();
        }
        Some(Operand::new(start.to(self.previous), kind(reference)))
    }
}
