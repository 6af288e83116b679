//! The table of instructions against ptxas: which spellings there are and from where on, which operands they take,
//! and what they compute of constants.

mod folding;
mod operands;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use ptxcvt::{IsaVersion, Target};
use ptxcvt_exec::{Block, Op, Opcode};

pub use folding::{Line, RECORD as FOLDED, operands_digest};
pub use operands::{Places, RECORD as OPERANDS};

use crate::legality::spellings::Spelling;
use crate::legality::{Record, Survey};
use crate::tools;

/// The record of gates.
pub const RECORD: &str = "instructions.tsv";

/// Which of the three comparisons to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Spellings, by target and version.
    Gates,
    /// Operands, by place and kind.
    Operands,
    /// Results of constants.
    Folding,
}

/// Makes the comparisons, rewrites their records, and says whether the library agrees.
pub fn run(dir: &Path, only: Option<Part>) -> Result<bool> {
    let asked = |part| only.is_none_or(|one| one == part);
    let mut complaints = Vec::new();
    if asked(Part::Operands) {
        complaints.extend(operands::run(dir)?);
    }
    if asked(Part::Folding) {
        complaints.extend(folding::run(dir)?);
    }
    if asked(Part::Gates) {
        gates(dir)?;
        complaints.extend(disagreements(&Record::read(RECORD)?)?);
    }
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    Ok(complaints.is_empty())
}

/// An instruction and how many operands it has: `max.f32 4` is not `max.f32 3`.
fn key(op: Op) -> String {
    format!("{op} {}", Block::of_op(op, 0).code()[0].operands.len())
}

/// The same of a spelling with its modifiers in any order.
fn canonical(spelling: &str) -> String {
    let (opcode, count) = spelling.split_once(' ').unwrap_or((spelling, ""));
    opcode.parse::<Opcode>().map_or_else(|_| spelling.to_owned(), |opcode| format!("{opcode} {count}"))
}

/// What ptxas takes and the table does not have: the name, the ends of the opcode, and the reason.
pub const LEFT_OUT: [(&str, &[&str], &str); 4] = [
    (
        "add",
        &["sat.u32", "sat.u16x2", "sat.s16x2"],
        "single families of targets have it, and only from 9.4 on",
    ),
    ("div", &["u16", "u32", "u64", "s16", "s32", "s64"], "what a division by zero returns is not defined"),
    ("fma", &["bf16", "bf16x2"], "the manual has `.rn` alone of bf16"),
    ("rcp", &["ftz.f64"], "the manual has no `.ftz` of f64 but that of `.approx`"),
];

fn is_left_out(key: &str) -> bool {
    let opcode = key.split(' ').next().unwrap_or(key);
    let mut all = LEFT_OUT.iter();
    all.any(|(name, ends, _)| {
        opcode.split('.').next() == Some(name) && ends.iter().any(|end| opcode.ends_with(end))
    })
}

/// Tries every candidate.
fn gates(dir: &Path) -> Result<()> {
    let assemblers = tools::assemblers(dir)?;
    // The newest and the last that builds for the oldest targets.
    let assemblers: Vec<_> = assemblers.first().into_iter().chain(assemblers.last()).cloned().collect();
    let spellings: Vec<Spelling> = Op::candidates()
        .map(|candidate| {
            let (_, operands) = candidate.instruction.split_once(' ').unwrap_or_default();
            let count = operands.split(", ").count();
            let destination = operands.split([',', '|']).next().unwrap_or_default();
            let store = match destination.strip_prefix('d') {
                Some(width) => format!("st.volatile.global.b{width} [p], {destination};"),
                None => format!("selp.b32 d32, 1, 0, {destination}; st.volatile.global.b32 [p], d32;"),
            };
            let opcode = format!("{} {count}", candidate.opcode);
            Spelling { opcode, instruction: candidate.instruction + ";", store }
        })
        .collect();
    // The first version is right if the last one without is: those around every change that the table knows.
    let gates: BTreeSet<(Target, IsaVersion)> = Target::all()
        .flat_map(|target| Op::all().filter_map(move |op| Some((target, op.since(target)?))))
        .collect();
    let versions = |target: &str, isa: &str| {
        let (Ok(target), Ok(isa)) = (target.parse::<Target>(), isa.parse::<IsaVersion>()) else {
            return true;
        };
        // ptxas takes `.version 5.10`, which never was.
        if !IsaVersion::all().any(|version| version == isa) {
            return false;
        }
        let next = IsaVersion::all().find(|version| *version > isa);
        let changes = |isa: IsaVersion| gates.contains(&(target, isa));
        changes(isa) || next.is_none_or(changes) || isa >= IsaVersion::NEWEST_RELEASED
    };
    let survey = Survey {
        record: RECORD,
        spellings: &spellings,
        // What an architecture has alone is marked by a letter.
        first: &|target| matches!(target, "sm_100a" | "sm_120a" | "sm_121a" | "sm_107a"),
        versions: &versions,
        compare: false,
    };
    survey.make(&assemblers)
}

/// Every point where the table says other than the record.
pub fn disagreements(record: &Record) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    let ours: BTreeMap<String, Op> = Op::all().map(|op| (key(op), op)).collect();
    let mut recorded: BTreeMap<String, &BTreeMap<String, String>> = BTreeMap::new();
    for class in &record.classes {
        recorded.extend(class.opcodes.iter().map(|spelling| (canonical(spelling), &class.since)));
    }
    for opcode in recorded.keys().filter(|opcode| !ours.contains_key(*opcode)) {
        if !is_left_out(opcode) {
            complaints.push(format!("{opcode}: ptxas takes it, the table lacks it"));
        }
    }
    for (opcode, op) in &ours {
        let Some(since) = recorded.get(opcode) else {
            complaints.push(format!("{opcode}: the table has it, ptxas takes it nowhere"));
            continue;
        };
        for target in Target::all().filter(|target| record.targets.contains_key(&target.to_string())) {
            let theirs = since.get(&target.to_string()).map(|isa| isa.parse::<IsaVersion>()).transpose()?;
            // ptxas is asked from 2.3 on, where addresses of 64 bits begin.
            let first = record.targets[&target.to_string()].parse::<IsaVersion>()?;
            let table = op.since(target).map(|isa| isa.max(first));
            if theirs != table {
                complaints.push(format!("{opcode} on {target}: ptxas {theirs:?}, table {table:?}"));
            }
        }
    }
    Ok(complaints)
}
