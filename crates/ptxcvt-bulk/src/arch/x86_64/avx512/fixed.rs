//! f32 and bf16 to s2f6, with or without a scale for each element: 64 elements at a time. The conversion
//! instruction rounds numbers in units of quanta, and saturating packs limit them.

use core::arch::x86_64::*;

use super::integer::wide;
use super::registers::{Pad, load, load_quarter, store};
use super::words::finished;
use crate::arch::find::fixed_by_need;
use crate::arch::need::Conversion;
use crate::arch::scale::Fixed;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span, elements};

pub fn find(need: &Conversion) -> Option<Run> {
    fixed_by_need!(need, 64)
}

crate::avx512! {
    fn narrow<const S: usize, const R: u8, const CODES: bool, const FROM: usize, const WITH: usize>(span: Span<'_>) {
        // After two packs in lanes of 128 bits, four elements of each register are adjacent.
        let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let nan = _mm512_set1_epi8(Fixed::NAN as i8);
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            let number = |j: usize| quanta::<S, R>(from, scales, j);
            let first = _mm512_packs_epi32(number(0), number(1));
            let second = _mm512_packs_epi32(number(2), number(3));
            let codes = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(first, second));
            let codes = match scales.first_chunk() {
                Some(scales) => {
                    let is_nan = _mm512_cmpeq_epi8_mask(load(scales), _mm512_set1_epi8(-1));
                    _mm512_mask_mov_epi8(codes, is_nan, nan)
                }
                None => codes,
            };
            store(to, finished::<CODES>(codes, &k));
        }
    }

    /// Part `j` of a step: sixteen numbers in quanta, which may exceed eight bits.
    #[inline]
    fn quanta<const S: usize, const R: u8>(from: &[u8], scales: &[u8], j: usize) -> __m512i {
        let each = |bits: u32| _mm512_set1_epi32(bits as i32);
        let x = wide::<S>(from, j);
        let Some(scales) = elements::<16>(scales).get(j) else {
            // If one operand is NaN, `min` returns the second one, the limit, whose code NaN has, too.
            let limit = |bits: u32| _mm512_castsi512_ps(each(bits));
            let x = _mm512_max_ps(_mm512_min_ps(x, limit(Fixed::LIMIT)), limit(Fixed::LIMIT | single::SIGN));
            // Zero and subnormal numbers remain tiny and round to 0.
            return counted::<R>(_mm512_add_epi32(_mm512_castps_si512(x), each(Fixed::PER_UNIT)));
        };
        let bits = _mm512_castps_si512(x);
        let m = _mm512_and_si512(bits, each(single::MAGNITUDE));
        let scale = _mm512_cvtepu8_epi32(load_quarter(scales));
        let power = _mm512_slli_epi32::<{ single::FRACTION_BITS }>(_mm512_sub_epi32(each(0xff), scale));
        let sum = _mm512_add_epi32(m, power);
        let sum = _mm512_min_epu32(_mm512_max_epu32(sum, each(Fixed::LEAST)), each(Fixed::LARGEST));
        let count = _mm512_castsi512_ps(_mm512_sub_epi32(sum, each(Fixed::BIAS)));
        let factor = _mm512_max_epi32(_mm512_sub_epi32(power, each(Fixed::BEFORE_SUBNORMAL)), each(0));
        let subnormal = _mm512_cmplt_epu32_mask(m, each(single::LEAST_NORMAL));
        let count = _mm512_mask_mul_ps(count, subnormal, _mm512_cvtepi32_ps(m), _mm512_castsi512_ps(factor));
        // count | (bits & sign)
        let count = _mm512_ternarylogic_epi32::<0xf8>(_mm512_castps_si512(count), bits, each(single::SIGN));
        let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        _mm512_mask_mov_epi32(counted::<R>(count), is_nan, each(Fixed::NAN))
    }

    /// Rounds f32 to integers.
    #[inline]
    fn counted<const R: u8>(quanta: __m512i) -> __m512i {
        let quanta = _mm512_castsi512_ps(quanta);
        match_mode!(R {
            RZ => _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(quanta),
            RN => _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(quanta),
        })
    }
}
