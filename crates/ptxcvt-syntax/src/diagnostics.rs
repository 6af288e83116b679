//! What is said about a module: a code, a place, a sentence, and what would be right.

use std::sync::Arc;

use crate::codes::Code;
use crate::span::Span;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// `ptxas` rejects the module.
    Error,
    /// `ptxas` accepts it; it is surely not meant.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code.
    pub code: Code,
    /// The offending part of the source.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: Arc<str>,
    /// What would be right.
    pub help: Option<Arc<str>>,
    /// Another place that matters, and why: a declaration.
    pub related: Option<(Span, Arc<str>)>,
}

impl Diagnostic {
    /// A finding without help.
    pub fn new(code: impl Into<Code>, span: Span, message: impl Into<Arc<str>>) -> Self {
        Self { code: code.into(), span, message: message.into(), help: None, related: None }
    }

    /// The same with help.
    #[must_use]
    pub fn help(mut self, help: impl Into<Arc<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with another place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<Arc<str>>) -> Self {
        self.related = Some((span, message.into()));
        self
    }

    /// Error or warning.
    pub const fn severity(&self) -> Severity {
        if self.code.is_warning() { Severity::Warning } else { Severity::Error }
    }
}
