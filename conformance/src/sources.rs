//! Compares the verdicts of `ptxas` and `ptxcvt check` on inline assembly.
//!
//! Every assembly of `tests/cu` with known text and operands is put into a kernel, with registers for its
//! constraints, for the lowest and the highest target for which it is judged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ptxcvt::IsaVersion;
use ptxcvt::targets::Machine;
use ptxcvt_conform::assembler::Ptxas;
use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::{Language, assemblies};

use crate::{record, tools};

/// The source files, in order of their names.
pub fn files() -> Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cu");
    let entries = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<Result<Vec<_>>>()?;
    files.retain(|path| Language::of(path).is_some());
    files.sort();
    Ok(files)
}

/// The options `--target` and `--isa` in the first line of a file.
fn options(text: &str) -> Result<CheckOptions> {
    let line = text.lines().next().context("the file is empty")?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let value = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1]);
    let target = value("--target").map(str::parse).transpose()?;
    let isa = value("--isa").map(str::parse).transpose()?;
    Ok(CheckOptions::default().machine(Machine::new(target, isa)?))
}

/// Runs the newest assembler in `dir` that has the target, and writes the record. Returns true if all verdicts agree.
///
/// # Errors
///
/// Fails if an assembler cannot run, or the record cannot be written.
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
        let name = path.file_name().expect("a folder's entry has a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path)?;
        let language = Language::of(&path).context("a language")?;
        let options = options(&text).with_context(|| name.clone())?;
        let (mut kernels, mut accepted, mut refused_lines) = (0, 0, 0);
        for assembly in assemblies(&text, language) {
            for kernel in assembly.kernels(&options, otherwise) {
                let target = kernel.target.to_string();
                let ptxas = known.iter().find(|(.., targets)| targets.contains(&target));
                let Some((version, ptxas, _)) = ptxas else { continue };
                let text = readable(&kernel.text, version);
                let answer = ptxas.run(&text, &["-c", "-arch", &target])?;
                kernels += 1;
                accepted += usize::from(answer.accepted);
                let refused: BTreeSet<usize> = answer.named().map(|(line, _)| line).collect();
                let expected: BTreeSet<usize> = kernel.errors.iter().copied().collect();
                refused_lines += expected.len();
                // ptxas stops reading at a syntax error.
                let syntax = answer.messages.contains("Parsing error");
                let same = if syntax {
                    refused.is_subset(&expected) || !expected.is_empty()
                } else {
                    refused == expected
                };
                if answer.accepted != expected.is_empty() || (!answer.accepted && !same) {
                    agrees = false;
                    eprintln!(
                        "{name}: {}\n    ptxas: {}\n    check: {expected:?}",
                        kernel.text, answer.messages
                    );
                }
            }
        }
        lines.push(format!("{name}\t{kernels}\t{accepted}\t{refused_lines}"));
    }
    ensure!(!lines.is_empty(), "no sources");
    let (version, ..) = known.first().context("no assembler")?;
    let verdict = if agrees { "all judged alike, line by line" } else { "NOT all judged alike" };
    let provenance = [
        format!("ptxas {version}: the inline assembly of tests/cu, each in a separate kernel; {verdict}"),
        "file, kernels, accepted, lines refused by both".to_owned(),
    ];
    record::write("sources.tsv", &provenance, lines)?;
    Ok(agrees)
}

/// The module with the newest ISA version that the assembler reads, if it states a later one: CUDA 13 builds for no target
/// before sm_75, so the last assembler for these targets is older than the newest version.
fn readable(module: &str, assembler: &str) -> String {
    let mut numbers =
        assembler.split('.').map(|number| number.parse().expect("a version consists of numbers"));
    let toolkit = numbers.next().zip(numbers.next()).expect("a version has at least two numbers");
    let newest = IsaVersion::of_cuda_toolkit(toolkit).expect("each assembler belongs to a known toolkit");
    let stated = module.lines().next().and_then(|line| line.strip_prefix(".version "));
    let stated = stated.expect("a kernel's module begins with its version");
    match stated.parse::<IsaVersion>().expect("the version is one of PTX") > newest {
        true => module.replacen(stated, &newest.to_string(), 1),
        false => module.to_owned(),
    }
}
