//! The choice of inputs: all of them, all of each independent part, or samples.

use ptxcvt::mask;

use super::compare::Question;
use super::complete::Completion;
use super::dependence::{self, Bits};
use super::options::Options;

/// Up to this many input bits are tried completely, even if the outputs are independent.
const FEW_BITS: u32 = 16;
/// Limit on the input bits that are tried completely.
pub(super) const SWEPT_BITS: u32 = 32;

/// How the inputs were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every input.
    Exhaustive {
        /// The bits of all inputs together.
        bits: u32,
    },
    /// Each part of the outputs depends on few input bits, and all their values were tried.
    ByParts {
        /// The number of input bits on which each part depends.
        parts: Vec<u32>,
    },
    /// Each element is reduced to few values before elements are combined. Every input was tried up to that point, and
    /// every combination of the values after it.
    ByValues {
        /// The number of values of each input at that point.
        values: Vec<u32>,
    },
    /// No input was tried: both blocks have the same instructions with the same operands.
    Identical,
    /// Inputs suggested by the constants of the blocks, edges of the formats, and random inputs. Does not prove
    /// equality.
    Sampled,
}

/// Bits of one input that vary, and their place in the number of a trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub input: usize,
    /// The lowest bit in the input.
    pub at: u32,
    pub width: u32,
    /// The lowest bit in the trial's number.
    pub from: u32,
}

impl Piece {
    /// The piece's bits of a trial's number, shifted to their place in the input.
    #[inline]
    pub fn of(self, number: u64) -> u64 {
        (number >> self.from & mask(self.width)) << self.at
    }
}

/// One pass over inputs.
pub(super) struct Sweep {
    /// The destinations of the bits of a trial's number. Empty if inputs are sampled.
    pub pieces: Vec<Piece>,
    /// The bits of each output that are compared: those that depend only on the varied bits.
    pub compared: Vec<u64>,
    /// The bits of each input that vary.
    pub varying: Vec<u64>,
    /// How the inputs of a trial are completed.
    pub completions: Vec<Completion>,
    pub trials: u64,
}

pub(super) struct Plan {
    pub method: Method,
    pub sweeps: Vec<Sweep>,
    /// The maximum number of input bits on which an output bit, or up to NaN an output element, may depend.
    pub together: u32,
}

impl Plan {
    /// True if the plan tries every input.
    pub fn is_complete(&self) -> bool {
        self.method != Method::Sampled
    }

    /// The plan that decides, if it is complete.
    pub fn new(question: &Question<'_>, options: &Options) -> Plan {
        Plan::all(question, options).pop().expect("the last plan decides")
    }

    /// The plans in the order in which they should run. The last one decides, if it is complete.
    ///
    /// There are others only up to NaN, where whole elements must be compared, which needs the bits of several parts
    /// together. They compare the bits of some elements one by one instead. If they find no difference, equality is
    /// proven; a difference may be between two NaNs.
    pub fn all(question: &Question<'_>, options: &Options) -> Vec<Plan> {
        let bits = question.input_bits();
        let needs = needs(question);
        if !question.up_to_nan || bits <= FEW_BITS {
            return vec![Plan::of(question, options, needs.map(|needs| Parts::new(question, &needs)))];
        }
        let Some(needs) = needs else { return vec![Plan::of(question, options, None)] };
        // Elements that need more bits are compared bit by bit.
        let limits = [0, SWEPT_BITS, u32::MAX];
        let mut parts = limits.map(|limit| Parts::new(question, &joined(question, &needs, limit))).to_vec();
        parts.dedup();
        let last = parts.len() - 1;
        let plans = parts.into_iter().map(|parts| Plan::of(question, options, Some(parts)));
        let is_useful =
            |(n, plan): &(usize, Plan)| *n == last || matches!(plan.method, Method::ByParts { .. });
        plans.enumerate().filter(is_useful).map(|(_, plan)| plan).collect()
    }

    /// The plan for these parts of the outputs. Without an analysis, every output bit may depend on all input bits.
    fn of(question: &Question<'_>, options: &Options, parts: Option<Parts>) -> Plan {
        let bits = question.input_bits();
        let together = parts.as_ref().map_or(bits, |parts| parts.together);
        let whole = || {
            let all = (0..bits).collect::<Vec<u32>>();
            let sweep = Sweep::new(question, &all, vec![u64::MAX; question.outputs.len()]);
            Plan { method: Method::Exhaustive { bits }, sweeps: vec![sweep], together }
        };
        if bits <= FEW_BITS {
            return whole();
        }
        if let Some(parts) = parts.and_then(|parts| parts.each) {
            let sizes: Vec<u32> = parts.iter().map(|(bits, _)| bits.len() as u32).collect();
            // If one part needs every bit, its sweep is complete for all.
            if bits <= SWEPT_BITS && sizes.contains(&bits) {
                return whole();
            }
            let sweeps = parts.into_iter().map(|(bits, compared)| Sweep::new(question, &bits, compared));
            return Plan { method: Method::ByParts { parts: sizes }, sweeps: sweeps.collect(), together };
        }
        if bits <= SWEPT_BITS {
            return whole();
        }
        let sweep = Sweep {
            pieces: Vec::new(),
            compared: vec![u64::MAX; question.outputs.len()],
            varying: question.inputs.iter().map(|p| mask(p.width)).collect(),
            completions: Vec::new(),
            trials: options.samples.max(1),
        };
        Plan { method: Method::Sampled, sweeps: vec![sweep], together }
    }
}

