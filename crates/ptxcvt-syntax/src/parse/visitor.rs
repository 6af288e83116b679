//! The interface through which the parser reports the pieces of a text.

use std::ops::ControlFlow;

use ptxcvt::forms::RegisterType;

use super::declaration::Declaration;
use super::instruction::Instruction;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

/// The state of the parser between two statements: everything that later text depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The beginning of the next token.
    pub(super) at: u32,
    /// The place of the previous token.
    pub(super) previous: Span,
    /// The braces of the open blocks.
    pub(super) blocks: Vec<Span>,
    /// The first lines, with version and target, are read.
    pub(super) begun: bool,
    /// The first byte that the parser has not read.
    pub(super) seen: u32,
}

impl Place {
    /// The beginning of the next token.
    pub const fn at(&self) -> u32 {
        self.at
    }

    /// The first byte that the parser has not read. Everything before this place is independent of the bytes from
    /// there on.
    pub const fn seen(&self) -> u32 {
        self.seen
    }

    /// The place in a text after an edit; the functions map spans and bytes of the old text to the new one.
    #[must_use]
    pub fn moved(&self, span: impl Fn(Span) -> Span, byte: impl Fn(u32) -> u32) -> Self {
        let blocks = self.blocks.iter().copied().map(&span).collect();
        let (at, seen) = (byte(self.at), byte(self.seen));
        Place { at, previous: span(self.previous), blocks, begun: self.begun, seen }
    }

    /// True if parsing continues from this place as it does from the other.
    pub fn goes_on_as(&self, other: &Place) -> bool {
        let Place { at, previous, blocks, begun, seen: _ } = other;
        (self.at, self.previous, &self.blocks, self.begun) == (*at, *previous, blocks, *begun)
    }
}

/// Receives the pieces of a text in the order of the text, so that a module of any size can be read without a tree.
pub trait Visitor<'s> {
    /// `.version`, with the number after it, which is empty if it is missing.
    fn version(&mut self, _version: Word<'s>) {}
    /// `.target`, with the names after it.
    fn target(&mut self, _directive: Span, _names: &[Word<'s>]) {}
    /// The first item other than `.version` and `.target`, or the end of the text.
    fn body(&mut self, _at: Span) {}
    /// The beginning of a block. The parameters of a function are in its block.
    fn open(&mut self, _at: Span) {}
    /// The end of a block.
    fn close(&mut self, _at: Span) {}
    /// The type of a `.reg` directive or parameter.
    fn register_type(&mut self, _ty: RegisterType, _at: Span) {}
    /// A declaration.
    fn declare(&mut self, _declaration: Declaration<'s>) {}
    /// A directive that does not declare anything, such as `.loc`, `.pragma` and `.section`: its name, and the place of
    /// the whole directive.
    fn directive(&mut self, _name: Word<'s>, _span: Span) {}
    /// False if operands are needed only of conversions. Those of other instructions may then be missing in
    /// [`Instruction::operands`]; wrong syntax in them is reported all the same.
    fn reads_all_operands(&self) -> bool {
        true
    }
    /// An instruction.
    fn instruction(&mut self, instruction: &Instruction<'s>);
    /// A syntax error.
    fn problem(&mut self, diagnostic: Diagnostic);
    /// A statement or an item of the module begins at this byte. If this returns true, [`pause`](Self::pause) is
    /// called next.
    fn pauses(&self, _at: u32) -> bool {
        false
    }
    /// The current place, from which [`resume`](super::resume) can continue. `Break` ends the reading here.
    fn pause(&mut self, _place: Place) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// True to end the reading, because enough was found.
    fn stop(&self) -> bool {
        false
    }
}
