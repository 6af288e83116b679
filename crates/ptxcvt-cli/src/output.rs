//! Small helpers of the printing commands.

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

pub use ptxcvt::literal::hex;

/// Hexadecimal without prefix, padded to `width` bits.
pub fn bare_hex(bits: u64, width: u32, digits: &mut [u8; 16]) -> &str {
    let digits = &mut digits[..width.div_ceil(4) as usize];
    for (at, digit) in digits.iter_mut().rev().enumerate() {
        *digit = b"0123456789abcdef"[(bits >> (4 * at) & 0xf) as usize];
    }
    std::str::from_utf8(digits).unwrap_or_default()
}

/// Prints a value as indented JSON and a final newline.
pub fn json(value: &impl Serialize) -> io::Result<()> {
    json_to(&mut io::stdout().lock(), value)
}

/// Writes a value as indented JSON and a final newline.
pub fn json_to(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// A text from outside as part of a message: one line of bounded length.
pub fn clip(text: &str) -> String {
    ptxcvt::forms::clip(text, 100)
}

/// The system's reason without the number that it has there.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// Prints a line on standard error; where that is closed or full, nobody is there to be told.
pub fn complain(line: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{line}");
}
