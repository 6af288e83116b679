//! Proofs of the short sequences on all inputs of their contracts: complete sweeps over 2^32 if the source is one f32 or
//! a pair of halves. `records/proofs.tsv` has the verdicts with a digest of the sequence's results.
//!
//! A pair whose elements are shown to be independent is swept once, with equal elements. If independence is
//! not shown, all combinations of the values that reach the place where the elements meet are tried. If that
//! is impossible, too, each element is swept with random others.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use anyhow::{Result, anyhow};
use ptxcvt::Form;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_exec::Block;
use ptxcvt_exec::lanes::{LANES, Program, Runner};
use ptxcvt_exec::prove::{Method, Options, is_elementwise, method, prove};
use ptxcvt_lower::{Lowering, short};
use ptxcvt_report::proof::{self, Row, RowError};

use crate::record::{self, Digest};

/// The record.
pub const RECORD: &str = "proofs.tsv";
/// The number of inputs in a piece, which has its own digest.
const PIECE: u64 = 1 << 22;

/// The inputs of trial number x.
#[derive(Clone, Copy)]
enum Inputs {
    /// The bits of x, the lowest for the last input.
    All,
    /// Every input is x.
    Same,
    /// Both halves of the only input are x.
    Halves,
    /// This input is x, the others are random.
    One(usize),
}

impl Inputs {
    /// The value of input `n` in trial `x`; `bits` has the bits of each input.
    fn value(self, n: usize, x: u64, bits: &[u32]) -> u64 {
        match self {
            Inputs::Same => x,
            Inputs::Halves => x << 16 | x,
            Inputs::One(at) if at == n => x,
            Inputs::One(at) => SplitMix64::new(x ^ (at as u64) << 40).next_u64() & 0xffff_ffff,
            Inputs::All => x >> bits[n + 1..].iter().sum::<u32>() & ((1 << bits[n]) - 1),
        }
    }
}

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The form.
    pub form: String,
    /// The sequence's name.
    pub name: String,
    /// The inputs for which it holds.
    pub contract: String,
    /// `equal`, or the other verdict.
    pub verdict: String,
    /// How many inputs were tried.
    pub inputs: u64,
    /// The digest of the sequence's results, or `-`.
    pub results: String,
    /// The digest of the proven text.
    pub text: Digest,
}

impl Line {
    /// The lines of the record.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn parse(text: &str) -> Result<Vec<Line>> {
        let line = |row: Result<Row<'_>, RowError>| {
            let row = row?;
            Ok(Line {
                form: row.form.into(),
                name: row.sequence.into(),
                contract: row.contract.into(),
                verdict: row.verdict.into(),
                inputs: row.inputs,
                results: row.results.into(),
                text: row.text.parse()?,
            })
        };
        Row::all(text).map(line).collect()
    }

    fn print(&self) -> String {
        let Line { form, name, contract, verdict, inputs, results, text } = self;
        format!("{form}\t{name}\t{contract}\t{verdict}\t{inputs}\t{results}\t{text}")
    }

    /// True if every input of the contract was tried.
    pub fn is_complete(&self) -> bool {
        proof::is_complete(&self.verdict)
    }
}

/// Every short sequence for every form that it serves.
///
/// # Errors
///
/// Fails if a sequence cannot be parsed.
pub fn all() -> Result<Vec<Lowering>> {
    let mut all = Vec::new();
    for row in short::rows() {
        for opcode in row.serves {
            let form: Form = opcode.parse().map_err(|e| anyhow!("{opcode}: {e}"))?;
            all.push(row.lowering(form).map_err(|e| anyhow!("{opcode}: {e}"))?);
        }
    }
    Ok(all)
}

/// The digest of a sequence's text and contract, by which a test notices outdated proofs.
pub fn digest(lowering: &Lowering) -> Digest {
    Digest::of_text(&format!("{lowering}{}", lowering.contract()))
}

