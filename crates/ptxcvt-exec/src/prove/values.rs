//! Proofs by values: elements that are combined by sums, but are first reduced to few values. All combinations of these
//! values are tried.
//!
//! If codes are packed by an addition or multiplication, the bit analysis reports that each bit of the result may
//! depend on every element. But the block can be cut in two: before the cut, every relevant bit depends on one input;
//! after the cut, only these bits are used. The proof has two steps:
//!
//! 1. The first part runs for all values of each input. This finds the few values at the cut. It also shows that the
//!    other block, in which each output bit depends on one input, returns the same results for all inputs with the same
//!    value at the cut.
//! 2. The second part runs for every combination of these values.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use ptxcvt::mask;

use super::answer::Difference;
use super::compare::{Pair, Question};
use super::dependence::{self, Bits};
use super::domain::Domain;
use super::kinds;
use super::options::Options;
use super::results::Results;
use super::watch::Watch;
use crate::block::{Block, Instruction, Port};
use crate::lanes::{LANES, Program, Runner};
use crate::operand::{Operand, Reg};

/// Limit on the values of an element at the cut.
const MOST_VALUES: usize = 4096;
/// Limit on the combinations.
const MOST_COMBINATIONS: u64 = 1 << 20;
/// Limit on the width of an input.
const SWEPT_BITS: u32 = 32;
/// The number of inputs that a thread processes at a time.
const CHUNK: u64 = 1 << 16;

/// The result of the two steps.
pub(super) struct Outcome {
    /// The number of values of each input at the cut.
    pub values: Vec<u32>,
    /// The number of inputs and combinations that were run.
    pub compared: u64,
    pub difference: Option<Difference>,
}

/// A block in two parts.
struct Cut {
    first: Block,
    second: Block,
    /// For each input, the bits at the cut that depend on it, register by register. Constant bits belong to the first
    /// input.
    owned: Vec<Vec<u64>>,
}

/// The bits at the cut, each with the other block's results and an input that produces both.
type Values = HashMap<Vec<u64>, (Vec<u64>, u64)>;

/// Tries every combination. `None` if neither block can be cut, or an element has too many values.
pub(super) fn run(question: &Question<'_>, options: &Options, watch: &Watch<'_>) -> Option<Outcome> {
    let narrow = question.inputs.iter().all(|pair| pair.width <= SWEPT_BITS);
    if options.domain != Domain::All || question.inputs.len() < 2 || !narrow {
        return None;
    }
    let [a, b] = question.blocks;
    let whole = |block| owners(block, &question.inputs, |_| u64::MAX);
    let (packed, other, outputs) = match (whole(b), whole(a)) {
        (Some(outputs), _) => (a, b, outputs),
        (None, Some(outputs)) => (b, a, outputs),
        (None, None) => return None,
    };
    let cut = cut(packed, &question.inputs)?;
    let found = sweep(question, &cut, other, &outputs, options, watch)?;
    let swept = question.inputs.iter().map(|pair| 1_u64 << pair.width).sum();
    combine(question, &cut, found, swept, options)
}

/// The input to which a set of bits belongs: the first input if the set is empty, `None` if it has bits of several
/// inputs.
fn single(bits: Bits, inputs: &[Pair]) -> Option<usize> {
    // The bits of the last input are numbered first.
    let mut owner = None;
    let mut from = 0;
    for (n, pair) in inputs.iter().enumerate().rev() {
        if bits.iter().any(|bit| (from..from + pair.width).contains(&bit)) && owner.replace(n).is_some() {
            return None;
        }
        from += pair.width;
    }
    Some(owner.unwrap_or(0))
}

/// For each input, the bits of each output that depend on it. `None` if a bit depends on several inputs. Considers only
/// bits in `counted`.
fn owners(block: &Block, inputs: &[Pair], counted: impl Fn(usize) -> u64) -> Option<Vec<Vec<u64>>> {
    let outputs = dependence::of(block, inputs)?;
    let mut owned = vec![vec![0; outputs.len()]; inputs.len()];
    for (at, bits) in outputs.iter().enumerate() {
        for (bit, set) in bits.iter().enumerate().filter(|(bit, _)| counted(at) >> bit & 1 != 0) {
            owned[single(*set, inputs)?][at] |= 1 << bit;
        }
    }
    Some(owned)
}

/// Cuts the block at the last place where every relevant bit depends on one input.
fn cut(block: &Block, inputs: &[Pair]) -> Option<Cut> {
    (0..block.code.len()).rev().find_map(|at| cut_at(block, inputs, at))
}

