//! Who is told what a text holds.

use super::declaration::Declaration;
use super::instruction::Instruction;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

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
    /// True when enough was found and the rest need not be read.
    fn stop(&self) -> bool {
        false
    }
}
