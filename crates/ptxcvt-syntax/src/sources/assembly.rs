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
    /// False if its end was not found.
    pub(super) complete: bool,
    pub(super) kind: Kind,
    /// The program may replace parts of it: it is in a source file within a string, or passed to an unknown function.
    pub(super) template: bool,
    /// What macros make of it is judged where they are used.
    pub(super) judged_in_uses: bool,
    /// The macros that made it, if it was read after they were replaced.
    pub(super) expansion: Option<Expansion>,
}

/// An assembly whose macros were replaced.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    /// The text with the places of the code: parts that several uses of a macro have in common have the place of this use.
    pub used: Joined,
    /// The code, and the macros that it names.
    pub code: Span,
    /// Where the statement ends, perhaps in the definition of a macro.
    pub end: u32,
    pub macros: Vec<Rc<Used>>,
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
        // In the string that a macro names.
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

    /// Sets how it came about.
    pub(super) fn of_kind(self, kind: Kind) -> Self {
        Assembly { kind, ..self }
    }

    /// Replaces its text, made of parts of the present one, and its operands.
    pub(super) fn with_text(self, joined: Joined, operands: Operands) -> Self {
        Assembly { joined, operands, ..self }
    }

    /// The assembly of an expanded text, with the places of the source. `at` is the code that the text was made of.
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
