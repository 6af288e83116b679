//! How long another crate's `from_f32` takes, and ours, in one run on one thread.
//!
//! Inputs are numbers of a normal distribution as weights have, and random bits. "One" converts a number at a time, its
//! result used before the next one; "loop" converts a slice to a slice of codes, which a compiler may vectorise.
//!
//! Each round times both, in an order that alternates, so that both meet the same noise. Times are processor time of the
//! thread, so other processes count only as far as they share caches. A time is the median of all rounds, and a ratio is
//! the median of the rounds' ratios.

use std::hint::black_box;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::types::Number;
use rustix::time::{ClockId, clock_gettime};

use crate::peers::Task;

/// So many that branch predictors do not remember them.
const COUNT: usize = 1 << 20;
/// Rounds; odd, so that one is in the middle.
const ROUNDS: usize = 41;

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
        peer: impl Fn(f32) -> u32 + Copy,
        ours: impl Fn(f32) -> u32 + Copy,
    ) {
        let mut line = name.to_owned();
        let mut bytes = vec![0_u8; COUNT];
        let mut words = vec![0_u16; COUNT];
        for inputs in &self.inputs {
            line += &compared(|ours_now| match ours_now {
                true => one(inputs, ours),
                false => one(inputs, peer),
            });
            // A slice of the format's own width: a narrower one would let the compiler leave out work.
            line += &match N::FORMAT.storage() {
                16 => compared(|ours_now| match ours_now {
                    true => slice(inputs, &mut words, |x| ours(x) as u16),
                    false => slice(inputs, &mut words, |x| peer(x) as u16),
                }),
                _ => compared(|ours_now| match ours_now {
                    true => slice(inputs, &mut bytes, |x| ours(x) as u8),
                    false => slice(inputs, &mut bytes, |x| peer(x) as u8),
                }),
            };
        }
        println!("{line}");
    }
}

/// Times both sides round by round. The columns are both times and the ratio.
fn compared(mut run: impl FnMut(bool)) -> String {
    let (mut peer, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let first = round % 2 == 0;
        let (one, two) = (timed(|| run(first)), timed(|| run(!first)));
        let (their, our) = if first { (two, one) } else { (one, two) };
        peer.push(their);
        ours.push(our);
        ratios.push(their / our);
    }
    let [peer, ours, ratio] = [peer, ours, ratios].map(median);
    format!("\t{peer:.2} / {ours:.2}\t{ratio:.1}")
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Nanoseconds a number.
fn timed(mut work: impl FnMut()) -> f64 {
    let start = now();
    work();
    (now() - start) * 1e9 / COUNT as f64
}

/// Seconds of processor time that this thread has used.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[inline(never)]
fn one(inputs: &[f32], convert: impl Fn(f32) -> u32) {
    for x in inputs {
        black_box(convert(*x));
    }
}

#[inline(never)]
fn slice<C>(inputs: &[f32], results: &mut [C], convert: impl Fn(f32) -> C) {
    for (x, result) in inputs.iter().zip(results.iter_mut()) {
        *result = convert(*x);
    }
    black_box(results);
}
