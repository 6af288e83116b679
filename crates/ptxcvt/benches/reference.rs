//! Measures the reference evaluator on one thread: `cargo bench -p ptxcvt --bench reference [-- OPCODE…]`.
//!
//! Sources are random bits, and normally distributed numbers like weights. Times are the least of many
//! repetitions. An instruction converts as many elements as its destination has.

use std::hint::black_box;
use std::time::Instant;

use ptxcvt::formats::Encoding;
use ptxcvt::inputs::{MAX_OPERANDS, SplitMix64};
use ptxcvt::{Form, Format, Rounding};

/// One form for each kind of destination.
const CASES: &[&str] = &[
    "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.rn.satfinite.e2m1x2.f32",
    "cvt.rs.satfinite.e4m3x4.f32",
    "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32",
    "cvt.rp.ue8m0x2.f32",
    "cvt.rn.satfinite.s2f6x2.f32",
    "cvt.rn.f16.f32",
    "cvt.rn.bf16x2.f32",
    "cvt.rna.tf32.f32",
    "cvt.rn.f32.f64",
    "cvt.f32.f16",
    "cvt.rn.f16x2.e4m3x2",
    "cvt.rzi.s32.f32",
    "cvt.rn.f32.s64",
    "cvt.sat.s8.s32",
    "cvt.pack.sat.s8.s32.b32",
];

const INSTRUCTIONS: usize = 4096;
const REPETITIONS: usize = 200;

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!(
        "{:<46} {:>10} {:>14} {:>10} {:>14}",
        "ns an instruction", "random", "elements/s", "weights", "elements/s"
    );
    for case in CASES.iter().copied().filter(|case| named.is_empty() || named.iter().any(|name| name == case))
    {
        let form: Form = case.parse().expect("every case is legal");
        let [random, weights] = [false, true].map(|weights| nanoseconds(&form, &operands(&form, weights)));
        let rate = |ns: f64| f64::from(form.lanes()) * 1e9 / ns;
        println!(
            "{case:<46} {random:>10.1} {:>14.3e} {weights:>10.1} {:>14.3e}",
            rate(random),
            rate(weights)
        );
    }
}

/// Source operands of many instructions.
fn operands(form: &Form, weights: bool) -> Vec<[u64; MAX_OPERANDS]> {
    let mut random = SplitMix64::new(8);
    let (data, source) = (form.data_operands().len(), form.source());
    let mut operand = |at| match weights && at < data && !source.format().is_integer() {
        true => (0..source.lanes()).fold(0, |bits: u64, _| {
            let storage = source.format().storage();
            (if storage < 64 { bits << storage } else { 0 }) | weight(source.format(), &mut random)
        }),
        false => random.next_u64(),
    };
    (0..INSTRUCTIONS).map(|_| core::array::from_fn(&mut operand)).collect()
}

/// Approximately normal with deviation 1: the sum of twelve uniform numbers.
fn weight(format: Format, random: &mut SplitMix64) -> u64 {
    let sum: f64 = (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum();
    format.encode(sum - 6.0, Encoding::new(Rounding::Rn).satfinite())
}

fn nanoseconds(form: &Form, operands: &[[u64; MAX_OPERANDS]]) -> f64 {
    let count = form.source_count();
    let round = || {
        let start = Instant::now();
        for operands in operands {
            let _ = black_box(form.eval(black_box(&operands[..count])));
        }
        start.elapsed().as_secs_f64() * 1e9 / operands.len() as f64
    };
    (0..REPETITIONS).map(|_| round()).fold(f64::INFINITY, f64::min)
}
