//! Errors of the library as one exception with code, message and help.

use std::path::PathBuf;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use ptxcvt::forms::Refusal;
use ptxcvt::{Code, UnknownName, clip};
use ptxcvt_bulk::BulkError;

// The exception is defined in Python, so that errors raised in Python have the same attributes.
pyo3::import_exception!(ptxcvt._error, Error);
pyo3::import_exception!(ptxcvt._error, KindError);

/// The exception. Its text is what the command prints after `error`.
pub fn error(code: Option<Code>, message: impl Into<String>, help: &[String]) -> PyErr {
    coded(code.map(Code::as_str), message, help)
}

/// The exception with any code, or without one.
pub fn coded(code: Option<&str>, message: impl Into<String>, help: &[String]) -> PyErr {
    let help: Vec<String> = help.iter().map(|line| arguments(line)).collect();
    Error::new_err((arguments(&message.into()), code.map(str::to_owned), help))
}

/// Renames options in messages of the libraries to Python's arguments: `--global-amax` becomes `global_amax`.
fn arguments(text: &str) -> String {
    let mut parts = text.split("--");
    let mut all = parts.next().expect("a split has a first part").to_owned();
    for part in parts {
        let letters = |c: char| c.is_ascii_lowercase() || c == '-';
        let (name, rest) = part.split_at(part.find(|c| !letters(c)).unwrap_or(part.len()));
        if name.is_empty()
            || name.starts_with('-')
            || all.ends_with(|c: char| c.is_alphanumeric() || c == '-')
        {
            all.extend(["--", part]);
            continue;
        }
        let quote = if all.ends_with('`') { "" } else { "`" };
        all.extend([quote, &name.replace('-', "_"), quote, rest]);
    }
    all
}

/// An argument whose value is available only after it is named, so that every message contains the argument's name.
///
/// [`named!`] names arguments by their variables.
pub trait Named {
    /// The value.
    type Value;

    /// The value, or the error that names the argument.
    fn named(self, name: &str) -> PyResult<Self::Value>;
}

/// Replaces arguments by their values: `named!(target, isa)`.
macro_rules! named {
    ($($argument:ident),+) => {
        $(let $argument = $crate::error::Named::named($argument, stringify!($argument))?;)+
    };
}
pub(crate) use named;

impl<T: Named> Named for Option<T> {
    type Value = Option<T::Value>;

    fn named(self, name: &str) -> PyResult<Self::Value> {
        self.map(|given| given.named(name)).transpose()
    }
}

impl<T: Named> Named for Vec<T> {
    type Value = Vec<T::Value>;

    fn named(self, name: &str) -> PyResult<Self::Value> {
        self.into_iter().map(|given| given.named(name)).collect()
    }
}

