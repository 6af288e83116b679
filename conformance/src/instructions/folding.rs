//! Compares results with ptxas's constant folding, for every instruction whose bits the manual fixes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::{Format, Target};
use ptxcvt_exec::{Block, Meaning, Op, Opcode, Operand, Reg};

use super::key::{Names, key};
use crate::folding::{Tools, fold, module_head};
use crate::record::{self, Digest};

/// The record's name.
pub const RECORD: &str = "instructions-folding.tsv";

/// The bytes from one tuple's results to the next ones.
const STRIDE: usize = 16;

/// Kernels per module.
const BATCH: usize = 100;

/// The number of operand tuples of an instruction; comparisons are numerous and get fewer.
fn count(op: Op) -> usize {
    if op.name().starts_with("set") { 16 } else { 40 }
}

/// An instruction's folded results.
#[derive(Debug)]
pub struct Line {
    /// The instruction.
    pub op: Op,
    /// The result for each tuple of operands; `None` if ptxas left the work to the machine.
    pub results: Vec<Option<u64>>,
}

/// One tuple: the operands, and the constant if the instruction has one.
struct Try {
    constant: u64,
    operands: Vec<u64>,
}

/// The edges of a format, computed once.
fn codes(format: Format) -> Rc<[u64]> {
    thread_local! {
        static CODES: RefCell<BTreeMap<String, Rc<[u64]>>> = const { RefCell::new(BTreeMap::new()) };
    }
    CODES.with_borrow_mut(|all| {
        all.entry(format.to_string()).or_insert_with(|| edges(format).collect()).clone()
    })
}

/// The operands with which an instruction is folded: pairs of edges, numbers that nearly cancel, random bits.
fn tries(op: Op) -> Vec<Try> {
    let block = Block::of_op(op, 0);
    let mut random = SplitMix64::new(11);
    let ports: Vec<(u32, Option<Meaning>, Rc<[u64]>)> = block
        .inputs()
        .iter()
        .map(|port| {
            let codes = port.meaning.filter(|m| m.is_float()).map(|m| codes(m.format));
            (block.width(*port), port.meaning, codes.unwrap_or_default())
        })
        .collect();
    let amounts = [0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 255, 256, 0xffff_ffff];
    let one =
        |n: usize, (width, meaning, codes): &(u32, Option<Meaning>, Rc<[u64]>), random: &mut SplitMix64| {
            let draw = random.next_u64();
            let mask = u64::MAX >> (64 - width);
            let bits = match meaning {
                Some(m) if m.is_float() && n % 3 != 2 => (0..m.lanes).fold(0, |all, _| {
                    all << (m.format.storage() % 64) | codes[random.next_u64() as usize % codes.len()]
                }),
                _ => match draw % 8 {
                    0..3 => amounts[(draw >> 8) as usize % amounts.len()],
                    3 => 1 << (draw >> 8 & 63) & mask,
                    4 => (draw >> 8 & 0x3f).wrapping_neg(),
                    5 => mask >> 1,
                    _ => draw >> 3 ^ draw << 32,
                },
            };
            bits & mask
        };
    (0..count(op))
        .map(|n| {
            let mut operands: Vec<u64> = ports.iter().map(|port| one(n, port, &mut random)).collect();
            if let [a, b, ..] = &mut operands[..] {
                let (width, meaning, _) = &ports[1];
                match (n % 5, meaning) {
                    (0, Some(m)) if m.is_float() && ports[0].1 == ports[1].1 => *b = *a ^ m.format.sign_bit(),
                    (1, _) if ports[0].0 == *width => *b = *a,
                    _ => {}
                }
            }
            Try { constant: random.next_u64() & 0xff, operands }
        })
        .collect()
}

/// A digest of the operands of all instructions. Results recorded for other operands do not count.
pub fn operands_digest() -> Digest {
    let mut digest = Digest::default();
    for op in subjects() {
        for each in tries(op) {
            digest.push(each.constant);
            each.operands.iter().for_each(|bits| digest.push(*bits));
        }
    }
    digest
}

/// The instructions whose bits the manual fixes.
fn subjects() -> impl Iterator<Item = Op> {
    Op::all().filter(|op| !Block::of_op(*op, 0).is_approximate())
}

/// The results of a block with one or two outputs in one word, the second one shifted left by 32 bits: a predicate or the
/// carry.
fn joined(results: &[u64]) -> u64 {
    results.iter().rev().fold(0, |all, bits| all << 32 ^ bits)
}

