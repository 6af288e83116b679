//! Checks that the assembler accepts the output of `ptxcvt-lower`: every systematic lowering as a kernel, for
//! every target.
//!
//! The record has a line for each target: the assembler, the number of kernels, and a digest of their text. A test
//! compares the digest with the current text.

use std::path::Path;

use anyhow::{Result, anyhow};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_conform::assembler::Assembler;
use ptxcvt_lower::{Kind, Lowering, lowerings, render};

use crate::record::{self, Digest};
use crate::tools;

/// The record's name.
pub const RECORD: &str = "lowering.tsv";

/// Kernels per module; larger modules do not compile faster.
const BATCH: usize = 150;

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The target of the kernels.
    pub target: Target,
    /// Their `.version`.
    pub isa: IsaVersion,
    /// The number of kernels.
    pub kernels: usize,
    /// The digest of their text.
    pub digest: Digest,
}

impl Line {
    /// The lines of the record, and the version of the assembler that judged each line.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn parse(text: &str) -> Result<Vec<(Line, String)>> {
        let line = |fields: Vec<&str>| match fields[..] {
            [target, isa, assembler, kernels, digest] => {
                let line = Line {
                    target: target.parse().map_err(|e| anyhow!("{e}"))?,
                    isa: isa.parse().map_err(|e| anyhow!("{e}"))?,
                    kernels: kernels.parse()?,
                    digest: digest.parse()?,
                };
                Ok((line, assembler.to_owned()))
            }
            _ => Err(anyhow!("a line of the record has five fields: {fields:?}")),
        };
        record::rows(text).map(line).collect()
    }

    fn print(&self, assembler: &str) -> String {
        format!("{}\t{}\t{assembler}\t{}\t{}", self.target, self.isa, self.kernels, self.digest)
    }
}

/// Every systematic lowering for a target.
///
/// # Errors
///
/// Fails if a form cannot be lowered.
pub fn all(target: Target, isa: IsaVersion) -> Result<Vec<Lowering>> {
    let mut found = Vec::new();
    for form in Form::all() {
        found.extend(lowerings(form, target, isa)?.into_iter().filter(|l| l.kind() == Kind::General));
    }
    Ok(found)
}

/// The line that the record should have for these lowerings.
pub fn line(lowerings: &[Lowering], target: Target, isa: IsaVersion) -> Line {
    let text = lowerings.iter().map(|l| render::kernel(l, target, isa));
    let words = text.flat_map(|text| text.into_bytes()).map(u64::from);
    Line { target, isa, kernels: lowerings.len(), digest: Digest::of(words) }
}

/// Assembles everything and writes the record.
///
/// # Errors
///
/// Fails if a tool is missing or cannot be run.
pub fn run(dir: &Path) -> Result<bool> {
    let mut assemblers = Vec::new();
    for (_, path) in tools::assemblers(dir)? {
        assemblers.push(Assembler::open(&path)?);
    }
    let (mut lines, mut refused) = (Vec::new(), 0);
    for target in Target::all().filter(|t| t.sm() >= 50) {
        // The newest assembler that builds for the target.
        let Some(assembler) = assemblers.iter().find(|a| a.targets.contains(&target)) else {
            println!("{target}: no assembler builds for it");
            continue;
        };
        let isa = target.newest().min(assembler.newest);
        let lowerings = all(target, isa)?;
        let messages = assemble(assembler, &lowerings, target, isa)?;
        println!("{target} at {isa}: {} kernels, {} refused", lowerings.len(), messages.len());
        messages.iter().take(5).for_each(|message| println!("  {message}"));
        refused += messages.len();
        if messages.is_empty() {
            lines.push(line(&lowerings, target, isa).print(&assembler.version));
        }
    }
    let provenance = [
        "ptxas: every systematic lowering as a kernel, assembled to machine code. A line for each".into(),
        "target whose kernels are all accepted: target, ISA version, assembler, kernels, digest of their text.".into(),
    ];
    record::write(RECORD, &provenance, lines)?;
    Ok(refused == 0)
}

/// The assembler's messages about the kernels that it rejects.
fn assemble(
    assembler: &Assembler,
    lowerings: &[Lowering],
    target: Target,
    isa: IsaVersion,
) -> Result<Vec<String>> {
    let batches: Vec<&[Lowering]> = lowerings.chunks(BATCH).collect();
    let found = ptxcvt_parallel::map(&batches, |batch| refused(assembler, batch, target, isa));
    Ok(found.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// Halves a rejected batch until each kernel has its own verdict.
fn refused(
    assembler: &Assembler,
    batch: &[Lowering],
    target: Target,
    isa: IsaVersion,
) -> Result<Vec<String>> {
    match assembler.module(&render::kernels(batch, target, isa), target)? {
        Ok(()) => Ok(Vec::new()),
        Err(rejected) if batch.len() == 1 => {
            let messages = rejected.to_string();
            let line = messages.lines().next().unwrap_or_default();
            Ok(vec![format!("{} by {}: {line}", batch[0].form(), batch[0].name())])
        }
        Err(_) => {
            let (one, other) = batch.split_at(batch.len() / 2);
            let mut messages = refused(assembler, one, target, isa)?;
            messages.extend(refused(assembler, other, target, isa)?);
            Ok(messages)
        }
    }
}
