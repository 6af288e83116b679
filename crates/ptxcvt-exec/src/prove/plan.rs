//! Which inputs are tried: all of them, all of each independent part, or samples.

use super::compare::Question;
use super::dependence::{self, Bits};
use super::{Options, sample};
use crate::semantics::mask;

/// As few input bits are swept whole even where the outputs are independent.
const FEW_BITS: u32 = 16;
/// As many input bits are swept whole.
const SWEPT_BITS: u32 = 32;

/// How the inputs were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every input.
    Exhaustive {
        /// The bits of all inputs together.
        bits: u32,
    },
    /// Parts of the outputs depend on few input bits each, and every setting of these was tried.
    ByParts {
        /// How many input bits each part depends on.
        parts: Vec<u32>,
    },
    /// Before the elements meet, each has few values; every input was tried up to there, and behind it every
    /// combination of these values.
    ByValues {
        /// How many values each input has there.
        values: Vec<u32>,
    },
    /// Edges and random inputs.
    Sampled,
}

/// Bits of one input that take on every value, as they lie in the number of a trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub input: usize,
    /// Where in the input.
    pub at: u32,
    pub width: u32,
    /// Where in the number of the trial.
    pub from: u32,
}

impl Piece {
    /// Its bits of the number, where they belong in the input.
    #[inline]
    pub fn of(self, number: u64) -> u64 {
        (number >> self.from & mask(self.width)) << self.at
    }
}

/// One pass over inputs.
pub(super) struct Sweep {
    /// Where the bits of a trial's number go; empty where inputs are sampled.
    pub pieces: Vec<Piece>,
    /// Which bits of each output are compared: those that depend on nothing else.
    pub compared: Vec<u64>,
    /// The bits of each input that vary.
    pub varying: Vec<u64>,
    pub trials: u64,
}

pub(super) struct Plan {
    pub method: Method,
    pub sweeps: Vec<Sweep>,
    pub samples: Option<sample::Sampler>,
}

impl Plan {
    pub fn new(question: &Question<'_>, options: &Options) -> Plan {
        let bits = question.input_bits();
        let whole = || {
            let all = (0..bits).collect::<Vec<u32>>();
            let sweep = Sweep::new(question, &all, vec![u64::MAX; question.outputs.len()]);
            Plan { method: Method::Exhaustive { bits }, sweeps: vec![sweep], samples: None }
        };
        if bits <= FEW_BITS {
            return whole();
        }
        if let Some(parts) = parts(question) {
            let sizes: Vec<u32> = parts.iter().map(|(bits, _)| bits.len() as u32).collect();
            // One part that needs every bit is no part.
            if bits <= SWEPT_BITS && sizes.contains(&bits) {
                return whole();
            }
            let sweeps = parts.into_iter().map(|(bits, compared)| Sweep::new(question, &bits, compared));
            return Plan {
                method: Method::ByParts { parts: sizes },
                sweeps: sweeps.collect(),
                samples: None,
            };
        }
        if bits <= SWEPT_BITS {
            return whole();
        }
        let sweep = Sweep {
            pieces: Vec::new(),
            compared: vec![u64::MAX; question.outputs.len()],
            varying: question.inputs.iter().map(|p| mask(p.width)).collect(),
            trials: options.samples.max(1),
        };
        let sampler = sample::Sampler::new(question);
        Plan { method: Method::Sampled, sweeps: vec![sweep], samples: Some(sampler) }
    }
}

/// The parts of the outputs: sets of input bits, and the output bits that depend on nothing outside the set.
/// `None` where an output bit depends on too many.
fn parts(question: &Question<'_>) -> Option<Vec<(Vec<u32>, Vec<u64>)>> {
    let [a, b] = question.blocks.map(|block| dependence::of(block, &question.inputs));
    let (a, b) = (a?, b?);
    // Per output, per bit: everything that either block's result may depend on.
    let mut needs: Vec<(usize, u32, Bits)> = Vec::new();
    for (output, (x, y)) in a.iter().zip(&b).enumerate() {
        for bit in 0..x.len().max(y.len()) {
            let of = |side: &[Bits]| side.get(bit).copied().unwrap_or_default();
            needs.push((output, bit as u32, of(x).or(of(y))));
        }
    }
    let mut sets: Vec<Bits> = needs.iter().map(|(.., set)| *set).collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut largest: Vec<Bits> = Vec::new();
    for set in sets {
        if set.len() > SWEPT_BITS {
            return None;
        }
        if !largest.iter().any(|known| set.is_within(*known)) {
            largest.push(set);
        }
    }
    let part = |set: Bits| {
        let mut compared = vec![0; question.outputs.len()];
        for (output, bit, _) in needs.iter().filter(|(.., needed)| needed.is_within(set)) {
            compared[*output] |= 1 << bit;
        }
        (set.iter().collect(), compared)
    };
    Some(largest.into_iter().map(part).collect())
}

impl Sweep {
    /// A sweep over these input bits, numbered as in [`Bits`]: the bits of the last input first, each from the
    /// lowest, so that the first input counts most.
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
        Sweep { pieces, compared, varying, trials: 1 << from }
    }
}
