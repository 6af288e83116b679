//! Compares the table of instructions with ptxas: the spellings and their first versions, the operands that
//! they accept, and their results for constants.

mod folding;
mod key;
mod operands;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use ptxcvt::{IsaVersion, Target};
use ptxcvt_exec::{Op, Opcode};

pub use folding::{Line, RECORD as FOLDED, operands_digest};
pub use operands::{Places, RECORD as OPERANDS};

pub use key::Names;

use self::key::key;
use crate::legality::spellings::Spelling;
use crate::legality::{Record, Survey, around};
use crate::tools;

/// The record of gates.
pub const RECORD: &str = "instructions.tsv";

/// Selects one of the three comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Spellings, by target and version.
    Gates,
    /// Operands, by place and kind.
    Operands,
    /// Results of constants.
    Folding,
}

/// Makes the comparisons, rewrites their records, and returns whether the library agrees.
pub fn run(dir: &Path, only: Option<Part>, names: &Names) -> Result<bool> {
    let wanted = |part| only.is_none_or(|one| one == part);
    let mut complaints = Vec::new();
    if wanted(Part::Operands) {
        complaints.extend(operands::run(dir, names)?);
    }
    if wanted(Part::Folding) {
        complaints.extend(folding::run(dir, names)?);
    }
    if wanted(Part::Gates) {
        gates(dir, names)?;
        complaints.extend(disagreements(&Record::read(RECORD)?)?);
    }
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    Ok(complaints.is_empty())
}

/// A key for a spelling that ignores the order of its modifiers.
fn canonical(spelling: &str) -> String {
    let (opcode, count) = spelling.split_once(' ').unwrap_or((spelling, ""));
    opcode.parse::<Opcode>().map_or_else(|_| spelling.to_owned(), |opcode| format!("{opcode} {count}"))
}

const SHORT: &str = "the manual has 32 and 64 bits with the carry flag";

/// Spellings that ptxas accepts and the table lacks: the name, the ends of the opcode, and the reason.
pub const LEFT_OUT: [(&str, &[&str], &str); 8] = [
    ("add", &["sat.u32", "sat.u16x2", "sat.s16x2"], "only some families of targets have it, from ISA 9.4 on"),
    ("addc", &["u16", "s16"], SHORT),
    ("subc", &["u16", "s16"], SHORT),
    ("madc", &["u16", "s16"], SHORT),
    ("testp", &["testp.f32", "testp.f64"], "the manual has no `testp` without a class of numbers"),
    ("div", &["u16", "u32", "u64", "s16", "s32", "s64"], "the result of a division by zero is undefined"),
    ("fma", &["bf16", "bf16x2"], "the manual has only `.rn` for bf16"),
    ("rcp", &["ftz.f64"], "the manual has `.ftz` for f64 only with `.approx`"),
];

fn is_left_out(key: &str) -> bool {
    let opcode = key.split(' ').next().unwrap_or(key);
    let mut all = LEFT_OUT.iter();
    all.any(|(name, ends, _)| {
        opcode.split('.').next() == Some(name) && ends.iter().any(|end| opcode.ends_with(end))
    })
}

/// Tries every candidate.
fn gates(dir: &Path, names: &Names) -> Result<()> {
    let assemblers = tools::assemblers(dir)?;
    // The newest assembler, and the last that builds for the oldest targets.
    let assemblers: Vec<_> = assemblers.first().into_iter().chain(assemblers.last()).cloned().collect();
    let spellings: Vec<Spelling> = Op::candidates()
        .map(|candidate| {
            let (_, operands) =
                candidate.instruction.split_once(' ').expect("every instruction has operands");
            let count = operands.split(", ").count();
            let destination =
                operands.split_once([',', '|']).map_or(operands, |(destination, _)| destination);
            let store = match destination.strip_prefix('d') {
                Some(width) => format!("st.volatile.global.b{width} [p], {destination};"),
                None => format!("selp.b32 d32, 1, 0, {destination}; st.volatile.global.b32 [p], d32;"),
            };
            let opcode = format!("{} {count}", candidate.opcode);
            Spelling { opcode, instruction: candidate.instruction + ";", store }
        })
        .collect();
    let changes =
        Target::all().flat_map(|target| Op::all().filter_map(move |op| Some((target, op.since(target)?))));
    let versions = around(changes);
    let survey = Survey {
        record: RECORD,
        spellings: &spellings,
        // A feature of a single architecture needs a target with a letter.
        first: &|target| matches!(target, "sm_100a" | "sm_120a" | "sm_121a" | "sm_107a"),
        versions: &versions,
        compare: false,
        again: &|spelling| names.has(spelling),
    };
    survey.make(&assemblers)
}

/// Every point where table and record differ.
pub fn disagreements(record: &Record) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    let ours: BTreeMap<String, Op> = Op::all().map(|op| (key(op), op)).collect();
    let mut recorded: BTreeMap<String, &BTreeMap<String, String>> = BTreeMap::new();
    for class in &record.classes {
        recorded.extend(class.opcodes.iter().map(|spelling| (canonical(spelling), &class.since)));
    }
    for opcode in recorded.keys().filter(|opcode| !ours.contains_key(*opcode)) {
        if !is_left_out(opcode) {
            complaints.push(format!("{opcode}: ptxas accepts it, the table lacks it"));
        }
    }
    for (opcode, op) in &ours {
        let Some(since) = recorded.get(opcode) else {
            complaints.push(format!("{opcode}: the table has it, ptxas accepts it on no target"));
            continue;
        };
        for target in Target::all().filter(|target| record.targets.contains_key(&target.to_string())) {
            let assembler =
                since.get(&target.to_string()).map(|isa| isa.parse::<IsaVersion>()).transpose()?;
            // Versions from 2.3 on, because 64-bit addresses begin there.
            let first = record.targets[&target.to_string()].parse::<IsaVersion>()?;
            let table = op.since(target).map(|isa| isa.max(first));
            if assembler != table {
                complaints.push(format!("{opcode} on {target}: ptxas {assembler:?}, table {table:?}"));
            }
        }
    }
    Ok(complaints)
}