/// Why an argument was rejected: the message after the argument's name.
#[derive(Debug)]
enum Refused {
    /// The expected kind, and the type of the argument.
    Kind(&'static str, String),
    /// A traced array of JAX, which has no values yet.
    Traced,
    /// The value, and the range that it must be in.
    Range(String, &'static str),
}

impl Refused {
    fn kind(expected: &'static str, given: Borrowed<'_, '_, PyAny>) -> Self {
        if is_traced(given).unwrap_or(false) {
            Refused::Traced
        } else {
            Refused::Kind(expected, type_name(given))
        }
    }

    fn named(self, name: &str) -> PyErr {
        match self {
            Refused::Kind(expected, given) => {
                KindError::new_err(format!("{name}: expected {expected}, not {given}"))
            }
            Refused::Traced => Python::attach(|py| match about_traced(py, name) {
                Ok(error) => PyErr::from_value(error),
                Err(failed) => failed,
            }),
            Refused::Range(given, expected) => plain(format!("{name}={given}: expected {expected}")),
        }
    }
}

/// Defines an argument type that is converted when Python calls, and whose error is raised once the argument is named.
macro_rules! argument {
    ($(#[$about:meta])* $name:ident($value:ty), $read:expr) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name(Result<$value, Refused>);

        impl<'a, 'py> FromPyObject<'a, 'py> for $name {
            type Error = PyErr;

            fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<$name> {
                let read: fn(Borrowed<'_, '_, PyAny>) -> Result<$value, Refused> = $read;
                Ok($name(read(given)))
            }
        }

        impl Named for $name {
            type Value = $value;

            fn named(self, name: &str) -> PyResult<$value> {
                self.0.map_err(|refused| refused.named(name))
            }
        }
    };
}

argument! {
    /// A whole number from the user. If it is negative or too large, raises this package's error and not
    /// `OverflowError`.
    Whole(u64), |given| {
        given.extract().map_err(|failed: PyErr| match failed.is_instance_of::<PyOverflowError>(given.py()) {
            true => Refused::Range(given.to_string(), "a whole number from 0 to 2^64 - 1"),
            false => Refused::kind("a whole number", given),
        })
    }
}

argument! {
    /// Text from the user. Anything else raises this package's error, which is also a `TypeError`.
    Text(String), |given| given.extract().map_err(|_: PyErr| match given.is_instance_of::<PyString>() {
        true => Refused::Range(shown(given), "text without single surrogates"),
        false => Refused::kind("a string", given),
    })
}

argument! {
    /// A name that may be a file: text or a path.
    Name(String), |given| {
        let text = given.extract().or_else(|_: PyErr| {
            given.extract::<PathBuf>().ok().and_then(|path| path.into_os_string().into_string().ok()).ok_or(())
        });
        text.map_err(|()| Refused::kind("a string or a path", given))
    }
}

argument! {
    /// A number from the user.
    Number(f64), |given| number(given, "a number that f64 can hold")
}

argument! {
    /// A number from the user, rounded to f32. A finite number that would become infinity is an error.
    Real(f32), |given| {
        /// What is expected in place of a number that is too large.
        const SMALLER: &str = "a number that f32 can hold";
        let number = number(given, SMALLER)?;
        let rounded = number as f32;
        match number.is_finite() && rounded.is_infinite() {
            true => Err(Refused::Range(shown(given), SMALLER)),
            false => Ok(rounded),
        }
    }
}

/// A number as f64. `smaller` is what is expected in place of an int that f64 cannot hold.
fn number(given: Borrowed<'_, '_, PyAny>, smaller: &'static str) -> Result<f64, Refused> {
    given.extract().map_err(|failed: PyErr| match failed.is_instance_of::<PyOverflowError>(given.py()) {
        true => Refused::Range(shown(given), smaller),
        false => Refused::kind("a number", given),
    })
}

/// An argument as Python would write it, if it is short. Python refuses to write ints of many digits.
fn shown(given: Borrowed<'_, '_, PyAny>) -> String {
    given.repr().map_or_else(|_| type_name(given), |text| clip(&text.to_string()))
}

/// The error for an argument of a wrong kind.
pub fn kind(name: &str, expected: &'static str, given: Borrowed<'_, '_, PyAny>) -> PyErr {
    Refused::kind(expected, given).named(name)
}

/// Whether an argument is a traced array of JAX.
fn is_traced(given: Borrowed<'_, '_, PyAny>) -> PyResult<bool> {
    given.py().import("ptxcvt._error")?.call_method1("is_traced", (given,))?.is_truthy()
}

/// The error for a traced array.
fn about_traced<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("ptxcvt._error")?.call_method1("traced", (name,))
}

fn type_name(given: Borrowed<'_, '_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// A whole number as `usize`, limited to its largest value.
pub fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// An error without a code.
pub fn plain(message: impl Into<String>) -> PyErr {
    error(None, message, &[])
}

/// The error for an opcode that cannot be parsed.
pub fn refused(refusal: &Refusal) -> PyErr {
    let help: Vec<String> = refusal.help().map(str::to_owned).into_iter().collect();
    error(Some(refusal.code()), refusal.to_string(), &help)
}

/// The error for a name that does not exist.
pub fn unknown_name(unknown: UnknownName) -> PyErr {
    error(Some(unknown.code()), unknown.to_string(), &[])
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
