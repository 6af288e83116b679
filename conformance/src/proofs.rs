//! Proofs of the short sequences, for their contracts, on all inputs: complete sweeps over 2^32 where the sources are
//! f32. `records/proofs.tsv` keeps the verdicts with a digest of what the sequence returned.
//!
//! A pair whose elements are shown to be independent is swept once, both elements having the same value. Where that
//! is not shown, each element is swept beside random others.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, anyhow};
use ptxcvt::Form;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_exec::Block;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::prove::{Method, Options, is_elementwise, prove};
use ptxcvt_lower::{Lowering, short};

use crate::record::{self, Digest};

/// The record.
pub const RECORD: &str = "proofs.tsv";
/// So many inputs at a time, each piece with a digest of its own.
const PIECE: u64 = 1 << 22;

/// What the inputs of trial number x are.
#[derive(Clone, Copy)]
enum Inputs {
    /// The bits of x, the last input's the lowest.
    All,
    /// Every input is x.
    Same,
    /// Both halves of the one input are x.
    Halves,
    /// This input is x, the others are random.
    One(usize),
}

/// Proves every sequence whose opcode contains `only`, and writes its line of the record.
///
/// # Errors
///
/// Fails where the record cannot be read or written, or a sequence does not read.
pub fn run(only: Option<&str>, threads: usize) -> Result<bool> {
    let old = record::read(RECORD).unwrap_or_default();
    let key = |row: &[&str]| (row[0].to_owned(), row[1].to_owned());
    let mut lines: BTreeMap<(String, String), String> =
        record::rows(&old).map(|row| (key(&row), row.join("\t"))).collect();
    let mut agrees = true;
    let mut served = Vec::new();
    for row in short::rows() {
        for opcode in row.serves {
            served.push((opcode.to_string(), row.name.to_owned()));
            if only.is_some_and(|only| !opcode.contains(only)) {
                continue;
            }
            let form: Form = opcode.parse().map_err(|e| anyhow!("{opcode}: {e}"))?;
            let lowering = row.lowering(form).map_err(|e| anyhow!("{opcode}: {e}"))?;
            let verdict = verdict(&lowering, threads)?;
            eprintln!("{opcode}\t{}\t{verdict}", row.name);
            agrees &= !verdict.starts_with("different");
            let line = format!("{opcode}\t{}\t{}\t{verdict}", row.name, lowering.contract());
            lines.insert((opcode.to_string(), row.name.to_owned()), line);
            lines.retain(|key, _| served.contains(key) || short::rows().any(|row| is_of(row, key)));
            let provenance = [
                "form, sequence, contract, verdict, inputs, digest of what the sequence returned".to_owned(),
                format!("ptxcvt {}, reference: the form itself", env!("CARGO_PKG_VERSION")),
            ];
            record::write(RECORD, &provenance, lines.values().cloned())?;
        }
    }
    Ok(agrees)
}

fn is_of(row: &short::Row, (opcode, name): &(String, String)) -> bool {
    row.name == name && row.serves.contains(&opcode.as_str())
}

/// The verdict, how many inputs, and the digest, separated by tabs.
fn verdict(lowering: &Lowering, threads: usize) -> Result<String> {
    let form = Block::of_form(lowering.form());
    let block = lowering.block();
    let contract = lowering.contract();
    let bits: u32 = form.inputs().iter().map(|port| form.width(*port)).sum();
    let singles = lowering.form().operands().skip(1).all(|operand| operand.width == 32);
    if !contract.is_every() || (bits > 32 && !singles) || form.inputs().len() > 2 {
        let options = Options { threads, samples: 1 << 26, ..contract.options() };
        let answer = prove(&form, block, &options, &|_| {}).map_err(|e| anyhow!("{e}"))?;
        let how = match (&answer.difference, &answer.method) {
            (Some(_), _) => "different",
            (None, Method::Sampled) => "no difference in random inputs",
            (None, _) => "equal",
        };
        return Ok(format!("{how}\t{}\t-", answer.compared));
    }
    let elementwise = is_elementwise(&form, block).map_err(|e| anyhow!("{e}"))?;
    let (passes, how): (&[(Inputs, u32)], _) = if bits <= 16 {
        (&[(Inputs::All, bits)], "equal")
    } else if bits <= 32 {
        let answer = prove(&form, block, &Options { threads, ..Options::default() }, &|_| {});
        let answer = answer.map_err(|e| anyhow!("{e}"))?;
        match (&answer.difference, &answer.method) {
            (Some(difference), _) => return Ok(format!("different\t{:x?}\t-", difference.inputs)),
            (None, Method::ByParts { .. }) => (&[(Inputs::Halves, 16)], "equal, element by element"),
            _ => (&[(Inputs::Halves, 16)], "equal"),
        }
    } else if elementwise {
        (&[(Inputs::Same, 32)], "equal, element by element")
    } else {
        (&[(Inputs::One(0), 32), (Inputs::One(1), 32)], "no difference, each element beside random ones")
    };
    let mut digest = Digest::default();
    for (inputs, bits) in passes {
        match sweep(&form, block, *inputs, 1 << bits, threads) {
            Ok(piece) => digest.push(piece),
            Err(inputs) => return Ok(format!("different\t{inputs:x?}\t-")),
        }
    }
    let trials: u64 = passes.iter().map(|(_, bits)| 1_u64 << bits).sum();
    Ok(format!("{how}\t{trials}\t{digest}"))
}

