//! `concise`: one line per finding, `file:line:column: error[CODE] message; help`.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Source;

pub(super) fn write(out: &mut dyn Write, source: &Source<'_>, d: &Diagnostic, color: bool) -> io::Result<()> {
    let at = source.position(d.span().start);
    let (on, off) = match (color, d.severity()) {
        (false, _) => ("", ""),
        (true, Severity::Error) => ("\x1b[1m\x1b[31m", "\x1b[0m"),
        (true, Severity::Warning) => ("\x1b[1m\x1b[33m", "\x1b[0m"),
        (true, Severity::Note) => ("\x1b[1m\x1b[32m", "\x1b[0m"),
    };
    let severity = d.severity().name();
    write!(
        out,
        "{}:{}:{}: {on}{severity}[{}]{off} {}",
        source.name(),
        at.line,
        at.column,
        d.code(),
        d.message()
    )?;
    match d.help() {
        Some(help) => writeln!(out, "; {help}"),
        None => writeln!(out),
    }
}
