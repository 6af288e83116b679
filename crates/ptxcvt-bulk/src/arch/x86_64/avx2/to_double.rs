//! f32, f16 and bf16 to f64 by the conversion instructions, which treat NaN as PTX does. On some processors that from f32
//! takes hundreds of cycles for subnormal numbers, so it never receives one.

use core::arch::x86_64::*;

use super::registers::{Pad, each, floats, load, load_half, store_both};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::lanes::mode::NONE;
use crate::lanes::single;
use crate::stage::{Run, Span, elements, elements_mut};
use ptxcvt::formats::Format::{Bf16, F16, F32, F64};
use ptxcvt::forms::Modifier::Sat;

/// 2^-149.
const QUANTUM: f64 = f64::from_bits((1023 - 149) << 52);

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.modifiers.has(Sat)) {
        _ if need.to != F64 || !need.only(&[Sat]) => None,
        (F32, false) if need.rounding == NONE => Some(singles),
        (F16, sat) if need.rounding == NONE => pick!(SAT: bool = sat => Some(halves::<SAT> as Run)),
        // Exact in every mode.
        (Bf16, false) => Some(bfloats),
        _ => None,
    }
}

crate::avx2! {
    fn singles(span: Span<'_>) {
        let mut pad = Pad::<64, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let least = _mm256_min_epu32(keys(floats(from, 0)), keys(floats(from, 1)));
            let subnormal = _mm256_cmpeq_epi32(_mm256_min_epu32(least, each(2 * single::FRACTION - 1)), least);
            if _mm256_movemask_epi8(subnormal) == 0 {
                for (x, to) in elements::<32>(from).iter().zip(elements_mut::<64>(to)) {
                    store_both(to, doubles(floats(x, 0)));
                }
            } else {
                rare_singles(from, to);
            }
        }
    }

    fn bfloats(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let words = load(from);
            // Like `keys`, of words.
            let keys = _mm256_add_epi16(_mm256_add_epi16(words, words), _mm256_set1_epi16(-1));
            let subnormal = _mm256_cmpeq_epi16(_mm256_min_epu16(keys, _mm256_set1_epi16(2 * (1 << 7) - 3)), keys);
            if _mm256_movemask_epi8(subnormal) == 0 {
                for (words, to) in elements::<16>(from).iter().zip(elements_mut::<64>(to)) {
                    store_both(to, doubles(wide(load_half(words))));
                }
            } else {
                rare_bfloats(from, to);
            }
        }
    }

    /// f16's subnormal numbers are normal in f32. With `.sat`, numbers are limited to the unit interval, and NaN becomes 0.
    fn halves<const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<16, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = _mm256_cvtph_ps(load_half(from));
            // If one operand is NaN, or both are zeros, `max` returns the second one.
            let x = if SAT { _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), _mm256_set1_ps(1.0)) } else { x };
            store_both(to, doubles(x));
        }
    }

    /// Keys by which subnormal numbers are found: twice the magnitudes, less one. The keys of subnormal numbers are
    /// less than those of normal ones. The keys of zeros wrap around and are the greatest.
    #[inline]
    fn keys(x: __m256) -> __m256i {
        let bits = _mm256_castps_si256(x);
        _mm256_add_epi32(_mm256_add_epi32(bits, bits), each(u32::MAX))
    }

    /// Eight bf16 as f32.
    #[inline]
    fn wide(words: __m128i) -> __m256 {
        _mm256_castsi256_ps(_mm256_slli_epi32::<{ single::BELOW_BF16 as i32 }>(_mm256_cvtepu16_epi32(words)))
    }

    /// Eight f64 from f32.
    #[inline]
    fn doubles(x: __m256) -> [__m256i; 2] {
        let half = |part: __m128| _mm256_castpd_si256(_mm256_cvtps_pd(part));
        [half(_mm256_castps256_ps128(x)), half(_mm256_extractf128_ps::<1>(x))]
    }

    /// A step that has subnormal numbers. Arrays have few of them, or so many that the branch to here is predicted.
    ///
    /// It loads the numbers again: arguments would be stored to memory, also where this is not called.
    #[cold]
    #[inline(never)]
    fn rare_singles(from: &[u8; 64], to: &mut [u8; 128]) {
        for (x, to) in elements::<32>(from).iter().zip(elements_mut::<64>(to)) {
            store_both(to, counted(floats(x, 0)));
        }
    }

    /// Like [`rare_singles`].
    #[cold]
    #[inline(never)]
    fn rare_bfloats(from: &[u8; 32], to: &mut [u8; 128]) {
        for (words, to) in elements::<16>(from).iter().zip(elements_mut::<64>(to)) {
            store_both(to, counted(wide(load_half(words))));
        }
    }

    /// Like [`doubles`], also for subnormal numbers: counts their quanta.
    #[inline]
    fn counted(x: __m256) -> [__m256i; 2] {
        let bits = _mm256_castps_si256(x);
        let magnitude = _mm256_and_si256(bits, each(single::MAGNITUDE));
        let small = _mm256_cmpgt_epi32(each(single::LEAST_NORMAL), magnitude);
        // The number of quanta as a normal number, with the sign.
        let sign = _mm256_castsi256_ps(_mm256_and_si256(bits, each(single::SIGN)));
        let count = _mm256_or_ps(_mm256_cvtepi32_ps(magnitude), sign);
        let y = _mm256_blendv_ps(x, count, _mm256_castsi256_ps(small));
        let half = |part: __m128, small: __m128i| {
            let small = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(small));
            let unit = _mm256_blendv_pd(_mm256_set1_pd(1.0), _mm256_set1_pd(QUANTUM), small);
            _mm256_castpd_si256(_mm256_mul_pd(_mm256_cvtps_pd(part), unit))
        };
        let low = half(_mm256_castps256_ps128(y), _mm256_castsi256_si128(small));
        let high = half(_mm256_extractf128_ps::<1>(y), _mm256_extracti128_si256::<1>(small));
        [low, high]
    }
}
