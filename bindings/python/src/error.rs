//! Errors of the library as one exception with code, message and help.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use ptxcvt::Code;
use ptxcvt::forms::Refusal;
use ptxcvt_bulk::BulkError;

// It is written in Python, so that errors raised there have the same attributes.
pyo3::import_exception!(ptxcvt._error, Error);
pyo3::import_exception!(ptxcvt._error, KindError);

/// The exception; its text is the one that the command prints after `error`.
pub fn error(code: Option<Code>, message: impl Into<String>, help: &[String]) -> PyErr {
    named(code.map(Code::as_str), message, help)
}

/// The exception with a code of any table, or none.
pub fn named(code: Option<&str>, message: impl Into<String>, help: &[String]) -> PyErr {
    Error::new_err((message.into(), code.map(str::to_owned), help.to_vec()))
}

/// A whole number from the user. One that is negative or too large is an error of this package, not `OverflowError`.
#[derive(Clone, Copy, Debug)]
pub struct Whole(pub u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Whole> {
        given.extract().map(Whole).map_err(|failed: PyErr| {
            if failed.is_instance_of::<PyOverflowError>(given.py()) {
                plain(format!("{}: expected a number from 0 to 2^64 - 1", *given))
            } else {
                kind("a whole number", given)
            }
        })
    }
}

/// Text from the user. Anything else is an error of this package and a `TypeError`, too.
#[derive(Clone, Debug)]
pub struct Text(String);

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Text> {
        given.extract().map(Text).map_err(|_: PyErr| kind("a string", given))
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A number from the user, rounded to f32. Anything else is an error of this package.
#[derive(Clone, Copy, Debug)]
pub struct Real(pub f32);

impl<'a, 'py> FromPyObject<'a, 'py> for Real {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Real> {
        given.extract().map(Real).map_err(|_: PyErr| kind("a number", given))
    }
}

/// The error for an argument of a kind that is not accepted.
pub fn kind(expected: &str, given: Borrowed<'_, '_, PyAny>) -> PyErr {
    match given.get_type().name() {
        Ok(name) => KindError::new_err(format!("expected {expected}, not {name}")),
        Err(failed) => failed,
    }
}

impl Whole {
    /// The number as `usize`, at most its largest value.
    pub fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
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
