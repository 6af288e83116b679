//! Errors of the library as one exception with code, message and help.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use ptxcvt::Code;
use ptxcvt::bulk::BulkError;
use ptxcvt::forms::Refusal;

create_exception!(
    ptxcvt,
    Error,
    PyValueError,
    "What the command `ptxcvt` would say: `code` (such as \"CVT006\", or None), `message`, and `help`, a tuple of sentences."
);

/// The exception; its text is what the command prints behind `error`.
pub fn error(code: Option<Code>, message: impl Into<String>, help: &[String]) -> PyErr {
    named(code.map(Code::as_str), message, help)
}

/// The same with a code of another table, or none.
pub fn named(code: Option<&str>, message: impl Into<String>, help: &[String]) -> PyErr {
    let message = message.into();
    let mut text = code.map_or(String::new(), |code| format!("[{code}] ")) + &message;
    for line in help {
        text += "\nhelp: ";
        text += line;
    }
    let raised = Error::new_err(text);
    Python::attach(|py| -> PyResult<()> {
        let value = raised.value(py);
        value.setattr("code", code)?;
        value.setattr("message", message)?;
        value.setattr("help", PyTuple::new(py, help)?)
    })
    .map_or_else(|failed| failed, |()| raised)
}

/// An error without a code.
pub fn plain(message: impl Into<String>) -> PyErr {
    error(None, message, &[])
}

/// An opcode or a format that cannot be read.
pub fn refused(refusal: &Refusal) -> PyErr {
    error(refusal.code(), refusal.to_string(), refusal.help())
}

/// Arrays that do not fit.
pub fn bulk(failed: &BulkError) -> PyErr {
    // What the library advises its callers in Rust to do is not what a caller here can do.
    let help = match failed {
        BulkError::OddElements { .. } => vec![
            "pad=True fills odd rows up with zeros; without packed=True an element takes a byte".to_owned(),
        ],
        BulkError::NotPacked { .. } => vec!["ptxcvt.cvt takes one array for each source operand".to_owned()],
        _ => Vec::new(),
    };
    error(Some(failed.code()), failed.to_string(), &help)
}