/// Runs both over all trials: a digest of the second's results, or inputs on which they differ.
fn sweep(form: &Block, block: &Block, inputs: Inputs, trials: u64, threads: usize) -> Result<u64, Vec<u64>> {
    let pieces = trials.div_ceil(PIECE);
    let next = AtomicU64::new(0);
    let found: Mutex<BTreeMap<u64, Result<u64, Vec<u64>>>> = Mutex::new(BTreeMap::new());
    let programs = [form, block].map(Program::new);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut pair = Pair::new(form, block, &programs, inputs);
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= pieces {
                        break;
                    }
                    let result = pair.piece(piece * PIECE..trials.min((piece + 1) * PIECE));
                    if result.is_err() {
                        next.store(pieces, Ordering::Relaxed);
                    }
                    if let Ok(mut found) = found.lock() {
                        found.insert(piece, result);
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_default();
    let mut digest = 0_u64;
    for result in found.into_values() {
        digest = mixed(digest, result?);
    }
    Ok(digest)
}

/// At most eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut own = [0; 8];
    own[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(own)
}

/// Takes a word into a digest.
fn mixed(digest: u64, word: u64) -> u64 {
    (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Both blocks with their columns.
struct Pair<'p> {
    runners: [ptxcvt_exec::lanes::Runner<'p>; 2],
    /// The bytes of a lane of each input and of the output, of each block.
    inputs: [Vec<usize>; 2],
    output: [usize; 2],
    /// The bits of each input.
    bits: Vec<u32>,
    kind: Inputs,
    values: Vec<u64>,
}

impl<'p> Pair<'p> {
    fn new(form: &Block, block: &Block, programs: &'p [Program; 2], kind: Inputs) -> Self {
        let bytes = |b: &Block| b.inputs().iter().map(|port| b.width(*port) as usize / 8).collect();
        let output = |b: &Block| b.width(b.outputs()[0]) as usize / 8;
        let bits: Vec<u32> = form.inputs().iter().map(|port| form.width(*port)).collect();
        Pair {
            runners: [programs[0].runner(), programs[1].runner()],
            inputs: [bytes(form), bytes(block)],
            output: [output(form), output(block)],
            values: vec![0; bits.len()],
            bits,
            kind,
        }
    }

    /// The inputs of trial x.
    fn set(&mut self, x: u64) {
        let count = self.values.len();
        let mut above = x;
        for n in (0..count).rev() {
            self.values[n] = match self.kind {
                Inputs::Same => x,
                Inputs::Halves => x << 16 | x,
                Inputs::One(at) if at == n => x,
                Inputs::One(at) => SplitMix64::new(x ^ (at as u64) << 40).next_u64() & 0xffff_ffff,
                Inputs::All => {
                    let value = above & ((1 << self.bits[n]) - 1);
                    above >>= self.bits[n];
                    value
                }
            };
        }
    }

    /// The columns of trials from `start` on.
    fn fill(&mut self, start: u64, lanes: u64) {
        // By far the most work is to be done here, so it is told to the compiler.
        if let Inputs::Same = self.kind {
            for side in 0..2 {
                for n in 0..self.values.len() {
                    for (bytes, x) in self.runners[side].input(n).chunks_exact_mut(4).zip(start..) {
                        bytes.copy_from_slice(&(x as u32).to_le_bytes());
                    }
                }
            }
            return;
        }
        for lane in 0..lanes {
            self.set(start + lane);
            for side in 0..2 {
                for (n, value) in self.values.iter().enumerate() {
                    let width = self.inputs[side][n];
                    let at = lane as usize * width;
                    self.runners[side].input(n)[at..at + width]
                        .copy_from_slice(&value.to_le_bytes()[..width]);
                }
            }
        }
    }

    /// The first lane whose results differ; a byte may lie in a wider register, zero above.
    fn first_difference(&self, lanes: usize) -> Option<usize> {
        let [theirs, ours] = [0, 1].map(|side| &self.runners[side].output(0)[..lanes * self.output[side]]);
        if theirs == ours {
            return None;
        }
        let words = |side: usize, column| <[u8]>::chunks_exact(column, self.output[side]).map(word);
        words(0, theirs).zip(words(1, ours)).position(|(a, b)| a != b)
    }

    fn piece(&mut self, trials: std::ops::Range<u64>) -> Result<u64, Vec<u64>> {
        let mut digest = 0;
        let mut start = trials.start;
        while start < trials.end {
            let lanes = (trials.end - start).min(LANES as u64);
            self.fill(start, lanes);
            self.runners.iter_mut().for_each(ptxcvt_exec::lanes::Runner::run);
            if let Some(lane) = self.first_difference(lanes as usize) {
                self.set(start + lane as u64);
                return Err(self.values.clone());
            }
            let ours = &self.runners[1].output(0)[..lanes as usize * self.output[1]];
            for chunk in ours.chunks(8) {
                digest = mixed(digest, word(chunk));
            }
            start += lanes;
        }
        Ok(digest)
    }
}
