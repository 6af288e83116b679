//! f32, f16 and bf16 to integers of at most 32 bits: the conversion instruction rounds, and saturating packs
//! limit.

use core::arch::x86_64::*;
use core::cell::Cell;

use super::registers::{DOWN, NEAREST, Pad, UP, ZERO, floats, load_half, store, store_both};
use crate::arch::need::Conversion;
use crate::lanes::match_format;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{Bf16, F16, F32, S8, S16, S32, U8, U16, U32};
use ptxcvt::forms::Modifier::{Ftz, Sat};

/// The classes of `vfpclassps`: NaN; NaN and subnormal numbers.
const NAN: i32 = 0x81;
const NAN_OR_SUBNORMAL: i32 = 0xa1;

pub fn find(need: &Conversion) -> Option<Run> {
    // The bytes of 64, 32 and 16 elements; the rounding; the class of numbers that become 0.
    macro_rules! to {
        ($s:ident $bytes:literal $words:literal $singles:literal, $how:ident, $gone:ident) => {
            match need.to {
                S8 => Some(bytes::<{ $s as usize }, $bytes, $how, $gone, true> as Run),
                U8 => Some(bytes::<{ $s as usize }, $bytes, $how, $gone, false> as Run),
                S16 => Some(words::<{ $s as usize }, $words, $how, $gone, true> as Run),
                U16 => Some(words::<{ $s as usize }, $words, $how, $gone, false> as Run),
                S32 => Some(signed32::<{ $s as usize }, $words, $how, $gone> as Run),
                U32 => Some(unsigned32::<{ $s as usize }, $singles, $how, $gone> as Run),
                _ => None,
            }
        };
    }
    // `.sat` has no effect. `.ftz` matters only if rounding is away from zero.
    match (need.from, need.rounding, need.modifiers.has(Ftz)) {
        _ if !need.only(&[Sat, Ftz]) => None,
        (F32, RN, _) => to!(F32 256 128 64, NEAREST, NAN),
        (F32, RZ, _) => to!(F32 256 128 64, ZERO, NAN),
        (F32, RM, false) => to!(F32 256 128 64, DOWN, NAN),
        (F32, RM, true) => to!(F32 256 128 64, DOWN, NAN_OR_SUBNORMAL),
        (F32, RP, false) => to!(F32 256 128 64, UP, NAN),
        (F32, RP, true) => to!(F32 256 128 64, UP, NAN_OR_SUBNORMAL),
        (F16, RN, false) => to!(F16 128 64 32, NEAREST, NAN),
        (F16, RZ, false) => to!(F16 128 64 32, ZERO, NAN),
        (F16, RM, false) => to!(F16 128 64 32, DOWN, NAN),
        (F16, RP, false) => to!(F16 128 64 32, UP, NAN),
        (Bf16, RN, false) => to!(Bf16 128 64 32, NEAREST, NAN),
        (Bf16, RZ, false) => to!(Bf16 128 64 32, ZERO, NAN),
        (Bf16, RM, false) => to!(Bf16 128 64 32, DOWN, NAN),
        (Bf16, RP, false) => to!(Bf16 128 64 32, UP, NAN),
        _ => None,
    }
}

/// Whether the kernel leaves `Span::doubt` unchanged only if all elements are finite: a number that becomes 0 by its class
/// needs another path for each element.
pub fn reports(need: &Conversion) -> bool {
    let away = matches!(need.rounding, RM | RP);
    matches!(need.to, S8 | U8 | S16 | U16 | S32) && !(away && need.modifiers.has(Ftz))
}

