//! f64 to integers of at most 32 bits: the conversion instruction rounds. Limits and NaN are made before it, so that its
//! results need no correction.

use core::arch::x86_64::*;

use super::registers::{DOWN, NEAREST, Pad, UP, ZERO, load, store, store_half, store_quarter};
use crate::arch::need::Conversion;
use crate::lanes::match_const;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{F64, S8, S16, S32, U8, U16, U32};
use ptxcvt::forms::Modifier::Sat;

/// The elements of a step.
const STEP: usize = 16;

pub fn find(need: &Conversion) -> Option<Run> {
    macro_rules! to {
        ($how:ident) => {
            match need.to {
                S8 => Some(signed::<STEP, $how> as Run),
                S16 => Some(signed::<{ 2 * STEP }, $how> as Run),
                S32 => Some(signed::<{ 4 * STEP }, $how> as Run),
                U8 => Some(unsigned::<STEP, $how> as Run),
                U16 => Some(unsigned::<{ 2 * STEP }, $how> as Run),
                U32 => Some(unsigned::<{ 4 * STEP }, $how> as Run),
                _ => None,
            }
        };
    }
    // `.sat` has no effect.
    match need.rounding {
        _ if need.from != F64 || !need.only(&[Sat]) => None,
        RN => to!(NEAREST),
        RZ => to!(ZERO),
        RM => to!(DOWN),
        RP => to!(UP),
        _ => None,
    }
}

crate::avx512! {
    fn signed<const TO: usize, const HOW: i32>(span: Span<'_>) {
        let doubt = span.doubt;
        let mut special = 0;
        let mut pad = Pad::<{ 8 * STEP }, 0, TO>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let x = doubles(from, j);
                // If one operand is NaN, `min` returns the second one, for which the instruction returns the least
                // integer, as for all numbers below the range. That is PTX's result, too, also where it is narrowed.
                let number = _mm512_cvt_roundpd_epi32::<HOW>(_mm512_min_pd(_mm512_set1_pd(i32::MAX.into()), x));
                (number, not_finite(x))
            };
            let ((first, one), (second, other)) = (part(0), part(1));
            special |= one | other;
            let numbers = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
            match_const!(TO / STEP, {
                1 => store_quarter(to.first_chunk_mut().expect("16"), _mm512_cvtsepi32_epi8(numbers)),
                2 => store_half(to.first_chunk_mut().expect("32"), _mm512_cvtsepi32_epi16(numbers)),
                4 => store(to.first_chunk_mut().expect("64"), numbers),
            });
        }
        if let Some(doubt) = doubt.filter(|_| special != 0) {
            doubt.set(true);
        }
    }

    fn unsigned<const TO: usize, const HOW: i32>(span: Span<'_>) {
        // By class, four bits each: both kinds of NaN become the first operand (0), negative numbers and infinity 0 (8),
        // all others the second operand (1).
        let replaced = _mm512_set1_epi64(0x1818_1100);
        // The result for NaN: the integer with the top bit alone.
        let nan = _mm512_set1_pd((1_u64 << (8 * TO / STEP - 1)) as f64);
        let doubt = span.doubt;
        let mut special = 0;
        let mut pad = Pad::<{ 8 * STEP }, 0, TO>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| {
                let x = doubles(from, j);
                // The instruction returns the largest integer for numbers above the range.
                let number = _mm512_cvt_roundpd_epu32::<HOW>(_mm512_fixupimm_pd::<0>(nan, x, replaced));
                (number, not_finite(x))
            };
            let ((first, one), (second, other)) = (part(0), part(1));
            special |= one | other;
            let numbers = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
            match_const!(TO / STEP, {
                1 => store_quarter(to.first_chunk_mut().expect("16"), _mm512_cvtusepi32_epi8(numbers)),
                2 => store_half(to.first_chunk_mut().expect("32"), _mm512_cvtusepi32_epi16(numbers)),
                4 => store(to.first_chunk_mut().expect("64"), numbers),
            });
        }
        if let Some(doubt) = doubt.filter(|_| special != 0) {
            doubt.set(true);
        }
    }

    /// Part `j` of a step: eight f64.
    #[inline]
    fn doubles(from: &[u8], j: usize) -> __m512d {
        _mm512_castsi512_pd(load(&elements::<64>(from)[j]))
    }

    /// The elements that are NaN or infinite.
    #[inline]
    fn not_finite(x: __m512d) -> __mmask8 {
        _mm512_fpclass_pd_mask::<0x99>(x)
    }
}
