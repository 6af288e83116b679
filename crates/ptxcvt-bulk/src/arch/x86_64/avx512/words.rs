//! f16 and bf16 (and with a scale also f32) to FP8, FP6 and FP4: 64 elements at a time, in
//! [planes](crate::arch::planes) of bytes.

use core::arch::x86_64::*;

use super::bfloat::upper_words;
use super::registers::{Pad, floats, load, load_half, load_quarter, store, store_half};
use crate::arch::find::words_by_need;
use crate::arch::need::Conversion;
use crate::arch::planes::Planes;
use crate::constants::Constants;
use crate::lanes::{match_const, match_format, mode, row, single};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16};

pub fn find(need: &Conversion) -> Option<Run> {
    words_by_need!(need, 64)
}

crate::avx512! {
    fn narrow8<const S: usize, const D: usize, const R: u8, const CODES: bool, const FROM: usize, const WITH: usize>(
        span: Span<'_>,
    ) {
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            store(to, finished::<CODES>(signed::<S, D, R>(from, scales), &k));
        }
    }

    fn narrow4<const S: usize, const D: usize, const R: u8, const CODES: bool, const FROM: usize, const WITH: usize>(
        span: Span<'_>,
    ) {
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            // Two codes per byte, the first in the low half.
            let codes = finished::<CODES>(signed::<S, D, R>(from, scales), &k);
            let pairs = _mm512_maddubs_epi16(codes, _mm512_set1_epi16(0x1001));
            store_half(to, _mm512_cvtepi16_epi8(pairs));
        }
    }

    /// `.relu` and `.pzo`, if the form has them: some codes become 0.
    #[inline]
    pub fn finished<const CODES: bool>(codes: __m512i, k: &Constants) -> __m512i {
        if !CODES {
            return codes;
        }
        let offset = _mm512_sub_epi8(codes, _mm512_set1_epi8(k.zeroed as i8));
        let kept = _mm512_cmpgt_epu8_mask(offset, _mm512_set1_epi8(k.more_zeroed as i8));
        _mm512_maskz_mov_epi8(kept, codes)
    }

    /// 64 signed codes; `scales` holds 32 scales, or is empty.
    #[inline]
    fn signed<const S: usize, const D: usize, const R: u8>(from: &[u8], scales: &[u8]) -> __m512i {
        if let Some(scales) = scales.first_chunk::<32>() {
            let p = const { &Planes::new::<S, D, R, true>() };
            let powers = powers::<S>(load_half(scales), p);
            let first = scaled::<S, D>(words::<S>(from, 0), powers, 0, p);
            let second = scaled::<S, D>(words::<S>(from, 1), powers, 1, p);
            return coded::<S, D, R, true>([first, second], p);
        }
        let p = const { &Planes::new::<S, D, R, false>() };
        let magnitude = |j: usize| {
            let word = words::<S>(from, j);
            let m = _mm512_and_si512(word, _mm512_set1_epi16(i16::MAX));
            Word { sign: word, magnitude: m, limited: limited::<S, false>(m, p) }
        };
        coded::<S, D, R, false>([magnitude(0), magnitude(1)], p)
    }
}

/// Thirty-two numbers: words with their signs, their magnitudes, which may be NaN, and the magnitudes in the
/// layout.
#[derive(Clone, Copy)]
struct Word {
    sign: __m512i,
    magnitude: __m512i,
    limited: __m512i,
}

