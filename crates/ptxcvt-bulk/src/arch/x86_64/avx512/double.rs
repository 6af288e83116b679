//! f64 to f32 by the conversion instruction, which rounds and treats NaN as PTX does; and to f16 through f32
//! rounded to odd. On some processors the instruction takes hundreds of cycles for numbers that are
//! subnormal in f32, so that few reach it.

use core::arch::x86_64::*;

use super::registers::{Pad, ZERO, load, store, store_half};
use crate::arch::find::{instruction_mode, pick};
use crate::arch::need::Conversion;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{F16, F32, F64};
use ptxcvt::forms::Modifier::Sat;

/// The least normal f32, and a number whose last place is 2^-149.
const LEAST: f64 = f64::from_bits((1023 - 126) << 52);
const ONE: f64 = f64::from_bits((1023 - 149 + 52) << 52);

/// The class of `vfpclassps`.
const SUBNORMAL: i32 = 0x20;

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to, need.modifiers.has(Sat)) {
        _ if !need.only(&[Sat]) => None,
        (F64, F32, sat) => {
            pick!(R: u8 = need.rounding, [RN, RZ, RM, RP]; SAT: bool = sat => {
                Some(narrow::<{ instruction_mode(R) | _MM_FROUND_NO_EXC }, SAT> as Run)
            })
        }
        (F64, F16, sat) => pick!(R: u8 = need.rounding, [RN, RZ, RM, RP]; SAT: bool = sat => {
            Some(half::<{ instruction_mode(R) }, SAT> as Run)
        }),
        _ => None,
    }
}

/// Steps that are looked at before they are converted, after one with subnormal results: an instruction that takes long for
/// them takes long for one step in this many.
const CAREFUL: usize = 256;

crate::avx512! {
    fn narrow<const HOW: i32, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<128, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let result = joined([0, 1].map(|j| converted::<HOW>(doubles::<SAT>(from, j))));
            store(to, result);
            if _mm512_fpclass_ps_mask::<SUBNORMAL>(_mm512_castsi512_ps(result)) != 0 {
                for _ in 0..CAREFUL {
                    let Some((from, to)) = steps.next() else { return };
                    store(to, joined(careful::<HOW>([0, 1].map(|j| doubles::<SAT>(from, j)))));
                }
            }
        }
    }

    #[inline]
    fn converted<const HOW: i32>(x: __m512d) -> __m256i {
        _mm256_castps_si256(_mm512_cvt_roundpd_ps::<HOW>(x))
    }

    #[inline]
    fn joined([low, high]: [__m256i; 2]) -> __m512i {
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }

    /// Sixteen f32 of which the instruction makes only those that are not subnormal.
    #[inline]
    fn careful<const HOW: i32>(x: [__m512d; 2]) -> [__m256i; 2] {
        let rare = _mm512_min_epu64(beyond_zero(x[0]), beyond_zero(x[1]));
        let least = _mm512_set1_epi64(LEAST.to_bits() as i64 - 1);
        if _mm512_cmplt_epu64_mask(rare, least) == 0 {
            x.map(|x| converted::<HOW>(x))
        } else {
            both_narrowed::<HOW>(x)
        }
    }

    /// The bits of magnitudes, less one, so that those of zeros are the greatest.
    #[inline]
    fn beyond_zero(x: __m512d) -> __m512i {
        _mm512_sub_epi64(_mm512_castpd_si512(_mm512_abs_pd(x)), _mm512_set1_epi64(1))
    }

    /// Sixteen f32, some of them subnormal. Arrays have few of them, or so many that the branch to here is predicted.
    #[cold]
    #[inline(never)]
    fn both_narrowed<const HOW: i32>(x: [__m512d; 2]) -> [__m256i; 2] {
        [narrowed::<HOW>(x[0]), narrowed::<HOW>(x[1])]
    }

    /// Eight f32. Subnormal results are rounded by a sum whose last bits count quanta. Their sign is that of
    /// the zero that the instruction returns.
    #[inline]
    fn narrowed<const HOW: i32>(x: __m512d) -> __m256i {
        let sign = _mm512_set1_pd(-0.0);
        let small = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(_mm512_abs_pd(x), _mm512_set1_pd(LEAST));
        let normal = converted::<HOW>(_mm512_mask_and_pd(x, small, x, sign));
        // (x & sign) | one
        let one = _mm512_ternarylogic_epi64::<0xea>(
            _mm512_castpd_si512(x), _mm512_castpd_si512(sign), _mm512_castpd_si512(_mm512_set1_pd(ONE)),
        );
        let sum = _mm512_castpd_si512(_mm512_add_round_pd::<HOW>(x, _mm512_castsi512_pd(one)));
        _mm256_or_si256(normal, _mm512_maskz_cvtepi64_epi32(small, sum))
    }

    fn half<const HOW: i32, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<128, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let odd = |j: usize| odd(doubles::<SAT>(from, j));
            store_half(to, _mm512_cvtps_ph::<HOW>(_mm512_castsi512_ps(joined([odd(0), odd(1)]))));
        }
    }

    /// Eight f32 with the last bit set if inexact. Numbers below the least normal f32 are replaced by it,
    /// which does not change the result.
    #[inline]
    fn odd(x: __m512d) -> __m256i {
        let number = _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(x, _mm512_setzero_pd());
        // The greater magnitude (3), with the sign of x (0 << 2), except for zero and NaN.
        let x = _mm512_mask_range_pd::<0b0011>(x, number, x, _mm512_set1_pd(LEAST));
        let cut = _mm256_castps_si256(_mm512_cvt_roundpd_ps::<ZERO>(x));
        // The places that f32 lacks. Numbers beyond its range are also beyond f16's, and NaN keeps what f16 has of it.
        let inexact = _mm512_test_epi64_mask(_mm512_castpd_si512(x), _mm512_set1_epi64((1 << 29) - 1));
        _mm256_mask_or_epi32(cut, inexact, cut, _mm256_set1_epi32(1))
    }

    /// Part `j` of a step: eight f64. With `.sat` they are limited to the unit interval, and NaN becomes 0.
    #[inline]
    fn doubles<const SAT: bool>(from: &[u8], j: usize) -> __m512d {
        let x = _mm512_castsi512_pd(load(&elements::<64>(from)[j]));
        if !SAT {
            return x;
        }
        // If one operand is NaN, or both are zeros, `max` returns the second one.
        _mm512_min_pd(_mm512_max_pd(x, _mm512_setzero_pd()), _mm512_set1_pd(1.0))
    }
}
