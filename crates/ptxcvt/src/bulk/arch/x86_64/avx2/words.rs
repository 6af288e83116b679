//! f16 and bf16 to FP8, FP6 and FP4: 32 elements at a time, in [planes](crate::bulk::arch::planes) of bytes.

use core::arch::x86_64::*;

use super::registers::{each_byte, each_word, in_halves, load, shuffle_table, store, store_half};
use super::small::{finished, pack4, with_signs};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::find::words_by_need;
use crate::bulk::arch::planes::Planes;
use crate::bulk::features;
use crate::bulk::lanes::mode;
use crate::bulk::stage::{Run, Span, elements};
use crate::bulk::steps::Pad;

pub fn find(need: &Conversion) -> Option<Run> {
    words_by_need!(need, E4m3 E5m2 E2m3 E3m2 E2m1)
}

features::avx2! {
    fn narrow8<const S: usize, const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::new();
        let mut steps = span.steps::<64, 0, 32>(&mut pad);
        while let Some((from, to)) = steps.next() {
            store(to, finished::<CODES>(signed::<S, D, R>(from), &k));
        }
    }

    fn narrow4<const S: usize, const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::new();
        let mut steps = span.steps::<64, 0, 16>(&mut pad);
        while let Some((from, to)) = steps.next() {
            store_half(to, pack4(finished::<CODES>(signed::<S, D, R>(from), &k)));
        }
    }

    /// 32 signed codes.
    #[inline]
    fn signed<const S: usize, const D: usize, const R: u8>(from: &[u8; 64]) -> __m256i {
        let p = const { &Planes::new::<S, D, R>().with_signed_thresholds() };
        let word = |j: usize| load(&elements::<32>(from)[j]);
        let (first, second) = (word(0), word(1));
        // Saturation keeps the sign.
        let signs = _mm256_packs_epi16(first, second);
        let magnitude = |x: __m256i| _mm256_and_si256(x, each_word(i16::MAX));
        let (first, second) = (magnitude(first), magnitude(second));
        let is_nan = |m: __m256i| _mm256_cmpgt_epi16(m, each_word(p.infinity));
        let nan = _mm256_packs_epi16(is_nan(first), is_nan(second));
        let codes = codes::<S, D, R>(layout::<S, D, R>(first, p), layout::<S, D, R>(second, p), p);
        let codes = with_signs::<D>(codes, signs);
        in_halves(_mm256_blendv_epi8(codes, each_byte(p.nan), nan))
    }

    /// Magnitudes within the range, in the layout.
    #[inline]
    fn layout<const S: usize, const D: usize, const R: u8>(m: __m256i, p: &Planes) -> __m256i {
        let m = _mm256_min_epi16(_mm256_max_epi16(m, each_word(p.least)), each_word(p.largest));
        let less = |m| _mm256_sub_epi16(m, each_word(p.base));
        match const { Planes::new::<S, D, R>().shift } {
            2 => _mm256_slli_epi16::<2>(less(m)),
            3 => _mm256_slli_epi16::<3>(less(m)),
            _ => m,
        }
    }

    /// Codes without signs, in halves.
    #[inline]
    fn codes<const S: usize, const D: usize, const R: u8>(first: __m256i, second: __m256i, p: &Planes) -> __m256i {
        let upper = _mm256_packus_epi16(_mm256_srli_epi16::<8>(first), _mm256_srli_epi16::<8>(second));
        let low = |word: __m256i| _mm256_and_si256(word, each_word(0xff));
        let lower = _mm256_packus_epi16(low(first), low(second));
        // Comparisons are of signed bytes.
        let lower = _mm256_xor_si256(lower, each_byte(0x80));
        let above = |threshold: u8| _mm256_cmpgt_epi8(lower, each_byte(threshold ^ 0x80));
        let looked_up = |table: &[[u8; 16]; 2]| {
            let threshold = _mm256_shuffle_epi8(shuffle_table(&table[1]), upper);
            let code = _mm256_shuffle_epi8(shuffle_table(&table[0]), upper);
            _mm256_sub_epi8(code, _mm256_cmpgt_epi8(lower, threshold))
        };
        let normal = match const { Planes::new::<S, D, R>().left } {
            // There are two numbers at which the code changes; towards zero one, or none.
            1 if R == mode::RZ => {
                let code = _mm256_sub_epi8(_mm256_add_epi8(upper, upper), each_byte(p.offset));
                _mm256_sub_epi8(code, above(0x7f))
            }
            1 => {
                let code = _mm256_sub_epi8(_mm256_add_epi8(upper, upper), each_byte(p.offset));
                _mm256_sub_epi8(_mm256_sub_epi8(code, above(0x40)), above(0xbf))
            }
            0 if R == mode::RZ => _mm256_sub_epi8(upper, each_byte(p.offset)),
            0 => {
                // From half a place on if it is odd, above it if it is even: 0x80 with the other sign is 0.
                let even = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_and_si256(upper, each_byte(1)));
                let up = _mm256_cmpgt_epi8(lower, even);
                _mm256_sub_epi8(_mm256_sub_epi8(upper, each_byte(p.offset)), up)
            }
            _ => looked_up(&p.normal),
        };
        if p.first_normal == 0 {
            return normal;
        }
        let subnormal = _mm256_cmpgt_epi8(each_byte(p.first_normal), upper);
        _mm256_blendv_epi8(normal, looked_up(&p.subnormal), subnormal)
    }
}
