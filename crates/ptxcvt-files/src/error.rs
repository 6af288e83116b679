//! Errors of reading, writing and interpreting files.

use std::fmt;
use std::io;

use ptxcvt::forms::Refusal;
use ptxcvt::literal::LiteralError;
use ptxcvt::targets::{IsaVersionError, MachineError, TargetError};
use ptxcvt::{Code, UnknownName};

/// The reason why an operation failed, with lines of help. The errors of this crate are about files and arrays; the
/// command uses the type for all of its errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileError {
    /// The code of the diagnostic, if it has one.
    pub code: Option<Code>,
    /// A message that names the file or array and the problem.
    pub message: String,
    /// Lines.
    help: Option<String>,
}

impl FileError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        FileError { code: None, message: message.into(), help: None }
    }

    /// The error for a file or folder that cannot be read: its name, and why.
    pub fn cannot_read(name: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::new(format!("cannot read {name}: {why}"))
    }

    /// Sets the code.
    pub fn with_code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds text before the message.
    pub fn after(self, before: impl fmt::Display) -> Self {
        FileError { message: format!("{before}{}", self.message), ..self }
    }

    /// Adds a line of help.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        let help = help.into();
        let help = match self.help {
            Some(before) => before + "\n" + &help,
            None => help,
        };
        FileError { help: Some(help), ..self }
    }

    /// Adds the help of another error, if it has any.
    pub fn with_help_if(self, help: Option<&str>) -> Self {
        match help {
            Some(help) => self.with_help(help),
            None => self,
        }
    }

    /// How to correct it, in one line or several.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The lines of help.
    pub fn help_lines(&self) -> impl Iterator<Item = &str> {
        self.help().into_iter().flat_map(str::lines)
    }

    /// The failure of an operation on the file `name`.
    pub fn io(name: impl fmt::Display, error: &io::Error) -> Self {
        FileError::new(format!("{name}: {}", reason(error)))
    }
}

/// The message, then the lines of help, all in one line.
impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help_lines().try_for_each(|help| write!(f, "; {help}"))
    }
}

impl std::error::Error for FileError {}

/// The system's reason alone, for streams without a name. [`FileError::io`] names the file.
impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        FileError::new(reason(&error))
    }
}

/// Errors of the library keep their code and their help.
macro_rules! from_library {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for FileError {
            fn from(error: $error) -> Self {
                FileError::new(error.to_string()).with_code(error.code()).with_help_if(error.help())
            }
        }
    )+};
}
from_library!(IsaVersionError, LiteralError, MachineError, Refusal, TargetError, UnknownName);

/// Before the number that Rust adds to a reason of the system: `nothing.tsv: No such file or directory (os error 2)`.
const MARK: &str = " (os error ";

/// The system's reason, without its number and without what follows. The path that a library adds there may be that of a
/// temporary file.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(MARK) {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// A message without the numbers of the system's reasons.
pub fn without_numbers(message: &str) -> String {
    let Some((first, rest)) = message.split_once(MARK) else { return message.to_owned() };
    let mut plain = first.to_owned();
    for part in rest.split(MARK) {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(')');
        match rest {
            Some(rest) => plain.push_str(rest),
            None => plain.extend([MARK, part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn reasons_of_the_system() {
        assert_eq!(without_numbers("x: No such file (os error 2): y (os error 13)"), "x: No such file: y");
        let kept = ["", "a message", "x (os error", "x (os error 2", "x (os error y) z"];
        kept.into_iter().for_each(|text| assert_eq!(without_numbers(text), text));
    }
}
