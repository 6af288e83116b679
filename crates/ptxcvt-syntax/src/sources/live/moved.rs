//! Places in a text that is edited.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What becomes of the places of a text after an edit.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    /// The end of the edited part, before the edit.
    pub end: usize,
    /// By how much the part is longer after the edit.
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
