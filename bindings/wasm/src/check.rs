//! The findings in a PTX module or a piece of inline assembly.

use ptxcvt::targets::Machine;
use ptxcvt_syntax::report::{FindingReport, ModuleReport};
use ptxcvt_syntax::{CheckOptions, Source, check};
use serde::Serialize;

/// The findings, and the forms in the text.
#[derive(Serialize)]
pub struct Answer {
    snippet: bool,
    findings: Vec<FindingReport>,
    #[serde(flatten)]
    module: ModuleReport,
}

/// Checks `text`, for `machine` if the text names no target and version itself.
pub fn answer(text: &str, machine: Machine, snippet: bool) -> Answer {
    let source = Source::new("page", text.as_bytes());
    let options = CheckOptions::default().target(machine.target()).isa(machine.isa()).snippet(snippet);
    let found = check(&source, &options);
    let findings = found.diagnostics.iter().map(|one| FindingReport::new(&source, one)).collect();
    Answer { snippet, findings, module: ModuleReport::new(&source, &found) }
}
