//! `json`: an array of [`FindingReport`] objects.

use std::io::{self, Write};

use crate::diagnostic::Diagnostic;
use crate::report::FindingReport;
use crate::source::Source;

pub(super) fn write(out: &mut dyn Write, source: &Source<'_>, d: &Diagnostic, first: bool) -> io::Result<()> {
    out.write_all(if first { b"[\n  " } else { b",\n  " })?;
    serde_json::to_writer(&mut *out, &FindingReport::new(source, d))?;
    Ok(())
}

pub(super) fn finish(out: &mut dyn Write, empty: bool) -> io::Result<()> {
    out.write_all(if empty { b"[]\n" } else { b"\n]\n" })
}