fn cut_at(block: &Block, inputs: &[Pair], at: usize) -> Option<Cut> {
    let (before, after) = block.code.split_at(at);
    let is_set = |register: Reg| {
        block.inputs.iter().any(|port| port.register == register)
            || before.iter().any(|i| i.written().any(|written| written == register))
    };
    let is_used = |register: Reg| {
        let mentions = |operand: &Operand| match operand {
            Operand::Register(r) | Operand::Not(r) => *r == register,
            Operand::Vector(parts) => parts.contains(&Operand::Register(register)),
            Operand::Pair(p, q) => [p, q].into_iter().any(|r| *r == Some(register)),
            Operand::WithCarry(..) | Operand::Constant(_) | Operand::Sink => false,
        };
        block.outputs.iter().any(|port| port.register == register)
            || after
                .iter()
                .any(|i| i.guard.is_some_and(|g| g.register == register) || i.operands.iter().any(mentions))
    };
    let all = (0..block.registers.len() as u32).map(Reg);
    let mut live: Vec<Port> =
        all.filter(|r| is_set(*r) && is_used(*r)).map(|register| Port { register, meaning: None }).collect();
    let part = |inputs: &[Port], outputs: &[Port], code: &[Instruction]| Block {
        registers: block.registers.clone(),
        inputs: inputs.to_vec(),
        outputs: outputs.to_vec(),
        code: code.to_vec(),
        function: block.function,
    };
    // The bits at the cut on which the outputs may depend.
    let pairs: Vec<Pair> =
        live.iter().map(|port| Pair { width: block.width(*port), meaning: None, fixed: false }).collect();
    let second = part(&live, &block.outputs, after);
    let needed = dependence::of(&second, &pairs)?.into_iter().flatten().fold(Bits::default(), Bits::or);
    let mut first_bit = 0;
    let mut counted = vec![0_u64; live.len()];
    for (n, pair) in pairs.iter().enumerate().rev() {
        counted[n] = needed
            .iter()
            .filter(|bit| (first_bit..first_bit + pair.width).contains(bit))
            .fold(0, |all, bit| all | 1 << (bit - first_bit));
        first_bit += pair.width;
    }
    let mut keep = counted.iter().map(|bits| *bits != 0);
    live.retain(|_| keep.next().expect("one for each register"));
    counted.retain(|bits| *bits != 0);
    let second = part(&live, &block.outputs, after);
    let first = part(&block.inputs, &live, before);
    let owned = owners(&first, inputs, |n| counted[n])?;
    Some(Cut { first, second, owned })
}

/// Runs the first part and the other block for all values of each input.
fn sweep(
    question: &Question<'_>,
    cut: &Cut,
    other: &Block,
    outputs: &[Vec<u64>],
    options: &Options,
    watch: &Watch<'_>,
) -> Option<Vec<Values>> {
    let programs = [&cut.first, other].map(Program::new);
    let widest = question.inputs.iter().map(|pair| pair.width).max()?;
    let trials = 1_u64 << widest;
    let done = AtomicU64::new(0);
    let init = || {
        let mut mine = vec![Values::new(); question.inputs.len()];
        let mut lanes = Lanes::new(question, cut, other, outputs, &programs);
        // Random inputs come first: they quickly show whether there are too many values.
        let mut random = ptxcvt::inputs::SplitMix64::new(5);
        let probe = std::iter::repeat_with(|| random.next_u64() % trials / LANES as u64 * LANES as u64);
        let fine = probe.take(64).all(|start| lanes.run(start, &mut mine));
        (lanes, mine, fine)
    };
    let work = |(lanes, mine, fine): &mut (Lanes<'_>, Vec<Values>, bool), chunk: Range<u64>| {
        *fine = *fine && chunk.step_by(LANES).all(|start| lanes.run(start, mine));
        let progress = watch.report((done.fetch_add(CHUNK, Ordering::Relaxed) + CHUNK).min(trials), trials);
        if *fine { progress } else { ControlFlow::Break(()) }
    };
    let mut all = vec![Values::new(); question.inputs.len()];
    for (_, mine, fine) in ptxcvt_parallel::fold(trials, CHUNK, options.threads, init, work) {
        let mut pairs = all.iter_mut().zip(mine);
        let merged =
            pairs.all(|(all, mine)| mine.into_iter().all(|(key, (results, x))| insert(all, key, results, x)));
        if !fine || !merged || watch.is_stopped() {
            return None;
        }
    }
    Some(all)
}

/// Adds a value with its results, and keeps the smallest input that produces it. False if the value already has other
/// results, or if there are too many values.
fn insert(values: &mut Values, key: Vec<u64>, results: Vec<u64>, x: u64) -> bool {
    let known = values.entry(key).or_insert_with(|| (results.clone(), x));
    known.1 = known.1.min(x);
    let same = known.0 == results;
    same && values.len() <= MOST_VALUES
}

