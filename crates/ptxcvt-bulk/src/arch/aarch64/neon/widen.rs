//! FP8, FP6 and FP4 to f16 and bf16. Codes of at most five bits are looked up; normal FP8 codes are shifted
//! into place.

use core::arch::aarch64::*;

use super::registers::{Pad, load, store_words};
use crate::arch::find::by_formats;
use crate::arch::need::Conversion;
use crate::arch::tables::table;
use crate::lanes::{float, match_const, match_format};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format;

pub fn find(need: &Conversion) -> Option<Run> {
    match need.from {
        _ if !need.only(&[]) => None,
        Format::E2m1 => by_formats!(four, need, [E2m1]),
        Format::E2m3 | Format::E3m2 => by_formats!(six, need, [E2m3, E3m2]),
        _ => by_formats!(eight, need, [E4m3, E5m2]),
    }
}

/// Sixteen pairs of FP4 codes at a time.
fn four<const S: usize, const D: usize>(span: Span<'_>) {
    let low = load(const { &table::<S, D, 16>(0) });
    let high = load(const { &table::<S, D, 16>(1) });
    let mut pad = Pad::<16, 0, 64>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        // SAFETY: NEON is part of every 64-bit Arm CPU.
        unsafe {
            let pairs = load(from);
            let (even, odd) = (vandq_u8(pairs, vdupq_n_u8(15)), vshrq_n_u8::<4>(pairs));
            // Not a loop: the compiler would keep one, with its counters in memory.
            let mut looked_up = |j: usize, codes: uint8x16_t| {
                let (lower, upper) = (vqtbl1q_u8(low, codes), vqtbl1q_u8(high, codes));
                store_words(to, j, vreinterpretq_u16_u8(vzip1q_u8(lower, upper)));
                store_words(to, j + 1, vreinterpretq_u16_u8(vzip2q_u8(lower, upper)));
            };
            looked_up(0, vzip1q_u8(even, odd));
            looked_up(2, vzip2q_u8(even, odd));
        }
    }
}

/// Sixteen FP6 codes at a time. The table's index has five bits; the sixth bit is the sign.
fn six<const S: usize, const D: usize>(span: Span<'_>) {
    let both = |bytes: &[u8; 32]| {
        let [first, second] = [0, 1].map(|i| load(&elements::<16>(bytes)[i]));
        uint8x16x2_t(first, second)
    };
    let low = both(const { &table::<S, D, 32>(0) });
    let high = both(const { &table::<S, D, 32>(1) });
    let mut pad = Pad::<16, 0, 32>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        // SAFETY: NEON is part of every 64-bit Arm CPU.
        unsafe {
            let codes = load(from);
            let m = vandq_u8(codes, vdupq_n_u8(31));
            let sign = vandq_u8(vshlq_n_u8::<2>(codes), vdupq_n_u8(0x80));
            let (lower, upper) = (vqtbl2q_u8(low, m), vorrq_u8(vqtbl2q_u8(high, m), sign));
            store_words(to, 0, vreinterpretq_u16_u8(vzip1q_u8(lower, upper)));
            store_words(to, 1, vreinterpretq_u16_u8(vzip2q_u8(lower, upper)));
        }
    }
}

/// Sixteen FP8 codes at a time. The word of a normal code is the code, shifted to the left, with another
/// bias. Subnormal codes are looked up.
fn eight<const S: usize, const D: usize>(span: Span<'_>) {
    let ((fraction, bias), (wide, wide_bias)) = const { (float::<S>(), float::<D>()) };
    let rebias = ((wide_bias - bias) as u16) << wide;
    let low = load(const { &table::<S, D, 16>(0) });
    let high = load(const { &table::<S, D, 16>(1) });
    // The largest finite magnitude, and the largest that is not NaN.
    let (finite, number) = match_format!(S { E4m3 => (0x7e, 0x7e), E5m2 => (0x7b, 0x7c) });
    let mut pad = Pad::<16, 0, 32>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        // SAFETY: NEON is part of every 64-bit Arm CPU.
        unsafe {
            let codes = load(from);
            let m = vandq_u8(codes, vdupq_n_u8(0x7f));
            let small = vcltq_u8(m, vdupq_n_u8(1 << fraction));
            let (lower, upper) = (vqtbl1q_u8(low, m), vqtbl1q_u8(high, m));
            let beyond = vcgtq_u8(m, vdupq_n_u8(finite));
            let nan = vcgtq_u8(m, vdupq_n_u8(number));
            let sign = vbicq_u8(vandq_u8(codes, vdupq_n_u8(0x80)), nan);
            // Infinity and NaN have all exponent bits, which are in the upper byte; NaN has all bits.
            let top = match_format!(D { F16 => 0x7c, Bf16 => 0x7f });
            let upper_bits = vorrq_u8(vandq_u8(beyond, vdupq_n_u8(top)), vandq_u8(nan, vdupq_n_u8(0x7f)));
            let upper_bits = vorrq_u8(upper_bits, sign);
            let words = |second: bool, m: uint8x8_t| {
                let zip = |a, b| if second { vzip2q_u8(a, b) } else { vzip1q_u8(a, b) };
                let moved = match_const!(float::<D>().0 - float::<S>().0, {
                    4 => vshll_n_u8::<4>(m),
                    5 => vshll_n_u8::<5>(m),
                    7 => vshll_n_u8::<7>(m),
                    8 => vshll_n_u8::<8>(m),
                });
                let normal = vaddq_u16(moved, vdupq_n_u16(rebias));
                let looked_up = vreinterpretq_u16_u8(zip(lower, upper));
                let word = vbslq_u16(vreinterpretq_u16_u8(zip(small, small)), looked_up, normal);
                vorrq_u16(word, vreinterpretq_u16_u8(zip(nan, upper_bits)))
            };
            store_words(to, 0, words(false, vget_low_u8(m)));
            store_words(to, 1, words(true, vget_high_u8(m)));
        }
    }
}
