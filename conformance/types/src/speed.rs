//! How long another crate's `from_f32` takes, and ours, in one run on one thread.
//!
//! Inputs are numbers of a normal distribution as weights have, and random bits. "One" converts a number at a time, its
//! result used before the next one; "loop" converts a slice to a slice, which a compiler may vectorise. Times are the least
//! of many repetitions, alternating between both.

use std::hint::black_box;
use std::time::Instant;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::types::Number;

use crate::peers::Task;

/// So many that branch predictors do not remember them.
const COUNT: usize = 1 << 20;
const REPETITIONS: usize = 12;

/// Prints a line for each pair.
pub struct Speed {
    inputs: [Vec<f32>; 2],
}

impl Speed {
    /// Makes the inputs and prints the head of the table.
    pub fn new() -> Speed {
        let mut random = SplitMix64::new(8);
        // About a normal distribution of deviation 1: the sum of twelve uniform numbers.
        let mut uniform = || (random.next_u64() >> 40) as f32 / (1 << 24) as f32;
        let weights = (0..COUNT).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect();
        let mut random = SplitMix64::new(9);
        let bits = (0..COUNT).map(|_| f32::from_bits(random.next_u64() as u32)).collect();
        println!(
            "ns a number\tweights, one\tratio\tweights, loop\tratio\tbits, one\tratio\tbits, loop\tratio"
        );
        Speed { inputs: [weights, bits] }
    }
}

impl Task for Speed {
    fn run<N: Number>(
        &mut self,
        name: &'static str,
        theirs: impl Fn(f32) -> u32 + Copy,
        ours: impl Fn(f32) -> u32 + Copy,
    ) {
        let mut line = name.to_owned();
        let mut results = vec![0_u8; COUNT];
        for inputs in &self.inputs {
            let mut best = [f64::INFINITY; 4];
            for _ in 0..REPETITIONS {
                let times = [
                    timed(|| one(inputs, theirs)),
                    timed(|| one(inputs, ours)),
                    timed(|| slice(inputs, &mut results, theirs)),
                    timed(|| slice(inputs, &mut results, ours)),
                ];
                for (best, time) in best.iter_mut().zip(times) {
                    *best = best.min(time);
                }
            }
            for pair in best.chunks(2) {
                line += &format!("\t{:.2} against {:.2}\t{:.1}", pair[0], pair[1], pair[0] / pair[1]);
            }
        }
        println!("{line}");
    }
}

/// Nanoseconds a number.
fn timed(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9 / COUNT as f64
}

#[inline(never)]
fn one(inputs: &[f32], convert: impl Fn(f32) -> u32) {
    for x in inputs {
        black_box(convert(*x));
    }
}

#[inline(never)]
fn slice(inputs: &[f32], results: &mut [u8], convert: impl Fn(f32) -> u32) {
    for (x, result) in inputs.iter().zip(results.iter_mut()) {
        *result = convert(*x) as u8;
    }
    black_box(results);
}