/// The columns of a thread.
struct Lanes<'l> {
    question: &'l Question<'l>,
    cut: &'l Cut,
    other: &'l Block,
    outputs: &'l [Vec<u64>],
    runners: [Runner<'l>; 2],
}

impl<'l> Lanes<'l> {
    fn new(
        question: &'l Question<'l>,
        cut: &'l Cut,
        other: &'l Block,
        outputs: &'l [Vec<u64>],
        programs: &'l [Program; 2],
    ) -> Self {
        let [first, second] = programs;
        Lanes { question, cut, other, outputs, runners: [first.runner(), second.runner()] }
    }

    /// Runs the inputs from `start` on, with the same value for every input. False if the proof has failed.
    fn run(&mut self, start: u64, found: &mut [Values]) -> bool {
        for (runner, block) in self.runners.iter_mut().zip([&self.cut.first, self.other]) {
            for (n, pair) in (0..block.inputs.len()).zip(&self.question.inputs) {
                runner.set(n, |lane| (start + lane as u64) & mask(pair.width));
            }
            runner.run();
        }
        (0..found.len()).all(|n| self.collect(n, start, &mut found[n]))
    }

    fn collect(&self, n: usize, start: u64, found: &mut Values) -> bool {
        let masks = [&self.cut.owned[n], &self.outputs[n]];
        let of = |side: usize, lane: usize| -> Vec<u64> {
            let each = masks[side].iter().enumerate();
            each.map(|(at, mask)| self.runners[side].get(at, lane) & mask).collect()
        };
        // Neighbouring inputs often have the same value at the cut.
        let is_uniform = |side: usize| {
            masks[side].iter().enumerate().all(|(at, mask)| self.runners[side].is_uniform(at, *mask))
        };
        let lanes = if is_uniform(0) && is_uniform(1) { 1 } else { LANES };
        let mut last = None;
        for lane in 0..lanes {
            let both = (of(0, lane), of(1, lane));
            if last.as_ref() != Some(&both) {
                let (key, results) = both.clone();
                if !insert(found, key, results, start + lane as u64) {
                    return false;
                }
                last = Some(both);
            }
        }
        true
    }
}

/// Runs the second part for every combination.
fn combine(
    question: &Question<'_>,
    cut: &Cut,
    found: Vec<Values>,
    swept: u64,
    options: &Options,
) -> Option<Outcome> {
    let values: Vec<u32> = found.iter().map(|values| values.len() as u32).collect();
    let combinations = values.iter().try_fold(1_u64, |all, n| all.checked_mul(u64::from(*n)))?;
    if combinations > MOST_COMBINATIONS {
        return None;
    }
    let in_order = |values: Values| {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by_key(|(_, (_, x))| *x);
        values
    };
    let found: Vec<Vec<_>> = found.into_iter().map(in_order).collect();
    let (mut difference, mut trials): (Option<Difference>, u64) = (None, 0);
    for mut number in 0..combinations {
        let mut at_cut = vec![0; cut.second.inputs.len()];
        let mut wanted = vec![0; question.outputs.len()];
        let mut inputs = Vec::new();
        for (values, pair) in found.iter().zip(&question.inputs) {
            let (key, (results, x)): &(Vec<u64>, (Vec<u64>, u64)) =
                &values[(number % values.len() as u64) as usize];
            number /= values.len() as u64;
            at_cut.iter_mut().zip(key).for_each(|(all, bits)| *all |= bits);
            wanted.iter_mut().zip(results).for_each(|(all, bits)| *all |= bits);
            inputs.push(x & mask(pair.width));
        }
        let got = cut.second.eval(&at_cut).expect("one value for each register at the cut");
        let agree = |at: usize| question.agree(at, got[at], wanted[at], u64::MAX);
        if (0..wanted.len()).all(agree) {
            continue;
        }
        trials += 1;
        if difference.as_ref().is_none_or(|known| inputs < known.inputs) {
            let [a, b] = question.blocks.map(|block| block.eval(&inputs).expect("one value for each input"));
            let all = vec![u64::MAX; a.len()];
            let kinds = kinds::Kinds::of(question, &inputs, &Results::new(question, &a, &b, &all));
            let (inputs_of_b, stopped) = (inputs.clone(), options.first);
            difference = Some(Difference { inputs, inputs_of_b, a, b, count: None, trials, kinds, stopped });
            if options.first {
                break;
            }
        }
    }
    if let Some(difference) = &mut difference {
        difference.trials = trials;
    }
    Some(Outcome { values, compared: swept + combinations, difference })
}
