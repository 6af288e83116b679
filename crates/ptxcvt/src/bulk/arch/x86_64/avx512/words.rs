//! f16 and bf16 to FP8, FP6 and FP4: 64 elements at a time, in [planes](crate::bulk::arch::planes) of bytes.

use core::arch::x86_64::*;

use super::registers::{load, load_quarter, store, store_half};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::find::words_by_need;
use crate::bulk::arch::planes::Planes;
use crate::bulk::constants::Constants;
use crate::bulk::features;
use crate::bulk::lanes::{mode, row};
use crate::bulk::stage::{Run, Span, elements};
use crate::bulk::steps::Pad;

pub fn find(need: &Conversion) -> Option<Run> {
    words_by_need!(need, E4m3 E5m2 E2m3 E3m2 E2m1)
}

features::avx512! {
    fn narrow8<const S: usize, const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::new();
        let mut steps = span.steps::<128, 0, 64>(&mut pad);
        while let Some((from, to)) = steps.next() {
            store(to, finished::<CODES>(signed::<S, D, R>(from), &k));
        }
    }

    fn narrow4<const S: usize, const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::new();
        let mut steps = span.steps::<128, 0, 32>(&mut pad);
        while let Some((from, to)) = steps.next() {
            // Two codes to a byte, the first one low.
            let pairs = _mm512_maddubs_epi16(finished::<CODES>(signed::<S, D, R>(from), &k), _mm512_set1_epi16(0x1001));
            store_half(to, _mm512_cvtepi16_epi8(pairs));
        }
    }

    /// `.relu` and `.pzo`, where there are such: some codes become 0.
    #[inline]
    fn finished<const CODES: bool>(codes: __m512i, k: &Constants) -> __m512i {
        if !CODES {
            return codes;
        }
        let offset = _mm512_sub_epi8(codes, _mm512_set1_epi8(k.zeroed as i8));
        let kept = _mm512_cmpgt_epu8_mask(offset, _mm512_set1_epi8(k.more_zeroed as i8));
        _mm512_maskz_mov_epi8(kept, codes)
    }

    /// 64 signed codes.
    #[inline]
    fn signed<const S: usize, const D: usize, const R: u8>(from: &[u8; 128]) -> __m512i {
        let p = const { &Planes::new::<S, D, R>() };
        let word = |j: usize| load(&elements::<64>(from)[j]);
        let (first, second) = (word(0), word(1));
        // Saturation keeps the sign.
        let signs = _mm512_packs_epi16(first, second);
        let magnitude = |x: __m512i| _mm512_and_si512(x, _mm512_set1_epi16(i16::MAX));
        let (first, second) = (magnitude(first), magnitude(second));
        let codes = codes::<S, D, R>(layout::<S, D, R>(first, p), layout::<S, D, R>(second, p), p);
        let (bits, place) = const { (row::<D>().bits, 1_u8 << (row::<D>().bits - 1)) };
        let signs = match bits {
            8 => signs,
            6 => _mm512_srli_epi16::<2>(signs),
            _ => _mm512_srli_epi16::<4>(signs),
        };
        // codes | (signs & place)
        let codes = _mm512_ternarylogic_epi32::<0xf8>(codes, signs, _mm512_set1_epi8(place as i8));
        // What exceeds infinity, and that alone, is more than 0.
        let excess = |m: __m512i| _mm512_subs_epu16(m, _mm512_set1_epi16(p.infinity));
        let nan = _mm512_packus_epi16(excess(first), excess(second));
        let nan = _mm512_test_epi8_mask(nan, nan);
        let codes = _mm512_mask_mov_epi8(codes, nan, _mm512_set1_epi8(p.nan as i8));
        _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), codes)
    }

    /// Magnitudes within the range, in the layout.
    #[inline]
    fn layout<const S: usize, const D: usize, const R: u8>(m: __m512i, p: &Planes) -> __m512i {
        let m = _mm512_max_epi16(m, _mm512_set1_epi16(p.least));
        let m = _mm512_min_epi16(m, _mm512_set1_epi16(p.largest));
        let less = |m| _mm512_sub_epi16(m, _mm512_set1_epi16(p.base));
        match const { Planes::new::<S, D, R>().shift } {
            2 => _mm512_slli_epi16::<2>(less(m)),
            3 => _mm512_slli_epi16::<3>(less(m)),
            _ => m,
        }
    }

    /// Codes without signs, in lanes of 128 bits.
    #[inline]
    fn codes<const S: usize, const D: usize, const R: u8>(first: __m512i, second: __m512i, p: &Planes) -> __m512i {
        let each = |byte: u8| _mm512_set1_epi8(byte as i8);
        let table = |table: &[u8; 16]| _mm512_broadcast_i32x4(load_quarter(table));
        let upper = _mm512_packus_epi16(_mm512_srli_epi16::<8>(first), _mm512_srli_epi16::<8>(second));
        let low = |word: __m512i| _mm512_and_si512(word, _mm512_set1_epi16(0xff));
        let lower = _mm512_packus_epi16(low(first), low(second));
        // Codes and thresholds of normal numbers.
        let (code, threshold) = match const { Planes::new::<S, D, R>().left } {
            // There are two numbers at which the code changes; towards zero one, or none.
            1 if R == mode::RZ => (_mm512_sub_epi8(_mm512_add_epi8(upper, upper), each(p.offset)), each(0x7f)),
            1 => (_mm512_sub_epi8(_mm512_add_epi8(upper, upper), each(p.offset)), each(0x40)),
            0 if R == mode::RZ => (_mm512_sub_epi8(upper, each(p.offset)), each(0xff)),
            0 => {
                let odd = _mm512_and_si512(upper, each(1));
                (_mm512_sub_epi8(upper, each(p.offset)), _mm512_sub_epi8(each(0x80), odd))
            }
            _ => {
                let [codes, thresholds] = &p.normal;
                (_mm512_shuffle_epi8(table(codes), upper), _mm512_shuffle_epi8(table(thresholds), upper))
            }
        };
        let is_small = _mm512_cmplt_epu8_mask(upper, each(p.first_normal));
        let (code, threshold) = if p.first_normal == 0 {
            (code, threshold)
        } else {
            let [codes, thresholds] = &p.subnormal;
            (
                _mm512_mask_shuffle_epi8(code, is_small, table(codes), upper),
                _mm512_mask_shuffle_epi8(threshold, is_small, table(thresholds), upper),
            )
        };
        let above = _mm512_cmpgt_epu8_mask(lower, threshold);
        let code = _mm512_mask_add_epi8(code, above, code, each(1));
        if R == mode::RZ || const { Planes::new::<S, D, R>().left } != 1 {
            return code;
        }
        let twice = _mm512_mask_cmpgt_epu8_mask(!is_small, lower, each(0xbf));
        _mm512_mask_add_epi8(code, twice, code, each(1))
    }
}
