//! f64 and long integers next to numbers of the destination and next to the middle of every two, on every tier.
//!
//! Kernels treat a step of f64 differently if one of them is NaN, or beyond the range of f32 or its normal numbers. So
//! all numbers are converted in order, where most steps have none of these, and with one of these every few elements.

use super::{Case, on_all_cores};
use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt::{Form, Format, Opcode, Value, mask};
use ptxcvt_bulk::Tier;

/// The finite numbers of a format of at most 16 bits, and of a wider one those of its lattice, in order.
fn numbers(format: Format) -> Vec<f64> {
    let codes: Vec<u64> = if format.bits() <= 16 {
        (0..=mask(format.bits())).collect()
    } else {
        inputs::edges(format).collect()
    };
    let finite = |code: u64| match format.decode(code) {
        Value::Finite(x) => Some(x.to_f64()),
        _ => None,
    };
    let mut numbers: Vec<f64> = codes.into_iter().filter_map(finite).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup_by_key(|x| x.to_bits());
    numbers
}

/// Numbers, the middle of each and the next one, as far beyond the ends, and the three f64 before and after each of these.
fn with_neighbours(numbers: &[f64]) -> Vec<u64> {
    let (last, before) = (numbers[numbers.len() - 1], numbers[numbers.len() - 2]);
    let (first, after) = (numbers[0], numbers[1]);
    let middles = numbers.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    let beyond = |end: f64, inner: f64| [end + (end - inner) / 2.0, end + (end - inner), 2.0 * end];
    let points =
        numbers.iter().copied().chain(middles).chain(beyond(last, before)).chain(beyond(first, after));
    let mut bits: Vec<u64> = points
        .filter(|x| x.is_finite())
        .flat_map(|x| {
            let around = (-3..=3).map(move |step| x.to_bits().wrapping_add_signed(step));
            // Zero has other neighbours: subnormal numbers of either sign.
            around.filter(|bits| !f64::from_bits(*bits).is_nan()).chain((x == 0.0).then_some(1 << 63 | 1))
        })
        .collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}

/// One element of a step for which the usual path is wrong, or that only looks so.
const RARE: &[u64] = &[
    0x7ff8_0000_0000_0000,
    0xfff0_0000_0000_0001,
    0x7ff0_0000_0000_0000,
    0x7ff7_ffff_ffff_ffff,
    0xfff0_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x380f_ffff_ffff_ffff,
    0xb690_0000_0000_0000,
    0xc7ef_ffff_ffff_ffff,
    0x47f0_0000_0000_0000,
];

#[test]
fn neighbours_of_every_result() {
    let from = |form: &Form| form.opcode() == Opcode::Cvt && form.source().format() == Format::F64;
    let forms: Vec<Form> =
        Form::all().filter(|form| from(form) && form.destination().format() != Format::F64).collect();
    assert!(forms.len() > 80);
    on_all_cores(&forms, |form| {
        let usual = with_neighbours(&numbers(form.destination().format()));
        let mixed = usual.iter().enumerate().flat_map(|(i, bits)| {
            let rare = (i % 5 == 0).then(|| RARE[i / 5 % RARE.len()]);
            rare.into_iter().chain([*bits])
        });
        let rows = |numbers: Vec<u64>| numbers.into_iter().map(|bits| [bits, 0, 0, 0, 0]);
        let cases = [Case::new(*form, rows(usual.clone())), Case::new(*form, rows(mixed.collect()))];
        cases.iter().find_map(|case| {
            Tier::available().filter(|tier| *tier != Tier::Reference).find_map(|tier| case.check(tier))
        })
    });
}

/// Integers with the leading bit at every place, next to floats of `fraction` bits and next to the middle of every two: all
/// significands of a short fraction, and some of a longer one.
fn integers(bits: u32, fraction: u32) -> Vec<u64> {
    let mut random = SplitMix64::new(0x1e55);
    let one = 1_u64 << fraction;
    let mut significands: Vec<u64> = if fraction <= 7 {
        (one..2 * one).collect()
    } else {
        (0..100)
            .map(|_| one | random.next_u64() & (one - 1))
            .chain([one, one + 1, 2 * one - 2, 2 * one - 1])
            .collect()
    };
    significands.dedup();
    let mut all: Vec<u64> = Vec::new();
    for place in 0..bits {
        for significand in &significands {
            let number = if place < fraction {
                significand >> (fraction - place)
            } else {
                significand << (place - fraction)
            };
            let half = 1_u64 << (place.saturating_sub(fraction + 1));
            for step in -2..=2 {
                for number in
                    [number, number.wrapping_add(half)].map(|number| number.wrapping_add_signed(step))
                {
                    all.extend([number, number.wrapping_neg()].map(|number| number & mask(bits)));
                }
            }
        }
    }
    all
}

#[test]
fn neighbours_of_integers() {
    let wanted = |form: &Form| {
        let (from, to) = (form.source().format(), form.destination().format());
        form.opcode() == Opcode::Cvt && from.is_integer() && from.bits() >= 32 && to.is_float()
    };
    let forms: Vec<Form> = Form::all().filter(wanted).collect();
    assert!(forms.len() > 60);
    on_all_cores(&forms, |form| {
        let numbers = integers(form.source().format().bits(), form.destination().format().fraction_bits());
        let case = Case::new(*form, numbers.into_iter().map(|bits| [bits, 0, 0, 0, 0]));
        Tier::available().filter(|tier| *tier != Tier::Reference).find_map(|tier| case.check(tier))
    });
}
