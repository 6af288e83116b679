//! Inline assembly: does `ptxas` judge it as `ptxcvt check` does?
//!
//! Every assembly of `tests/cu` whose text and operands are known is put into a kernel of its own, with registers as its
//! constraints say, for each target that its guards admit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ptxcvt_conform::assembler::Ptxas;
use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::{Language, assemblies};

use crate::{record, tools};

/// The sources, in order of their names.
pub fn files() -> Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cu");
    let entries = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<Result<Vec<_>>>()?;
    files.retain(|path| Language::of(path).is_some());
    files.sort();
    Ok(files)
}

/// `--target` and `--isa` of the first line.
fn options(text: &str) -> CheckOptions {
    let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
    let value = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1]);
    let target = value("--target").and_then(|target| target.parse().ok());
    CheckOptions::default().target(target).isa(value("--isa").and_then(|isa| isa.parse().ok()))
}

/// Asks the newest assembler in `dir` that has the target, and writes the record; true where all agree.
pub fn run(dir: &Path) -> Result<bool> {
    let assemblers = tools::assemblers(dir)?;
    let mut known = Vec::new();
    for (version, path) in &assemblers {
        let ptxas = Ptxas::new(path);
        let targets = ptxas.targets()?;
        known.push((*version, ptxas, targets));
    }
    let otherwise = "sm_103a".parse().context("a target")?;
    let (mut lines, mut agrees) = (Vec::new(), true);
    for path in files()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path)?;
        let language = Language::of(&path).context("a language")?;
        let (mut kernels, mut accepted, mut refused_lines) = (0, 0, 0);
        for assembly in assemblies(&text, language) {
            for kernel in assembly.kernels(&options(&text), otherwise) {
                let target = kernel.target.to_string();
                let ptxas = known.iter().find(|(.., targets)| targets.contains(&target));
                let Some((_, ptxas, _)) = ptxas else { continue };
                let answer = ptxas.run(&kernel.text, &["-c", "-arch", &target])?;
                kernels += 1;
                accepted += usize::from(answer.accepted);
                let theirs: BTreeSet<usize> = answer.named().map(|(line, _)| line).collect();
                let ours: BTreeSet<usize> = kernel.errors.iter().copied().collect();
                refused_lines += ours.len();
                // After an error of syntax ptxas reads no further.
                let syntax = answer.messages.contains("Parsing error");
                let same = if syntax { theirs.is_subset(&ours) || !ours.is_empty() } else { theirs == ours };
                if answer.accepted != ours.is_empty() || (!answer.accepted && !same) {
                    agrees = false;
                    eprintln!("{name}: {}\n    ptxas: {}\n    check: {ours:?}", kernel.text, answer.messages);
                }
            }
        }
        lines.push(format!("{name}\t{kernels}\t{accepted}\t{refused_lines}"));
    }
    ensure!(!lines.is_empty(), "no sources");
    let version = known.first().map_or("", |(version, ..)| version);
    let verdict = if agrees { "all judged alike, line by line" } else { "NOT all judged alike" };
    let provenance = [
        format!("ptxas {version}: the inline assembly of tests/cu, each in a kernel of its own; {verdict}"),
        "file, kernels, accepted, lines refused by both".to_owned(),
    ];
    record::write("sources.tsv", &provenance, lines)?;
    Ok(agrees)
}
