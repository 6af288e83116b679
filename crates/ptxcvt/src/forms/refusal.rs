//! The error of a text that is not a form or a chain, as reported by the command, Python and C.

#[cfg(feature = "alloc")]
use alloc::{format, string::String};
use core::fmt;
use core::str::FromStr;

#[cfg(not(feature = "alloc"))]
use super::fault::Fault;
use super::form::Form;
use super::spelling::Spelling;
use crate::error::Code;
use crate::targets::Machine;
#[cfg(feature = "alloc")]
use crate::text::{clip, clip_to};

/// All problems of a text as one error, with help. Without the feature `alloc`, only the first problem.
///
/// ```
/// use ptxcvt::{Code, Form};
/// let refusal = "cvt.e4m3x2.f32".parse::<Form>().unwrap_err();
/// assert_eq!(refusal.code(), Code::MissingRounding);
/// assert!(refusal.to_string().starts_with("`cvt.e4m3x2.f32`: a rounding modifier is required"));
/// assert_eq!(refusal.help(), Some("write `cvt.rn.satfinite.e4m3x2.f32`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    code: Code,
    #[cfg(feature = "alloc")]
    message: String,
    #[cfg(feature = "alloc")]
    help: Option<String>,
    #[cfg(not(feature = "alloc"))]
    message: Fault,
}

/// Longer messages are cut. Messages for realistic opcodes are shorter.
#[cfg(feature = "alloc")]
const LONGEST_MESSAGE: usize = 400;

impl Refusal {
    /// The code of the first problem.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// How to correct the text, if something can be suggested; `None` without the feature `alloc`.
    pub fn help(&self) -> Option<&str> {
        #[cfg(feature = "alloc")]
        return self.help.as_deref();
        #[cfg(not(feature = "alloc"))]
        return None;
    }
}

#[cfg(feature = "alloc")]
impl Refusal {
    /// A refusal with this code and message.
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into(), help: None }
    }

    /// Sets the help.
    #[must_use]
    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        Refusal { help: Some(help.into()), ..self }
    }

    /// The problems of a spelling that is not a form.
    fn of(spelling: &Spelling<'_>) -> Self {
        let problems = spelling.problems(Machine::ANY);
        let mut message = format!("`{}`: ", clip(spelling.text()));
        for (i, problem) in problems.iter().enumerate() {
            // The message may quote a part of the opcode, which can be long.
            message += if i == 0 { "" } else { "; " };
            message += &clip_to(problem.message(), LONGEST_MESSAGE);
        }
        let help = spelling.help(Machine::ANY);
        let first = problems.first().expect("a spelling that is not a form has a problem");
        let refusal = Refusal::new(first.code(), message);
        match help {
            Some(help) => refusal.with_help(help.text()),
            None => refusal,
        }
    }
}

#[cfg(not(feature = "alloc"))]
impl Refusal {
    /// The first problem of a spelling that is not a form.
    fn of(spelling: &Spelling<'_>) -> Self {
        let mut first = None;
        spelling.visit_problems(Machine::ANY, &mut |fault| first = first.take().or(Some(fault)));
        let first = first.expect("a spelling that is not a form has a problem");
        Refusal { code: first.code(), message: first }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.message, f)
    }
}

impl core::error::Error for Refusal {}

impl FromStr for Form {
    type Err = Refusal;

    /// Parses an opcode with modifiers in any order; blanks around it are ignored. The error has all of its
    /// [`problems`](Spelling::problems) and the form that was probably meant. Where no message is needed,
    /// [`Spelling::form`] is cheaper.
    fn from_str(opcode: &str) -> Result<Form, Refusal> {
        let spelling = Spelling::new(opcode.trim_ascii());
        spelling.form().ok_or_else(|| Refusal::of(&spelling))
    }
}
