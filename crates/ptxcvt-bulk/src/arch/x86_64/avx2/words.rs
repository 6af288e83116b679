//! f16 and bf16 (and with a scale also f32) to FP8, FP6 and FP4: 32 elements at a time, in
//! [planes](crate::arch::planes) of bytes.

use core::arch::x86_64::*;

use super::registers::{
    Pad, each_byte, each_word, in_halves, load, load_half, shuffle_table, store, store_half,
};
use super::small::{finished, pack4, with_signs};
use crate::arch::find::words_by_need;
use crate::arch::need::Conversion;
use crate::arch::planes::Planes;
use crate::lanes::{match_const, match_format, mode};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16};

pub fn find(need: &Conversion) -> Option<Run> {
    words_by_need!(need, 32)
}

crate::avx2! {
    fn narrow8<const S: usize, const D: usize, const R: u8, const CODES: bool, const FROM: usize, const WITH: usize>(
        span: Span<'_>,
    ) {
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            store(to, finished::<CODES>(signed::<S, D, R>(from, scales), &k));
        }
    }

    fn narrow4<const S: usize, const D: usize, const R: u8, const CODES: bool, const FROM: usize, const WITH: usize>(
        span: Span<'_>,
    ) {
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 16>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            store_half(to, pack4(finished::<CODES>(signed::<S, D, R>(from, scales), &k)));
        }
    }

    /// 32 signed codes; `scales` holds 16 scales, or is empty.
    #[inline]
    fn signed<const S: usize, const D: usize, const R: u8>(from: &[u8], scales: &[u8]) -> __m256i {
        if let Some(scales) = scales.first_chunk::<16>() {
            let p = const { &Planes::new::<S, D, R, true>().with_signed_thresholds() };
            let [first, second] = powers::<S>(load_half(scales), p);
            let first = scaled::<S, D>(words::<S>(from, 0), first, p);
            let second = scaled::<S, D>(words::<S>(from, 1), second, p);
            return coded::<S, D, R, true>([first, second], p);
        }
        let p = const { &Planes::new::<S, D, R, false>().with_signed_thresholds() };
        let magnitude = |j: usize| {
            let word = words::<S>(from, j);
            let m = _mm256_and_si256(word, each_word(i16::MAX));
            Word { sign: word, nan: is_nan(m, p), limited: limited::<S, false>(m, p) }
        };
        coded::<S, D, R, false>([magnitude(0), magnitude(1)], p)
    }
}

/// Sixteen numbers: words with their signs, a mask of NaN, and magnitudes within the range.
#[derive(Clone, Copy)]
struct Word {
    sign: __m256i,
    nan: __m256i,
    limited: __m256i,
}