/// The input bits on which one bit of an output may depend, in either block.
#[derive(Clone)]
struct Need {
    output: usize,
    bit: u32,
    bits: Bits,
}

/// The needs of every bit of every output. `None` if there are too many input bits for the analysis.
fn needs(question: &Question<'_>) -> Option<Vec<Need>> {
    let [a, b] = question.blocks.map(|block| dependence::of(block, &question.inputs));
    let (a, b) = (a?, b?);
    let mut needs = Vec::new();
    for (output, (x, y)) in a.iter().zip(&b).enumerate() {
        for bit in 0..x.len().max(y.len()) {
            // Above the narrower register, both are zero or the results differ.
            let of = |side: &[Bits]| side.get(bit).copied().unwrap_or_default();
            needs.push(Need { output, bit: bit as u32, bits: of(x).or(of(y)) });
        }
    }
    Some(needs)
}

/// The needs of outputs whose elements are compared up to NaN: every bit of an element needs what any of its bits needs.
/// An element that would need more than `limit` bits is left alone, as are formats without NaN.
fn joined(question: &Question<'_>, needs: &[Need], limit: u32) -> Vec<Need> {
    let mut needs = needs.to_vec();
    for (output, pair) in question.outputs.iter().enumerate() {
        let Some(meaning) = pair.meaning.filter(|meaning| meaning.format.nan().is_some()) else { continue };
        let storage = meaning.format.storage();
        for element in 0..meaning.lanes {
            let is_own = |need: &Need| need.output == output && need.bit / storage == element;
            let own = needs.iter().filter(|need| is_own(need));
            let all = own.fold(Bits::default(), |all, need| all.or(need.bits));
            if all.len() <= limit {
                needs.iter_mut().filter(|need| is_own(need)).for_each(|need| need.bits = all);
            }
        }
    }
    needs
}

/// The parts of the outputs.
#[derive(Clone, PartialEq)]
struct Parts {
    /// The maximum number of input bits on which an output bit, or an element whose bits are joined, may depend.
    together: u32,
    /// Sets of input bits, each with the output bits that depend only on the set. `None` if an output bit depends on too
    /// many input bits.
    each: Option<Vec<(Vec<u32>, Vec<u64>)>>,
}

impl Parts {
    fn new(question: &Question<'_>, needs: &[Need]) -> Parts {
        let together = needs.iter().map(|need| need.bits.len()).max().unwrap_or(0);
        let each = (together <= SWEPT_BITS).then(|| Parts::each(question, needs));
        Parts { together, each }
    }

    fn each(question: &Question<'_>, needs: &[Need]) -> Vec<(Vec<u32>, Vec<u64>)> {
        let mut sets: Vec<Bits> = needs.iter().map(|need| need.bits).collect();
        ptxcvt::order_by(&mut sets, |set| u64::MAX - set.len() as u64);
        let mut largest: Vec<Bits> = Vec::new();
        for set in sets {
            if !largest.iter().any(|known| set.is_within(*known)) {
                largest.push(set);
            }
        }
        let part = |set: Bits| {
            let mut compared = vec![0; question.outputs.len()];
            for need in needs.iter().filter(|need| need.bits.is_within(set)) {
                compared[need.output] |= 1 << need.bit;
            }
            (set.iter().collect(), compared)
        };
        largest.into_iter().map(part).collect()
    }
}

impl Sweep {
    /// A sweep over these input bits. They are numbered as in [`Bits`], from the lowest bit of the last input, so the
    /// first input is the most significant.
    fn new(question: &Question<'_>, bits: &[u32], compared: Vec<u64>) -> Sweep {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut varying = vec![0; question.inputs.len()];
        let mut from = 0;
        let mut first = 0;
        for (input, pair) in question.inputs.iter().enumerate().rev() {
            for at in 0..pair.width {
                if !bits.contains(&(first + at)) {
                    continue;
                }
                varying[input] |= 1 << at;
                match pieces.last_mut() {
                    Some(p) if p.input == input && p.at + p.width == at => p.width += 1,
                    _ => pieces.push(Piece { input, at, width: 1, from }),
                }
                from += 1;
            }
            first += pair.width;
        }
        let completions = Completion::all(question, &varying);
        Sweep { pieces, compared, varying, completions, trials: 1 << from }
    }
}
