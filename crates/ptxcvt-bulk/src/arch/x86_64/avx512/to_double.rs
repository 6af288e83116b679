//! f32, f16 and bf16 to f64 by the conversion instructions, which treat NaN as PTX does. On some processors that from f32
//! takes hundreds of cycles for subnormal numbers, so it never receives one.

use core::arch::x86_64::*;

use super::registers::{Pad, floats, load_half, store_both};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::lanes::mode::NONE;
use crate::lanes::single;
use crate::stage::{Run, Span};
use ptxcvt::formats::Format::{Bf16, F16, F32, F64};
use ptxcvt::forms::Modifier::Sat;

/// The bit of `vfpclassps` for subnormal numbers.
const SUBNORMAL: i32 = 0x20;

/// 2^-149.
const QUANTUM: f64 = f64::from_bits((1023 - 149) << 52);

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.modifiers.has(Sat)) {
        _ if need.to != F64 || !need.only(&[Sat]) => None,
        (F32, false) if need.rounding == NONE => Some(singles),
        (F16, sat) if need.rounding == NONE => pick!(SAT: bool = sat => Some(halves::<SAT> as Run)),
        // Exact in every mode.
        (Bf16, false) => Some(bfloats),
        _ => None,
    }
}

crate::avx512! {
    fn singles(span: Span<'_>) {
        let mut pad = Pad::<64, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = floats(from, 0);
            if _mm512_fpclass_ps_mask::<SUBNORMAL>(x) == 0 {
                store_both(to, doubles(x));
            } else {
                rare_singles(from, to);
            }
        }
    }

    fn bfloats(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let words = load_half(from);
            // Magnitudes without sign, less one, so that those of zeros are the greatest.
            let less = _mm256_sub_epi16(_mm256_add_epi16(words, words), _mm256_set1_epi16(1));
            let subnormal = _mm256_cmplt_epu16_mask(less, _mm256_set1_epi16(2 * (1 << 7) - 1));
            if subnormal == 0 {
                store_both(to, doubles(wide(words)));
            } else {
                rare_bfloats(from, to);
            }
        }
    }

    /// f16's subnormal numbers are normal in f32. With `.sat`, numbers are limited to the unit interval, and NaN becomes 0.
    fn halves<const SAT: bool>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = _mm512_cvtph_ps(load_half(from));
            // If one operand is NaN, or both are zeros, `max` returns the second one.
            let x = if SAT { _mm512_min_ps(_mm512_max_ps(x, _mm512_setzero_ps()), _mm512_set1_ps(1.0)) } else { x };
            store_both(to, doubles(x));
        }
    }

    /// Sixteen bf16 as f32.
    #[inline]
    fn wide(words: __m256i) -> __m512 {
        _mm512_castsi512_ps(_mm512_slli_epi32::<{ single::BELOW_BF16 }>(_mm512_cvtepu16_epi32(words)))
    }

    /// Sixteen f64 from f32.
    #[inline]
    fn doubles(x: __m512) -> [__m512i; 2] {
        let x = _mm512_castps_si512(x);
        let half = |part: __m256i| _mm512_castpd_si512(_mm512_cvtps_pd(_mm256_castsi256_ps(part)));
        [half(_mm512_castsi512_si256(x)), half(_mm512_extracti64x4_epi64::<1>(x))]
    }

    /// A step that has subnormal numbers. Arrays have few of them, or so many that the branch to here is predicted.
    ///
    /// It loads the numbers again: arguments would be stored to memory, also where this is not called.
    #[cold]
    #[inline(never)]
    fn rare_singles(from: &[u8; 64], to: &mut [u8; 128]) {
        store_both(to, counted(floats(from, 0)));
    }

    /// Like [`rare_singles`].
    #[cold]
    #[inline(never)]
    fn rare_bfloats(from: &[u8; 32], to: &mut [u8; 128]) {
        store_both(to, counted(wide(load_half(from))));
    }

    /// Like [`doubles`], also for subnormal numbers: counts their quanta.
    #[inline]
    fn counted(x: __m512) -> [__m512i; 2] {
        let small = _mm512_fpclass_ps_mask::<SUBNORMAL>(x);
        let magnitude = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(single::MAGNITUDE as i32));
        // The number of quanta as a normal number, with the sign: (x & sign) | count.
        let count = _mm512_castps_si512(_mm512_mask_cvtepi32_ps(x, small, magnitude));
        let sign = _mm512_set1_epi32(i32::MIN);
        let y = _mm512_ternarylogic_epi32::<0xea>(_mm512_castps_si512(x), sign, count);
        let [low, high] = doubles(_mm512_castsi512_ps(y));
        let unit = |wide: __m512i, small: u8| {
            let wide = _mm512_castsi512_pd(wide);
            _mm512_castpd_si512(_mm512_mask_mul_pd(wide, small, wide, _mm512_set1_pd(QUANTUM)))
        };
        [unit(low, small as u8), unit(high, (small >> 8) as u8)]
    }
}
