//! FP8, FP6 and FP4 to f16 and bf16. Normal codes are shifted into place, others are looked up by a shuffle
//! of sixteen bytes. Upper and lower bytes are then interleaved.

use core::arch::x86_64::*;

use super::registers::{Pad, each_byte, in_halves, interleaved, load, shuffle_table, store_both};
use crate::arch::find::by_formats;
use crate::arch::need::Conversion;
use crate::arch::tables::table;
use crate::lanes::{float, match_const, match_format};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format;

const E4M3: usize = Format::E4m3 as usize;
const F16: usize = Format::F16 as usize;

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to) {
        _ if !need.only(&[]) => None,
        (Format::E4m3, Format::F16) => Some(e4m3_to_f16),
        (Format::E5m2, Format::F16) => Some(e5m2_to_f16),
        (Format::E4m3, Format::Bf16) => Some(eight_to_bf16::<E4M3>),
        (Format::E5m2, Format::Bf16) => Some(eight_to_bf16::<{ Format::E5m2 as usize }>),
        (Format::E2m1, _) => find_nibbles(need),
        _ => by_formats!(six, need, [E2m3, E3m2]),
    }
}

/// The kernels for FP4 only.
pub fn find_nibbles(need: &Conversion) -> Option<Run> {
    if need.only(&[]) { by_formats!(nibbles, need, [E2m1]) } else { None }
}

