//! f32 to f16 and back by the conversion instructions, which round as PTX does; NaN has rules of its own.

use core::arch::x86_64::*;

use super::super::find::half_by_mode;
use super::registers::{floats, is_nan, load_half, store};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::direct::HalfToSingle;
use crate::bulk::arch::generic::narrow::Narrow16;
use crate::bulk::features;
use crate::bulk::stage::{Kernel, Span, Stage};
use crate::formats::Format;
use crate::forms::Modifier;

const F16: usize = Format::F16 as usize;
const LARGEST: f32 = 65_504.0;
const NAN: i16 = 0x7fff;

pub fn find(need: &Conversion) -> Option<Stage> {
    match (need.from, need.to) {
        // `.ftz` has nothing to flush: f16's subnormals are normal in f32.
        (Format::F16, Format::F32) if need.only(&[Modifier::Ftz]) => Some(widen),
        (Format::F32, Format::F16) if need.is_plain() => half_by_mode!(narrow, need),
        _ => None,
    }
}

features::avx2! {
    fn narrow<const R: u8, const HOW: i32, const FINITE: bool>(span: Span<'_>) {
        let (high, low) = (_mm256_set1_ps(LARGEST), _mm256_set1_ps(-LARGEST));
        let (steps, rest) = span.steps::<64, 32>();
        for (from, to) in steps {
            let half = |j: usize| {
                let x = floats(from, j);
                let x = if FINITE { _mm256_max_ps(low, _mm256_min_ps(high, x)) } else { x };
                _mm256_cvtps_ph::<HOW>(x)
            };
            let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half(0)), half(1));
            let magnitude = _mm256_and_si256(both, _mm256_set1_epi16(NAN));
            let nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(0x7c00));
            // Where all ones are, a shift makes the canonical NaN of them.
            store(to, _mm256_or_si256(_mm256_andnot_si256(nan, both), _mm256_srli_epi16::<1>(nan)));
        }
        Narrow16::<F16, R, FINITE>::run(rest);
    }

    fn widen(span: Span<'_>) {
        let (steps, rest) = span.steps::<16, 32>();
        for (from, to) in steps {
            let x = _mm256_cvtph_ps(load_half(from));
            let nan = is_nan(x);
            let kept = _mm256_andnot_si256(nan, _mm256_castps_si256(x));
            store(to, _mm256_or_si256(kept, _mm256_srli_epi32::<1>(nan)));
        }
        HalfToSingle::run(rest);
    }
}
