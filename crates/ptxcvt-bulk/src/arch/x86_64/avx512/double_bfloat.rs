//! f64 to bf16 on the upper words of the numbers: their fractions have 13 bits more than bf16, and one more says whether
//! the lower word has any. So numbers round as integers, once.

use core::arch::x86_64::*;

use super::registers::{Pad, load, store};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::lanes::double::*;
use crate::lanes::match_mode;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::lanes::single;
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{Bf16, F64};

pub fn find(need: &Conversion) -> Option<Run> {
    if (need.from, need.to) != (F64, Bf16) || !need.only(&[]) {
        return None;
    }
    pick!(R: u8 = need.rounding, [RN, RZ, RM, RP] => Some(narrow::<R> as Run))
}

/// The indices of the upper words of the lanes that [`rounded`] returns, twice, in the order of the elements.
static ORDER: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 32 {
        let (register, part, at) = (i / 16, i / 8 % 2, i % 8);
        let lane = 16 * register + 4 * (at / 2) + 2 * part + at % 2;
        bytes[2 * i] = 2 * lane as u8 + 1;
        i += 1;
    }
    bytes
};

crate::avx512! {
    fn narrow<const R: u8>(span: Span<'_>) {
        // Hidden from the compiler like the upper words of `bfloat`.
        let order = load(core::hint::black_box(&ORDER));
        let mut pad = Pad::<256, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let ((first, rare), (second, more)) = (rounded::<R>(from, 0), rounded::<R>(from, 1));
            if rare | more == 0 {
                store(to, _mm512_permutex2var_epi16(first, order, second));
            } else {
                some_rare::<R>(from, to);
            }
        }
    }

    /// A step where some numbers are NaN, infinite, or as f32 subnormal or not in range. Most arrays have few of them.
    ///
    /// It loads the numbers again: arguments would be stored to memory, also where this is not called.
    #[cold]
    #[inline(never)]
    fn some_rare<const R: u8>(from: &[u8; 256], to: &mut [u8; 64]) {
        let (first, second) = (any::<R>(from, 0), any::<R>(from, 1));
        store(to, _mm512_permutex2var_epi16(first, load(&ORDER), second));
    }

    /// Sixteen numbers, bf16 in the upper words of the lanes, and a mask of the rare ones, for which they are wrong.
    #[inline]
    fn rounded<const R: u8>(from: &[u8], j: usize) -> (__m512i, __mmask16) {
        let (bits, m) = upper_words(from, j);
        let number = _mm512_test_epi32_mask(m, m);
        let rare = _mm512_mask_cmpge_epu32_mask(number, _mm512_sub_epi32(m, each(LEAST)), each(RANGE));
        let code = _mm512_slli_epi32::<3>(_mm512_maskz_sub_epi32(number, sum::<R>(m, bits), each(BASE)));
        // (bits & sign) | code
        (_mm512_ternarylogic_epi32::<0xea>(bits, each(single::SIGN), code), rare)
    }

    /// Like [`rounded`], for all numbers.
    #[inline]
    fn any<const R: u8>(from: &[u8], j: usize) -> __m512i {
        let (bits, m) = upper_words(from, j);
        let small = _mm512_cmplt_epu32_mask(m, each(LEAST));
        // The significand of a subnormal number, (m & fraction) | one, is shifted to the place of the last normal ones.
        // Again the last bit stays set. f64's own subnormal numbers leave nothing else.
        let number = _mm512_test_epi32_mask(m, m);
        let significand = _mm512_maskz_ternarylogic_epi32::<0xea>(number, m, each(FRACTION), each(FRACTION + 1));
        let places = _mm512_sub_epi32(each(LEAST_EXPONENT), _mm512_srli_epi32::<FRACTION_BITS>(m));
        let shifted = _mm512_srlv_epi32(significand, places);
        let inexact = _mm512_cmpneq_epi32_mask(_mm512_sllv_epi32(shifted, places), significand);
        let shifted = _mm512_mask_or_epi32(shifted, inexact, shifted, each(1));
        let limited = _mm512_min_epu32(_mm512_mask_add_epi32(m, small, shifted, each(BASE)), each(LARGEST));
        let code = _mm512_slli_epi32::<3>(_mm512_sub_epi32(sum::<R>(limited, bits), each(BASE)));
        // The lower eight bits of the exponents of infinity and NaN are bf16's.
        let special = _mm512_cmpge_epu32_mask(m, each(INFINITY));
        let nan = _mm512_cmpgt_epu32_mask(m, each(INFINITY));
        let code = _mm512_mask_slli_epi32::<3>(code, special, _mm512_mask_or_epi32(m, nan, m, each(QUIET)));
        // The sign of `bits`, all else of `code`.
        _mm512_ternarylogic_epi32::<0xe2>(bits, each(single::SIGN), code)
    }

    /// The upper words of sixteen numbers, with the last bit set if the lower words have any, and these without sign.
    /// In each four lanes are two numbers of the first and two of the second register.
    #[inline]
    fn upper_words(from: &[u8], j: usize) -> (__m512i, __m512i) {
        let part = |i: usize| _mm512_castsi512_ps(load(&elements::<64>(from)[2 * j + i]));
        let (first, second) = (part(0), part(1));
        let upper = _mm512_castps_si512(_mm512_shuffle_ps::<0b11_01_11_01>(first, second));
        let lower = _mm512_castps_si512(_mm512_shuffle_ps::<0b10_00_10_00>(first, second));
        let more = _mm512_test_epi32_mask(lower, lower);
        let bits = _mm512_mask_or_epi32(upper, more, upper, each(1));
        (bits, _mm512_and_si512(bits, each(single::MAGNITUDE)))
    }

    /// The magnitudes `m` of `bits` rounded up to where bf16's last place changes: what is below it counts no more.
    #[inline]
    fn sum<const R: u8>(m: __m512i, bits: __m512i) -> __m512i {
        const BELOW: u32 = (1 << BELOW_BF16) - 1;
        match_mode!(R {
            RN => {
                let odd = _mm512_test_epi32_mask(m, each(BELOW + 1));
                let half = _mm512_add_epi32(m, each(BELOW >> 1));
                _mm512_mask_add_epi32(half, odd, half, each(1))
            },
            RM => _mm512_mask_add_epi32(m, _mm512_movepi32_mask(bits), m, each(BELOW)),
            RP => _mm512_mask_add_epi32(m, !_mm512_movepi32_mask(bits), m, each(BELOW)),
            RZ => m,
        })
    }

    #[inline]
    fn each(bits: u32) -> __m512i {
        _mm512_set1_epi32(bits as i32)
    }
}
