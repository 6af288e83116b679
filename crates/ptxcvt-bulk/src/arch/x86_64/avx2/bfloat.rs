//! f32 to bf16, rounded as integers, including the sign: a carry moves from the fraction into the exponent,
//! but never into the sign.

use core::arch::x86_64::*;

use super::half::finished;
use super::registers::{Pad, each, floats, in_halves, is_nan, store};
use crate::arch::find::bfloat_by_need;
use crate::arch::need::Conversion;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    bfloat_by_need!(need)
}

crate::avx2! {
    fn narrow<const R: u8, const FINITE: bool, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let limit = each(k.limit[0] as u32);
        let mut pad = Pad::<64, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let code = |j: usize| _mm256_srai_epi32::<16>(rounded::<R, FINITE>(floats(from, j), limit));
            store(to, in_halves(finished::<CODES>(_mm256_packs_epi32(code(0), code(1)), &k)));
        }
    }

    /// Eight bf16 in the upper halves of the lanes.
    #[inline]
    fn rounded<const R: u8, const FINITE: bool>(x: __m256, limit: __m256i) -> __m256i {
        let nan = is_nan(x);
        let x = _mm256_castps_si256(x);
        let bits = if FINITE {
            let m = _mm256_min_epu32(_mm256_and_si256(x, each(single::MAGNITUDE)), limit);
            _mm256_or_si256(m, _mm256_and_si256(x, each(single::SIGN)))
        } else {
            x
        };
        _mm256_blendv_epi8(sum::<R>(bits, x), each(single::NAN), nan)
    }
    /// Like [`rounded`], of integers as f32.
    #[inline]
    pub fn integers_rounded<const R: u8>(bits: __m256i) -> __m256i {
        sum::<R>(bits, bits)
    }

    /// The lanes rounded in the upper halves; `x` has their signs.
    #[inline]
    fn sum<const R: u8>(bits: __m256i, x: __m256i) -> __m256i {
        const BELOW: u32 = (1 << single::BELOW_BF16) - 1;
        let negative = _mm256_srai_epi32::<31>(x);
        match_mode!(R {
            RN => {
                let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), each(1));
                _mm256_add_epi32(_mm256_add_epi32(bits, each(BELOW >> 1)), odd)
            },
            RM => _mm256_add_epi32(bits, _mm256_and_si256(negative, each(BELOW))),
            RP => _mm256_add_epi32(bits, _mm256_andnot_si256(negative, each(BELOW))),
            RZ => bits,
        })
    }
}
