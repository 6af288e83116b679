//! Small helpers of the printing commands.

use std::fmt;
use std::io::{self, Write};

use ptxcvt::{Element, Form, Opcode};
use serde::Serialize;

/// Hexadecimal with prefix, padded to `width` bits.
pub fn hex(bits: u64, width: u32) -> String {
    format!("0x{}", bare_hex(bits, width))
}

/// Hexadecimal without prefix, padded to `width` bits.
pub fn bare_hex(bits: u64, width: u32) -> String {
    format!("{bits:0digits$x}", digits = width.div_ceil(4) as usize)
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

/// What to call element `lane` of a form: the part of `d` that it fills and the operand that it comes from.
pub fn lane_names(form: &Form, lane: usize) -> (&'static str, &'static str) {
    let names: &[_] = match (form.lanes(), form.opcode()) {
        (1, _) => &[("d", "a")],
        (2, Opcode::Cvt) if form.source().lanes() == 2 => &[("upper", "a.hi"), ("lower", "a.lo")],
        (2, _) => &[("upper", "a"), ("lower", "b")],
        _ => &[("d[3]", "a"), ("d[2]", "b"), ("d[1]", "e"), ("d[0]", "f")],
    };
    names[lane]
}

/// The element's result bits without the storage's padding above them.
pub fn result_hex(element: &Element) -> String {
    hex(element.result, element.result_format.storage())
}

/// A text from outside as part of a message: one line of bounded length.
pub fn clip(text: &str) -> String {
    clip_to(text, 100)
}

/// The same with at most so many characters.
pub fn clip_to(text: &str, longest: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= longest && line.len() == text.len() {
        return text.to_owned();
    }
    line.chars().take(longest).chain(['…']).collect()
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
