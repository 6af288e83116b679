//! f32 to f16 and back by the conversion instructions, which round as PTX does; NaN has its own rules.

use core::arch::x86_64::*;

use super::registers::{Pad, load, load_half, store_both, store_half};
use crate::arch::find::half_by_need;
use crate::arch::need::Conversion;
use crate::constants::Constants;
use crate::lanes::single;
use crate::stage::{Run, Span, elements};
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

crate::avx512! {
    fn narrow<const HOW: i32, const FINITE: bool, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let (high, low) = (_mm512_set1_ps(LARGEST), _mm512_set1_ps(-LARGEST));
        let nan = _mm256_set1_epi16(NAN);
        let mut pad = Pad::<64, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = _mm512_castsi512_ps(load(from));
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            let x = if FINITE { _mm512_max_ps(low, _mm512_min_ps(high, x)) } else { x };
            let codes = _mm512_mask_cvtps_ph::<HOW>(nan, number, x);
            if CODES {
                let offset = _mm256_sub_epi16(codes, _mm256_set1_epi16(k.zeroed as i16));
                let kept = _mm256_cmpgt_epu16_mask(offset, _mm256_set1_epi16(k.more_zeroed as i16));
                store_half(to, _mm256_maskz_mov_epi16(kept, codes));
            } else {
                store_half(to, codes);
            }
        }
    }

    /// `.relu` and `.pzo`, if the form has them: some codes become 0.
    #[inline]
    pub fn finished<const CODES: bool>(codes: __m512i, k: &Constants) -> __m512i {
        if !CODES {
            return codes;
        }
        let offset = _mm512_sub_epi16(codes, _mm512_set1_epi16(k.zeroed as i16));
        let kept = _mm512_cmpgt_epu16_mask(offset, _mm512_set1_epi16(k.more_zeroed as i16));
        _mm512_maskz_mov_epi16(kept, codes)
    }

    fn widen(span: Span<'_>) {
        let nan = _mm512_castsi512_ps(_mm512_set1_epi32(single::NAN as i32));
        // By class, four bits each: quiet and signalling NaN become the first operand (0), all others the second (1).
        let replaced = _mm512_set1_epi32(0x1111_1100);
        let mut pad = Pad::<64, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let half = |j: usize| {
                let x = _mm512_cvtph_ps(load_half(&elements::<32>(from)[j]));
                _mm512_castps_si512(_mm512_fixupimm_ps::<0>(nan, x, replaced))
            };
            store_both(to, [half(0), half(1)]);
        }
    }
}
