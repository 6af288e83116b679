//! Who is told what a text holds.

use std::ops::ControlFlow;

use super::declaration::Declaration;
use super::instruction::Instruction;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

/// Where a reading stands between two statements: everything that what follows depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Where the next token begins.
    pub(super) at: u32,
    /// The token before it.
    pub(super) previous: Span,
    /// The braces of the blocks that are open.
    pub(super) blocks: Vec<Span>,
    /// The module's first lines, which say its version and target, are over.
    pub(super) begun: bool,
    /// No byte from here on was looked at.
    pub(super) seen: u32,
}

impl Place {
    /// Where the next token begins.
    pub const fn at(&self) -> u32 {
        self.at
    }

    /// No byte from here on was looked at, so that what was read before this place does not depend on them.
    pub const fn seen(&self) -> u32 {
        self.seen
    }

    /// The same place in a text in which something has moved.
    #[must_use]
    pub fn moved(&self, span: impl Fn(Span) -> Span, byte: impl Fn(u32) -> u32) -> Self {
        let blocks = self.blocks.iter().copied().map(&span).collect();
        let (at, seen) = (byte(self.at), byte(self.seen));
        Place { at, previous: span(self.previous), blocks, begun: self.begun, seen }
    }

    /// True where a reading that stands here goes on as one that stands there.
    pub fn goes_on_as(&self, other: &Place) -> bool {
        let Place { at, previous, blocks, begun, seen: _ } = other;
        (self.at, self.previous, &self.blocks, self.begun) == (*at, *previous, blocks, *begun)
    }
}

/// Is told what a text holds, in the order of the text: the way to read a module of any size without keeping its
/// tree.
pub trait Visitor<'s> {
    /// `.version`, with the number after it; empty where there is none.
    fn version(&mut self, _version: Word<'s>) {}
    /// `.target`, with the names after it.
    fn target(&mut self, _directive: Span, _names: &[Word<'s>]) {}
    /// The first thing that is neither, or the end of the text.
    fn body(&mut self, _at: Span) {}
    /// A block begins; the parameters of a function are in its block.
    fn open(&mut self, _at: Span) {}
    /// A block ends.
    fn close(&mut self, _at: Span) {}
    /// A name is declared.
    fn declare(&mut self, _declaration: Declaration<'s>) {}
    /// A directive that declares nothing: `.loc`, `.pragma`, `.section`; all of it.
    fn directive(&mut self, _name: Word<'s>, _span: Span) {}
    /// An instruction.
    fn instruction(&mut self, instruction: &Instruction<'s>);
    /// The text is wrong.
    fn problem(&mut self, diagnostic: Diagnostic);
    /// A statement begins at this byte, or something of the module. True to be told, by [`pause`](Self::pause), where the
    /// reading stands.
    fn pauses(&self, _at: u32) -> bool {
        false
    }
    /// Where the reading stands, from where [`resume`](super::resume) goes on; it may be ended here.
    fn pause(&mut self, _place: Place) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// True when enough was found and the rest need not be read.
    fn stop(&self) -> bool {
        false
    }
}
