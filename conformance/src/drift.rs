//! The newest assembler and CUDA headers against the table, as verdicts for `drift.py`, which compares them with a record.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::headers;
use crate::legality::{self, Assemblers};
use crate::tools::Newest;

/// Downloads the newest tools into `dir`, and writes the verdicts to the file `rows`: part, subject, version and verdict,
/// separated by tabs.
pub fn run(dir: &Path, rows: &Path) -> Result<()> {
    let tools = Newest::fetch(dir)?;
    let mut lines = Vec::new();
    let (version, ptxas) = &tools.ptxas;
    let record = legality::newest(version, ptxas)?;
    let mut row = |part: &str, subject: &str, version: &str, verdict: &str| {
        lines.push(format!("{part}\t{subject}\t{version}\t{verdict}\n"));
    };
    let spellings: usize = record.classes.iter().map(|class| class.opcodes.len()).sum();
    let targets: Vec<&str> = record.targets.keys().map(String::as_str).collect();
    row("ptxas", "targets", version, &targets.join(" "));
    row("ptxas", "forms", version, &format!("{spellings} accepted"));
    for complaint in legality::disagreements(&record, Assemblers::One)? {
        row("ptxas", &complaint, version, "differs from the table");
    }
    for [_, target, opcode] in &record.crashes {
        row("ptxas", &format!("{opcode} on {target}"), version, "internal error");
    }
    let (version, include) = &tools.headers;
    let compared = headers::lines(include, None)?;
    row("headers", "opcodes", version, &format!("{} compared", compared.len()));
    for line in compared.iter().filter(|line| line.differences > 0) {
        let verdict = format!("{} of {} differ", line.differences, line.tried);
        row("headers", &line.opcode, version, &verdict);
    }
    fs::write(rows, lines.concat()).with_context(|| format!("cannot write {}", rows.display()))
}
