//! Finds the operands that ptxas accepts at each place of each instruction: registers of every type,
//! constants of every kind, vectors, pairs, signs, sinks.
//!
//! Modifiers do not change the accepted operands, so one spelling is tried for each set of types and
//! operands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ptxcvt::forms::RegisterType;
use ptxcvt::{IsaVersion, Target};
use ptxcvt_conform::assembler::{Depth, Ptxas, Surroundings, Verdict};
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_exec::{Block, Op, Operand};

use super::key::Names;
use crate::{record, tools};

/// The record's name.
pub const RECORD: &str = "operands.tsv";

/// Lines per module.
const BATCH: usize = 3000;

/// Lines per module for kinds at which ptxas stops reading, so that each such line costs a run.
const FEW: usize = 30;

/// The kinds that are tried at each place, with the declarations of registers.
const KINDS: [&str; 39] = [
    "rb8",
    "rb16",
    "rb32",
    "rb64",
    "rb128",
    "ru8",
    "ru16",
    "ru32",
    "ru64",
    "rs8",
    "rs16",
    "rs32",
    "rs64",
    "rf16",
    "rf16x2",
    "rf32",
    "rf64",
    "rpred",
    "1",
    "-1",
    "200",
    "0x64086408",
    "0x123456789",
    "0xffffffffffffffff",
    "1.5",
    "-1.5",
    "0f3FC00000",
    "0d3FF8000000000000",
    "WARP_SZ",
    "_",
    "!rpred",
    "-rb32",
    "{rb8, rb8}",
    "{rb16, rb16}",
    "{rb32, rb32}",
    "{rb8, rb8, rb8, rb8}",
    "{rb16, rb16, rb16, rb16}",
    "{rb16, _}",
    "rpred|rpred",
];

/// Kinds that can only be a destination; elsewhere ptxas stops reading.
const DESTINATIONS: [&str; 2] = ["_", "rpred|rpred"];

/// The kinds that are tried at place `at`.
fn kinds(at: usize) -> impl Iterator<Item = &'static str> {
    KINDS.into_iter().filter(move |kind| at == 0 || !DESTINATIONS.contains(kind))
}

/// Declarations of the registers.
fn declarations() -> String {
    let registers = KINDS.iter().filter_map(|kind| Some((kind, kind.strip_prefix('r')?)));
    registers
        .filter(|(kind, _)| !kind.contains('|'))
        .map(|(kind, ty)| format!(".reg .{ty} {kind};\n"))
        .collect()
}

/// One spelling for each set of types and operands.
struct Subject {
    op: Op,
    /// Operands that fit.
    operands: Vec<String>,
}

impl Subject {
    fn all() -> Vec<Subject> {
        let mut seen = BTreeSet::new();
        let mut subjects = Vec::new();
        for op in Op::all() {
            let block = Block::of_op(op, 0xe8);
            let register = |ty: RegisterType| format!("r{}", ty.name());
            let text = |operand: &Operand| match operand {
                Operand::Register(r) => register(block.declaration(*r).ty),
                Operand::WithCarry(r, _) => register(block.declaration(*r).ty),
                Operand::Pair(..) => "rpred|rpred".to_owned(),
                other => block.operand_text(other),
            };
            let operands: Vec<String> =
                block.code()[0].operands.iter().take(op.operand_count()).map(text).collect();
            let types: Vec<_> = op.types().collect();
            if seen.insert((op.name(), types, operands.clone())) {
                subjects.push(Subject { op, operands });
            }
        }
        subjects
    }

    /// The instruction with `kind` at place `at`.
    fn with(&self, at: usize, kind: &str) -> String {
        let mut operands: Vec<&str> = self.operands.iter().map(String::as_str).collect();
        operands[at] = kind;
        format!("{} {};", self.op, operands.join(", "))
    }

    fn place(&self, at: usize) -> String {
        format!("{}/{}#{at}", self.op, self.operands.len())
    }
}

/// Whether a block with this instruction is accepted.
fn we_take(line: &str) -> bool {
    let parameters =
        KINDS.iter().filter(|kind| kind.starts_with('r') && !kind.contains(['|']) && **kind != "rb128");
    let parameters: Vec<String> = parameters.map(|kind| format!(".reg .{} {kind}", &kind[1..])).collect();
    // The first instruction gives the carry flag a value.
    let text = format!(
        ".func (.reg .b32 out) f ({}) {{ add.cc.u32 out, 1, 1; {line} mov.b32 out, 0; ret; }}",
        parameters.join(", ")
    );
    let interface = Interface { approximate: true, ..Interface::default() };
    read::block(&text, &interface).is_ok()
}

/// The kinds accepted at each place of each subject; places with the same kinds are one line.
#[derive(Debug, Default)]
pub struct Places {
    /// By place, such as `add.s32/3#1`, the first source of three operands: the accepted kinds.
    pub taken: BTreeMap<String, BTreeSet<String>>,
}

impl Places {
    /// Reads the record.
    pub fn read() -> Result<Places> {
        Self::parse(&record::read(RECORD)?)
    }

