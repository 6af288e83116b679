//! f32 to f16 and back by the conversion instructions, which round as PTX does; NaN has its own rules.

use core::arch::x86_64::*;

use super::registers::{Pad, each, each_word, floats, is_nan, load_half, store};
use crate::arch::find::half_by_need;
use crate::arch::need::Conversion;
use crate::constants::Constants;
use crate::lanes::single;
use crate::stage::{Run, Span, elements, elements_mut};
use ptxcvt::formats::Format;
use ptxcvt::forms::Modifier;

const LARGEST: f32 = 65_504.0;
const NAN: i16 = 0x7fff;

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to) {
        // `.ftz` has nothing to flush: f16's subnormals are normal in f32.
        (Format::F16, Format::F32) if need.only(&[Modifier::Ftz]) => Some(widen),
        (Format::F32, Format::F16) => half_by_need!(need.without_idle_flushing()),
        _ => None,
    }
}

crate::avx2! {
    fn narrow<const HOW: i32, const FINITE: bool, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let (high, low) = (_mm256_set1_ps(LARGEST), _mm256_set1_ps(-LARGEST));
        let mut pad = Pad::<64, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let half = |j: usize| {
                let x = floats(from, j);
                let x = if FINITE { _mm256_max_ps(low, _mm256_min_ps(high, x)) } else { x };
                _mm256_cvtps_ph::<HOW>(x)
            };
            let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half(0)), half(1));
            let magnitude = _mm256_and_si256(both, _mm256_set1_epi16(NAN));
            let nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(0x7c00));
            // A shift of the all-ones lanes gives the canonical NaN.
            let codes = _mm256_or_si256(_mm256_andnot_si256(nan, both), _mm256_srli_epi16::<1>(nan));
            store(to, finished::<CODES>(codes, &k));
        }
    }

    /// `.relu` and `.pzo`, if the form has them: some codes become 0.
    #[inline]
    pub fn finished<const CODES: bool>(codes: __m256i, k: &Constants) -> __m256i {
        if !CODES {
            return codes;
        }
        let offset = _mm256_sub_epi16(codes, each_word(k.zeroed as i16));
        let kept = _mm256_min_epu16(offset, each_word(k.more_zeroed as i16));
        _mm256_andnot_si256(_mm256_cmpeq_epi16(kept, offset), codes)
    }

    /// 32 elements a step: with eight, the loop takes longer than the conversion.
    fn widen(span: Span<'_>) {
        let canonical = _mm256_castsi256_ps(each(single::NAN));
        let mut pad = Pad::<64, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            for (from, to) in elements::<16>(from).iter().zip(elements_mut::<32>(to)) {
                let x = _mm256_cvtph_ps(load_half(from));
                let nan = _mm256_castsi256_ps(is_nan(x));
                store(to, _mm256_castps_si256(_mm256_blendv_ps(x, canonical, nan)));
            }
        }
    }
}
