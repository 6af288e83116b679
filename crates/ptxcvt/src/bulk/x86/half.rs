//! f32 to f16 and back by the conversion instructions, which round as PTX does; NaN has rules of its own.

use core::arch::x86_64::*;

use crate::bulk::kernels::{HalfToSingle, Narrow16};
use crate::bulk::lanes::mode;
use crate::bulk::stage::{Kernel, Span, Stage, fetch};
use crate::bulk::tier::Tier;
use crate::format::Format;

const F16: usize = Format::F16 as usize;

/// f32 to f16 under `.rn`, `.rz`, `.rm`, `.rp`; `finite` is `.satfinite`.
pub fn from_f32(tier: Tier, rounding: u8, finite: bool) -> Option<Stage> {
    macro_rules! choose {
        ($kernel:ident) => {
            match (rounding, finite) {
                (mode::RN, false) => $kernel::<{ mode::RN }, { _MM_FROUND_TO_NEAREST_INT }, false>,
                (mode::RZ, false) => $kernel::<{ mode::RZ }, { _MM_FROUND_TO_ZERO }, false>,
                (mode::RM, false) => $kernel::<{ mode::RM }, { _MM_FROUND_TO_NEG_INF }, false>,
                (mode::RP, false) => $kernel::<{ mode::RP }, { _MM_FROUND_TO_POS_INF }, false>,
                (mode::RN, true) => $kernel::<{ mode::RN }, { _MM_FROUND_TO_NEAREST_INT }, true>,
                (mode::RZ, true) => $kernel::<{ mode::RZ }, { _MM_FROUND_TO_ZERO }, true>,
                _ => return None,
            }
        };
    }
    Some(match tier {
        Tier::Avx512 => choose!(narrow_avx512),
        Tier::Avx2 => choose!(narrow_avx2),
        _ => return None,
    })
}

/// f16 to f32, NaN becoming 0x7fffffff.
pub fn to_f32(tier: Tier) -> Option<Stage> {
    match tier {
        Tier::Avx512 => Some(widen_avx512),
        Tier::Avx2 => Some(widen_avx2),
        _ => None,
    }
}

/// What is left of a run of f32 to f16.
#[inline(always)]
fn rest<const R: u8, const FINITE: bool>(span: Span<'_>, done: usize) {
    Narrow16::<F16, R, FINITE>::run(Span {
        source: &span.source[4 * done..],
        result: &mut span.result[2 * done..],
        ..span
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn narrow_avx512<const R: u8, const HOW: i32, const FINITE: bool>(span: Span<'_>) {
    let (high, low) = (_mm512_set1_ps(65_504.0), _mm512_set1_ps(-65_504.0));
    let nan = _mm256_set1_epi16(0x7fff);
    let whole = span.result.len() / 32;
    for i in 0..whole {
        fetch(&span.source[64 * i..64 * (i + 1)]);
        // SAFETY: the source holds 4 bytes, the result 2, for each element.
        unsafe {
            let x = _mm512_loadu_ps(span.source.as_ptr().add(64 * i).cast());
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            let x = if FINITE { _mm512_max_ps(low, _mm512_min_ps(high, x)) } else { x };
            let half = _mm512_mask_cvtps_ph::<HOW>(nan, number, x);
            _mm256_storeu_si256(span.result.as_mut_ptr().add(32 * i).cast(), half);
        }
    }
    rest::<R, FINITE>(span, 16 * whole);
}

#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn narrow_avx2<const R: u8, const HOW: i32, const FINITE: bool>(span: Span<'_>) {
    let (high, low) = (_mm256_set1_ps(65_504.0), _mm256_set1_ps(-65_504.0));
    let whole = span.result.len() / 32;
    for i in 0..whole {
        fetch(&span.source[64 * i..64 * (i + 1)]);
        let half = |j: usize| {
            // SAFETY: the source holds 4 bytes for each element.
            let x = unsafe { _mm256_loadu_ps(span.source.as_ptr().add(64 * i + 32 * j).cast()) };
            let x = if FINITE { _mm256_max_ps(low, _mm256_min_ps(high, x)) } else { x };
            _mm256_cvtps_ph::<HOW>(x)
        };
        let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half(0)), half(1));
        let magnitude = _mm256_and_si256(both, _mm256_set1_epi16(0x7fff));
        let nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(0x7c00));
        let both = _mm256_or_si256(_mm256_andnot_si256(nan, both), _mm256_srli_epi16::<1>(nan));
        // SAFETY: the result holds 2 bytes for each element.
        unsafe { _mm256_storeu_si256(span.result.as_mut_ptr().add(32 * i).cast(), both) };
    }
    rest::<R, FINITE>(span, 16 * whole);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn widen_avx512(span: Span<'_>) {
    let nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fff_ffff));
    let whole = span.result.len() / 64;
    for i in 0..whole {
        if i % 2 == 0 {
            fetch(&span.source[32 * i..32 * (i + 1)]);
        }
        // SAFETY: the source holds 2 bytes, the result 4, for each element.
        unsafe {
            let x = _mm512_cvtph_ps(_mm256_loadu_si256(span.source.as_ptr().add(32 * i).cast()));
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
            let x = _mm512_mask_mov_ps(x, is_nan, nan);
            _mm512_storeu_ps(span.result.as_mut_ptr().add(64 * i).cast(), x);
        }
    }
    rest_to_f32(span, 16 * whole);
}

#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn widen_avx2(span: Span<'_>) {
    let whole = span.result.len() / 32;
    for i in 0..whole {
        if i % 4 == 0 {
            fetch(&span.source[16 * i..16 * (i + 1)]);
        }
        // SAFETY: the source holds 2 bytes, the result 4, for each element.
        unsafe {
            let x = _mm256_cvtph_ps(_mm_loadu_si128(span.source.as_ptr().add(16 * i).cast()));
            let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x));
            let kept = _mm256_andnot_si256(nan, _mm256_castps_si256(x));
            let x = _mm256_or_si256(kept, _mm256_srli_epi32::<1>(nan));
            _mm256_storeu_si256(span.result.as_mut_ptr().add(32 * i).cast(), x);
        }
    }
    rest_to_f32(span, 8 * whole);
}

/// What is left of a run of f16 to f32.
#[inline(always)]
fn rest_to_f32(span: Span<'_>, done: usize) {
    HalfToSingle::run(Span {
        source: &span.source[2 * done..],
        result: &mut span.result[4 * done..],
        ..span
    });
}
