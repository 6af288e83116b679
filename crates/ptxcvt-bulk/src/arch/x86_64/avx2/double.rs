//! f64 to f32 by the conversion instruction, which rounds and treats NaN as PTX does; and to f16 through f32 rounded to
//! odd. On some processors the instruction takes hundreds of cycles for numbers that are subnormal in f32, so it never
//! receives one: such numbers have a path of their own. To f16, the instruction converts only a step with a rare number;
//! other steps are rounded to odd as integers, in the upper words of the numbers.

use core::arch::x86_64::*;

use super::double_bfloat::{rare, single, upper_words};
use super::registers::{Pad, each, in_halves, load, store, store_both, store_half};
use crate::arch::find::{instruction_mode, pick};
use crate::arch::need::Conversion;
use crate::lanes::double;
use crate::lanes::match_mode;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements, elements_mut};
use ptxcvt::formats::Format::{F16, F32, F64};
use ptxcvt::forms::Modifier::Sat;

/// The least normal f32, and a number whose last place is 2^-149.
const LEAST: f64 = f64::from_bits((1023 - 126) << 52);
const ONE: f64 = f64::from_bits((1023 - 149 + 52) << 52);

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to, need.modifiers.has(Sat)) {
        _ if !need.only(&[Sat]) => None,
        (F64, F32, sat) if need.rounding == RN => {
            pick!(SAT: bool = sat => Some(narrow::<SAT> as Run))
        }
        (F64, F32, sat) => {
            pick!(R: u8 = need.rounding, [RZ, RM, RP]; SAT: bool = sat => {
                Some(directed::<R, SAT> as Run)
            })
        }
        (F64, F16, sat) => pick!(R: u8 = need.rounding, [RN, RZ, RM, RP]; SAT: bool = sat => {
            Some(half::<{ instruction_mode(R) }, SAT> as Run)
        }),
        _ => None,
    }
}

