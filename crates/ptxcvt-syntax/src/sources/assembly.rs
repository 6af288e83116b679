//! One inline assembly: its PTX with the place of every byte, its operands, and the configurations that compile it.

use super::alternatives;
use super::constraint::{AsmOperand, Operands};
use super::guard::Guards;
use super::text::{HOLE, Joined};
use crate::source::Span;

/// One inline assembly.
#[derive(Clone, Debug)]
pub struct Assembly {
    pub(super) joined: Joined,
    pub(super) operands: Operands,
    pub(super) guards: Guards,
    span: Span,
    /// False if its end was not found.
    pub(super) complete: bool,
    pub(super) kind: Kind,
    /// The program may replace parts of it: it is in a source file within a string, or passed to an unknown function.
    pub(super) template: bool,
}

/// How an assembly came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The program's own inline assembly.
    Inline,
    /// Inline assembly whose parts were chosen by conditions that do not depend on each other, so they may never meet.
    Doubtful,
    /// A part of a module: functions and declarations outside of them.
    Module,
    /// PTX that the program writes, for machines that are not known here.
    Written,
}

impl Assembly {
    pub(super) fn new(
        joined: Joined,
        operands: Operands,
        guards: Guards,
        span: Span,
        complete: bool,
    ) -> Self {
        Assembly { joined, operands, guards, span, complete, kind: Kind::Inline, template: false }
    }

    /// Sets how it came about.
    pub(super) fn of_kind(self, kind: Kind) -> Self {
        Assembly { kind, ..self }
    }

    /// Replaces its text, made of parts of the present one, and its operands.
    pub(super) fn with_text(self, joined: Joined, operands: Operands) -> Self {
        Assembly { joined, operands, ..self }
    }

    /// Reads the text as LLVM's, where `$$` is a dollar sign and `$(a$|b$)` has alternatives.
    pub(super) fn llvm(self) -> Self {
        if !["$$", "$(", "$|", "$)"].iter().any(|sign| self.joined.text.contains(sign)) {
            return self;
        }
        match alternatives::printed(&self.joined) {
            Some(mut joined) => {
                let operands = self.operands.clone().after(&mut joined);
                self.with_text(joined, operands)
            }
            None => Assembly { complete: false, ..self },
        }
    }

    /// The PTX, with its strings joined and their escapes decoded.
    pub fn text(&self) -> &str {
        &self.joined.text
    }

    /// The operands, in the order of their placeholders.
    pub fn operands(&self) -> &[AsmOperand] {
        &self.operands.written
    }

    /// The byte of the PTX for a byte of the source, or for the end of a string.
    pub fn inside(&self, byte: u32) -> Option<u32> {
        self.joined.inside(byte)
    }

    /// The place in the source of a part of the PTX, if the source has the same bytes there.
    pub fn locate(&self, span: Span) -> Option<Span> {
        self.joined.exact(span)
    }

    /// The place in the source that is nearest to a part of the PTX.
    pub fn nearest(&self, span: Span) -> Span {
        self.joined.locate(span)
    }

    /// The place of a part that is unknown because a macro makes it, if there is one.
    pub fn unknown_part(&self) -> Option<Span> {
        let at = self.text().find(HOLE)? as u32;
        Some(self.joined.locate(Span::new(at, at + 1)))
    }

    /// False if the statement has no end, or something in it could not be read.
    pub fn is_complete(&self) -> bool {
        self.complete && !self.operands.unknown
    }

    /// The place of the whole statement or call.
    pub const fn span(&self) -> Span {
        self.span
    }
}
