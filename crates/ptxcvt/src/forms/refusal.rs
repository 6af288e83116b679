//! Why a text is not taken, as one message with its code and help: what the command, Python and C say.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use super::advice::Advice;
use super::form::Form;
use super::spelling::Spelling;
use crate::error::Code;
use crate::formats::Format;
use crate::targets::Machine;

/// Everything that is wrong with a text, and what to do about it.
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

/// No account of a problem with an opcode that people write is longer.
const LONGEST_ACCOUNT: usize = 400;

impl Refusal {
    /// With this message.
    pub fn new(message: impl Into<String>) -> Self {
        Refusal { code: None, message: message.into(), help: Vec::new() }
    }

    /// The same with a code.
    #[must_use]
    pub fn with_code(self, code: Code) -> Self {
        Refusal { code: Some(code), ..self }
    }

    /// The same with one more line of help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The code of the first thing that is wrong, where it has one.
    pub const fn code(&self) -> Option<Code> {
        self.code
    }

    /// What to do, a sentence each.
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
    /// Reads an opcode; the error names every problem in it and what was probably meant. `parse` is quicker where that
    /// is not wanted.
    ///
    /// # Errors
    ///
    /// Fails if the text is no legal form.
    pub fn read(opcode: &str) -> Result<Form, Refusal> {
        let spelling = Spelling::new(opcode);
        spelling.form().ok_or_else(|| {
            let advice = spelling.advice(Machine::ANY);
            let mut message = String::new();
            let _ = write!(message, "`{}`: ", clip(opcode, 100));
            for (i, problem) in advice.iter().enumerate() {
                // A part of the opcode may stand in it, as long as it was written.
                message += if i == 0 { "" } else { "; " };
                message += &clip(problem.message(), LONGEST_ACCOUNT);
            }
            let code = advice.first().map(Advice::code);
            let mut help: Vec<String> = advice.iter().filter_map(Advice::help).map(String::from).collect();
            help.dedup();
            if spelling.opcode().is_none() {
                help = Vec::from([String::from("an opcode looks like `cvt.rn.satfinite.e4m3x2.f32`")]);
            }
            Refusal { code, message, help }
        })
    }
}

impl Format {
    /// A format by any of its names ([`from_name`](Self::from_name)), with or without a dot before it.
    ///
    /// # Errors
    ///
    /// Fails if there is none; the message lists all.
    pub fn read(name: &str) -> Result<Format, Refusal> {
        Format::from_name(name.trim_start_matches('.')).ok_or_else(|| {
            let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
            Refusal::new(format!("no format `{}`; formats are {}", clip(name, 100), names.join(" ")))
        })
    }
}

/// A text from outside as part of a message: one line of at most so many characters.
pub fn clip(text: &str, longest: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= longest && line.len() == text.len() {
        return text.into();
    }
    line.chars().take(longest).chain(['…']).collect()
}