impl Line {
    /// The lines of the record.
    pub fn read() -> Result<Vec<Line>> {
        let text = record::read(RECORD)?;
        let recorded = text.lines().find_map(|line| line.strip_prefix("# operands ")).context("no digest")?;
        let digest = operands_digest();
        if recorded != digest.to_string() {
            bail!("the operands are no longer those of the record ({digest}); make it again");
        }
        let ours: BTreeMap<String, Op> = subjects().map(|op| (key(op), op)).collect();
        record::rows(&text)
            .map(|fields| {
                let [opcode, results] = fields[..] else { bail!("a line has two fields: {fields:?}") };
                let one = |word: &str| match word {
                    "-" => Ok(None),
                    hex => u64::from_str_radix(hex, 16).map(Some),
                };
                let results = results.split(' ').map(one).collect::<Result<_, _>>()?;
                let op = *ours.get(opcode).with_context(|| format!("the table lacks {opcode}"))?;
                Ok(Line { op, results })
            })
            .collect()
    }

    fn print(&self) -> String {
        let word = |result: &Option<u64>| result.map_or("-".to_owned(), |bits| format!("{bits:x}"));
        let results: Vec<String> = self.results.iter().map(word).collect();
        format!("{}\t{}", key(self.op), results.join(" "))
    }

    /// The places where the runner's result differs and is not excused.
    pub fn differences(&self) -> Vec<String> {
        let mut differences = Vec::new();
        for (each, folded) in tries(self.op).iter().zip(&self.results) {
            let block = Block::of_op(self.op, each.constant);
            let ours = joined(&block.eval(&each.operands).expect("one operand for each input"));
            if passes_nan(&block, &each.operands) {
                continue;
            }
            if let Some(folded) = folded.filter(|folded| *folded != ours) {
                differences.push(format!(
                    "{} {:x?} ({:x}): folded {folded:x}, runner {ours:x}",
                    self.op, each.operands, each.constant
                ));
            }
        }
        differences
    }
}

/// The assembler that folds, and the target. Older assemblers add only one instruction to these.
const FOLDERS: [(&str, &str); 1] = [("13.5.37", "sm_100a")];

/// NaN in `abs`, `neg` and `fma`: the assembler makes it canonical, quiets it, or returns the addend of a
/// product with zero unchanged, even if `.sat` or `.relu` say otherwise. These results are therefore ignored.
fn passes_nan(block: &Block, operands: &[u64]) -> bool {
    let Opcode::Op(op) = block.code()[0].opcode else { return false };
    let mut ports = block.inputs().iter().zip(operands);
    matches!(op.name(), "abs" | "neg" | "fma")
        && ports.any(|(port, bits)| port.meaning.is_some_and(|m| m.is_float() && m.has_nan(*bits)))
}

/// Folds every instruction, rewrites the record, and reports where the runner disagrees.
pub fn run(dir: &Path, names: &Names) -> Result<Vec<String>> {
    let all: Vec<Op> = subjects().filter(|op| names.has(op.name())).collect();
    let mut results: BTreeMap<String, Vec<Option<u64>>> = BTreeMap::new();
    for (version, target) in FOLDERS {
        let tools = Tools::find(dir, version)?;
        let target: Target = target.parse()?;
        let isa = tools.newest();
        let there: Vec<Op> =
            all.iter().copied().filter(|op| op.since(target).is_some_and(|since| since <= isa)).collect();
        for batch in there.chunks(BATCH) {
            eprintln!("{version} {target} {} …", batch[0]);
            let module = |ops: &[Op]| {
                let mut text = module_head(isa, target);
                ops.iter().enumerate().for_each(|(n, op)| text.push_str(&kernel(n, *op)));
                text
            };
            for (op, stored) in fold(&tools, target, batch, &module)? {
                let pair = Block::of_op(op, 0).outputs().len() == 2;
                let at = |offset: usize| stored.get(&(offset as u64)).copied().flatten();
                let result = |n: usize| match pair {
                    true => Some(joined(&[at(STRIDE * n)?, at(STRIDE * n + 8)?])),
                    false => at(STRIDE * n),
                };
                let known = results.entry(key(op)).or_insert_with(|| vec![None; count(op)]);
                for (n, known) in known.iter_mut().enumerate() {
                    let found = result(n);
                    if let (Some(one), Some(other)) = (*known, found) {
                        if one != other {
                            eprintln!("{op} {n}: {one:x}, but {other:x} by {version} for {target}");
                        }
                    }
                    *known = known.or(found);
                }
            }
        }
    }
    let lines = all.iter().filter_map(|op| Some(Line { op: *op, results: results.remove(&key(*op))? }));
    let lines = lines.filter(|line| line.results.iter().any(Option::is_some));
    // The tuples of an instruction do not depend on other instructions, so their lines remain true.
    let old = record::earlier(RECORD)?;
    let mut printed: BTreeMap<String, String> = record::rows(&old)
        .filter(|fields| !names.has(fields[0]))
        .map(|fields| (fields[0].to_owned(), fields.join("\t")))
        .collect();
    printed.extend(lines.map(|line| (key(line.op), line.print())));
    let provenance = [
        format!("Instructions on constants that ptxas executed itself, read from the machine code: {FOLDERS:?}."),
        "Made by `ptxcvt-conformance instructions`.".to_owned(),
        "opcode and number of operands, then the result of each tuple of operands; - where it was left to the machine"
            .to_owned(),
        format!("operands {}", operands_digest()),
    ];
    record::write(RECORD, &provenance, subjects().filter_map(|op| printed.remove(&key(op))))?;
    let lines = Line::read()?;
    let folded = lines.iter().flat_map(|line| &line.results).filter(|r| r.is_some()).count();
    eprintln!("{} of {} instructions fold, {folded} results", lines.len(), subjects().count());
    Ok(lines.iter().flat_map(Line::differences).collect())
}

