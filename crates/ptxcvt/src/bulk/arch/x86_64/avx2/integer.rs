//! f32 to 8-bit integers and s2f6, as the generic kernels do it but for the packing; and to s32 towards zero by the
//! conversion instruction, whose result of what is out of range is put right.

use core::arch::x86_64::*;

use super::registers::{each, floats, is_nan, packed_bytes, store};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::integer::{Fixed8, Signed32};
use crate::bulk::constants::Constants;
use crate::bulk::features;
use crate::bulk::lanes::mode;
use crate::bulk::stage::{Kernel, Span, Stage};
use crate::formats::Format::{F32, S2f6, S8, S32, U8};

pub fn find(need: &Conversion) -> Option<Stage> {
    match (need.from, need.to, need.rounding) {
        _ if !need.is_plain() => None,
        (F32, S2f6 | S8 | U8, mode::RN) => Some(fixed8::<{ mode::RN }>),
        (F32, S2f6, mode::RZ) => Some(fixed8::<{ mode::RZ }>),
        (F32, S8 | U8, mode::RZ) => Some(truncated8),
        (F32, S8 | U8, mode::RM) => Some(fixed8::<{ mode::RM }>),
        (F32, S8 | U8, mode::RP) => Some(fixed8::<{ mode::RP }>),
        (F32, S32, mode::RZ) => Some(signed32),
        _ => None,
    }
}

features::avx2! {
    fn fixed8<const R: u8>(span: Span<'_>) {
        let k = *span.constants;
        let (steps, rest) = span.steps::<128, 32>();
        for (from, to) in steps {
            let code = |j: usize| rounded::<R>(floats(from, j), &k);
            store(to, packed_bytes([code(0), code(1), code(2), code(3)]));
        }
        Fixed8::<R>::run(rest);
    }

    fn truncated8(span: Span<'_>) {
        let k = *span.constants;
        let (steps, rest) = span.steps::<128, 32>();
        for (from, to) in steps {
            let code = |j: usize| {
                let x = floats(from, j);
                low_bytes(_mm256_cvttps_epi32(limited(x, &k)), x, &k)
            };
            store(to, packed_bytes([code(0), code(1), code(2), code(3)]));
        }
        Fixed8::<{ mode::RZ }>::run(rest);
    }

    fn signed32(span: Span<'_>) {
        const BEYOND: f32 = 2_147_483_648.0;
        let (steps, rest) = span.steps::<32, 32>();
        for (from, to) in steps {
            let x = floats(from, 0);
            let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_set1_ps(BEYOND)));
            // Out of range gives the least integer, whose complement is the greatest.
            let result = _mm256_xor_si256(_mm256_cvttps_epi32(x), above);
            store(to, _mm256_andnot_si256(is_nan(x), result));
        }
        Signed32::<{ mode::NONE }>::run(rest);
    }

    /// Eight numbers within the range.
    #[inline]
    fn limited(x: __m256, k: &Constants) -> __m256 {
        let number = |x: f64| _mm256_set1_ps(x as f32);
        _mm256_min_ps(_mm256_max_ps(x, number(k.low)), number(k.high))
    }

    /// Eight codes in the low bytes of the lanes, the others 0.
    #[inline]
    fn low_bytes(code: __m256i, x: __m256, k: &Constants) -> __m256i {
        _mm256_and_si256(_mm256_blendv_epi8(code, each(k.nan as u32), is_nan(x)), each(0xff))
    }

    /// Eight codes, rounded by addition.
    #[inline]
    fn rounded<const R: u8>(x: __m256, k: &Constants) -> __m256i {
        let (value, magic) = (limited(x, k), _mm256_set1_ps(k.magic as f32));
        let t = _mm256_add_ps(value, magic);
        let back = _mm256_sub_ps(t, magic);
        // Comparisons give -1 where they hold.
        let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GT_OQ>(back, value));
        let below = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(back, value));
        let negative = _mm256_srai_epi32::<31>(_mm256_castps_si256(value));
        let bits = _mm256_castps_si256(t);
        let code = match R {
            mode::RM => _mm256_add_epi32(bits, above),
            mode::RP => _mm256_sub_epi32(bits, below),
            mode::RZ => {
                let lowered = _mm256_add_epi32(bits, _mm256_andnot_si256(negative, above));
                _mm256_sub_epi32(lowered, _mm256_and_si256(negative, below))
            }
            _ => bits,
        };
        low_bytes(code, x, k)
    }
}
