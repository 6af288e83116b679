//! `json`: an array of objects, one a finding.

use std::io::{self, Write};

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::source::Source;

#[derive(Serialize)]
struct Finding<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    help: Option<&'a str>,
}

pub(super) fn write(out: &mut dyn Write, source: &Source<'_>, d: &Diagnostic, first: bool) -> io::Result<()> {
    let (start, end) = (source.position(d.span().start), source.position(d.span().end));
    let finding = Finding {
        file: source.name(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        severity: d.severity().name(),
        code: d.code().as_str(),
        message: d.message(),
        help: d.help(),
    };
    out.write_all(if first { b"[\n  " } else { b",\n  " })?;
    serde_json::to_writer(&mut *out, &finding)?;
    Ok(())
}

pub(super) fn finish(out: &mut dyn Write, empty: bool) -> io::Result<()> {
    out.write_all(if empty { b"[]\n" } else { b"\n]\n" })
}
