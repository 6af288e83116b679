//! f16 to FP8, FP6 and FP4, 64 elements at a time, in [planes](crate::arch::planes) of bytes. The bytes of two registers
//! alternate, until one permute restores the order. Numbers are limited as bytes, not as words.

use core::arch::x86_64::*;

use super::super::avx512::registers::{Pad, load, store, store_half};
use super::super::avx512::words::finished;
use super::permutations::{EVERY_FOURTH, EVERY_SECOND, permutation};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::arch::planes::{Planes, Window};
use crate::lanes::mode::{self, RN, RZ};
use crate::lanes::{match_const, match_format, match_mode, row};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, E2m1, E2m3, E3m2, E4m3, E5m2, F16};

pub fn find(need: &Conversion) -> Option<Run> {
    let codes = if need.from == F16 { need.is_plain_but_for_codes() } else { None };
    codes.and_then(|codes| {
        pick!(R: u8 = need.rounding, [RN, RZ]; CODES: bool = codes => {
            if (need.to, need.packed) == (E2m1, true) {
                Some(narrow4::<{ E2m1 as usize }, R, CODES> as Run)
            } else {
                pick!(D: Format = need.to, [E4m3, E5m2, E2m3, E3m2, E2m1] => {
                    Some(narrow8::<{ D as usize }, R, CODES> as Run)
                })
            }
        })
    })
}

crate::avx512vbmi! {
    fn narrow8<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let order = permutation(&EVERY_SECOND);
        let mut pad = Pad::<128, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = finished::<CODES>(signed::<D, R>(from), &k);
            store(to, _mm512_permutexvar_epi8(order, codes));
        }
    }

    fn narrow4<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let order = permutation(&EVERY_FOURTH);
        let mut pad = Pad::<128, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = finished::<CODES>(signed::<D, R>(from), &k);
            // Neighbouring elements are two bytes apart; the second one's code is placed above that of the first.
            let pairs = _mm512_or_si512(codes, _mm512_srli_epi32::<12>(codes));
            store_half(to, _mm512_castsi512_si256(_mm512_permutexvar_epi8(order, pairs)));
        }
    }

    /// Bytes of the first register and of the second one in turn.
    #[inline]
    fn alternating(even: __m512i, odd: __m512i) -> __m512i {
        // low half ? even : odd
        _mm512_ternarylogic_epi64::<0xca>(_mm512_set1_epi16(0xff), even, odd)
    }

    #[inline]
    fn each(byte: u8) -> __m512i {
        _mm512_set1_epi8(byte as i8)
    }

    /// Adds signs, which are the top bits of `upper`.
    #[inline]
    fn with_signs<const D: usize>(codes: __m512i, upper: __m512i) -> __m512i {
        let signs = match_const!(row::<D>().bits, {
            8 => upper,
            6 => _mm512_srli_epi16::<2>(upper),
            4 => _mm512_srli_epi16::<4>(upper),
        });
        // codes | (signs & place)
        _mm512_ternarylogic_epi32::<0xf8>(codes, signs, each(const { 1_u8 << (row::<D>().bits - 1) }))
    }

    /// 64 signed codes, of the two registers in turn.
    #[inline]
    fn signed<const D: usize, const R: u8>(from: &[u8; 128]) -> __m512i {
        let p = const { &Planes::new::<{ F16 as usize }, D, R, false>() };
        let words = [0, 1].map(|j| load(&elements::<64>(from)[j]));
        let upper = alternating(_mm512_srli_epi16::<8>(words[0]), words[1]);
        let lower = alternating(words[0], _mm512_slli_epi16::<8>(words[1]));
        let magnitude = _mm512_and_si512(upper, each(0x7f));
        let most = each(const { Format::ALL[D].max_finite() as u8 });
        let codes = match_format!(D {
            // The codes are the upper bytes; what is above half is rounded up, half if the code is odd.
            E5m2 => {
                let code = match_mode!(R {
                    RZ => magnitude,
                    RN => {
                        // lower | (magnitude & 1)
                        let lower = _mm512_ternarylogic_epi32::<0xf8>(lower, magnitude, each(1));
                        let above = _mm512_cmpgt_epu8_mask(lower, each(0x80));
                        _mm512_mask_add_epi8(magnitude, above, magnitude, each(1))
                    },
                });
                _mm512_min_epu8(code, most)
            },
            E4m3 => {
                let w = const { &Window::from_zero::<D, R>() };
                let code = _mm512_sub_epi8(_mm512_add_epi8(magnitude, magnitude), each(p.offset));
                let is_small = _mm512_cmplt_epi8_mask(magnitude, each(p.first_normal));
                let code = _mm512_mask_permutexvar_epi8(code, is_small, magnitude, load(&w.codes));
                let threshold = match_mode!(R { RN => each(0x40), RZ => each(0x7f) });
                let threshold = _mm512_mask_permutexvar_epi8(threshold, is_small, magnitude, load(&w.once));
                let code = above(code, lower, threshold);
                let code = match_mode!(R {
                    RN => {
                        let twice = _mm512_mask_cmpgt_epu8_mask(!is_small, lower, each(0xbf));
                        _mm512_mask_add_epi8(code, twice, code, each(1))
                    },
                    RZ => code,
                });
                _mm512_min_epu8(code, most)
            },
            E2m3 | E3m2 | E2m1 => {
                let w = const { &Window::new::<D, R>() };
                let place = _mm512_min_epu8(_mm512_subs_epu8(magnitude, each(w.first)), each(w.last));
                let code = _mm512_permutexvar_epi8(place, load(&w.codes));
                let code = above(code, lower, _mm512_permutexvar_epi8(place, load(&w.once)));
                match_const!((Format::ALL[D], R), {
                    (E2m3, mode::RN) => above(code, lower, _mm512_permutexvar_epi8(place, load(&w.twice))),
                    (E4m3 | E5m2 | E2m3 | E3m2 | E2m1, _) => code,
                })
            },
        });
        let codes = with_signs::<D>(codes, upper);
        // Infinity is the last number whose lower byte is 0 with this upper byte.
        let above_infinity = _mm512_add_epi8(magnitude, _mm512_min_epu8(lower, each(1)));
        let is_nan = _mm512_cmpgt_epu8_mask(above_infinity, each(0x7c));
        _mm512_mask_mov_epi8(codes, is_nan, each(p.nan))
    }

    /// Adds one where the lower byte is above the threshold.
    #[inline]
    fn above(code: __m512i, lower: __m512i, threshold: __m512i) -> __m512i {
        let above = _mm512_cmpgt_epu8_mask(lower, threshold);
        _mm512_mask_add_epi8(code, above, code, each(1))
    }
}