crate::avx512! {
    /// Thirty-two numbers of a step: f16, bf16, or f32 as bf16 with the last bit set if any truncated bit was
    /// set.
    #[inline]
    fn words<const S: usize>(from: &[u8], j: usize) -> __m512i {
        if from.len() == 128 {
            return load(&elements::<64>(from)[j]);
        }
        let part = |j: usize| {
            let x = _mm512_castps_si512(floats(from, j));
            let more = _mm512_test_epi32_mask(x, _mm512_set1_epi32((1 << single::BELOW_BF16) - 1));
            _mm512_mask_or_epi32(x, more, x, _mm512_set1_epi32(1 << single::BELOW_BF16))
        };
        _mm512_permutex2var_epi16(part(2 * j), upper_words(), part(2 * j + 1))
    }

    /// The addends of thirty-two scales for words, at the exponent's place; [`Planes::nan_scale`] for NaN.
    #[inline]
    fn powers<const S: usize>(scales: __m256i, p: &Planes) -> __m512i {
        let scales = _mm512_cvtepu8_epi16(scales);
        let power = _mm512_sub_epi16(_mm512_set1_epi16(p.scale_from), scales);
        let power = match_format!(S {
            F16 => {
                let power = _mm512_min_epi16(power, _mm512_set1_epi16(p.scale_most));
                _mm512_slli_epi16::<10>(_mm512_max_epi16(power, _mm512_set1_epi16(p.scale_least)))
            },
            Bf16 => _mm512_slli_epi16::<7>(power),
        });
        let nan = _mm512_cmpeq_epi16_mask(scales, _mm512_set1_epi16(0xff));
        _mm512_mask_mov_epi16(power, nan, _mm512_set1_epi16(p.nan_scale))
    }

    /// Register `j` of a step divided by its scales, one for each pair of elements.
    #[inline]
    fn scaled<const S: usize, const D: usize>(word: __m512i, powers: __m512i, j: usize, p: &Planes) -> Word {
        let power = _mm512_permutexvar_epi16(load(&TWICE[j]), powers);
        let nan = _mm512_cmpeq_epi16_mask(power, _mm512_set1_epi16(p.nan_scale));
        let m = _mm512_and_si512(word, _mm512_set1_epi16(i16::MAX));
        // Subnormal numbers count as +0.
        let less = _mm512_sub_epi16(m, _mm512_set1_epi16(1));
        let kept = _mm512_cmpge_epu16_mask(less, _mm512_set1_epi16(p.normal_from - 1));
        let sign = _mm512_maskz_mov_epi16(kept, word);
        let m = _mm512_mask_mov_epi16(m, nan, _mm512_set1_epi16(i16::MAX));
        // Numbers that are not normal are unchanged: they are too small or too large.
        let above = _mm512_sub_epi16(m, _mm512_set1_epi16(p.normal_from));
        let normal = _mm512_cmplt_epu16_mask(above, _mm512_set1_epi16(p.infinity - p.normal_from));
        let others = match_const!((Format::ALL[S], Format::ALL[D]), {
            // In this layout, infinity would look like a number in range.
            (F16, E5m2) => _mm512_xor_si512(_mm512_srai_epi16::<15>(above), _mm512_set1_epi16(i16::MAX)),
            (Bf16, E5m2) | (F16 | Bf16, E4m3 | E2m3 | E3m2 | E2m1) => m,
        });
        let sum = _mm512_mask_adds_epi16(others, normal, m, power);
        Word { sign, magnitude: m, limited: limited::<S, true>(sum, p) }
    }

    /// 64 signed codes of numbers within the range.
    #[inline]
    fn coded<const S: usize, const D: usize, const R: u8, const SCALED: bool>(
        [first, second]: [Word; 2],
        p: &Planes,
    ) -> __m512i {
        // Saturation keeps the sign.
        let signs = _mm512_packs_epi16(first.sign, second.sign);
        let codes = codes::<S, D, R, SCALED>(
            in_layout::<S, D, SCALED>(first.limited, p), in_layout::<S, D, SCALED>(second.limited, p), p,
        );
        let place = const { 1_u8 << (row::<D>().bits - 1) };
        let signs = match_const!(row::<D>().bits, {
            8 => signs,
            6 => _mm512_srli_epi16::<2>(signs),
            4 => _mm512_srli_epi16::<4>(signs),
        });
        // codes | (signs & place)
        let codes = _mm512_ternarylogic_epi32::<0xf8>(codes, signs, _mm512_set1_epi8(place as i8));
        let codes = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), codes);
        let is_nan = |word: Word| _mm512_cmpgt_epu16_mask(word.magnitude, _mm512_set1_epi16(p.infinity));
        let is_nan = _mm512_kunpackd(is_nan(second).into(), is_nan(first).into());
        _mm512_mask_mov_epi8(codes, is_nan, _mm512_set1_epi8(p.nan as i8))
    }

    /// Magnitudes limited to the range; for bf16 without a scale, only at the upper end.
    #[inline]
    fn limited<const S: usize, const SCALED: bool>(m: __m512i, p: &Planes) -> __m512i {
        let m = match_const!((Format::ALL[S], SCALED), {
            (Bf16, false) => m,
            (Bf16, true) | (F16, _) => _mm512_max_epi16(m, _mm512_set1_epi16(p.least)),
        });
        _mm512_min_epi16(m, _mm512_set1_epi16(p.largest))
    }

    /// These magnitudes in the layout of f16.
    #[inline]
    fn in_layout<const S: usize, const D: usize, const SCALED: bool>(m: __m512i, p: &Planes) -> __m512i {
        let base = _mm512_set1_epi16(p.base);
        let less = |m| if SCALED { _mm512_sub_epi16(m, base) } else { _mm512_subs_epu16(m, base) };
        match_const!(Planes::new::<S, D, { mode::RN }, SCALED>().shift, {
            2 => _mm512_slli_epi16::<2>(less(m)),
            3 => _mm512_slli_epi16::<3>(less(m)),
            // The source has this layout.
            0 => m,
        })
    }

    /// Codes without signs, ordered in lanes of 128 bits.
    #[inline]
    fn codes<const S: usize, const D: usize, const R: u8, const SCALED: bool>(
        first: __m512i,
        second: __m512i,
        p: &Planes,
    ) -> __m512i {
        let each = |byte: u8| _mm512_set1_epi8(byte as i8);
        let table = |table: &[u8; 16]| _mm512_broadcast_i32x4(load_quarter(table));
        let upper = _mm512_packus_epi16(_mm512_srli_epi16::<8>(first), _mm512_srli_epi16::<8>(second));
        let low = |word: __m512i| _mm512_and_si512(word, _mm512_set1_epi16(0xff));
        let lower = _mm512_packus_epi16(low(first), low(second));
        // Codes and thresholds of normal numbers.
        let (code, threshold) = match_const!((Planes::new::<S, D, R, SCALED>().left, R), {
            // The code changes at two thresholds; for rounding towards zero at one, or none.
            (1, mode::RZ) => (_mm512_sub_epi8(_mm512_add_epi8(upper, upper), each(p.offset)), each(0x7f)),
            (1, mode::RN) => (_mm512_sub_epi8(_mm512_add_epi8(upper, upper), each(p.offset)), each(0x40)),
            (0, mode::RZ) => (_mm512_sub_epi8(upper, each(p.offset)), each(0xff)),
            (0, mode::RN) => {
                let odd = _mm512_and_si512(upper, each(1));
                (_mm512_sub_epi8(upper, each(p.offset)), _mm512_sub_epi8(each(0x80), odd))
            },
            (..0, mode::RZ | mode::RN) => {
                let [codes, thresholds] = &p.normal;
                (_mm512_shuffle_epi8(table(codes), upper), _mm512_shuffle_epi8(table(thresholds), upper))
            },
        });
        // Also true for words below 0.
        let is_small = _mm512_cmplt_epi8_mask(upper, each(p.first_normal));
        let (code, threshold) = if p.first_normal == 0 {
            (code, threshold)
        } else {
            // Indices with a set top bit would give 0.
            let place = if p.least < 0 { _mm512_and_si512(upper, each(15)) } else { upper };
            let [codes, thresholds] = &p.subnormal;
            (
                _mm512_mask_shuffle_epi8(code, is_small, table(codes), place),
                _mm512_mask_shuffle_epi8(threshold, is_small, table(thresholds), place),
            )
        };
        let above = _mm512_cmpgt_epu8_mask(lower, threshold);
        let code = _mm512_mask_add_epi8(code, above, code, each(1));
        if const { !matches!((Planes::new::<S, D, R, SCALED>().left, R), (1, mode::RN)) } {
            return code;
        }
        let twice = _mm512_mask_cmpgt_epu8_mask(!is_small, lower, each(0xbf));
        _mm512_mask_add_epi8(code, twice, code, each(1))
    }
}

/// The words that each register uses, each twice.
static TWICE: [[u8; 64]; 2] = [twice(0), twice(16)];

const fn twice(first: u8) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 32 {
        bytes[2 * i] = first + i as u8 / 2;
        i += 1;
    }
    bytes
}
