//! What is said about a module: a code, a place, a sentence, and what would be right.

use std::fmt;
use std::sync::Arc;

use crate::code::Code;
use crate::edit::Fix;
use crate::source::Span;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
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
///
/// ```
/// use ptxcvt_syntax::{Diagnostic, PtxCode, Severity, Span};
/// let diagnostic = Diagnostic::new(PtxCode::Sink, Span::new(0, 1), "`_` is not a source").with_help("name one");
/// assert_eq!(diagnostic.to_string(), "`_` is not a source");
/// assert_eq!(diagnostic.code().as_str(), "CVT112");
/// assert_eq!(diagnostic.help(), Some("name one"));
/// assert_eq!(diagnostic.severity(), Severity::Error);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    code: Code,
    span: Span,
    message: Arc<str>,
    help: Option<Arc<str>>,
    related: Option<(Span, Arc<str>)>,
    fix: Option<Arc<Fix>>,
    severity: Option<Severity>,
}

impl Diagnostic {
    /// A finding at a place of the source, in one sentence.
    pub fn new(code: impl Into<Code>, span: Span, message: impl Into<Arc<str>>) -> Self {
        Self {
            code: code.into(),
            span,
            message: message.into(),
            help: None,
            related: None,
            fix: None,
            severity: None,
        }
    }

    /// The same with what would be right.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Arc<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with help, if there is any.
    #[must_use]
    pub(crate) fn with_help_if(mut self, help: Option<Arc<str>>) -> Self {
        self.help = help;
        self
    }

    /// The same with another place that matters, and why: a declaration.
    #[must_use]
    pub fn with_related(mut self, span: Span, message: impl Into<Arc<str>>) -> Self {
        self.related = Some((span, message.into()));
        self
    }

    /// The same with edits that make it go away.
    #[must_use]
    pub fn with_fix(self, fix: impl Into<Option<Fix>>) -> Self {
        Self { fix: fix.into().map(Arc::new), ..self }
    }

    /// The same, but as grave as somebody decides.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity: Some(severity), ..self }
    }

    /// The same at other places of another text; an edit without such a place is dropped.
    pub(crate) fn moved(self, place: impl Fn(Span) -> Span, exact: impl Fn(Span) -> Option<Span>) -> Self {
        let fix = self.fix().and_then(|fix| fix.moved(exact));
        let related = self.related.clone().map(|(span, message)| (place(span), message));
        Self { span: place(self.span), related, ..self }.with_fix(fix)
    }

    /// Its code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The offending part of the source.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What would be right.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Another place that matters, and why.
    pub fn related(&self) -> Option<(Span, &str)> {
        self.related.as_ref().map(|(span, message)| (*span, &**message))
    }

    /// Edits that make it go away.
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_deref()
    }

    /// Error or warning: what ptxas would say, if nobody decided otherwise.
    pub const fn severity(&self) -> Severity {
        match self.severity {
            Some(severity) => severity,
            None if self.code.is_warning() => Severity::Warning,
            None => Severity::Error,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}
