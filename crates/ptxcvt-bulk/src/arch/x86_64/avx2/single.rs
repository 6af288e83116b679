//! FP8, FP6, FP4 and ue8m0 to f32. The upper two bytes of the results are bf16 numbers. The lower two are zeros, or
//! ones for NaN.

use core::arch::x86_64::*;

use super::registers::{Pad, each, each_byte, interleaved, load, load_half, shuffle_table, store};
use super::widen::{self, BF16};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::arch::tables::table;
use crate::lanes::single;
use crate::stage::{Run, Span, elements_mut};
use ptxcvt::formats::Format::{self, E2m1, E2m3, E3m2, E4m3, E5m2, Ue8m0};

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to, need.packed) {
        _ if !need.only(&[]) => None,
        (E2m1, Format::F32, true) => Some(pairs),
        (E2m1, Format::F32, false) => Some(nibbles),
        (Ue8m0, Format::F32, _) => Some(powers),
        (E4m3 | E5m2, Format::F32, _) => {
            pick!(S: Format = need.from, [E4m3, E5m2] => Some(eight::<{ S as usize }> as Run))
        }
        (E2m3 | E3m2, Format::F32, _) => {
            pick!(S: Format = need.from, [E2m3, E3m2] => Some(six::<{ S as usize }> as Run))
        }
        _ => None,
    }
}

crate::avx2! {
    fn eight<const S: usize>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let [lower, upper] = widen::bytes_of_eight::<S, BF16>(in_quarters(load(from)));
            // Of all lower bytes, only those of NaN are ones.
            let nan = _mm256_cmpeq_epi8(lower, each_byte(0xff));
            store_singles(to, interleaved(nan, nan), interleaved(lower, upper));
        }
    }

    fn six<const S: usize>(span: Span<'_>) {
        let zero = _mm256_setzero_si256();
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let [lower, upper] = widen::bytes_of_six::<S, BF16>(in_quarters(load(from)));
            store_singles(to, [zero, zero], interleaved(lower, upper));
        }
    }

    /// FP4 codes in a byte each.
    fn nibbles(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            store_nibbles(to, load(from));
        }
    }

    /// Sixteen pairs of FP4 codes, as bytes of their own first.
    fn pairs(span: Span<'_>) {
        let mut pad = Pad::<16, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let pairs = _mm256_cvtepu8_epi16(load_half(from));
            store_nibbles(to, _mm256_or_si256(pairs, _mm256_slli_epi16::<4>(pairs)));
        }
    }

    /// Stores 32 FP4 codes, which are the low halves of bytes, as f32.
    #[inline]
    fn store_nibbles(to: &mut [u8; 128], codes: __m256i) {
        let codes = _mm256_and_si256(in_quarters(codes), each_byte(15));
        const S: usize = E2m1 as usize;
        let looked_up = |bytes: &[u8; 16]| _mm256_shuffle_epi8(shuffle_table(bytes), codes);
        let (lower, upper) = (const { &table::<S, BF16, 16>(0) }, const { &table::<S, BF16, 16>(1) });
        let zero = _mm256_setzero_si256();
        store_singles(to, [zero, zero], interleaved(looked_up(lower), looked_up(upper)));
    }

    /// Converts sixteen exponents. 2^-127 is a subnormal f32. NaN has the bits that bf16's NaN widens to.
    fn powers(span: Span<'_>) {
        const NAN_BELOW: u32 = 0x007f_0000;
        let mut pad = Pad::<16, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = load_half(from);
            let [first, second] = elements_mut::<32>(to) else { return };
            for (codes, to) in [(codes, first), (_mm_unpackhi_epi64(codes, codes), second)] {
                let shifted = _mm256_slli_epi32::<23>(_mm256_cvtepu8_epi32(codes));
                let nan = _mm256_cmpeq_epi32(shifted, each(single::INFINITY));
                let power = _mm256_max_epu32(shifted, each(single::LEAST_POWER));
                store(to, _mm256_or_si256(power, _mm256_and_si256(nan, each(NAN_BELOW))));
            }
        }
    }

    /// Orders bytes so that interleaving them twice, which works in halves of 128 bits, returns contiguous elements.
    #[inline]
    fn in_quarters(codes: __m256i) -> __m256i {
        _mm256_permutevar8x32_epi32(codes, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7))
    }

    /// Interleaves the lower and the upper words of 32 f32, and stores them.
    #[inline]
    fn store_singles(to: &mut [u8; 128], lower: [__m256i; 2], upper: [__m256i; 2]) {
        let to = elements_mut::<32>(to);
        for half in 0..2 {
            store(&mut to[2 * half], _mm256_unpacklo_epi16(lower[half], upper[half]));
            store(&mut to[2 * half + 1], _mm256_unpackhi_epi16(lower[half], upper[half]));
        }
    }
}
