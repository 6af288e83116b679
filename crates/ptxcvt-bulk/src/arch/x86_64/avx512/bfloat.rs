//! f32 to bf16, rounded as integers, including the sign: a carry moves from the fraction into the exponent,
//! but never into the sign.

use core::arch::x86_64::*;

use super::half::finished;
use super::registers::{Pad, floats, load, store};
use crate::arch::find::bfloat_by_need;
use crate::arch::need::Conversion;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    bfloat_by_need!(need)
}

/// The indices of the upper words of two registers, for a permute of words.
static UPPER_WORDS: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 32 {
        bytes[2 * i] = 2 * i as u8 + 1;
        i += 1;
    }
    bytes
};

crate::avx512! {
    fn narrow<const R: u8, const FINITE: bool, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let upper = upper_words();
        let limit = _mm512_set1_epi32(k.limit[0] as i32);
        let mut pad = Pad::<128, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| rounded::<R, FINITE>(floats(from, j), limit);
            let codes = _mm512_permutex2var_epi16(part(0), upper, part(1));
            store(to, finished::<CODES>(codes, &k));
        }
    }

    /// Returns the indices, hidden from the compiler, which would replace a constant permute by two shifts
    /// and two permutes.
    #[inline]
    pub fn upper_words() -> __m512i {
        load(core::hint::black_box(&UPPER_WORDS))
    }

    /// Sixteen bf16 in the upper halves of the lanes.
    #[inline]
    fn rounded<const R: u8, const FINITE: bool>(x: __m512, limit: __m512i) -> __m512i {
        let each = |bits: u32| _mm512_set1_epi32(bits as i32);
        if !FINITE {
            // By class, four bits each: NaN become the first operand (0), which no mode carries beyond its upper half, all
            // others the second (1).
            let nan = _mm512_castsi512_ps(each(single::NAN >> single::BELOW_BF16 << single::BELOW_BF16));
            let x = _mm512_castps_si512(_mm512_fixupimm_ps::<0>(nan, x, each(0x1111_1100)));
            return sum::<R>(x, x);
        }
        let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
        let x = _mm512_castps_si512(x);
        let m = _mm512_min_epu32(_mm512_and_si512(x, each(single::MAGNITUDE)), limit);
        // m | (x & sign)
        let bits = _mm512_ternarylogic_epi32::<0xf8>(m, x, each(single::SIGN));
        _mm512_mask_mov_epi32(each(single::NAN), number, sum::<R>(bits, x))
    }

    /// Like [`rounded`], of integers as f32.
    #[inline]
    pub fn integers_rounded<const R: u8>(bits: __m512i) -> __m512i {
        sum::<R>(bits, bits)
    }

    /// The lanes rounded in the upper halves; `x` has their signs.
    #[inline]
    fn sum<const R: u8>(bits: __m512i, x: __m512i) -> __m512i {
        const BELOW: u32 = (1 << single::BELOW_BF16) - 1;
        let each = |bits: u32| _mm512_set1_epi32(bits as i32);
        match_mode!(R {
            RN => {
                let odd = _mm512_test_epi32_mask(bits, each(BELOW + 1));
                let half = _mm512_add_epi32(bits, each(BELOW >> 1));
                _mm512_mask_add_epi32(half, odd, half, each(1))
            },
            RM => _mm512_mask_add_epi32(bits, _mm512_movepi32_mask(x), bits, each(BELOW)),
            RP => _mm512_mask_add_epi32(bits, !_mm512_movepi32_mask(x), bits, each(BELOW)),
            RZ => bits,
        })
    }
}
