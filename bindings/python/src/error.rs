//! Errors of the library as one exception with code, message and help.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use ptxcvt::Code;
use ptxcvt::forms::Refusal;
use ptxcvt_bulk::BulkError;

create_exception!(
    ptxcvt,
    Error,
    PyValueError,
    "An error of ptxcvt, in the words of the command: `code` (such as \"CVT006\", or None), `message`, and `help`, a tuple of sentences."
);

/// The exception; its text is the one that the command prints after `error`.
pub fn error(code: Option<Code>, message: impl Into<String>, help: &[String]) -> PyErr {
    named(code.map(Code::as_str), message, help)
}

/// The exception with a code of any table, or none.
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

/// The error for an opcode or a format that cannot be parsed.
pub fn refused(refusal: &Refusal) -> PyErr {
    error(refusal.code(), refusal.to_string(), refusal.help())
}

/// The error for arrays that do not fit.
pub fn bulk(failed: &BulkError) -> PyErr {
    // The library's advice is for Rust callers.
    let help = match failed {
        BulkError::OddElements { .. } => vec![
            "pad=True pads odd rows with a zero; without packed=True each element takes a byte".to_owned(),
        ],
        BulkError::NotPacked { .. } => {
            vec!["ptxcvt.cvt accepts one array for each source operand".to_owned()]
        }
        _ => Vec::new(),
    };
    error(Some(failed.code()), failed.to_string(), &help)
}
