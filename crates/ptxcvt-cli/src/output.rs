//! Standard output, files and messages of every command.

use std::fmt;
use std::io::{self, StdoutLock, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use ptxcvt_files::{FileError, Patient};
use serde::Serialize;

pub use ptxcvt::literal::hex;

/// Hexadecimal without prefix, padded to `width` bits.
pub fn bare_hex(bits: u64, width: u32, digits: &mut [u8; 16]) -> &str {
    let digits = &mut digits[..width.div_ceil(4) as usize];
    for (at, digit) in digits.iter_mut().rev().enumerate() {
        *digit = b"0123456789abcdef"[(bits >> (4 * at) & 0xf) as usize];
    }
    std::str::from_utf8(digits).expect("digits are ASCII")
}

/// Prints a value as indented JSON and a final newline.
pub fn json(value: &impl Serialize) -> io::Result<()> {
    json_to(&mut raw_stdout(), value)
}

/// Writes a value as indented JSON and a final newline.
pub fn json_to(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// Standard output, with styles if it supports them.
pub fn stdout() -> Patient<AutoStream<StdoutLock<'static>>> {
    #[expect(clippy::disallowed_methods, reason = "this is where the others get it from")]
    let inner = anstream::stdout().lock();
    Patient::standard_output(inner)
}

/// Standard output without styles: every byte is written unchanged.
pub fn raw_stdout() -> Patient<StdoutLock<'static>> {
    #[expect(clippy::disallowed_methods, reason = "this is where the others get it from")]
    let inner = io::stdout().lock();
    Patient::standard_output(inner)
}

/// True if styles are shown on standard output.
pub fn has_color() -> bool {
    #[expect(clippy::disallowed_methods, reason = "this is where the others get it from")]
    let choice = AutoStream::choice(&io::stdout());
    choice != ColorChoice::Never
}

/// Standard error, with styles if it supports them. What cannot be written is lost: the exit status shows the outcome, and
/// it depends neither on who reads the messages nor on the room for them.
pub fn stderr() -> Messages {
    #[expect(clippy::disallowed_methods, reason = "this is where the others get it from")]
    let inner = anstream::stderr();
    Messages(inner)
}

/// Standard error, as [`stderr`] returns it.
pub struct Messages(AutoStream<io::Stderr>);

impl Messages {
    /// True if styles are shown.
    pub fn has_color(&self) -> bool {
        self.0.current_choice() != ColorChoice::Never
    }
}

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

/// Flushes standard output at the end of a command; it is not a failure if the reader has left.
pub fn finish() -> io::Result<()> {
    raw_stdout().flush()
}

/// Writes a whole file, or leaves the old one unchanged; a device or a pipe is written through, and `-` is standard
/// output.
pub fn file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    ptxcvt_files::write(path, bytes)
}

/// Like [`file`], for a file that the command has read and changes.
#[cfg(feature = "check")]
pub fn changed_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    ptxcvt_files::rewrite(path, bytes)
}

pub use ptxcvt_files::{clip, create_folder, reason, without_numbers};

/// Warns of NaN and infinities in inputs, and of NaN and infinities that are only in outputs.
#[cfg(feature = "arrays")]
pub fn warn_of(specials: &ptxcvt_files::Specials) {
    specials.sentences().for_each(warn);
}

/// Writes a warning to standard error.
#[cfg(feature = "arrays")]
pub fn warn(what: impl fmt::Display) {
    use crate::style::WARNING;
    complain(format_args!("{WARNING}warning{WARNING:#}: {what}"));
}

/// Writes a note to standard error.
#[cfg(any(feature = "arrays", feature = "check", feature = "eval", feature = "format", feature = "forms"))]
pub fn note(what: impl fmt::Display) {
    use crate::style::HELP;
    complain(format_args!("{HELP}note{HELP:#}: {what}"));
}

/// Writes a line to standard error, ignoring failures. Another thread cannot end the process with a message of its own in
/// the middle.
pub fn complain(line: fmt::Arguments<'_>) {
    let Messages(out) = stderr();
    let _ = writeln!(out.lock(), "{line}");
}
