//! Floats to integral values of their own format, and f32 and f64 with only `.ftz` and `.sat`, by the
//! rounding instruction.

use core::arch::x86_64::*;

use super::registers::{Pad, each, floats, in_halves, is_nan, load, load_half, store};
use crate::arch::find::integral_by_need;
use crate::arch::need::Conversion;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span, elements};

pub fn find(need: &Conversion) -> Option<Run> {
    integral_by_need!(need)
}

/// The modes as immediates of the rounding instruction.
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;

crate::avx2! {
    fn singles<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = floats(from, 0);
            let x = if FTZ { flushed(x) } else { x };
            store(to, _mm256_castps_si256(finished::<SAT>(integral::<R>(x))));
        }
    }

    fn halves<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let x = finished::<SAT>(integral::<R>(_mm256_cvtph_ps(load_half(&elements::<16>(from)[j]))));
                // The canonical NaN of f32 has the payload of f16's.
                _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x)
            };
            store(to, _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(part(0)), part(1)));
        }
    }

    fn bfloats<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let words = _mm256_cvtepu16_epi32(load_half(&elements::<16>(from)[j]));
                let x = _mm256_castsi256_ps(_mm256_slli_epi32::<{ single::BELOW_BF16 as i32 }>(words));
                let x = _mm256_castps_si256(finished::<SAT>(integral::<R>(x)));
                _mm256_srli_epi32::<{ single::BELOW_BF16 as i32 }>(x)
            };
            store(to, in_halves(_mm256_packus_epi32(part(0), part(1))));
        }
    }

    /// NaN keeps its payload; the instruction quiets it.
    fn doubles<const R: u8, const FTZ: bool, const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = _mm256_castsi256_pd(load(from));
            let x = match_mode!(R {
                RN => _mm256_round_pd::<NEAREST>(x),
                RZ => _mm256_round_pd::<ZERO>(x),
                RM => _mm256_round_pd::<DOWN>(x),
                RP => _mm256_round_pd::<UP>(x),
                NONE => x,
            });
            let x = if SAT {
                _mm256_min_pd(_mm256_max_pd(x, _mm256_setzero_pd()), _mm256_set1_pd(1.0))
            } else {
                x
            };
            store(to, _mm256_castpd_si256(x));
        }
    }

    #[inline]
    fn integral<const R: u8>(x: __m256) -> __m256 {
        match_mode!(R {
            RN => _mm256_round_ps::<NEAREST>(x),
            RZ => _mm256_round_ps::<ZERO>(x),
            RM => _mm256_round_ps::<DOWN>(x),
            RP => _mm256_round_ps::<UP>(x),
            NONE => x,
        })
    }

    /// Subnormal numbers become zeros with the same sign.
    #[inline]
    fn flushed(x: __m256) -> __m256 {
        let bits = _mm256_castps_si256(x);
        let normal = _mm256_cmpgt_epi32(_mm256_and_si256(bits, each(single::MAGNITUDE)), each(single::FRACTION));
        _mm256_castsi256_ps(_mm256_and_si256(bits, _mm256_or_si256(normal, each(single::SIGN))))
    }

    /// With `.sat`, numbers are limited to the unit interval and NaN becomes 0. Otherwise NaN becomes the
    /// canonical NaN.
    #[inline]
    fn finished<const SAT: bool>(x: __m256) -> __m256 {
        if SAT {
            // If one operand is NaN, or both are zeros, `max` returns the second one.
            return _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), _mm256_set1_ps(1.0));
        }
        let nan = _mm256_castsi256_ps(is_nan(x));
        _mm256_blendv_ps(x, _mm256_castsi256_ps(each(single::NAN)), nan)
    }
}
