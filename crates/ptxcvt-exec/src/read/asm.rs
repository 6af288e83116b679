//! An `asm` statement of CUDA C++ as a block: the one statement of a text, with its operands.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA". The statement is read by [`ptxcvt_syntax::sources`], as for
//! `ptxcvt check`.

use ptxcvt_syntax::Span;
use ptxcvt_syntax::sources::{Assembly, statements};

use super::error::Error;
use super::interface::{Constraint, of_operands};

/// An `asm` statement.
pub(super) struct Statement {
    /// The operands; `None` if it has none.
    pub constraints: Option<Vec<Constraint>>,
    assembly: Assembly,
}

impl Statement {
    /// The PTX.
    pub fn text(&self) -> &str {
        self.assembly.text()
    }

    /// The place in the source that is nearest to a part of the assembly.
    pub fn locate(&self, span: Span) -> Span {
        self.assembly.nearest(span)
    }
}

/// Finds the one `asm` statement of a text; `None` if the text is plain PTX.
pub(super) fn extract(text: &str) -> Result<Option<Statement>, Error> {
    // The search takes longer than reading a block, and thousands of blocks are read that were never C++.
    if !text.contains('"') && !text.contains("asm") {
        return Ok(None);
    }
    let mut found = statements(text).into_iter();
    let Some(assembly) = found.next() else { return Ok(None) };
    if let Some(second) = found.next() {
        let start = second.span().start;
        let (at, message) = match start == assembly.span().start {
            true => (assembly.span(), "this `asm` statement has `#if` within it: give one branch"),
            false => (Span::new(start, start + 3), "a second `asm` statement: one block runs at a time"),
        };
        return Err(Error::new(at, message));
    }
    if let Some(place) = assembly.unknown_part() {
        let error = Error::new(place, "a macro: its text is unknown");
        return Err(error.with_help("replace the macro by its text"));
    }
    if !assembly.is_complete() {
        let end = assembly.span().end;
        let message = "expected a string, `:` or `)` in this `asm` statement";
        return Err(Error::new(Span::new(end, end + 1), message));
    }
    let constraints = of_operands(assembly.operands())?;
    let constraints = (!constraints.is_empty()).then_some(constraints);
    Ok(Some(Statement { constraints, assembly }))
}