crate::avx2! {
    /// Sixteen numbers of a step: f16, bf16, or f32 as bf16 with the last bit set if any truncated bit was
    /// set.
    #[inline]
    fn words<const S: usize>(from: &[u8], j: usize) -> __m256i {
        if from.len() == 64 {
            return load(&elements::<32>(from)[j]);
        }
        let part = |j: usize| load(&elements::<32>(from)[j]);
        let (first, second) = (part(2 * j), part(2 * j + 1));
        let upper = _mm256_packus_epi32(_mm256_srli_epi32::<16>(first), _mm256_srli_epi32::<16>(second));
        let low = |x: __m256i| _mm256_blend_epi16::<0xaa>(x, _mm256_setzero_si256());
        let nothing = _mm256_cmpeq_epi16(_mm256_packus_epi32(low(first), low(second)), _mm256_setzero_si256());
        in_halves(_mm256_or_si256(upper, _mm256_add_epi16(nothing, each_word(1))))
    }

    /// The addends of sixteen scales for 32 words, at the exponent's place; [`Planes::nan_scale`] for NaN.
    #[inline]
    fn powers<const S: usize>(scales: __m128i, p: &Planes) -> [__m256i; 2] {
        let scales = _mm256_cvtepu8_epi16(scales);
        let power = _mm256_sub_epi16(each_word(p.scale_from), scales);
        let power = match_format!(S {
            F16 => {
                let power = _mm256_min_epi16(power, each_word(p.scale_most));
                _mm256_slli_epi16::<10>(_mm256_max_epi16(power, each_word(p.scale_least)))
            },
            Bf16 => _mm256_slli_epi16::<7>(power),
        });
        let nan = _mm256_cmpeq_epi16(scales, each_word(0xff));
        let power = in_halves(_mm256_add_epi16(power, nan));
        [_mm256_unpacklo_epi16(power, power), _mm256_unpackhi_epi16(power, power)]
    }

    /// Numbers divided by their scales.
    #[inline]
    fn scaled<const S: usize, const D: usize>(word: __m256i, power: __m256i, p: &Planes) -> Word {
        // Subnormal numbers count as +0.
        let m = _mm256_and_si256(word, each_word(i16::MAX));
        let subnormal = _mm256_cmpgt_epi16(each_word(p.normal_from), m);
        let zero = _mm256_cmpeq_epi16(m, _mm256_setzero_si256());
        let sign = _mm256_andnot_si256(_mm256_andnot_si256(zero, subnormal), word);
        // Numbers that are not normal are unchanged: they are too small or too large.
        let others = _mm256_or_si256(subnormal, _mm256_cmpgt_epi16(m, each_word(p.infinity - 1)));
        let nan = _mm256_cmpeq_epi16(power, each_word(p.nan_scale));
        let sum = match_const!((Format::ALL[S], Format::ALL[D]), {
            // In this layout, infinity would look like a number in range.
            (F16, E5m2) => {
                let ends = _mm256_xor_si256(subnormal, each_word(i16::MAX));
                _mm256_blendv_epi8(_mm256_adds_epi16(m, power), ends, others)
            },
            (Bf16, E5m2) | (F16 | Bf16, E4m3 | E2m3 | E3m2 | E2m1) => {
                _mm256_adds_epi16(m, _mm256_andnot_si256(others, power))
            },
        });
        Word { sign, nan: _mm256_or_si256(is_nan(m, p), nan), limited: limited::<S, true>(sum, p) }
    }

    /// 32 signed codes of numbers within the range, in order.
    #[inline]
    fn coded<const S: usize, const D: usize, const R: u8, const SCALED: bool>(
        [first, second]: [Word; 2],
        p: &Planes,
    ) -> __m256i {
        // Saturation keeps the sign.
        let signs = _mm256_packs_epi16(first.sign, second.sign);
        let nan = _mm256_packs_epi16(first.nan, second.nan);
        let codes = codes::<S, D, R, SCALED>(
            in_layout::<S, D, SCALED>(first.limited, p), in_layout::<S, D, SCALED>(second.limited, p), p,
        );
        let codes = with_signs::<D>(codes, signs);
        in_halves(_mm256_blendv_epi8(codes, each_byte(p.nan), nan))
    }

    #[inline]
    fn is_nan(m: __m256i, p: &Planes) -> __m256i {
        _mm256_cmpgt_epi16(m, each_word(p.infinity))
    }

    /// Magnitudes limited to the range; for bf16 without a scale, only at the upper end.
    #[inline]
    fn limited<const S: usize, const SCALED: bool>(m: __m256i, p: &Planes) -> __m256i {
        let m = match_const!((Format::ALL[S], SCALED), {
            (Bf16, false) => m,
            (Bf16, true) | (F16, _) => _mm256_max_epi16(m, each_word(p.least)),
        });
        _mm256_min_epi16(m, each_word(p.largest))
    }

    /// These magnitudes in the layout of f16.
    #[inline]
    fn in_layout<const S: usize, const D: usize, const SCALED: bool>(m: __m256i, p: &Planes) -> __m256i {
        let base = each_word(p.base);
        let less = |m| if SCALED { _mm256_sub_epi16(m, base) } else { _mm256_subs_epu16(m, base) };
        match_const!(Planes::new::<S, D, { mode::RN }, SCALED>().shift, {
            2 => _mm256_slli_epi16::<2>(less(m)),
            3 => _mm256_slli_epi16::<3>(less(m)),
            // The source has this layout.
            0 => m,
        })
    }

    /// Codes without signs, ordered in halves.
    #[inline]
    fn codes<const S: usize, const D: usize, const R: u8, const SCALED: bool>(
        first: __m256i,
        second: __m256i,
        p: &Planes,
    ) -> __m256i {
        let upper = _mm256_packus_epi16(_mm256_srli_epi16::<8>(first), _mm256_srli_epi16::<8>(second));
        let low = |word: __m256i| _mm256_and_si256(word, each_word(0xff));
        let lower = _mm256_packus_epi16(low(first), low(second));
        // Comparisons are of signed bytes, so flip the sign bits.
        let lower = _mm256_xor_si256(lower, each_byte(0x80));
        let above = |threshold: u8| _mm256_cmpgt_epi8(lower, each_byte(threshold ^ 0x80));
        let looked_up = |table: &[[u8; 16]; 2]| {
            // Indices with a set top bit would give 0.
            let place = if p.least < 0 { _mm256_and_si256(upper, each_byte(15)) } else { upper };
            let threshold = _mm256_shuffle_epi8(shuffle_table(&table[1]), place);
            let code = _mm256_shuffle_epi8(shuffle_table(&table[0]), place);
            _mm256_sub_epi8(code, _mm256_cmpgt_epi8(lower, threshold))
        };
        let normal = match_const!((Planes::new::<S, D, R, SCALED>().left, R), {
            // The code changes at two thresholds; for rounding towards zero at one, or none.
            (1, mode::RZ) => {
                let code = _mm256_sub_epi8(_mm256_add_epi8(upper, upper), each_byte(p.offset));
                _mm256_sub_epi8(code, above(0x7f))
            },
            (1, mode::RN) => {
                let code = _mm256_sub_epi8(_mm256_add_epi8(upper, upper), each_byte(p.offset));
                _mm256_sub_epi8(_mm256_sub_epi8(code, above(0x40)), above(0xbf))
            },
            (0, mode::RZ) => _mm256_sub_epi8(upper, each_byte(p.offset)),
            (0, mode::RN) => {
                // From half a place on if the code is odd, above half if it is even. With the other sign,
                // 0x80 is 0.
                let even = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_and_si256(upper, each_byte(1)));
                let up = _mm256_cmpgt_epi8(lower, even);
                _mm256_sub_epi8(_mm256_sub_epi8(upper, each_byte(p.offset)), up)
            },
            (..0, mode::RZ | mode::RN) => looked_up(&p.normal),
        });
        if p.first_normal == 0 {
            return normal;
        }
        // Also true for words below 0.
        let subnormal = _mm256_cmpgt_epi8(each_byte(p.first_normal), upper);
        _mm256_blendv_epi8(normal, looked_up(&p.subnormal), subnormal)
    }
}
