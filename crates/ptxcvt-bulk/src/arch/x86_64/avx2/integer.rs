//! f32, f16 and bf16 to integers of at most 32 bits: the conversion instruction rounds, and saturating packs
//! limit.

use core::arch::x86_64::*;

use super::registers::{Pad, each_word, floats, in_halves, in_order, is_nan, load_half, store, store_both};
use super::sums::Sums;
use crate::arch::need::Conversion;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::lanes::{match_format, match_mode};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{Bf16, F16, F32, S8, S16, S32, U8, U16};
use ptxcvt::forms::Modifier::{Ftz, Sat};

pub fn find(need: &Conversion) -> Option<Run> {
    // The bytes of 32, 16 and 16 elements; the rounding.
    macro_rules! to {
        ($s:ident $bytes:literal $words:literal $singles:literal, $r:ident) => {
            match need.to {
                S8 => Some(bytes::<{ $s as usize }, $bytes, $r, true> as Run),
                U8 => Some(bytes::<{ $s as usize }, $bytes, $r, false> as Run),
                S16 => Some(words::<{ $s as usize }, $words, $r, true> as Run),
                U16 => Some(words::<{ $s as usize }, $words, $r, false> as Run),
                S32 => Some(signed32::<{ $s as usize }, $singles, $r> as Run),
                _ => None,
            }
        };
    }
    // `.sat` has no effect. `.ftz` matters only if rounding is away from zero.
    match (need.from, need.rounding, need.modifiers.has(Ftz)) {
        _ if !need.only(&[Sat, Ftz]) => None,
        (F32, RN, _) => to!(F32 128 64 64, RN),
        (F32, RZ, _) => to!(F32 128 64 64, RZ),
        (F32, RM, false) => to!(F32 128 64 64, RM),
        (F32, RP, false) => to!(F32 128 64 64, RP),
        (F16, RN, false) => to!(F16 64 32 32, RN),
        (F16, RZ, false) => to!(F16 64 32 32, RZ),
        (F16, RM, false) => to!(F16 64 32 32, RM),
        (F16, RP, false) => to!(F16 64 32 32, RP),
        (Bf16, RN, false) => to!(Bf16 64 32 32, RN),
        (Bf16, RZ, false) => to!(Bf16 64 32 32, RZ),
        (Bf16, RM, false) => to!(Bf16 64 32 32, RM),
        (Bf16, RP, false) => to!(Bf16 64 32 32, RP),
        _ => None,
    }
}

/// The number of steps after one with the least word that limit their numbers and add them up.
const CAREFUL: usize = 256;

crate::avx2! {
    fn bytes<const S: usize, const FROM: usize, const R: u8, const SIGNED: bool>(span: Span<'_>) {
        let doubt = span.doubt;
        let mut sums = Sums::<4>::new();
        let mut pad = Pad::<FROM, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let number = |j: usize| converted::<R>(wide::<S>(from, j));
            let words = [_mm256_packs_epi32(number(0), number(1)), _mm256_packs_epi32(number(2), number(3))];
            store(to, packed_bytes::<SIGNED>(words));
            // The least word may be NaN, or a number that does not fit in 32 bits.
            let least = _mm256_cmpeq_epi16(_mm256_min_epi16(words[0], words[1]), each_word(i16::MIN));
            if _mm256_movemask_epi8(least) != 0 {
                limited_bytes::<S, R, SIGNED>(from, to, &mut sums);
                for _ in 0..CAREFUL {
                    let Some((from, to)) = steps.next() else { break };
                    limited_bytes::<S, R, SIGNED>(from, to, &mut sums);
                }
            }
        }
        sums.report(doubt);
    }

    /// 32 bytes of any numbers.
    #[inline]
    fn limited_bytes<const S: usize, const R: u8, const SIGNED: bool>(
        from: &[u8],
        to: &mut [u8; 32],
        sums: &mut Sums<4>,
    ) {
        let x = [wide::<S>(from, 0), wide::<S>(from, 1), wide::<S>(from, 2), wide::<S>(from, 3)];
        sums.add(x);
        let number = |j: usize| limited::<R>(x[j]);
        let words = [_mm256_packs_epi32(number(0), number(1)), _mm256_packs_epi32(number(2), number(3))];
        store(to, packed_bytes::<SIGNED>(words));
    }

    #[inline]
    fn packed_bytes<const SIGNED: bool>([first, second]: [__m256i; 2]) -> __m256i {
        in_order(if SIGNED { _mm256_packs_epi16(first, second) } else { _mm256_packus_epi16(first, second) })
    }

    fn words<const S: usize, const FROM: usize, const R: u8, const SIGNED: bool>(span: Span<'_>) {
        let doubt = span.doubt;
        let mut sums = Sums::<2>::new();
        let mut pad = Pad::<FROM, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = [wide::<S>(from, 0), wide::<S>(from, 1)];
            sums.add(x);
            let number = |j: usize| limited::<R>(x[j]);
            let words = if SIGNED {
                _mm256_packs_epi32(number(0), number(1))
            } else {
                _mm256_packus_epi32(number(0), number(1))
            };
            store(to, in_halves(words));
        }
        sums.report(doubt);
    }

    fn signed32<const S: usize, const FROM: usize, const R: u8>(span: Span<'_>) {
        const BEYOND: f32 = 2_147_483_648.0;
        let doubt = span.doubt;
        let mut sums = Sums::<2>::new();
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = [wide::<S>(from, 0), wide::<S>(from, 1)];
            sums.add(x);
            store_both(to, x.map(|x| {
                let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_set1_ps(BEYOND)));
                // Out-of-range numbers give the least integer, whose complement is the greatest.
                let result = _mm256_xor_si256(converted::<R>(x), above);
                _mm256_andnot_si256(is_nan(x), result)
            }));
        }
        sums.report(doubt);
    }

    /// Part `j` of a step: eight numbers as f32.
    #[inline]
    pub fn wide<const S: usize>(from: &[u8], j: usize) -> __m256 {
        let words = || load_half(&elements::<16>(from)[j]);
        match_format!(S {
            F16 => _mm256_cvtph_ps(words()),
            Bf16 => _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(words()))),
            F32 => floats(from, j),
        })
    }

    /// Eight integers for saturating packs. Numbers too large for 32 bits become one too large for 16; NaN
    /// becomes 0.
    #[inline]
    fn limited<const R: u8>(x: __m256) -> __m256i {
        let number = _mm256_and_ps(x, _mm256_cmp_ps::<_CMP_ORD_Q>(x, x));
        converted::<R>(_mm256_min_ps(number, _mm256_set1_ps((1 << 30) as f32)))
    }

    /// Eight integers; out-of-range numbers give the least one.
    #[inline]
    fn converted<const R: u8>(x: __m256) -> __m256i {
        match_mode!(R {
            RN => _mm256_cvtps_epi32(x),
            RM => _mm256_cvttps_epi32(_mm256_floor_ps(x)),
            RP => _mm256_cvttps_epi32(_mm256_ceil_ps(x)),
            RZ => _mm256_cvttps_epi32(x),
        })
    }
}
