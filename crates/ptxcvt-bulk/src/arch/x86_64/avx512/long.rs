//! f32 and f64 to 64-bit integers by the conversion instruction, with its out-of-range results corrected.

use core::arch::x86_64::*;

use super::registers::{DOWN, NEAREST, Pad, UP, ZERO, load, load_half, store};
use crate::arch::need::Conversion;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{F32, F64, S64, U64};
use ptxcvt::forms::Modifier::{Ftz, Sat};

pub fn find(need: &Conversion) -> Option<Run> {
    macro_rules! to {
        ($how:ident) => {
            match (need.from, need.to) {
                (F64, S64) => Some(signed::<64, $how> as Run),
                (F64, U64) => Some(unsigned::<64, $how> as Run),
                (F32, S64) => Some(signed::<32, $how> as Run),
                (F32, U64) => Some(unsigned::<32, $how> as Run),
                _ => None,
            }
        };
    }
    // `.sat` has no effect. `.ftz` matters only if rounding is away from zero.
    match need.rounding {
        _ if !need.only(&[Sat, Ftz]) => None,
        RN => to!(NEAREST),
        RZ => to!(ZERO),
        RM | RP if !need.only(&[Sat]) => None,
        RM => to!(DOWN),
        RP => to!(UP),
        _ => None,
    }
}

crate::avx512! {
    /// Converts eight numbers of `FROM` / 8 bytes.
    fn signed<const FROM: usize, const HOW: i32>(span: Span<'_>) {
        const BEYOND: f64 = 9_223_372_036_854_775_808.0;
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            // The instruction returns the least integer for out-of-range numbers, which is right only for
            // NaN.
            let (number, above) = if FROM == 64 {
                let x = doubles(from);
                (_mm512_cvt_roundpd_epi64::<HOW>(x), _mm512_cmp_pd_mask::<_CMP_GE_OQ>(x, _mm512_set1_pd(BEYOND)))
            } else {
                let x = singles(from);
                let above = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm256_set1_ps(BEYOND as f32));
                (_mm512_cvt_roundps_epi64::<HOW>(x), above)
            };
            store(to, _mm512_mask_mov_epi64(number, above, _mm512_set1_epi64(i64::MAX)));
        }
    }

    fn unsigned<const FROM: usize, const HOW: i32>(span: Span<'_>) {
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            // If one operand is NaN, `max` returns the second one. Out-of-range numbers give the largest
            // integer.
            let (number, nan) = if FROM == 64 {
                let x = doubles(from);
                let number = _mm512_cvt_roundpd_epu64::<HOW>(_mm512_max_pd(x, _mm512_setzero_pd()));
                (number, _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x))
            } else {
                let x = singles(from);
                let number = _mm512_cvt_roundps_epu64::<HOW>(_mm256_max_ps(x, _mm256_setzero_ps()));
                (number, _mm256_cmp_ps_mask::<_CMP_UNORD_Q>(x, x))
            };
            store(to, _mm512_mask_mov_epi64(number, nan, _mm512_set1_epi64(i64::MIN)));
        }
    }

    #[inline]
    fn doubles(from: &[u8]) -> __m512d {
        _mm512_castsi512_pd(load(&elements::<64>(from)[0]))
    }

    #[inline]
    fn singles(from: &[u8]) -> __m256 {
        _mm256_castsi256_ps(load_half(&elements::<32>(from)[0]))
    }
}
