//! Floats to integral values of their own format, and f32 and f64 with only `.ftz` and `.sat`, by the
//! rounding instruction.

use core::arch::x86_64::*;

use super::bfloat::upper_words;
use super::registers::{Pad, floats, load, load_half, store, store_half};
use crate::arch::find::integral_by_need;
use crate::arch::need::Conversion;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span, elements};

/// The bit of `vfpclassps` for subnormal numbers.
const SUBNORMAL: i32 = 0x20;

pub fn find(need: &Conversion) -> Option<Run> {
    integral_by_need!(need)
}

crate::avx512! {
    fn singles<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<64, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = floats(from, 0);
            let x = if FTZ {
                let flushed = _mm512_fpclass_ps_mask::<SUBNORMAL>(x);
                _mm512_mask_and_ps(x, flushed, x, _mm512_set1_ps(-0.0))
            } else {
                x
            };
            store(to, _mm512_castps_si512(finished::<SAT>(integral::<R>(x))));
        }
    }

    fn halves<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = integral::<R>(_mm512_cvtph_ps(load_half(from)));
            let x = if SAT { within(x) } else { x };
            let codes = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x);
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
            store_half(to, _mm256_mask_mov_epi16(codes, nan, _mm256_set1_epi16(i16::MAX)));
        }
    }

    fn bfloats<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let upper = upper_words();
        let mut pad = Pad::<64, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let words = _mm512_cvtepu16_epi32(load_half(&elements::<32>(from)[j]));
                let x = _mm512_castsi512_ps(_mm512_slli_epi32::<{ single::BELOW_BF16 }>(words));
                _mm512_castps_si512(finished::<SAT>(integral::<R>(x)))
            };
            store(to, _mm512_permutex2var_epi16(part(0), upper, part(1)));
        }
    }

    /// NaN keeps its payload; the instruction quiets it.
    fn doubles<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<64, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = _mm512_castsi512_pd(load(from));
            let x = match_mode!(R {
                RN => _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT }>(x),
                RZ => _mm512_roundscale_pd::<{ _MM_FROUND_TO_ZERO }>(x),
                RM => _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF }>(x),
                RP => _mm512_roundscale_pd::<{ _MM_FROUND_TO_POS_INF }>(x),
                NONE => x,
            });
            let x = if SAT {
                _mm512_min_pd(_mm512_max_pd(x, _mm512_setzero_pd()), _mm512_set1_pd(1.0))
            } else {
                x
            };
            store(to, _mm512_castpd_si512(x));
        }
    }

    #[inline]
    fn integral<const R: u8>(x: __m512) -> __m512 {
        match_mode!(R {
            RN => _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT }>(x),
            RZ => _mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO }>(x),
            RM => _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF }>(x),
            RP => _mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF }>(x),
            NONE => x,
        })
    }

    /// With `.sat`, numbers are limited to the unit interval and NaN becomes 0. Otherwise NaN becomes the
    /// canonical NaN.
    #[inline]
    fn finished<const SAT: bool>(x: __m512) -> __m512 {
        if SAT {
            return within(x);
        }
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        _mm512_mask_mov_ps(x, nan, _mm512_castsi512_ps(_mm512_set1_epi32(single::NAN as i32)))
    }

    /// If one operand is NaN, or both are zeros, `max` returns the second one.
    #[inline]
    fn within(x: __m512) -> __m512 {
        _mm512_min_ps(_mm512_max_ps(x, _mm512_setzero_ps()), _mm512_set1_ps(1.0))
    }
}
