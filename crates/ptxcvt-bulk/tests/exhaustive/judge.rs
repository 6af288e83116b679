//! The verdict on a form. All tiers are compared with each other on all inputs, and with the reference where
//! their results change.

use std::ops::Range;

use ptxcvt::Form;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_bulk::{ColumnMut, Plan, Tier};
use twox_hash::XxHash3_128;

use super::order::Order;
use super::passes::{BLOCK, Batch, Extra, Pass, little_endian};

/// An implementation that converts a batch: a tier.
pub trait Engine {
    /// Its name.
    fn name(&self) -> String;
    /// Writes the results' bytes.
    fn convert(&self, batch: &Batch, results: &mut [u8]);
}

impl Engine for Plan {
    fn name(&self) -> String {
        self.tier().to_string()
    }

    fn convert(&self, batch: &Batch, results: &mut [u8]) {
        let (elements, extra) = batch.columns();
        self.run_packed(elements, extra, ColumnMut::Bytes(results)).expect("lengths that fit");
    }
}

/// The tiers of this machine, the fastest first.
pub fn tiers(form: Form) -> Vec<Plan> {
    let tiers = Tier::available().filter(|tier| *tier != Tier::Reference);
    let mut plans: Vec<Plan> = tiers.map(|tier| Plan::with_tier(form, tier).expect("available")).collect();
    plans.reverse();
    plans
}

/// The instructions at which the reference is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Questions {
    /// Nowhere; only the tiers are compared with each other.
    None,
    /// At the first and the last instruction of each run of equal results, up to a maximum number per block,
    /// and at random instructions.
    Ends(usize),
    /// At every instruction.
    All,
}

/// The number of random instructions of a block at which the reference is evaluated in addition to the ends
/// of runs (2^20 per pass); and the number for a pass with varied values, which has no runs.
const WITHIN: usize = 16;
const VARIED: usize = 512;

/// The result for a form without differences.
pub struct Verdict {
    /// XXH3, 128 bits, of the results in order. For several passes with different results, of their digests.
    pub digest: String,
    /// The number of the reference's results that were compared.
    pub evaluated: u64,
    /// Whether some ends of runs were omitted.
    pub thinned: bool,
}

/// Judges a form on the blocks of its inputs, first to last.
///
/// # Errors
///
/// The first difference.
pub fn judge(
    form: Form,
    engines: &[impl Engine],
    questions: Questions,
    blocks: Range<u64>,
) -> Result<Verdict, String> {
    let mut passes: Vec<Judge> =
        Pass::all(&form).into_iter().map(|pass| Judge::new(form, pass, questions)).collect();
    for first in blocks.map(|block| block * BLOCK as u64) {
        for pass in &mut passes {
            pass.block(engines, first)?;
        }
    }
    let digests: Vec<u128> = passes.iter().map(|pass| pass.hasher.finish_128()).collect();
    let digest = match form.extra() {
        Some(_) => {
            let bytes: Vec<u8> = digests.iter().flat_map(|digest| digest.to_be_bytes()).collect();
            XxHash3_128::oneshot(&bytes)
        }
        None if digests.iter().all(|digest| *digest == digests[0]) => digests[0],
        None => return Err("what an input gives depends on the operand that it is".to_owned()),
    };
    Ok(Verdict {
        digest: format!("{digest:032x}"),
        evaluated: passes.iter().map(|pass| pass.evaluated).sum(),
        thinned: passes.iter().any(|pass| pass.thinned),
    })
}

/// The state of a pass between two blocks.
struct Judge {
    form: Form,
    pass: Pass,
    questions: Questions,
    batch: Batch,
    results: Vec<u8>,
    others: Vec<u8>,
    chosen: Vec<u32>,
    hasher: XxHash3_128,
    order: Order,
    evaluated: u64,
    thinned: bool,
}

impl Judge {
    fn new(form: Form, pass: Pass, questions: Questions) -> Judge {
        let batch = Batch::new(form, pass, 0);
        let bytes = batch.instructions() * form.result_width() as usize / 8;
        Judge {
            form,
            pass,
            questions,
            batch,
            results: vec![0; bytes],
            others: vec![0; bytes],
            chosen: Vec::new(),
            hasher: XxHash3_128::new(),
            order: Order::new(form.destination().format()),
            evaluated: 0,
            thinned: false,
        }
    }

    fn block(&mut self, engines: &[impl Engine], first: u64) -> Result<(), String> {
        self.batch.start(first);
        let (fastest, others) = engines.split_first().expect("a tier");
        fastest.convert(&self.batch, &mut self.results);
        for other in others {
            // Clears the results of the previous tier.
            self.others.fill(0xa5);
            other.convert(&self.batch, &mut self.others);
            if self.results != self.others {
                let differ = self.results.iter().zip(&self.others).position(|(a, b)| a != b);
                let instruction = differ.expect("a difference") / self.width();
                self.evaluate(fastest, &self.results, instruction)?;
                self.evaluate(other, &self.others, instruction)?;
            }
        }
        self.choose(first);
        let ordered = self.pass.extra != Extra::Varied;
        for i in 0..self.chosen.len() {
            let instruction = self.chosen[i] as usize;
            let result = self.evaluate(fastest, &self.results, instruction)?;
            if ordered {
                self.follow(instruction, result)?;
            }
        }
        self.evaluated += self.chosen.len() as u64 * u64::from(self.form.lanes());
        self.digest();
        Ok(())
    }