crate::avx2! {
    fn e4m3_to_f16(span: Span<'_>) {
        let small = shuffle_table(const { &table::<E4M3, F16, 16>(1) });
        let mut pad = Pad::<32, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = in_halves(load(from));
            let m = _mm256_and_si256(codes, each_byte(0x7f));
            let subnormal = _mm256_cmpgt_epi8(each_byte(8), m);
            let nan = _mm256_cmpeq_epi8(m, each_byte(0x7f));
            // Upper byte: exponent and two fraction bits, with a bias that is larger by 8. Lower byte: the
            // third fraction bit.
            let shifted = _mm256_and_si256(_mm256_srli_epi16::<1>(m), each_byte(0x3f));
            let normal = _mm256_add_epi8(shifted, each_byte(0x20));
            let upper = _mm256_blendv_epi8(normal, _mm256_shuffle_epi8(small, m), subnormal);
            let sign = _mm256_andnot_si256(nan, _mm256_and_si256(codes, each_byte(0x80)));
            let upper = _mm256_or_si256(_mm256_or_si256(upper, sign), _mm256_and_si256(nan, each_byte(0x7f)));
            let third = _mm256_and_si256(_mm256_slli_epi16::<7>(m), each_byte(0x80));
            let lower = _mm256_or_si256(_mm256_andnot_si256(subnormal, third), nan);
            store_both(to, interleaved(lower, upper));
        }
    }

    /// e5m2 is the upper byte of f16, except for NaN.
    fn e5m2_to_f16(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = in_halves(load(from));
            let nan = _mm256_cmpgt_epi8(_mm256_and_si256(codes, each_byte(0x7f)), each_byte(0x7c));
            // Among magnitudes, compared as signed bytes, those of NaN are the greatest.
            let upper = _mm256_or_si256(_mm256_andnot_si256(nan, codes), _mm256_and_si256(nan, each_byte(0x7f)));
            store_both(to, interleaved(nan, upper));
        }
    }

    /// FP8 to bf16. A normal code is shifted right by the difference in fraction widths; only the upper byte
    /// needs the new bias.
    fn eight_to_bf16<const S: usize>(span: Span<'_>) {
        const BF16: usize = Format::Bf16 as usize;
        let (fraction, bias) = const { float::<S>() };
        let small_upper = shuffle_table(const { &table::<S, BF16, 16>(1) });
        let small_lower = shuffle_table(const { &table::<S, BF16, 16>(0) });
        let rebias = each_byte(((127 - bias) >> 1) as u8);
        // The largest finite magnitude, and the largest that is not NaN.
        let (finite, number) = match_format!(S { E4m3 => (0x7e, 0x7e), E5m2 => (0x7b, 0x7c) });
        let mut pad = Pad::<32, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = in_halves(load(from));
            let m = _mm256_and_si256(codes, each_byte(0x7f));
            let (right, left) = match_format!(S {
                E4m3 => (_mm256_srli_epi16::<4>(m), _mm256_slli_epi16::<4>(m)),
                E5m2 => (_mm256_srli_epi16::<3>(m), _mm256_slli_epi16::<5>(m)),
            });
            let upper = _mm256_and_si256(right, each_byte(0x7f >> (fraction + 1)));
            let upper = _mm256_add_epi8(upper, rebias);
            let lower = _mm256_and_si256(left, each_byte(0xff << (7 - fraction)));
            let small = _mm256_cmpgt_epi8(each_byte(1 << fraction), m);
            let upper = _mm256_blendv_epi8(upper, _mm256_shuffle_epi8(small_upper, m), small);
            let lower = _mm256_blendv_epi8(lower, _mm256_shuffle_epi8(small_lower, m), small);
            let beyond = _mm256_cmpgt_epi8(m, each_byte(finite));
            let nan = _mm256_cmpgt_epi8(m, each_byte(number));
            let upper = _mm256_or_si256(upper, _mm256_and_si256(beyond, each_byte(0x7f)));
            let sign = _mm256_andnot_si256(nan, _mm256_and_si256(codes, each_byte(0x80)));
            store_both(to, interleaved(_mm256_or_si256(lower, nan), _mm256_or_si256(upper, sign)));
        }
    }

    /// FP6 has 32 magnitudes; each of two tables holds sixteen.
    fn six<const S: usize, const D: usize>(span: Span<'_>) {
        let both = |bytes: &[u8; 32]| {
            [shuffle_table(&elements::<16>(bytes)[0]), shuffle_table(&elements::<16>(bytes)[1])]
        };
        let low = both(const { &table::<S, D, 32>(0) });
        let high = both(const { &table::<S, D, 32>(1) });
        let mut pad = Pad::<32, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = _mm256_and_si256(in_halves(load(from)), each_byte(0x3f));
            // The blend selects by the top bit of each byte, here bit 4 of the code; bit 5 is the sign.
            let which = _mm256_slli_epi16::<3>(codes);
            let looked_up = |tables: [__m256i; 2]| {
                let [first, second] = tables.map(|table| _mm256_shuffle_epi8(table, codes));
                _mm256_blendv_epi8(first, second, which)
            };
            let lower = match_const!((Format::ALL[S], Format::ALL[D]), {
                // All lower bytes are 0.
                (Format::E3m2, Format::F16) => _mm256_setzero_si256(),
                (Format::E2m3, Format::F16) | (Format::E2m3 | Format::E3m2, Format::Bf16) => looked_up(low),
            });
            let sign = _mm256_and_si256(_mm256_slli_epi16::<2>(codes), each_byte(0x80));
            store_both(to, interleaved(lower, _mm256_or_si256(looked_up(high), sign)));
        }
    }

    /// 32 pairs of FP4 codes: split, ordered, looked up, interleaved.
    fn nibbles<const S: usize, const D: usize>(span: Span<'_>) {
        let low = shuffle_table(const { &table::<S, D, 16>(0) });
        let high = shuffle_table(const { &table::<S, D, 16>(1) });
        // Two interleavings work in halves; in this order, their results are contiguous.
        let order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let pairs = _mm256_permutevar8x32_epi32(load(from), order);
            let even = _mm256_and_si256(pairs, each_byte(15));
            let odd = _mm256_and_si256(_mm256_srli_epi16::<4>(pairs), each_byte(15));
            let (first, second) = to.split_at_mut(64);
            for (codes, to) in interleaved(even, odd).into_iter().zip([first, second]) {
                let lower = match_format!(D {
                    // All lower bytes are 0.
                    F16 => _mm256_setzero_si256(),
                    Bf16 => _mm256_shuffle_epi8(low, codes),
                });
                let upper = _mm256_shuffle_epi8(high, codes);
                if let Ok(to) = to.try_into() {
                    store_both(to, interleaved(lower, upper));
                }
            }
        }
    }
}
