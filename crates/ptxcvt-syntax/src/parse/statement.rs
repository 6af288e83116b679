//! Statements in a function or a snippet: labels, blocks, guards, instructions.
//!
//! PTX ISA sections 4.2 (statements), 9.1 (format of instructions) and 9.3 (guards).

use super::declaration::{Declaration, Entity};
use super::instruction::{Operand, OperandKind, Reference, Sign};
use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::Visitor;
use crate::code::PtxCode;
use crate::source::{Span, Word};

/// The most parts of an opcode. No instruction has twenty.
const MAX_PARTS: usize = 100;

/// True if a name can begin an opcode, known or not: `_` is a sink, and `%r` a register.
fn is_opcode(name: &str) -> bool {
    name != "_" && !name.starts_with(['%', '$'])
}

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// True at a name followed by a colon. `_` is not a label.
    fn at_label(&self) -> bool {
        self.word().text != "_" && self.peek().is(b':')
    }

    /// Reads a statement of a function's body.
    pub(super) fn statement(&mut self) {
        match self.current.kind {
            TokenKind::Punctuation([b'{', 0]) => self.enter_block(),
            TokenKind::Punctuation([b'}', 0]) => {
                if self.blocks.pop().is_some() {
                    self.visitor.close(self.current.span);
                } else {
                    self.report(PtxCode::Unbalanced, self.current.span, "this `}` closes nothing");
                }
                self.bump();
            }
            TokenKind::Dotted => self.directive(),
            TokenKind::Name if !is_opcode(self.word().text) && !self.at_label() => {
                self.expected("an instruction, a label or a declaration");
                self.bump();
                self.recover();
            }
            TokenKind::Name => {
                let name = self.word();
                self.bump();
                if self.take(b':') {
                    self.visitor.declare(Declaration::new(name, Entity::Label));
                } else {
                    self.instruction(None, name);
                }
            }
            TokenKind::Placeholder if self.peek().is(b':') => {
                self.bump();
                self.bump();
            }
            TokenKind::Punctuation([b'@', 0]) => self.guarded(),
            _ => {
                self.expected("an instruction, a label or a declaration");
                self.bump();
                self.recover();
            }
        }
    }

    pub(super) fn enter_block(&mut self) {
        self.blocks.push(self.current.span);
        self.visitor.open(self.current.span);
        self.bump();
    }

    /// `@p …` and `@!p …`
    fn guarded(&mut self) {
        let start = self.current.span;
        self.bump();
        let sign = self.take(b'!').then_some(Sign::Not);
        let kind = match self.current.kind {
            TokenKind::Name => OperandKind::Name,
            TokenKind::Placeholder => OperandKind::Placeholder,
            _ => {
                self.expected("a predicate register");
                return self.recover();
            }
        };
        let name = self.word();
        let guard = Operand::new(start.to(name.span), kind(Reference::new(name).signed(sign)));
        self.bump();
        if self.current.kind != TokenKind::Name || !is_opcode(self.word().text) {
            self.expected("an instruction");
            return self.recover();
        }
        let name = self.word();
        self.bump();
        self.instruction(Some(guard), name);
    }

    /// Reads an instruction after its name. The lists of the previous instruction are reused.
    fn instruction(&mut self, guard: Option<Operand<'s>>, name: Word<'s>) {
        let mut instruction = std::mem::take(&mut self.instruction);
        instruction.operands.clear();
        instruction.guard = guard;
        instruction.complete = true;
        instruction.opcode.source = self.text;
        let parts = &mut instruction.opcode.parts;
        parts.clear();
        parts.push(name.span);
        // `.reg` begins a declaration: a semicolon is missing before it.
        while self.current.kind == TokenKind::Dotted
            && self.slice(self.current.span) != ".reg"
            && parts.len() <= MAX_PARTS
        {
            parts.push(self.current.span);
            self.bump();
        }
        // The assembler takes the parts of an opcode from separate words, but this name from one.
        let apart = |pair: &[Span]| pair[0].end != pair[1].start && self.slice(pair[1]) == ".pack";
        let is_apart = name.text == "cvt" && parts.get(..2).is_some_and(apart);
        if is_apart {
            let place = instruction.opcode.span();
            self.report(PtxCode::Syntax, place, "`cvt.pack` is one word, without blanks or comments in it");
        }
        let parts = &instruction.opcode.parts;
        if parts.len() > MAX_PARTS {
            let message = format!("an opcode of more than {MAX_PARTS} parts");
            self.report(PtxCode::Limit, instruction.opcode.span(), message);
            self.instruction = instruction;
            return self.recover();
        }
        self.strict = name.text == "cvt";
        let read =
            if self.strict { self.operands(&mut instruction) } else { self.any_operands(&mut instruction) };
        instruction.span = name.span.to(self.previous);
        instruction.complete &= read;
        if read || !self.strict {
            self.visitor.instruction(&instruction);
        }
        self.instruction = instruction;
        match self.instruction.complete {
            true => self.semicolon("`,` or `;`"),
            false => self.recover_in(self.open_vectors),
        }
    }
}