/// True if an instruction's operand is the carry flag, which has no register in PTX.
fn is_carry(block: &Block, register: Reg) -> bool {
    block.declaration(register).name == ptxcvt_exec::CARRY
}

/// A kernel that stores the results of all tuples, [`STRIDE`] bytes apart.
fn kernel(number: usize, op: Op) -> String {
    let mut body = String::new();
    // Writing to a string cannot fail.
    for (n, each) in tries(op).iter().enumerate() {
        let block = Block::of_op(op, each.constant);
        let name = |r: Reg| {
            let at = block.registers().iter().position(|x| x == block.declaration(r));
            format!("x{n}_{}", at.expect("a block declares its registers"))
        };
        for (at, register) in block.registers().iter().enumerate() {
            let ty = if register.ty.name() == "pred" {
                "pred".to_owned()
            } else {
                format!("b{}", register.ty.width)
            };
            let _ = writeln!(body, ".reg .{ty} x{n}_{at};");
        }
        for (port, bits) in block.inputs().iter().zip(&each.operands) {
            let name = name(port.register);
            let _ = match block.width(*port) {
                // The last operand. ptxas keeps the borrow of a difference as the opposite of a carry, so the flag must be
                // set by an instruction of the kind that reads it.
                1 if is_carry(&block, port.register) && op.name() == "subc" => {
                    writeln!(body, "mov.b32 t, {bits}; sub.cc.u32 t, 0, t;")
                }
                1 if is_carry(&block, port.register) => {
                    writeln!(body, "mov.b32 t, {bits}; add.cc.u32 t, t, 0xffffffff;")
                }
                1 => writeln!(body, "setp.ne.u32 {name}, {bits}, 0;"),
                width => writeln!(body, "mov.b{width} {name}, {bits:#x};"),
            };
        }
        let instruction = &block.code()[0];
        let text = |operand: &Operand| match operand {
            Operand::Register(r) => name(*r),
            Operand::WithCarry(r, _) => name(*r),
            Operand::Pair(Some(p), Some(q)) => format!("{}|{}", name(*p), name(*q)),
            other => block.operand_text(other),
        };
        let operands: Vec<String> = instruction.operands.iter().take(op.operand_count()).map(text).collect();
        let _ = writeln!(body, "{op} {};", operands.join(", "));
        for (at, port) in block.outputs().iter().enumerate() {
            let (name, place) = (name(port.register), STRIDE * n + 8 * at);
            let _ = match block.width(*port) {
                1 if is_carry(&block, port.register) && op.name().starts_with("sub") => {
                    writeln!(body, "subc.u32 t, 0, 0; neg.s32 t, t; st.volatile.global.b32 [p+{place}], t;")
                }
                1 if is_carry(&block, port.register) => {
                    writeln!(body, "addc.u32 t, 0, 0; st.volatile.global.b32 [p+{place}], t;")
                }
                1 => writeln!(body, "selp.b32 t, 1, 0, {name}; st.volatile.global.b32 [p+{place}], t;"),
                width => writeln!(body, "st.volatile.global.b{width} [p+{place}], {name};"),
            };
        }
    }
    format!(
        ".entry k{number}(.param .u64 q) {{\n.reg .b64 p; .reg .b32 t;\nld.param.u64 p, [q];\n{body}ret;\n}}\n"
    )
}
