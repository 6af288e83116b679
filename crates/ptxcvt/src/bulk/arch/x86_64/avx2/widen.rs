//! FP8 and FP4 to f16 and bf16: codes moved in place where they are normal, looked up by a shuffle of sixteen bytes where
//! they are not, upper and lower bytes interleaved.

use core::arch::x86_64::*;

use super::super::find::by_formats;
use super::super::tables::table;
use super::registers::{each_byte, in_halves, interleaved, load, shuffle_table, store_both};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::direct::{WordOf, WordsOfNibbles};
use crate::bulk::features;
use crate::bulk::stage::{Kernel, Span, Stage};
use crate::formats::Format;

const E4M3: usize = Format::E4m3 as usize;
const E5M2: usize = Format::E5m2 as usize;
const F16: usize = Format::F16 as usize;

pub fn find(need: &Conversion) -> Option<Stage> {
    match (need.from, need.to) {
        _ if !need.only(&[]) => None,
        (Format::E4m3, Format::F16) => Some(e4m3_to_f16),
        (Format::E5m2, Format::F16) => Some(e5m2_to_f16),
        _ => find_nibbles(need),
    }
}

/// FP4 alone.
pub fn find_nibbles(need: &Conversion) -> Option<Stage> {
    if need.only(&[]) { by_formats!(nibbles, need, E2m1) } else { None }
}

features::avx2! {
    fn e4m3_to_f16(span: Span<'_>) {
        let small = shuffle_table(const { &table::<E4M3, F16, 16>(1) });
        let (steps, rest) = span.steps::<32, 64>();
        for (from, to) in steps {
            let codes = in_halves(load(from));
            let m = _mm256_and_si256(codes, each_byte(0x7f));
            let subnormal = _mm256_cmpgt_epi8(each_byte(8), m);
            let nan = _mm256_cmpeq_epi8(m, each_byte(0x7f));
            // The upper byte: exponent and two fraction bits, the bias 8 larger; the lower: the third bit.
            let shifted = _mm256_and_si256(_mm256_srli_epi16::<1>(m), each_byte(0x3f));
            let normal = _mm256_add_epi8(shifted, each_byte(0x20));
            let upper = _mm256_blendv_epi8(normal, _mm256_shuffle_epi8(small, m), subnormal);
            let sign = _mm256_andnot_si256(nan, _mm256_and_si256(codes, each_byte(0x80)));
            let upper = _mm256_or_si256(_mm256_or_si256(upper, sign), _mm256_and_si256(nan, each_byte(0x7f)));
            let third = _mm256_and_si256(_mm256_slli_epi16::<7>(m), each_byte(0x80));
            let lower = _mm256_or_si256(_mm256_andnot_si256(subnormal, third), nan);
            store_both(to, interleaved(lower, upper));
        }
        WordOf::<E4M3, F16>::run(rest);
    }

    /// e5m2 is the upper byte of f16, but for NaN.
    fn e5m2_to_f16(span: Span<'_>) {
        let (steps, rest) = span.steps::<32, 64>();
        for (from, to) in steps {
            let codes = in_halves(load(from));
            let nan = _mm256_cmpgt_epi8(_mm256_and_si256(codes, each_byte(0x7f)), each_byte(0x7c));
            // The greatest of signed bytes is NaN's.
            let upper = _mm256_or_si256(_mm256_andnot_si256(nan, codes), _mm256_and_si256(nan, each_byte(0x7f)));
            store_both(to, interleaved(nan, upper));
        }
        WordOf::<E5M2, F16>::run(rest);
    }

    /// 32 pairs of FP4 codes: taken apart, brought in order, looked up, interleaved.
    fn nibbles<const S: usize, const D: usize>(span: Span<'_>) {
        let low = shuffle_table(const { &table::<S, D, 16>(0) });
        let high = shuffle_table(const { &table::<S, D, 16>(1) });
        // Interleaving twice works in halves; so ordered, its results are contiguous.
        let order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        let (steps, rest) = span.steps::<32, 128>();
        for (from, to) in steps {
            let pairs = _mm256_permutevar8x32_epi32(load(from), order);
            let even = _mm256_and_si256(pairs, each_byte(15));
            let odd = _mm256_and_si256(_mm256_srli_epi16::<4>(pairs), each_byte(15));
            let (first, second) = to.split_at_mut(64);
            for (codes, to) in interleaved(even, odd).into_iter().zip([first, second]) {
                // To f16 all lower bytes are 0.
                let lower = match const { Format::ALL[D] } {
                    Format::F16 => _mm256_setzero_si256(),
                    _ => _mm256_shuffle_epi8(low, codes),
                };
                let upper = _mm256_shuffle_epi8(high, codes);
                if let Ok(to) = to.try_into() {
                    store_both(to, interleaved(lower, upper));
                }
            }
        }
        WordsOfNibbles::<S, D>::run(rest);
    }
}
