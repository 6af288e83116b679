//! `json`: an array of objects, one a finding.

use std::io::{self, Write};

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::edit::{Edit, Fix};
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
    fix: Option<FindingFix<'a>>,
}

#[derive(Serialize)]
struct FindingFix<'a> {
    title: &'a str,
    applicability: &'static str,
    edits: Vec<FindingEdit<'a>>,
}

#[derive(Serialize)]
struct FindingEdit<'a> {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: &'a str,
}

impl<'a> FindingFix<'a> {
    fn new(source: &Source<'_>, fix: &'a Fix) -> Self {
        let edit = |edit: &'a Edit| {
            let (start, end) = (source.position(edit.span.start), source.position(edit.span.end));
            let text = &*edit.text;
            FindingEdit {
                line: start.line,
                column: start.column,
                end_line: end.line,
                end_column: end.column,
                text,
            }
        };
        FindingFix {
            title: fix.title(),
            applicability: fix.applicability().name(),
            edits: fix.edits().iter().map(edit).collect(),
        }
    }
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
        fix: d.fix().map(|fix| FindingFix::new(source, fix)),
    };
    out.write_all(if first { b"[\n  " } else { b",\n  " })?;
    serde_json::to_writer(&mut *out, &finding)?;
    Ok(())
}

pub(super) fn finish(out: &mut dyn Write, empty: bool) -> io::Result<()> {
    out.write_all(if empty { b"[]\n" } else { b"\n]\n" })
}
