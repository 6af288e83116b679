//! f32 to s32 towards zero by the conversion instruction, whose result of what is out of range is put right.

use core::arch::x86_64::*;

use super::registers::{load, store};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::integer::Signed32;
use crate::bulk::features;
use crate::bulk::lanes::mode;
use crate::bulk::stage::{Kernel, Span, Stage};
use crate::formats::Format;

pub fn find(need: &Conversion) -> Option<Stage> {
    match (need.from, need.to, need.rounding) {
        (Format::F32, Format::S32, mode::RZ) if need.is_plain() => Some(signed32),
        _ => None,
    }
}

features::avx512! {
    fn signed32(span: Span<'_>) {
        const BEYOND: f32 = 2_147_483_648.0;
        let (steps, rest) = span.steps::<64, 64>();
        for (from, to) in steps {
            let x = _mm512_castsi512_ps(load(from));
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            let above = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(BEYOND));
            // Out of range gives the least integer.
            let result = _mm512_maskz_cvttps_epi32(number, x);
            store(to, _mm512_mask_mov_epi32(result, above, _mm512_set1_epi32(i32::MAX)));
        }
        Signed32::<{ mode::NONE }>::run(rest);
    }
}
