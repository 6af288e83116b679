//! Edits: what would make a finding go away, and how sure that is.

use std::sync::Arc;

use crate::source::Span;

/// How sure a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Applicability {
    /// It says what was meant beyond doubt: spelling, order, a modifier that the types require.
    Safe,
    /// It changes results, or for what the module is built: another rounding, another form, another target.
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

/// A place of the source and what is to stand there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// What goes; empty where something is only added.
    pub span: Span,
    /// What comes.
    pub text: Arc<str>,
}

/// The edits that make one finding go away.
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
    /// A fix of one edit: what it does in a few words, a place, and what is to stand there.
    pub fn new(
        applicability: Applicability,
        title: impl Into<Arc<str>>,
        span: Span,
        text: impl Into<Arc<str>>,
    ) -> Self {
        Fix { title: title.into(), edits: vec![Edit { span, text: text.into() }], applicability }
    }

    /// What it does, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The edits, which do not overlap.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// How sure it is.
    pub const fn applicability(&self) -> Applicability {
        self.applicability
    }

    /// The same at other places of another text; none where a place is not there.
    pub(crate) fn moved(&self, place: impl Fn(Span) -> Option<Span>) -> Option<Fix> {
        let edits = self.edits.iter();
        let edits = edits.map(|edit| Some(Edit { span: place(edit.span)?, text: edit.text.clone() }));
        Some(Fix { edits: edits.collect::<Option<_>>()?, ..self.clone() })
    }
}
