//! Inputs to try where there are too many for all: every exponent with fractions at the edges, small and large
//! integers, and random bits, each input independently.

use ptxcvt::inputs::{SplitMix64, edges};

use super::compare::Question;
use crate::semantics::mask;

/// So many edges of an input are remembered.
const MOST_EDGES: usize = 1 << 17;

/// Makes the n-th sample of a question, the same on every machine and by any number of threads.
pub(super) struct Sampler {
    /// Of each input: its width and its edge values.
    inputs: Vec<(u32, Vec<u64>)>,
}

impl Sampler {
    pub fn new(question: &Question<'_>) -> Self {
        let of = |pair: &super::compare::Pair| {
            let edges: Vec<u64> = match pair.meaning {
                Some(m) if m.lanes == 1 => edges(m.format).take(MOST_EDGES).collect(),
                // Of packed numbers every edge beside a scrambled one.
                Some(m) => {
                    let storage = m.format.storage();
                    let beside = |code: u64| {
                        let other = SplitMix64::new(code).next_u64() & mask(storage);
                        (0..m.lanes)
                            .fold(0, |bits, lane| bits << storage | if lane == 0 { code } else { other })
                    };
                    edges(m.format).take(MOST_EDGES).map(beside).collect()
                }
                None => {
                    (0..pair.width).flat_map(|n| [1 << n, mask(n), !mask(n) & mask(pair.width)]).collect()
                }
            };
            (pair.width, edges)
        };
        Sampler { inputs: question.inputs.iter().map(of).collect() }
    }

    /// Sample `n`. The first samples walk through each input's edges; then edges and random bits mix.
    pub fn sample(&self, n: u64, inputs: &mut [u64]) {
        let mut random = SplitMix64::new(n);
        for (at, ((width, edges), input)) in self.inputs.iter().zip(inputs).enumerate() {
            let draw = random.next_u64();
            let walk = (n as usize + at * 7919) / (1 + at);
            *input = match draw >> 62 {
                0 | 1 if !edges.is_empty() => edges[(draw as usize) % edges.len()],
                2 if walk < edges.len() => edges[walk],
                _ => random.next_u64() & mask(*width),
            };
        }
    }
}
