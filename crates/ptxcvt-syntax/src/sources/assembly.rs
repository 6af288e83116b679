//! One inline assembly: its PTX with the place of every byte, its operands, and the configurations that compile it.

use std::rc::Rc;

use super::alternatives;
use super::constraint::{AsmOperand, Operands};
use super::guard::{Expanded, Guards, Used};
use super::text::{HOLE, Joined};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// One inline assembly.
#[derive(Clone, Debug)]
pub struct Assembly {
    pub(super) joined: Joined,
    pub(super) operands: Operands,
    pub(super) guards: Guards,
    span: Span,
    /// False if the end of the statement was not found.
    pub(super) complete: bool,
    pub(super) kind: Kind,
    /// True if the program may replace parts of the text: it is in a source file inside a string, or passed to an
    /// unknown function.
    pub(super) template: bool,
    /// True if its expansions are judged where the macros are used.
    pub(super) judged_in_uses: bool,
    /// The macros that made it, if it was read after they were replaced.
    pub(super) expansion: Option<Expansion>,
}

/// An assembly whose macros were replaced.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    /// The text with places in the code. Parts that several uses of a macro share have the place of this use.
    pub used: Joined,
    /// The code, and the macros that it names.
    pub code: Span,
    /// Where the statement ends, which may be in the definition of a macro.
    pub end: u32,
    pub macros: Vec<Rc<Used>>,
}

/// The origin of an assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The program's own inline assembly.
    Inline,
    /// Inline assembly whose parts were chosen by independent conditions, so this combination may never occur.
    Doubtful,
    /// A part of a module: functions and declarations outside of them.
    Module,
    /// PTX that the program writes, for an unknown machine.
    Written,
}

impl Expansion {
    /// A finding at `own` in the text, with the place of the code and the macro that made it.
    pub fn placed(&self, finding: Diagnostic, own: Span) -> Diagnostic {
        let span = finding.span();
        let is_within = span.start < span.end && self.code.start <= span.start && span.end <= self.code.end;
        let first = || self.used.locate(Span::new(own.start, own.start + 1));
        let place = match self.used.exact(own) {
            Some(exact) => exact,
            None if is_within => span,
            None => first(),
        };
        let finding = finding.at(place);
        if finding.related().is_some() {
            return finding;
        }
        if self.code.range().contains(&(place.start as usize)) {
            let holds = |used: &&Rc<Used>| used.at == place || used.at.start == self.code.start;
            return match self.macros.iter().find(holds) {
                Some(used) => finding.with_related(used.defined, format!("`{}` is defined here", used.name)),
                None => finding,
            };
        }
        // The finding is in a string to which a macro expands.
        let before = self.macros.iter().filter(|used| used.defined.start <= place.start);
        match before.max_by_key(|used| used.defined.start) {
            Some(used) => finding.with_related(used.at, format!("`{}` is used here", used.name)),
            None => finding,
        }
    }
}

impl Assembly {
    pub(super) fn new(
        joined: Joined,
        operands: Operands,
        guards: Guards,
        span: Span,
        complete: bool,
    ) -> Self {
        let (kind, template, judged_in_uses) = (Kind::Inline, false, false);
        Assembly { joined, operands, guards, span, complete, kind, template, judged_in_uses, expansion: None }
    }

    /// Sets the kind.
    pub(super) fn of_kind(self, kind: Kind) -> Self {
        Assembly { kind, ..self }
    }

    /// Replaces the text, by one made of its parts, and the operands.
    pub(super) fn with_text(self, joined: Joined, operands: Operands) -> Self {
        Assembly { joined, operands, ..self }
    }

    /// The assembly of an expanded text, with places in the source. `at` is the code that was expanded.
    pub(super) fn expanded(self, text: &Expanded, at: Span) -> Self {
        let (joined, used) = (self.joined.through(&text.exact), self.joined.through(&text.used));
        let mut operands = self.operands;
        operands.written.iter_mut().for_each(|operand| operand.span = text.used.locate(operand.span));
        let end = text.exact.locate(Span::new(self.span.end.saturating_sub(1), self.span.end)).end;
        let expansion = Some(Expansion { used, code: at, end, macros: text.macros.clone() });
        Assembly { joined, operands, span: at, expansion, ..self }
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

    /// The place of the first part that is unknown because a macro makes it. `None` if the whole text is known.
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
