//! Edits that remove a finding, and how safe they are.

use std::sync::Arc;

use crate::source::Span;

/// How safe a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Applicability {
    /// The intention is certain: spelling, order, a modifier that the types require.
    Safe,
    /// The fix changes results, or the module's target or version: another rounding, another form, another target.
    Unsafe,
}

impl Applicability {
    /// `safe` or `unsafe`.
    pub const fn name(self) -> &'static str {
        match self {
            Applicability::Safe => "safe",
            Applicability::Unsafe => "unsafe",
        }
    }
}

/// A replacement of a part of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The part that is replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: Arc<str>,
}

/// The edits that remove one finding.
///
/// ```
/// use ptxcvt_syntax::fix::{Applicability, Fix};
/// use ptxcvt_syntax::Span;
/// let fix = Fix::new(Applicability::Safe, "write `cvt.f32.f16`", Span::new(4, 12), "cvt.f32.f16");
/// assert_eq!(fix.edits()[0].span, Span::new(4, 12));
/// assert_eq!(fix.applicability().name(), "safe");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    title: Arc<str>,
    edits: Vec<Edit>,
    applicability: Applicability,
}

impl Fix {
    /// A fix of one edit: its title, the place, and the new text.
    pub fn new(
        applicability: Applicability,
        title: impl Into<Arc<str>>,
        span: Span,
        text: impl Into<Arc<str>>,
    ) -> Self {
        Fix { title: title.into(), edits: vec![Edit { span, text: text.into() }], applicability }
    }

    /// A short description of what the fix does.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The edits, which do not overlap.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// How safe the fix is.
    pub const fn applicability(&self) -> Applicability {
        self.applicability
    }

    /// Maps the places to another text. `None` if a place is not in that text.
    pub(crate) fn moved(&self, place: impl Fn(Span) -> Option<Span>) -> Option<Fix> {
        let edits = self.edits.iter();
        let edits = edits.map(|edit| Some(Edit { span: place(edit.span)?, text: edit.text.clone() }));
        Some(Fix { edits: edits.collect::<Option<_>>()?, ..self.clone() })
    }
}
