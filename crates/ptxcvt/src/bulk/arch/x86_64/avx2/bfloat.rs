//! f32 to bf16. The algorithm is the generic kernel's; what is gained is the packing, which compilers do one register
//! at a time.

use core::arch::x86_64::*;

use super::registers::{each, floats, is_nan, packed_words, store};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::narrow::Bf16;
use crate::bulk::constants::Constants;
use crate::bulk::features;
use crate::bulk::lanes::{mode, single};
use crate::bulk::stage::{Kernel, Span, Stage};
use crate::formats::Format;

pub fn find(need: &Conversion) -> Option<Stage> {
    match (need.from, need.to, need.rounding) {
        _ if !need.is_plain() => None,
        (Format::F32, Format::Bf16, mode::RN) => Some(narrow::<{ mode::RN }>),
        (Format::F32, Format::Bf16, mode::RZ) => Some(narrow::<{ mode::RZ }>),
        (Format::F32, Format::Bf16, mode::RM) => Some(narrow::<{ mode::RM }>),
        (Format::F32, Format::Bf16, mode::RP) => Some(narrow::<{ mode::RP }>),
        _ => None,
    }
}

features::avx2! {
    fn narrow<const R: u8>(span: Span<'_>) {
        let k = *span.constants;
        let (steps, rest) = span.steps::<64, 32>();
        for (from, to) in steps {
            let code = |j: usize| shortened::<R>(floats(from, j), &k);
            store(to, packed_words([code(0), code(1)]));
        }
        Bf16::<R>::run(rest);
    }

    /// Eight bf16 in the low halves of the lanes.
    #[inline]
    fn shortened<const R: u8>(x: __m256, k: &Constants) -> __m256i {
        const BELOW: u32 = (1 << single::BELOW_BF16) - 1;
        let bits = _mm256_castps_si256(x);
        let m = _mm256_min_epu32(_mm256_and_si256(bits, each(single::MAGNITUDE)), each(k.limit[0] as u32));
        let negative = _mm256_srai_epi32::<31>(bits);
        let sum = match R {
            mode::RN => {
                let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(m), each(1));
                _mm256_add_epi32(_mm256_add_epi32(m, each(BELOW >> 1)), odd)
            }
            mode::RM => _mm256_add_epi32(m, _mm256_and_si256(negative, each(BELOW))),
            mode::RP => _mm256_add_epi32(m, _mm256_andnot_si256(negative, each(BELOW))),
            _ => m,
        };
        let sign = _mm256_and_si256(negative, each(single::SIGN >> single::BELOW_BF16));
        let code = _mm256_or_si256(_mm256_srli_epi32::<16>(sum), sign);
        _mm256_blendv_epi8(code, each((k.nan >> single::BELOW_BF16) as u32), is_nan(x))
    }
}