/// Proves every sequence whose opcode contains `only`, and writes its line of the record. With `stale`, only
/// sequences whose line is missing or belongs to another text.
///
/// # Errors
///
/// Fails if the record cannot be read or written, or a sequence cannot be parsed.
pub fn run(only: Option<&str>, stale: bool, threads: usize) -> Result<bool> {
    let all = all()?;
    let key = |lowering: &Lowering| (lowering.form().to_string(), lowering.name().to_owned());
    let known: BTreeMap<(String, String), &Lowering> = all.iter().map(|l| (key(l), l)).collect();
    let mut lines: BTreeMap<(String, String), Line> = Line::parse(&record::earlier(RECORD)?)?
        .into_iter()
        .map(|line| ((line.form.clone(), line.name.clone()), line))
        .filter(|(key, _)| known.contains_key(key))
        .collect();
    let mut agrees = true;
    for (key, lowering) in known {
        let is_current = lines.get(&key).is_some_and(|line| line.text == digest(lowering));
        if only.is_some_and(|only| !key.0.contains(only)) || stale && is_current {
            continue;
        }
        let Verdict { words: verdict, inputs, results } = verdict(lowering, threads)?;
        let (form, name) = key.clone();
        let (contract, text) = (lowering.contract().to_string(), digest(lowering));
        let line = Line { form, name, contract, verdict, inputs, results, text };
        eprintln!("{}", line.print());
        agrees &= !line.verdict.starts_with("different");
        lines.insert(key, line);
        let provenance = [
            "form, sequence, contract, verdict, inputs, digests of the sequence's results and of its text"
                .to_owned(),
            format!("ptxcvt {}, reference: the form itself", env!("CARGO_PKG_VERSION")),
        ];
        record::write(RECORD, &provenance, lines.values().map(Line::print))?;
    }
    Ok(agrees)
}

/// The result of the trial of a sequence: the fields of its line.
struct Verdict {
    words: String,
    inputs: u64,
    results: String,
}

fn verdict(lowering: &Lowering, threads: usize) -> Result<Verdict> {
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
        return Ok(Verdict { words: how.into(), inputs: answer.compared, results: "-".into() });
    }
    let options = Options { threads, ..Options::default() };
    let (passes, how): (Vec<(Inputs, u64)>, _) = if bits <= 16 {
        (vec![(Inputs::All, 1 << bits)], "equal")
    } else if is_elementwise(&form, block).map_err(|e| anyhow!("{e}"))? && bits > 32 {
        (vec![(Inputs::Same, 1 << 32)], "equal, element by element")
    } else if bits > 32 {
        let answer = prove(&form, block, &options, &|_| {}).map_err(|e| anyhow!("{e}"))?;
        match (answer.is_proof(), answer.difference) {
            (_, Some(difference)) => return Ok(different(&difference.inputs)),
            (true, None) => {
                (vec![(Inputs::Same, 1 << 32)], "equal, by the values of the elements before they meet")
            }
            (false, None) => (
                vec![(Inputs::One(0), 1 << 32), (Inputs::One(1), 1 << 32)],
                "no difference, each element with random others",
            ),
        }
    } else {
        match method(&form, block, &options).map_err(|e| anyhow!("{e}"))? {
            Method::ByParts { .. } => {
                // The parts need not be the halves, so the digest of the halves proves nothing by itself.
                let answer = prove(&form, block, &options, &|_| {}).map_err(|e| anyhow!("{e}"))?;
                if let Some(difference) = answer.difference {
                    return Ok(different(&difference.inputs));
                }
                (vec![(Inputs::Halves, 1 << 16)], "equal, element by element")
            }
            _ => (vec![(Inputs::All, 1 << bits)], "equal"),
        }
    };
    let mut digest = Digest::default();
    for (inputs, trials) in &passes {
        match sweep(&form, block, *inputs, *trials, threads) {
            Ok(piece) => digest.push(piece),
            Err(inputs) => return Ok(different(&inputs)),
        }
    }
    let trials: u64 = passes.iter().map(|(_, trials)| trials).sum();
    Ok(Verdict { words: how.into(), inputs: trials, results: digest.to_string() })
}

