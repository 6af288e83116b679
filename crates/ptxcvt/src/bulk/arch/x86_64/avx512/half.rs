//! f32 to f16 and back by the conversion instructions, which round as PTX does; NaN has rules of its own.

use core::arch::x86_64::*;

use super::super::find::half_by_mode;
use super::registers::{load, load_half, store, store_half};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::direct::HalfToSingle;
use crate::bulk::arch::generic::narrow::Narrow16;
use crate::bulk::features;
use crate::bulk::lanes::single;
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

features::avx512! {
    fn narrow<const R: u8, const HOW: i32, const FINITE: bool>(span: Span<'_>) {
        let (high, low) = (_mm512_set1_ps(LARGEST), _mm512_set1_ps(-LARGEST));
        let nan = _mm256_set1_epi16(NAN);
        let (steps, rest) = span.steps::<64, 32>();
        for (from, to) in steps {
            let x = _mm512_castsi512_ps(load(from));
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            let x = if FINITE { _mm512_max_ps(low, _mm512_min_ps(high, x)) } else { x };
            store_half(to, _mm512_mask_cvtps_ph::<HOW>(nan, number, x));
        }
        Narrow16::<F16, R, FINITE>::run(rest);
    }

    fn widen(span: Span<'_>) {
        let nan = _mm512_castsi512_ps(_mm512_set1_epi32(single::NAN as i32));
        let (steps, rest) = span.steps::<32, 64>();
        for (from, to) in steps {
            let x = _mm512_cvtph_ps(load_half(from));
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
            store(to, _mm512_castps_si512(_mm512_mask_mov_ps(x, is_nan, nan)));
        }
        HalfToSingle::run(rest);
    }
}
