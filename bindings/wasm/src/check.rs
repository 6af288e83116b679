//! A module or a piece of inline assembly, judged.

use ptxcvt::targets::Machine;
use ptxcvt_syntax::check::Lowest;
use ptxcvt_syntax::fix::{Applicability, Edit};
use ptxcvt_syntax::{CheckOptions, Diagnostic, Source, check};
use serde::Serialize;

/// Findings, and the map of the module.
#[derive(Serialize)]
pub struct Answer {
    snippet: bool,
    findings: Vec<Finding>,
    instructions: u64,
    conversions: u64,
    forms: Vec<FormCount>,
    lowest: Option<Place>,
    nearly: Option<Place>,
}

#[derive(Serialize)]
struct Finding {
    /// Bytes of the text.
    start: u32,
    end: u32,
    line: usize,
    column: usize,
    severity: &'static str,
    code: &'static str,
    message: String,
    help: Option<String>,
    related: Option<Related>,
    fix: Option<FixReport>,
}

#[derive(Serialize)]
struct Related {
    line: usize,
    message: String,
}

#[derive(Serialize)]
struct FixReport {
    title: String,
    /// It changes no results.
    safe: bool,
    edits: Vec<EditReport>,
}

/// Bytes of the text, and what is to stand there.
#[derive(Serialize)]
struct EditReport {
    start: u32,
    end: u32,
    text: String,
}

impl EditReport {
    fn new(edit: &Edit) -> EditReport {
        EditReport { start: edit.span.start, end: edit.span.end, text: edit.text.to_string() }
    }
}

#[derive(Serialize)]
struct FormCount {
    form: String,
    count: u64,
    line: usize,
}

#[derive(Serialize)]
struct Place {
    target: String,
    isa: String,
    but_lines: Vec<usize>,
}

/// Judges `text`; where it names no target and version itself, for `machine`.
pub fn answer(text: &str, machine: Machine, snippet: bool) -> Answer {
    let source = Source::new("page", text.as_bytes());
    let options = CheckOptions::default().target(machine.target()).isa(machine.isa()).snippet(snippet);
    let found = check(&source, &options);
    let line = |at: u32| source.position(at).line;
    let place = |lowest: Lowest| Place {
        target: lowest.target.to_string(),
        isa: lowest.isa.to_string(),
        but_lines: lowest.but.iter().map(|at| line(*at)).collect(),
    };
    let count = |(form, (count, places)): (&ptxcvt::Form, &(u64, Vec<u32>))| FormCount {
        form: form.to_string(),
        count: *count,
        line: places.first().map_or(0, |at| line(*at)),
    };
    Answer {
        snippet,
        findings: found.diagnostics.iter().map(|d| finding(&source, d)).collect(),
        instructions: found.stats.instructions,
        conversions: found.stats.conversions,
        forms: found.stats.forms.iter().map(count).collect(),
        lowest: found.stats.lowest().map(place),
        nearly: found.stats.nearly().map(place),
    }
}

fn finding(source: &Source<'_>, found: &Diagnostic) -> Finding {
    let at = source.position(found.span().start);
    Finding {
        start: found.span().start,
        end: found.span().end,
        line: at.line,
        column: at.column,
        severity: found.severity().name(),
        code: found.code().as_str(),
        message: found.message().to_owned(),
        help: found.help().map(str::to_owned),
        related: found.related().map(|(span, message)| Related {
            line: source.position(span.start).line,
            message: message.to_owned(),
        }),
        fix: found.fix().map(|fix| FixReport {
            title: fix.title().to_owned(),
            safe: fix.applicability() == Applicability::Safe,
            edits: fix.edits().iter().map(EditReport::new).collect(),
        }),
    }
}
