//! Text that fits its page: the width of the output, and line breaks.

use std::io::{self, Write};

use anstyle::Style;
use ptxcvt::fill;

use crate::style::{DIM, STRONG};

/// The width of the output when it is not a terminal. clap wraps help to the same width.
const PAGE: usize = 100;

/// The columns of standard output: those of the terminal, or else `COLUMNS`, or else a page's.
pub fn width() -> usize {
    #[expect(clippy::disallowed_methods, reason = "nothing is written")]
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let environment = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(environment).filter(|width| *width > 0).unwrap_or(PAGE)
}

/// Writes pieces after a label that is already on the line; `indent` columns are in front of every line.
pub fn write_after<'p>(
    out: &mut impl Write,
    indent: usize,
    style: Style,
    pieces: impl IntoIterator<Item = &'p str>,
) -> io::Result<()> {
    let lines = fill(pieces, width().saturating_sub(indent));
    for (at, line) in lines.iter().enumerate() {
        let indent = if at == 0 { 0 } else { indent };
        writeln!(out, "{:indent$}{style}{line}{style:#}", "")?;
    }
    if lines.is_empty() { writeln!(out) } else { Ok(()) }
}

/// Writes a text that begins with a name, which is emphasised. Other lines are indented by two columns.
pub fn write_heading(out: &mut impl Write, name: &str, text: &str) -> io::Result<()> {
    for (at, line) in fill(text.split(' '), width().saturating_sub(2)).iter().enumerate() {
        match line.strip_prefix(name).filter(|_| at == 0) {
            Some(rest) => writeln!(out, "{STRONG}{name}{STRONG:#}{rest}")?,
            None if at == 0 => writeln!(out, "{line}")?,
            None => writeln!(out, "  {line}")?,
        }
    }
    Ok(())
}

/// Writes a dim paragraph that is indented by two columns.
pub fn write_paragraph(out: &mut impl Write, text: &str) -> io::Result<()> {
    write!(out, "  ")?;
    write_after(out, 2, DIM, text.split(' '))
}
