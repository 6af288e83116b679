//! f32 to ue8m0: the exponent; `.rp` first raises the number to the next power of two.

use core::arch::x86_64::*;

use super::registers::{Pad, each, floats, is_nan, packed_bytes, store};
use crate::arch::need::Conversion;
use crate::constants::Constants;
use crate::lanes::{match_mode, mode, single};
use crate::stage::{Run, Span};
use ptxcvt::formats::Format;

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to, need.rounding) {
        _ if !need.is_plain() => None,
        (Format::F32, Format::Ue8m0, mode::RZ) => Some(narrow::<{ mode::RZ }>),
        (Format::F32, Format::Ue8m0, mode::RP) => Some(narrow::<{ mode::RP }>),
        _ => None,
    }
}

crate::avx2! {
    fn narrow<const R: u8>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<128, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let code = |j: usize| exponents::<R>(floats(from, j), &k);
            store(to, packed_bytes([code(0), code(1), code(2), code(3)]));
        }
    }

    /// Eight codes in the low bytes of the lanes; the other bytes are 0.
    #[inline]
    fn exponents<const R: u8>(x: __m256, k: &Constants) -> __m256i {
        let m = _mm256_and_si256(_mm256_castps_si256(x), each(single::MAGNITUDE));
        let up = _mm256_and_si256(_mm256_cmpgt_epi32(m, each(single::LEAST_POWER)), each(single::FRACTION));
        let m = match_mode!(R { RP => _mm256_add_epi32(m, up), RZ => m });
        let code = _mm256_min_epu32(_mm256_srli_epi32::<23>(m), each(k.limit[0] as u32));
        _mm256_or_si256(code, _mm256_and_si256(is_nan(x), each(0xff)))
    }
}