/// Compares blocks whose sources are f32 on every value of each element. `None` if the elements are not shown to be
/// independent.
///
/// # Errors
///
/// Fails if the blocks do not have the same operands.
pub(crate) fn by_elements(form: &Block, block: &Block, threads: usize) -> Result<Option<bool>> {
    if !is_elementwise(form, block).map_err(|e| anyhow!("{e}"))? {
        return Ok(None);
    }
    Ok(Some(sweep(form, block, Inputs::Same, 1 << 32, threads).is_ok()))
}

fn different(inputs: &[u64]) -> Verdict {
    Verdict { words: format!("different at {inputs:x?}"), inputs: 1, results: "-".into() }
}

/// Runs both over all trials. Returns a digest of the second one's results, or inputs on which they differ.
fn sweep(form: &Block, block: &Block, inputs: Inputs, trials: u64, threads: usize) -> Result<u64, Vec<u64>> {
    let pieces = trials.div_ceil(PIECE);
    let programs = [form, block].map(Program::new);
    let init = || (Pair::new(form, block, &programs, inputs), Vec::new());
    let work = |(pair, found): &mut (Pair<'_>, Vec<_>), piece: Range<u64>| {
        let result = pair.piece(piece.clone());
        let flow = if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        found.push((piece.start, result));
        flow
    };
    let states = ptxcvt_parallel::fold(trials, PIECE, threads.max(1), init, work);
    let found: BTreeMap<u64, Result<u64, Vec<u64>>> =
        states.into_iter().flat_map(|(_, found)| found).collect();
    let tried = found.len() as u64;
    let mut digest = 0_u64;
    for result in found.into_values() {
        digest = mixed(digest, result?);
    }
    assert_eq!(tried, pieces, "a sweep without a difference tries every piece");
    Ok(digest)
}

/// At most eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut own = [0; 8];
    own[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(own)
}

/// Adds a word to a digest.
fn mixed(digest: u64, word: u64) -> u64 {
    (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Both blocks with their columns.
struct Pair<'p> {
    runners: [Runner<'p>; 2],
    /// The bytes per lane of the output, for each block.
    output: [usize; 2],
    /// The bits of each input.
    bits: Vec<u32>,
    kind: Inputs,
}

impl<'p> Pair<'p> {
    fn new(form: &Block, block: &Block, programs: &'p [Program; 2], kind: Inputs) -> Self {
        let output = |b: &Block| b.width(b.outputs()[0]) as usize / 8;
        Pair {
            runners: [programs[0].runner(), programs[1].runner()],
            output: [output(form), output(block)],
            bits: form.inputs().iter().map(|port| form.width(*port)).collect(),
            kind,
        }
    }

    /// The columns of the trials from `start` on.
    fn fill(&mut self, start: u64) {
        let Pair { runners, bits, kind, .. } = self;
        for runner in runners {
            for n in 0..bits.len() {
                runner.set(n, |lane| kind.value(n, start + lane as u64, bits));
            }
        }
    }

    /// The first lane whose results differ; a byte may be zero-extended in a wider register.
    fn first_difference(&self, lanes: usize) -> Option<usize> {
        let [one, other] = [0, 1].map(|side| &self.runners[side].output(0)[..lanes * self.output[side]]);
        if one == other {
            return None;
        }
        let words = |side: usize, column| <[u8]>::chunks_exact(column, self.output[side]).map(word);
        words(0, one).zip(words(1, other)).position(|(a, b)| a != b)
    }

    fn piece(&mut self, trials: std::ops::Range<u64>) -> Result<u64, Vec<u64>> {
        let mut digest = 0;
        let mut start = trials.start;
        while start < trials.end {
            let lanes = (trials.end - start).min(LANES as u64);
            self.fill(start);
            self.runners.iter_mut().for_each(Runner::run);
            if let Some(lane) = self.first_difference(lanes as usize) {
                let x = start + lane as u64;
                return Err((0..self.bits.len()).map(|n| self.kind.value(n, x, &self.bits)).collect());
            }
            let other = &self.runners[1].output(0)[..lanes as usize * self.output[1]];
            for chunk in other.chunks(8) {
                digest = mixed(digest, word(chunk));
            }
            start += lanes;
        }
        Ok(digest)
    }
}
