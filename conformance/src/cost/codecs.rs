//! Counts machine instructions of public codecs: the compiled functions that `cargo test` runs and compares.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};

use super::listing::{self, Counts};
use crate::page;
use crate::record::{self, Digest};
use crate::tools::{self, Scratch};

/// The record.
pub const RECORD: &str = "codecs.tsv";

/// The architecture for which they were compiled.
const TARGET: &str = "sm_80";

/// The files of `crates/ptxcvt-exec/tests/compiled`, and what they are in docs/compiled.md.
#[rustfmt::skip]
pub const CODECS: [(&str, &str); 13] = [
    ("c10_e4m3_to_f32", "e4m3 to float (PyTorch c10)"),
    ("c10_e5m2_to_f32", "e5m2 to float (PyTorch c10)"),
    ("half_to_f32", "half to float, by integers"),
    ("fp6_shift", "two e3m2 to halves (FP6-LLM)"),
    ("marlin_e4m3", "four e4m3 to halves without the factor 2^8 (Marlin)"),
    ("ue8m0_to_f32", "ue8m0 to float (llama.cpp)"),
    ("nf4_decode", "NF4 to float (bitsandbytes)"),
    ("mxfp4_word", "eight e2m1 to bytes (llama.cpp)"),
    ("te_scaled_e4m3", "float times a scale to e4m3 (Transformer Engine)"),
    ("c10_e4m3_from_f32", "float to e4m3 (PyTorch c10)"),
    ("c10_e5m2_from_f32", "float to e5m2 (PyTorch c10)"),
    ("f32_to_bf16", "float to bf16, by integers"),
    ("e2m1_thresholds", "float to e2m1, by comparisons (PyTorch)"),
];

/// The PTX of a codec.
///
/// # Errors
///
/// Returns an error if the file is missing.
pub fn text(file: &str) -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/ptxcvt-exec/tests/compiled");
    fs::read_to_string(folder.join(format!("{file}.ptx"))).with_context(|| format!("no {file}.ptx"))
}

/// True if the file is a kernel, which loads its operands and stores its results.
fn is_kernel(text: &str) -> bool {
    text.contains(".entry")
}

/// A line of the record: the file, its text's digest, and its instructions.
#[derive(Clone, Debug)]
pub struct Line {
    /// The file.
    pub file: String,
    /// The digest of its text.
    pub text: Digest,
    /// Machine instructions without the last one, which returns.
    pub counts: Counts,
}

impl Line {
    /// The lines of the record.
    ///
    /// # Errors
    ///
    /// Returns an error for a malformed line.
    pub fn parse(text: &str) -> Result<Vec<Line>> {
        let line = |fields: Vec<&str>| match fields[..] {
            [file, text, counts] => {
                Ok(Line { file: file.into(), text: text.parse()?, counts: counts.parse()? })
            }
            _ => Err(anyhow!("a line of the record has three fields: {fields:?}")),
        };
        record::rows(text).map(line).collect()
    }
}

/// Counts every codec, and writes the record and the table of docs/compiled.md.
pub(super) fn run(dir: &Path) -> Result<()> {
    let (version, ptxas) = tools::assemblers(dir)?.into_iter().next().context("no assembler")?;
    let returns = Counts { all: 1, shortest: 1, longest: 1 };
    let mut lines = Vec::new();
    for (file, _) in CODECS {
        let text = text(file)?;
        let [source, object] = ["codec.ptx", "codec.cubin"].map(Scratch::new);
        fs::write(&*source, &text)?;
        let arch = format!("-arch={TARGET}");
        tools::succeed(Command::new(&ptxas).args(["-c", &arch, "-o"]).arg(&*object).arg(&*source))?;
        let functions = listing::functions(&tools::disassemble(&tools::nvdisasm(dir)?, &object)?);
        ensure!(functions.len() == 1, "{file}: {} functions", functions.len());
        let function = functions.into_values().next().context("no function")?;
        let counts = function.counts(0).with_context(|| file)? - returns;
        lines.push(Line { file: file.into(), text: Digest::of_text(&text), counts });
    }
    let provenance = [
        format!("ptxas {version} for {TARGET}: machine instructions of a function without its return."),
        "file of crates/ptxcvt-exec/tests/compiled, digest of its text, instructions: all, shortest and longest path"
            .into(),
    ];
    record::write(
        RECORD,
        &provenance,
        lines.iter().map(|Line { file, text, counts }| format!("{file}\t{text}\t{counts}")),
    )?;
    page::COSTS.write("codecs", "cost", &table(&lines)?)
}

/// The counts as a table of Markdown.
///
/// # Errors
///
/// Returns an error if a file is missing.
pub fn table(lines: &[Line]) -> Result<String> {
    let mut table = "| codec | instructions | shortest path | longest path |\n|---|--:|--:|--:|\n".to_owned();
    for Line { file, counts, .. } in lines {
        let (_, title) = CODECS.iter().find(|(known, _)| known == file).context("an unknown file")?;
        let kernel = if is_kernel(&text(file)?) { ", with loads and stores" } else { "" };
        let Counts { all, shortest, longest } = counts;
        let _ = writeln!(table, "| {title}{kernel} | {all} | {shortest} | {longest} |");
    }
    Ok(table)
}