    fn parse(text: &str) -> Result<Places> {
        let mut places = Places::default();
        for fields in record::rows(text) {
            let [kinds, list] = fields[..] else { bail!("a line has two fields: {fields:?}") };
            let kinds: BTreeSet<String> =
                kinds.split("; ").filter(|kind| !kind.is_empty()).map(str::to_owned).collect();
            places.taken.extend(list.split(' ').map(|place| (place.to_owned(), kinds.clone())));
        }
        Ok(places)
    }

    fn write(&self, version: &str, target: Target) -> Result<()> {
        let mut classes: BTreeMap<&BTreeSet<String>, Vec<&str>> = BTreeMap::new();
        for (place, kinds) in &self.taken {
            classes.entry(kinds).or_default().push(place);
        }
        let line = |(kinds, places): (&&BTreeSet<String>, &Vec<&str>)| {
            let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
            format!("{}\t{}", kinds.join("; "), places.join(" "))
        };
        let provenance = [
            format!(
                "Operands that ptxas {version} accepts on {target}: the kinds, and the places: opcode, number of operands, which (0 the destination)."
            ),
            format!("Tried at every place: {}.", KINDS.join("; ")),
            "Made by `ptxcvt-conformance instructions`.".to_owned(),
        ];
        record::write(RECORD, &provenance, classes.iter().map(line))
    }

    /// Every point where the accepted operands differ from the record.
    pub fn disagreements(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut known = 0;
        for subject in Subject::all() {
            for at in 0..subject.operands.len() {
                let Some(taken) = self.taken.get(&subject.place(at)) else {
                    complaints.push(format!("{} is not in the record; make it again", subject.place(at)));
                    continue;
                };
                known += 1;
                for kind in kinds(at) {
                    let line = subject.with(at, kind);
                    let (assembles, ours) = (taken.contains(kind), we_take(&line));
                    if assembles != ours && !excused(&line, assembles) {
                        complaints.push(format!("{line} ptxas {assembles}, we {ours}"));
                    }
                }
            }
        }
        if known != self.taken.len() {
            complaints.push(format!("{} places in the record, {known} in the table", self.taken.len()));
        }
        complaints
    }
}

/// Intended differences. ptxas accepts an `.f16x2` register for a predicate, contrary to the manual. It
/// accepts `_` among the parts that `mov` packs, whose value is then undefined, and one predicate if a packed
/// comparison has two. Only comparisons of bf16 refuse a constant as the predicate to combine with.
fn excused(line: &str, assembles: bool) -> bool {
    let packed = line.starts_with("setp.") && line.contains("16x2 rpred, ");
    let opcode = line.split_once(' ').map_or(line, |(opcode, _)| opcode);
    let predicate = opcode.ends_with(".pred");
    let combined = opcode.contains(".and.") && opcode.contains("bf16") && !line.ends_with("rpred;");
    match assembles {
        true => predicate && line.contains("rf16x2") || line.ends_with("{rb16, _};") || packed,
        false => combined,
    }
}

/// Tries every kind at every place, rewrites the record, and reports where the library disagrees.
pub fn run(dir: &Path, names: &Names) -> Result<Vec<String>> {
    let (version, path) = tools::assemblers(dir)?.into_iter().next().context("no assembler")?;
    let target: Target = "sm_100a".parse()?;
    let head = format!(
        ".version {}\n.target {target}\n.address_size 64\n.entry k() {{\n{}",
        IsaVersion::NEWEST_RELEASED,
        declarations()
    );
    let arch = Depth::Check.arch(&target.to_string());
    let subjects: Vec<Subject> = Subject::all().into_iter().filter(|s| names.has(s.op.name())).collect();
    let tries: Vec<(String, &str, String)> = subjects
        .iter()
        .flat_map(|subject| (0..subject.operands.len()).map(move |at| (subject, at)))
        .flat_map(|(subject, at)| {
            kinds(at).map(move |kind| (subject.place(at), kind, subject.with(at, kind)))
        })
        .collect();
    eprintln!("{} operands …", tries.len());
    let (hard, easy): (Vec<_>, Vec<_>) = tries.iter().partition(|(_, kind, _)| DESTINATIONS.contains(kind));
    let mut places = Places::parse(&record::earlier(RECORD)?)?;
    places.taken.retain(|place, _| !names.has(place));
    for (tries, batch) in [(easy, BATCH), (hard, FEW)] {
        let lines: Vec<&str> = tries.iter().map(|(.., line)| line.as_str()).collect();
        let verdicts = Ptxas::new(&path).sift(Surroundings { head: &head, arch: &arch }, &lines, batch)?;
        for ((place, kind, _), verdict) in tries.iter().zip(verdicts) {
            let taken = places.taken.entry(place.clone()).or_default();
            if verdict == Verdict::Accepted {
                taken.insert((*kind).to_owned());
            }
        }
    }
    places.write(version, target)?;
    Ok(Places::read()?.disagreements())
}