crate::avx2! {
    fn narrow<const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<128, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = [0, 1, 2, 3].map(|j| doubles::<SAT>(from, j));
            let least = _mm256_min_epu32(keys(x[0], x[1]), keys(x[2], x[3]));
            let small = _mm256_cmpeq_epi32(_mm256_min_epu32(least, each(2 * double::LEAST - 3)), least);
            if _mm256_movemask_epi8(small) == 0 {
                let pair = |x: __m256d, y: __m256d| {
                    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm256_cvtpd_ps(x)), _mm256_cvtpd_ps(y))
                };
                store_both(to, [pair(x[0], x[1]), pair(x[2], x[3])].map(|x| _mm256_castps_si256(x)));
            } else {
                narrow_rare::<SAT>(from, to);
            }
        }
    }

    /// Keys by which numbers that are subnormal in f32 are found: twice the upper words of magnitudes, less one. The keys of
    /// these numbers are less than those of normal ones. The keys of zeros wrap around and are the greatest. The least f64,
    /// whose upper words are 0, also have the greatest keys: they become zeros.
    #[inline]
    fn keys(first: __m256d, second: __m256d) -> __m256i {
        let (first, second) = (_mm256_castpd_ps(first), _mm256_castpd_ps(second));
        let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
        _mm256_add_epi32(_mm256_add_epi32(upper, upper), each(u32::MAX))
    }

    /// Sixteen f32, some of them subnormal. Arrays have few of them, or so many that the branch to here is predicted.
    ///
    /// It loads the numbers again: arguments would be stored to memory, also where this is not called.
    #[cold]
    #[inline(never)]
    fn narrow_rare<const SAT: bool>(from: &[u8; 128], to: &mut [u8; 64]) {
        for (from, to) in elements::<64>(from).iter().zip(elements_mut::<32>(to)) {
            let ((first, less), (second, more)) = (nearest(doubles::<SAT>(from, 0)), nearest(doubles::<SAT>(from, 1)));
            store(to, joined([first, second], [less, more]));
        }
    }

    /// Rounds to nearest, then corrects by one step if the result is on the wrong side of the number.
    fn directed<const R: u8, const SAT: bool>(span: Span<'_>) {
        let sign = _mm256_set1_pd(-0.0);
        let mut pad = Pad::<64, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let x = doubles::<SAT>(from, j);
                let (normal, count) = nearest(x);
                // The magnitude of the result.
                let (m, one) = (_mm256_andnot_pd(sign, x), _mm256_set1_pd(ONE));
                let subnormal = _mm256_sub_pd(_mm256_add_pd(m, one), one);
                let small = _mm256_cmp_pd::<_CMP_LT_OQ>(m, _mm256_set1_pd(LEAST));
                let back = _mm256_blendv_pd(_mm256_andnot_pd(sign, _mm256_cvtps_pd(normal)), subnormal, small);
                (normal, count, _mm256_cmp_pd::<_CMP_GT_OQ>(back, m), _mm256_cmp_pd::<_CMP_LT_OQ>(back, m))
            };
            let ((first, less, above, below), (second, more, more_above, more_below)) = (part(0), part(1));
            let number = joined([first, second], [less, more]);
            let negative = _mm256_srai_epi32::<31>(number);
            let (above, below) = (low_halves(above, more_above), low_halves(below, more_below));
            let (down, up) = match_mode!(R {
                RZ => (above, _mm256_setzero_si256()),
                RM => (_mm256_andnot_si256(negative, above), _mm256_and_si256(negative, below)),
                RP => (_mm256_and_si256(negative, above), _mm256_andnot_si256(negative, below)),
            });
            // Both are -1.
            store(to, _mm256_sub_epi32(_mm256_add_epi32(number, down), up));
        }
    }

    /// Four f32, and sums whose last bits count quanta of subnormal results. Either is 0 where the other one is the result.
    #[inline]
    fn nearest(x: __m256d) -> (__m128, __m256d) {
        let sign = _mm256_set1_pd(-0.0);
        let m = _mm256_andnot_pd(sign, x);
        let small = _mm256_cmp_pd::<_CMP_LT_OQ>(m, _mm256_set1_pd(LEAST));
        let normal = _mm256_cvtpd_ps(_mm256_andnot_pd(_mm256_andnot_pd(sign, small), x));
        (normal, _mm256_and_pd(_mm256_add_pd(m, _mm256_set1_pd(ONE)), small))
    }

    /// Eight f32 from two calls of [`nearest`].
    #[inline]
    fn joined(normal: [__m128; 2], counts: [__m256d; 2]) -> __m256i {
        let normal = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(normal[0]), normal[1]);
        _mm256_or_si256(_mm256_castps_si256(normal), low_halves(counts[0], counts[1]))
    }

    /// The low halves of eight lanes.
    #[inline]
    fn low_halves(less: __m256d, more: __m256d) -> __m256i {
        let (less, more) = (_mm256_castpd_ps(less), _mm256_castpd_ps(more));
        in_halves(_mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(less, more)))
    }

    /// Through f32. The last bit is set if f32 cannot represent the number.
    fn half<const HOW: i32, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<128, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let x = |i: usize| _mm256_castpd_ps(doubles::<SAT>(from, 2 * j + i));
                let (bits, m) = upper_words(x(0), x(1));
                let number = _mm256_castsi256_ps(in_halves(single(m, bits)));
                (_mm256_cvtps_ph::<HOW>(number), rare(m))
            };
            let ((first, less), (second, more)) = (part(0), part(1));
            if _mm256_movemask_epi8(_mm256_or_si256(less, more)) == 0 {
                store(to, _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second));
            } else {
                half_rare::<HOW, SAT>(from, to);
            }
        }
    }

    /// Like [`narrow_rare`], for the rare numbers of `double_bfloat`.
    #[cold]
    #[inline(never)]
    fn half_rare<const HOW: i32, const SAT: bool>(from: &[u8; 128], to: &mut [u8; 32]) {
        for (from, to) in elements::<64>(from).iter().zip(elements_mut::<16>(to)) {
            let part = |j: usize| rounded(doubles::<SAT>(from, j));
            let ((first, above, off), (second, more_above, more_off)) = (part(0), part(1));
            let number = _mm256_castps_si256(_mm256_insertf128_ps::<1>(_mm256_castps128_ps256(first), second));
            let (above, off) = (low_halves(above, more_above), low_halves(off, more_off));
            // One step down if the magnitude was rounded up; the last bit is set if it is inexact.
            let odd = _mm256_or_si256(_mm256_add_epi32(number, above), _mm256_srli_epi32::<31>(off));
            store_half(to, _mm256_cvtps_ph::<HOW>(_mm256_castsi256_ps(odd)));
        }
    }

    /// Four f32 to nearest, with masks of the results that exceed their number's magnitude and of the inexact ones.
    /// Numbers below the least normal f32 are replaced by it, which does not change the result.
    #[inline]
    fn rounded(x: __m256d) -> (__m128, __m256d, __m256d) {
        let sign = _mm256_set1_pd(-0.0);
        let m = _mm256_andnot_pd(sign, x);
        let least = _mm256_and_pd(
            _mm256_cmp_pd::<_CMP_NEQ_OQ>(m, _mm256_setzero_pd()), _mm256_set1_pd(LEAST),
        );
        // If one operand is NaN, `max` returns the second one.
        let m = _mm256_max_pd(least, m);
        let number = _mm256_cvtpd_ps(_mm256_or_pd(m, _mm256_and_pd(sign, x)));
        let back = _mm256_andnot_pd(sign, _mm256_cvtps_pd(number));
        (number, _mm256_cmp_pd::<_CMP_GT_OQ>(back, m), _mm256_cmp_pd::<_CMP_NEQ_OQ>(back, m))
    }

    /// Part `j` of a step: four f64. With `.sat` they are limited to the unit interval, and NaN becomes 0.
    #[inline]
    fn doubles<const SAT: bool>(from: &[u8], j: usize) -> __m256d {
        let x = _mm256_castsi256_pd(load(&elements::<32>(from)[j]));
        if !SAT {
            return x;
        }
        // If one operand is NaN, or both are zeros, `max` returns the second one.
        _mm256_min_pd(_mm256_max_pd(x, _mm256_setzero_pd()), _mm256_set1_pd(1.0))
    }
}
