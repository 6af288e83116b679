//! Counts machine instructions, for our code and for public code: what ptxas makes of every lowering of the forms with short
//! sequences and of public sequences for the same forms (`records/variants.tsv`), what nvcc makes of our functions and of
//! those in the CUDA headers (`costs.tsv`), and public codecs (`codecs.tsv`).

pub mod codecs;
pub mod headers;
pub mod listing;
pub(crate) mod machine;
mod public;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::read;
use ptxcvt_lower::{Lowering, lower, lowerings, short};

use crate::cuda::Toolkit;
use crate::record;
use crate::tools::{self, TARGETS};
use machine::Counted;

/// The version of the assembled modules: the newest at which the assembler knows all of these targets.
pub const ISA: IsaVersion = IsaVersion::new(9, 4);
/// The record.
pub const RECORD: &str = "variants.tsv";

/// The forms with short sequences.
pub fn forms() -> Vec<Form> {
    let opcodes: BTreeSet<&str> = short::rows().flat_map(|row| row.serves).copied().collect();
    opcodes.into_iter().map(|opcode| opcode.parse().expect("sequences serve legal forms")).collect()
}

/// The bits that each operand of a form has in memory, destination first.
fn stored(form: Form) -> impl Iterator<Item = u32> {
    form.operands().map(|operand| operand.width)
}

fn counted(lowering: &Lowering) -> Counted {
    Counted::new(&lowering.to_string(), lowering.block(), stored(lowering.form()))
}

/// Counts everything and writes the records and their tables. Reports where the chosen lowering is not the cheapest, or
/// costs more than a path of NVIDIA's function.
///
/// # Errors
///
/// Fails if a tool is missing or rejects its input.
pub fn run(dir: &Path) -> Result<bool> {
    let mut lines = Vec::new();
    let mut agrees = true;
    for name in TARGETS {
        let target: Target = name.parse().map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        let mut named: Vec<(Form, String)> = Vec::new();
        let mut blocks = Vec::new();
        for form in forms() {
            for lowering in lowerings(form, target, ISA).map_err(|e| anyhow::anyhow!("{e}"))? {
                named.push((form, lowering.name().to_owned()));
                blocks.push(counted(&lowering));
            }
        }
        for sequence in public::SEQUENCES {
            let (form, block) = sequence.read()?;
            if block.since(target).is_some_and(|since| since <= ISA) {
                named.push((form, format!("{} ({})", sequence.project, sequence.contract)));
                blocks.push(Counted::new(sequence.text, &block, stored(form)));
            }
        }
        let counts = machine::count(dir, name, &ISA.to_string(), &blocks)?;
        eprintln!("{name}: {} blocks", blocks.len());
        let all: Vec<(Form, String, i64)> =
            named.into_iter().zip(counts).map(|((form, who), n)| (form, who, n)).collect();
        agrees &= is_cheapest(target, &all)?;
        lines.extend(all.into_iter().map(|(form, who, n)| format!("{form}\t{name}\t{who}\t{n}")));
    }
    lines.sort();
    let (version, _) = tools::assemblers(dir)?.into_iter().next().context("no assembler")?;
    let provenance = [
        format!(
            "ptxas {version}; PTX ISA {ISA}; kernels with a block, less kernels without it; none has a branch"
        ),
        "form, target, lowering or public project, machine instructions".to_owned(),
    ];
    record::write(RECORD, &provenance, lines)?;
    codecs::run(dir)?;
    Ok(headers::run(&Toolkit::open(dir)?, &of_projects("sm_80")?)? && agrees)
}

/// The recorded cost of public sequences on a target: `Marlin 5 (numbers)`.
///
/// # Errors
///
/// Fails if the record cannot be read.
pub fn of_projects(target: &str) -> Result<Vec<(Form, String)>> {
    let mut found = Vec::new();
    for row in record::rows(&record::read(RECORD)?) {
        if let [form, on, who, count] = row[..] {
            let named = who.split_once(" (").filter(|_| on == target);
            if let Some((project, contract)) = named {
                let form = form.parse().map_err(|e| anyhow::anyhow!("{form}: {e}"))?;
                found.push((form, format!("{project} {count} ({contract}")));
            }
        }
    }
    Ok(found)
}

/// True if `lower` chooses the cheapest of the lowerings that hold for every input.
fn is_cheapest(target: Target, all: &[(Form, String, i64)]) -> Result<bool> {
    let mut agrees = true;
    for form in forms() {
        let cost = |lowering: &Lowering| {
            all.iter().find(|(f, who, _)| *f == form && who == lowering.name()).map(|(.., n)| *n)
        };
        let chosen = lower(form, target, ISA).map_err(|e| anyhow::anyhow!("{e}"))?;
        let every = lowerings(form, target, ISA).map_err(|e| anyhow::anyhow!("{e}"))?;
        let best = every.iter().filter(|l| l.contract().is_every()).min_by_key(|l| cost(l));
        if let Some(best) = best.filter(|best| cost(best) < cost(&chosen)) {
            println!("{form} on {target}: {} is chosen, {} costs less", chosen.name(), best.name());
            agrees = false;
        }
    }
    Ok(agrees)
}

/// Prints the cost of a block on each target.
///
/// # Errors
///
/// Fails if the file is not a block, or a tool is missing.
pub fn show(dir: &Path, path: &Path) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let block = read::block(&text, &read::Interface::default()).map_err(|e| anyhow::anyhow!("{e}"))?;
    let mut any = false;
    for name in TARGETS {
        let target: Target = name.parse().map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        if block.since(target).is_none_or(|since| since > ISA) {
            continue;
        }
        any = true;
        let count = machine::count(dir, name, &ISA.to_string(), &[Counted::new(&text, &block, [])])?;
        println!("{name}\t{}", count[0]);
    }
    ensure!(any, "no target takes the block");
    Ok(())
}
