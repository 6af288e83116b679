//! One error for a text that is not a form, format or chain, as reported by the command, Python and C.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use super::form::Form;
use super::problem::Problem;
use super::spelling::Spelling;
use crate::error::Code;
use crate::formats::Format;
use crate::targets::Machine;
use crate::text::{clip, clip_to};

/// All problems of a text as one error, with all of the help.
///
/// ```
/// use ptxcvt::{Code, Form};
/// let refusal = Form::read("cvt.e4m3x2.f32").unwrap_err();
/// assert_eq!(refusal.code(), Some(Code::MissingRounding));
/// assert!(refusal.to_string().starts_with("`cvt.e4m3x2.f32`: a rounding modifier is required"));
/// assert_eq!(refusal.help(), ["write `cvt.rn.satfinite.e4m3x2.f32`"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    code: Option<Code>,
    message: String,
    help: Vec<String>,
}

/// Longer messages are cut. Messages for realistic opcodes are shorter.
const LONGEST_MESSAGE: usize = 400;

impl Refusal {
    /// A refusal with this message.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Refusal { code: None, message: message.into(), help: Vec::new() }
    }

    /// Sets the code.
    #[must_use]
    pub(super) fn with_code(self, code: Code) -> Self {
        Refusal { code: Some(code), ..self }
    }

    /// Adds a line of help.
    #[must_use]
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The code of the first problem, if it has one.
    pub const fn code(&self) -> Option<Code> {
        self.code
    }

    /// How to correct the text, a sentence each.
    pub fn help(&self) -> &[String] {
        &self.help
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Refusal {}

impl Form {
    /// Parses an opcode. The error has all of its [`problems`](Spelling::problems) and the form that was
    /// probably meant. The error of `parse` has only the first problem, and is cheaper.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a legal form.
    pub fn read(opcode: &str) -> Result<Form, Refusal> {
        let spelling = Spelling::new(opcode);
        spelling.form().ok_or_else(|| {
            let problems = spelling.problems(Machine::ANY);
            let mut message = String::new();
            let _ = write!(message, "`{}`: ", clip(opcode));
            for (i, problem) in problems.iter().enumerate() {
                // The message may quote a part of the opcode, which can be long.
                message += if i == 0 { "" } else { "; " };
                message += &clip_to(problem.message(), LONGEST_MESSAGE);
            }
            let code = problems.first().map(Problem::code);
            let mut help: Vec<String> = problems.iter().filter_map(Problem::help).map(String::from).collect();
            help.dedup();
            if spelling.opcode().is_none() {
                help = Vec::from([String::from("an opcode looks like `cvt.rn.satfinite.e4m3x2.f32`")]);
            }
            Refusal { code, message, help }
        })
    }
}

impl Format {
    /// Finds a format by any of its names ([`from_name`](Self::from_name)), with or without a dot before it.
    ///
    /// # Errors
    ///
    /// Fails if no format has the name; the message lists all formats.
    pub fn read(name: &str) -> Result<Format, Refusal> {
        Format::from_name(name.trim_start_matches('.')).ok_or_else(|| {
            let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
            Refusal::new(format!("no format `{}`; formats are {}", clip(name), names.join(" ")))
        })
    }
}