crate::avx512! {
    fn bytes<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32, const SIGNED: bool>(
        span: Span<'_>,
    ) {
        let doubt = span.doubt;
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let number = |j: usize| converted::<HOW>(wide::<S>(from, j));
            let number = [number(0), number(1), number(2), number(3)];
            let least = [_mm512_min_epi32(number[0], number[1]), _mm512_min_epi32(number[2], number[3])];
            if GONE != NAN {
                limited_bytes::<S, HOW, GONE, SIGNED>(from, to);
            } else if has_least(_mm512_min_epi32(least[0], least[1])) {
                rare_bytes::<S, FROM, HOW, GONE, SIGNED>(from, to, doubt);
            } else {
                store(to, packed_bytes::<SIGNED>(number));
            }
        }
    }

    /// A step where some numbers are NaN or do not fit in 32 bits. Arrays have few of them.
    ///
    /// It loads the numbers again: arguments would be stored to memory, also where this is not called.
    #[cold]
    #[inline(never)]
    fn rare_bytes<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32, const SIGNED: bool>(
        from: &[u8; FROM],
        to: &mut [u8; 64],
        doubt: Option<&Cell<bool>>,
    ) {
        report(doubt);
        limited_bytes::<S, HOW, GONE, SIGNED>(from, to);
    }

    #[inline]
    fn limited_bytes<const S: usize, const HOW: i32, const GONE: i32, const SIGNED: bool>(
        from: &[u8],
        to: &mut [u8; 64],
    ) {
        let number = |j: usize| limited::<HOW, GONE>(wide::<S>(from, j));
        store(to, packed_bytes::<SIGNED>([number(0), number(1), number(2), number(3)]));
    }

    #[inline]
    fn packed_bytes<const SIGNED: bool>(number: [__m512i; 4]) -> __m512i {
        // After two packs in lanes of 128 bits, four elements of each register are adjacent.
        let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let first = _mm512_packs_epi32(number[0], number[1]);
        let second = _mm512_packs_epi32(number[2], number[3]);
        let bytes = if SIGNED {
            _mm512_packs_epi16(first, second)
        } else {
            _mm512_packus_epi16(first, second)
        };
        _mm512_permutexvar_epi32(order, bytes)
    }

    fn words<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32, const SIGNED: bool>(
        span: Span<'_>,
    ) {
        let doubt = span.doubt;
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let number = [converted::<HOW>(wide::<S>(from, 0)), converted::<HOW>(wide::<S>(from, 1))];
            if GONE != NAN {
                limited_words::<S, HOW, GONE, SIGNED>(from, to);
            } else if has_least(_mm512_min_epi32(number[0], number[1])) {
                rare_words::<S, FROM, HOW, GONE, SIGNED>(from, to, doubt);
            } else {
                store(to, packed_words::<SIGNED>(number));
            }
        }
    }

    /// Like [`rare_bytes`].
    #[cold]
    #[inline(never)]
    fn rare_words<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32, const SIGNED: bool>(
        from: &[u8; FROM],
        to: &mut [u8; 64],
        doubt: Option<&Cell<bool>>,
    ) {
        report(doubt);
        limited_words::<S, HOW, GONE, SIGNED>(from, to);
    }

    #[inline]
    fn limited_words<const S: usize, const HOW: i32, const GONE: i32, const SIGNED: bool>(
        from: &[u8],
        to: &mut [u8; 64],
    ) {
        let number = |j: usize| limited::<HOW, GONE>(wide::<S>(from, j));
        store(to, packed_words::<SIGNED>([number(0), number(1)]));
    }

    #[inline]
    fn packed_words<const SIGNED: bool>(number: [__m512i; 2]) -> __m512i {
        let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        let words = if SIGNED {
            _mm512_packs_epi32(number[0], number[1])
        } else {
            _mm512_packus_epi32(number[0], number[1])
        };
        _mm512_permutexvar_epi64(order, words)
    }

    fn signed32<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32>(span: Span<'_>) {
        let doubt = span.doubt;
        let mut pad = Pad::<FROM, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let number = [converted::<HOW>(wide::<S>(from, 0)), converted::<HOW>(wide::<S>(from, 1))];
            if GONE != NAN {
                saturated::<S, HOW, GONE>(from, to);
            } else if has_least(_mm512_min_epi32(number[0], number[1])) {
                rare32::<S, FROM, HOW, GONE>(from, to, doubt);
            } else {
                store_both(to, number);
            }
        }
    }

    /// Like [`rare_bytes`].
    #[cold]
    #[inline(never)]
    fn rare32<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32>(
        from: &[u8; FROM],
        to: &mut [u8; 128],
        doubt: Option<&Cell<bool>>,
    ) {
        report(doubt);
        saturated::<S, HOW, GONE>(from, to);
    }

    #[inline]
    fn saturated<const S: usize, const HOW: i32, const GONE: i32>(from: &[u8], to: &mut [u8; 128]) {
        const BEYOND: f32 = 2_147_483_648.0;
        store_both(to, [0, 1].map(|j| {
            let x = wide::<S>(from, j);
            let above = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(BEYOND));
            // Out-of-range numbers give the least integer.
            let number = _mm512_maskz_cvt_roundps_epi32::<HOW>(kept::<GONE>(x), x);
            _mm512_mask_mov_epi32(number, above, _mm512_set1_epi32(i32::MAX))
        }));
    }

    /// Sixteen integers; NaN and out-of-range numbers give the least one.
    #[inline]
    fn converted<const HOW: i32>(x: __m512) -> __m512i {
        _mm512_cvt_roundps_epi32::<HOW>(x)
    }

    /// Whether one of the integers is the least one.
    #[inline]
    fn has_least(numbers: __m512i) -> bool {
        _mm512_cmpeq_epi32_mask(numbers, _mm512_set1_epi32(i32::MIN)) != 0
    }

    #[inline]
    fn report(doubt: Option<&Cell<bool>>) {
        if let Some(doubt) = doubt {
            doubt.set(true);
        }
    }

    fn unsigned32<const S: usize, const FROM: usize, const HOW: i32, const GONE: i32>(span: Span<'_>) {
        let zero = _mm512_setzero_ps();
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = wide::<S>(from, 0);
            // If one operand is NaN, `max` returns the second one. Out-of-range numbers give the largest
            // integer.
            let number = _mm512_cvt_roundps_epu32::<HOW>(_mm512_max_ps(x, zero));
            let number = if GONE == NAN {
                number
            } else {
                let gone = _mm512_fpclass_ps_mask::<GONE>(x);
                _mm512_mask_mov_epi32(number, gone, _mm512_setzero_si512())
            };
            store(to, number);
        }
    }

    /// Part `j` of a step: sixteen numbers as f32.
    #[inline]
    pub fn wide<const S: usize>(from: &[u8], j: usize) -> __m512 {
        match_format!(S {
            F16 => _mm512_cvtph_ps(load_half(&elements::<32>(from)[j])),
            Bf16 => {
                let words = _mm512_cvtepu16_epi32(load_half(&elements::<32>(from)[j]));
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(words))
            },
            F32 => floats(from, j),
        })
    }

    /// Sixteen integers for saturating packs. Numbers too large for 32 bits become one too large for 16.
    #[inline]
    fn limited<const HOW: i32, const GONE: i32>(x: __m512) -> __m512i {
        let most = _mm512_set1_ps((1 << 30) as f32);
        _mm512_maskz_cvt_roundps_epi32::<HOW>(kept::<GONE>(x), _mm512_min_ps(x, most))
    }

    /// The numbers that do not become 0 by their class.
    #[inline]
    fn kept<const GONE: i32>(x: __m512) -> __mmask16 {
        if GONE == NAN { _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x) } else { !_mm512_fpclass_ps_mask::<GONE>(x) }
    }
}
