//! f32 to s32 towards zero by the conversion instruction, whose result of what is out of range is put right.

use core::arch::x86_64::*;

use crate::bulk::kernels::Signed32;
use crate::bulk::lanes::mode;
use crate::bulk::stage::{Kernel, Span, Stage, fetch};
use crate::bulk::tier::Tier;

/// f32 to s32 under `.rzi`.
pub fn truncate(tier: Tier) -> Option<Stage> {
    match tier {
        Tier::Avx512 => Some(avx512),
        Tier::Avx2 => Some(avx2),
        _ => None,
    }
}

const BEYOND: f32 = 2_147_483_648.0;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512(span: Span<'_>) {
    let whole = span.result.len() / 64;
    for i in 0..whole {
        fetch(&span.source[64 * i..64 * (i + 1)]);
        // SAFETY: source and result hold 4 bytes for each element.
        unsafe {
            let x = _mm512_loadu_ps(span.source.as_ptr().add(64 * i).cast());
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            let above = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(BEYOND));
            // Out of range gives the least integer.
            let result = _mm512_maskz_cvttps_epi32(number, x);
            let result = _mm512_mask_mov_epi32(result, above, _mm512_set1_epi32(i32::MAX));
            _mm512_storeu_si512(span.result.as_mut_ptr().add(64 * i).cast(), result);
        }
    }
    rest(span, 64 * whole);
}

#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2(span: Span<'_>) {
    let whole = span.result.len() / 32;
    for i in 0..whole {
        if i % 2 == 0 {
            fetch(&span.source[32 * i..32 * (i + 1)]);
        }
        // SAFETY: source and result hold 4 bytes for each element.
        unsafe {
            let x = _mm256_loadu_ps(span.source.as_ptr().add(32 * i).cast());
            let number = _mm256_cmp_ps::<_CMP_ORD_Q>(x, x);
            let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_set1_ps(BEYOND)));
            // Out of range gives the least integer, whose complement is the greatest.
            let result = _mm256_xor_si256(_mm256_cvttps_epi32(x), above);
            let result = _mm256_and_si256(result, _mm256_castps_si256(number));
            _mm256_storeu_si256(span.result.as_mut_ptr().add(32 * i).cast(), result);
        }
    }
    rest(span, 32 * whole);
}

/// What is left of a run, from byte `done` on.
#[inline(always)]
fn rest(span: Span<'_>, done: usize) {
    Signed32::<{ mode::NONE }>::run(Span {
        source: &span.source[done..],
        result: &mut span.result[done..],
        ..span
    });
}
