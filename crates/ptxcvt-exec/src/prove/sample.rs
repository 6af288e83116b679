//! Chooses inputs if there are too many to try all of them.
//!
//! The inputs are chosen in this order:
//!
//! 1. Inputs for which registers have the values of the blocks' constants ([`super::conditions`]).
//! 2. The values that these constants suggest for each input ([`super::backward`], [`super::constants`]), in all
//!    combinations if there are not too many.
//! 3. A mixture, for each input independently: edges of its format (every exponent with fractions at the edges, small
//!    and large integers), those values again, and random bits.

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::mask;

use super::compare::{Pair, Question};
use super::{backward, conditions, constants, meet};

/// Limit on the edges of an input.
const MOST_EDGES: usize = 1 << 17;

/// The values to try for one input.
struct Input {
    width: u32,
    /// Edges of its format.
    edges: Vec<u64>,
    /// Values suggested by the constants of the blocks, the likeliest first.
    suggested: Vec<u64>,
    /// The number of suggested values that are combined with those of the other inputs.
    combined: u64,
}

/// Makes the n-th sample of a question. A sample depends only on n and the question, so the samples do not depend on
/// the number of threads.
pub(super) struct Sampler {
    /// The samples that come first.
    solutions: Vec<Vec<u64>>,
    inputs: Vec<Input>,
    /// The number of combinations of suggested values, which come next.
    combinations: u64,
}

impl Sampler {
    /// The sampler for `samples` inputs of a question.
    pub fn new(question: &Question<'_>, samples: u64) -> Self {
        let constants = constants::of(question.blocks);
        let leading = question.blocks.map(backward::leading);
        let mut solutions = meet::all(question, &conditions::all(question, &leading));
        solutions.truncate((samples / 4) as usize);
        let input = |(n, pair): (usize, &Pair)| {
            let leading: Vec<u64> = leading.iter().flat_map(|of| &of.inputs[n]).copied().collect();
            let suggested = constants::values(&leading, &constants, pair);
            Input { width: pair.width, edges: format_edges(pair), suggested, combined: 0 }
        };
        let mut inputs: Vec<Input> = question.inputs.iter().enumerate().map(input).collect();
        let combinations = share(&mut inputs, (samples / 2).max(1));
        Sampler { solutions, inputs, combinations }
    }

    /// Sample `n`: one value for each input.
    pub fn sample(&self, n: u64, inputs: &mut [u64]) {
        if let Some(solution) = self.solutions.get(n as usize) {
            return inputs.copy_from_slice(solution);
        }
        let after = n - self.solutions.len() as u64;
        if after < self.combinations {
            let mut rest = after;
            for (known, input) in self.inputs.iter().zip(inputs) {
                *input = known.suggested[(rest % known.combined) as usize];
                rest /= known.combined;
            }
            return;
        }
        let mut random = SplitMix64::new(n);
        for (at, (known, input)) in self.inputs.iter().zip(inputs).enumerate() {
            let Input { width, edges, suggested, .. } = known;
            let draw = random.next_u64();
            let walk = (n as usize + at * 7919) / (1 + at);
            *input = match draw >> 61 {
                0..=2 if !edges.is_empty() => edges[draw as usize % edges.len()],
                3 => suggested[draw as usize % suggested.len()],
                4 | 5 if walk < edges.len() => edges[walk],
                _ => random.next_u64() & mask(*width),
            };
        }
    }
}

/// The edges of an input's format; for plain bits, single bits and runs of ones.
fn format_edges(pair: &Pair) -> Vec<u64> {
    match pair.meaning {
        Some(m) if m.lanes == 1 => edges(m.format).take(MOST_EDGES).collect(),
        // For packed numbers each edge is paired with a pseudorandom one.
        Some(m) => {
            let storage = m.format.storage();
            let with_other = |code: u64| {
                let other = SplitMix64::new(code).next_u64() & mask(storage);
                (0..m.lanes).fold(0, |bits, lane| bits << storage | if lane == 0 { code } else { other })
            };
            edges(m.format).take(MOST_EDGES).map(with_other).collect()
        }
        None => (0..pair.width).flat_map(|n| [1 << n, mask(n), !mask(n) & mask(pair.width)]).collect(),
    }
}

/// Sets the number of suggested values of each input that are combined, so that there are at most `most` combinations.
/// Returns the number of combinations. The longest list is shortened first.
fn share(inputs: &mut [Input], most: u64) -> u64 {
    for input in &mut *inputs {
        input.combined = input.suggested.len() as u64;
    }
    let product =
        |inputs: &[Input]| inputs.iter().try_fold(1_u64, |all, input| all.checked_mul(input.combined));
    loop {
        match product(inputs) {
            Some(combinations) if combinations <= most => return combinations,
            _ => {}
        }
        let Some(longest) = inputs.iter_mut().max_by_key(|input| input.combined) else { return 0 };
        if longest.combined == 1 {
            return 0;
        }
        longest.combined = (longest.combined * 3 / 4).max(1);
    }
}
