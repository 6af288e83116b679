//! Findings: a code, a place, a sentence, and what would be right.

use std::fmt;
use std::sync::Arc;

use crate::code::Code;
use crate::edit::Fix;
use crate::source::Span;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// `ptxas` rejects the module.
    Error,
    /// `ptxas` accepts it, but it is certainly a mistake.
    Warning,
    /// `ptxas` rejects it only in a configuration that depends on a flag whose value is unknown.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
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

    /// Adds help: what would be right.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Arc<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Replaces the message.
    #[must_use]
    pub(crate) fn with_message(mut self, message: impl Into<Arc<str>>) -> Self {
        self.message = message.into();
        self
    }

    /// Sets the help, or removes it.
    #[must_use]
    pub(crate) fn with_help_if(mut self, help: Option<Arc<str>>) -> Self {
        self.help = help;
        self
    }

    /// Adds a second place that explains the finding, such as a declaration, and a few words about it.
    #[must_use]
    pub fn with_related(mut self, span: Span, message: impl Into<Arc<str>>) -> Self {
        self.related = Some((span, message.into()));
        self
    }

    /// Sets the edits that remove the finding.
    #[must_use]
    pub fn with_fix(self, fix: impl Into<Option<Fix>>) -> Self {
        Self { fix: fix.into().map(Arc::new), ..self }
    }

    /// Overrides the severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity: Some(severity), ..self }
    }

    /// Replaces the place.
    pub(crate) fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// Maps the places to another text. Removes a fix that has no place in that text.
    pub(crate) fn moved(self, place: impl Fn(Span) -> Span, exact: impl Fn(Span) -> Option<Span>) -> Self {
        let fix = self.fix().and_then(|fix| fix.moved(exact));
        let related = self.related.clone().map(|(span, message)| (place(span), message));
        Self { span: place(self.span), related, ..self }.with_fix(fix)
    }

    /// The code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The offending part of the source.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// The problem, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How to correct it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// A second place that explains the finding, and a few words about it.
    pub fn related(&self) -> Option<(Span, &str)> {
        self.related.as_ref().map(|(span, message)| (*span, &**message))
    }

    /// The edits that remove the finding.
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_deref()
    }

    /// The severity: ptxas's, unless it was overridden.
    pub const fn severity(&self) -> Severity {
        match self.severity {
            Some(severity) => severity,
            None if self.code.is_warning() => Severity::Warning,
            None => Severity::Error,
        }
    }
}

/// Sorts findings by place. Findings at one place keep their order.
pub(crate) fn sort_by_place(findings: &mut [Diagnostic]) {
    ptxcvt::order_by(findings, |one| one.span().start.into());
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}