    fn width(&self) -> usize {
        self.form.result_width() as usize / 8
    }

    /// Selects the instructions at which the reference is evaluated, in order.
    fn choose(&mut self, first: u64) {
        let (instructions, chosen) = (self.batch.instructions(), &mut self.chosen);
        let mut random = SplitMix64::new(first);
        chosen.clear();
        let within = match (self.questions, self.pass.extra) {
            (Questions::None, _) => return,
            (Questions::All, _) => return chosen.extend(0..instructions as u32),
            (Questions::Ends(_), Extra::Varied) => VARIED,
            (Questions::Ends(most), _) => {
                match self.form.result_width() {
                    8 => ends::<1>(&self.results, chosen),
                    16 => ends::<2>(&self.results, chosen),
                    32 => ends::<4>(&self.results, chosen),
                    _ => ends::<8>(&self.results, chosen),
                }
                let all = chosen.len();
                if all > most {
                    self.thinned = true;
                    // One from each of `most` equal stretches, in place: the k-th is at or after index k.
                    (0..most).for_each(|k| chosen[k] = chosen[(k * all + random.below(all)) / most]);
                    chosen.truncate(most);
                }
                WITHIN
            }
        };
        chosen.extend((0..within).map(|_| random.below(instructions) as u32));
        chosen.sort_unstable();
        chosen.dedup();
    }

    /// Evaluates the reference and returns its result, or an error if the engine's differs.
    fn evaluate(&self, engine: &impl Engine, results: &[u8], instruction: usize) -> Result<u64, String> {
        let width = self.width();
        let given = little_endian(&results[width * instruction..width * (instruction + 1)]);
        let expected = self.batch.evaluated(instruction);
        if given == expected {
            return Ok(expected);
        }
        Err(format!(
            "{} gives {given:#0digits$x} for {}, the reference {expected:#0digits$x}",
            engine.name(),
            self.inputs(instruction),
            digits = 2 * width + 2
        ))
    }

    /// Checks the order of an instruction's elements relative to those that were evaluated before.
    fn follow(&mut self, instruction: usize, result: u64) -> Result<(), String> {
        let bits = self.form.destination().format().storage();
        for lane in 0..self.form.lanes() as usize {
            let code = result >> (bits * lane as u32) & (u64::MAX >> (64 - bits));
            if !self.order.takes(lane, self.batch.input(instruction, lane), code) {
                let inputs = self.inputs(instruction);
                return Err(format!(
                    "the reference's result {result:#x} for {inputs} is smaller than one before"
                ));
            }
        }
        Ok(())
    }

    /// An instruction's inputs, the lowest element first, for a message.
    fn inputs(&self, instruction: usize) -> String {
        let inputs = (0..self.form.lanes() as usize).map(|lane| self.batch.input(instruction, lane));
        let inputs: Vec<String> = inputs.map(|input| format!("{input:#010x}")).collect();
        match self.pass.extra {
            Extra::Nothing => inputs.join(", "),
            Extra::Value(value) => format!("{} with {value:#x}", inputs.join(", ")),
            Extra::Varied => format!("{} with varied values", inputs.join(", ")),
        }
    }

    /// Adds the results to the digest in the order of the inputs, also if the pass exchanges neighbours. The
    /// two passes of a form without another operand therefore have the same digest.
    fn digest(&mut self) {
        if self.pass.flip != 0 && self.pass.extra == Extra::Nothing {
            assert!(
                self.pass.flip == 1 && self.form.lanes() == 2,
                "{}: neither one element nor two",
                self.form
            );
            match self.form.result_width() {
                8 => self.results.iter_mut().for_each(|pair| *pair = pair.rotate_left(4)),
                16 => self.results.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1)),
                _ => self.results.chunks_exact_mut(4).for_each(|pair| {
                    pair.swap(0, 2);
                    pair.swap(1, 3);
                }),
            }
        }
        self.hasher.write(&self.results);
    }
}

/// The first and the last instruction of each run of equal results, of `N` bytes each.
fn ends<const N: usize>(results: &[u8], ends: &mut Vec<u32>) {
    /// The number of bytes that are skipped at once if nothing changes.
    const STRETCH: usize = 256;
    let mut add = |instruction: usize| {
        if ends.last() != Some(&(instruction as u32)) {
            ends.push(instruction as u32);
        }
    };
    add(0);
    let (these, next) = (&results[..results.len() - N], &results[N..]);
    for (stretch, (these, next)) in these.chunks(STRETCH).zip(next.chunks(STRETCH)).enumerate() {
        if these != next {
            let pairs = these.chunks_exact(N).zip(next.chunks_exact(N));
            for (i, _) in pairs.enumerate().filter(|(_, (this, next))| this[..N] != next[..N]) {
                let instruction = stretch * (STRETCH / N) + i;
                add(instruction);
                add(instruction + 1);
            }
        }
    }
    add(results.len() / N - 1);
}
