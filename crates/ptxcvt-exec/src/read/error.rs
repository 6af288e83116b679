//! Why a text is not a block.

use std::fmt;

use ptxcvt_syntax::Span;

/// A problem of a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The place, in bytes of the text.
    pub span: Span,
    /// The problem.
    pub message: String,
    pub(crate) help: Option<String>,
}

impl Error {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Error { span, message: message.into(), help: None }
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Error { help: Some(help.into()), ..self }
    }

    /// How to correct it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
