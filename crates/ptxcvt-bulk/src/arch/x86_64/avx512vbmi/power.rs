//! f32 to ue8m0: the exponent; `.rp` first raises the number to the next power of two.

use core::arch::x86_64::*;

use super::super::avx512::registers::{Pad, floats, store};
use super::permutations::{POWERS_ORDER, permutation};
use crate::arch::need::Conversion;
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

crate::avx512vbmi! {
    fn narrow<const R: u8>(span: Span<'_>) {
        // The result for magnitudes beyond the limit; NaN is the largest magnitude.
        let limit = each((span.constants.limit[0] as u32) << single::FRACTION_BITS | single::FRACTION);
        // Bits 23 to 30 of both lanes: two of every eight bytes from each register.
        let bits = _mm512_set1_epi64(0x3717_3717_3717_3717);
        let places = permutation(&POWERS_ORDER);
        let mut pad = Pad::<256, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let raised = |j: usize| raised::<R>(_mm512_castps_si512(floats(from, j)), limit);
            let codes = _mm512_multishift_epi64_epi8(bits, raised(0));
            let codes = _mm512_mask_multishift_epi64_epi8(codes, 0x0c0c_0c0c_0c0c_0c0c, bits, raised(1));
            let codes = _mm512_mask_multishift_epi64_epi8(codes, 0x3030_3030_3030_3030, bits, raised(2));
            let codes = _mm512_mask_multishift_epi64_epi8(codes, 0xc0c0_c0c0_c0c0_c0c0, bits, raised(3));
            store(to, _mm512_permutexvar_epi8(places, codes));
        }
    }

    /// Magnitudes whose exponents are the codes.
    #[inline]
    fn raised<const R: u8>(x: __m512i, limit: __m512i) -> __m512i {
        let m = _mm512_and_si512(x, each(single::MAGNITUDE));
        let up = _mm512_cmpgt_epu32_mask(m, each(single::LEAST_POWER));
        let raised = match_mode!(R { RP => _mm512_mask_add_epi32(m, up, m, each(single::FRACTION)), RZ => m });
        let nan = _mm512_cmpgt_epu32_mask(m, each(single::INFINITY));
        _mm512_mask_mov_epi32(_mm512_min_epu32(raised, limit), nan, each(single::NAN))
    }

    #[inline]
    fn each(bits: u32) -> __m512i {
        _mm512_set1_epi32(bits as i32)
    }
}
