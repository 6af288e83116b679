//! Places in a text, before and after an edit.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// How an edit moves places of a text.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    /// The end of the edited part, before the edit.
    pub end: usize,
    /// The growth of the part by the edit, in bytes; negative if it is shorter.
    pub longer: isize,
}

impl Moved {
    pub fn place(self, at: usize) -> usize {
        if at >= self.end { at.wrapping_add_signed(self.longer) } else { at }
    }

    pub fn span(self, span: Span) -> Span {
        Span::new(self.place(span.start as usize) as u32, self.place(span.end as usize) as u32)
    }
}

/// The places that a finding names.
pub(super) fn places(one: &Diagnostic) -> impl Iterator<Item = Span> + '_ {
    let edits = one.fix().into_iter().flat_map(|fix| fix.edits());
    let related = one.related().map(|(span, _)| span);
    std::iter::once(one.span()).chain(related).chain(edits.map(|edit| edit.span))
}
