//! f32 and bf16 to s2f6, with or without a scale for each element: 32 elements at a time. The conversion
//! instruction rounds numbers in units of quanta, and saturating packs limit them.

use core::arch::x86_64::*;

use super::integer::wide;
use super::registers::{Pad, each, each_byte, in_order, is_nan, load, load_low, store};
use super::small::finished;
use crate::arch::find::fixed_by_need;
use crate::arch::need::Conversion;
use crate::arch::scale::Fixed;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span, elements};

pub fn find(need: &Conversion) -> Option<Run> {
    fixed_by_need!(need, 32)
}

crate::avx2! {
    fn narrow<const S: usize, const R: u8, const CODES: bool, const FROM: usize, const WITH: usize>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            let number = |j: usize| quanta::<S, R>(from, scales, j);
            let first = _mm256_packs_epi32(number(0), number(1));
            let second = _mm256_packs_epi32(number(2), number(3));
            let codes = in_order(_mm256_packs_epi16(first, second));
            let codes = match scales.first_chunk() {
                Some(scales) => {
                    let is_nan = _mm256_cmpeq_epi8(load(scales), each_byte(0xff));
                    _mm256_blendv_epi8(codes, each_byte(Fixed::NAN as u8), is_nan)
                }
                None => codes,
            };
            store(to, finished::<CODES>(codes, &k));
        }
    }

    /// Part `j` of a step: eight numbers in quanta, which may exceed eight bits.
    #[inline]
    fn quanta<const S: usize, const R: u8>(from: &[u8], scales: &[u8], j: usize) -> __m256i {
        let x = wide::<S>(from, j);
        let Some(scales) = elements::<8>(scales).get(j) else {
            // If one operand is NaN, `min` returns the second one, the limit, whose code NaN has, too.
            let limit = |bits: u32| _mm256_castsi256_ps(each(bits));
            let x = _mm256_max_ps(_mm256_min_ps(x, limit(Fixed::LIMIT)), limit(Fixed::LIMIT | single::SIGN));
            // Zero and subnormal numbers remain tiny and round to 0.
            return counted::<R>(_mm256_add_epi32(_mm256_castps_si256(x), each(Fixed::PER_UNIT)));
        };
        let bits = _mm256_castps_si256(x);
        let m = _mm256_and_si256(bits, each(single::MAGNITUDE));
        let scale = _mm256_cvtepu8_epi32(load_low(scales));
        let power = _mm256_slli_epi32::<{ single::FRACTION_BITS as i32 }>(_mm256_sub_epi32(each(0xff), scale));
        let sum = _mm256_add_epi32(m, power);
        let sum = _mm256_min_epu32(_mm256_max_epu32(sum, each(Fixed::LEAST)), each(Fixed::LARGEST));
        let count = _mm256_castsi256_ps(_mm256_sub_epi32(sum, each(Fixed::BIAS)));
        let factor = _mm256_max_epi32(_mm256_sub_epi32(power, each(Fixed::BEFORE_SUBNORMAL)), each(0));
        let subnormal = _mm256_castsi256_ps(_mm256_cmpgt_epi32(each(single::LEAST_NORMAL), m));
        let whole = _mm256_mul_ps(_mm256_cvtepi32_ps(m), _mm256_castsi256_ps(factor));
        let count = _mm256_castps_si256(_mm256_blendv_ps(count, whole, subnormal));
        let number = counted::<R>(_mm256_or_si256(count, _mm256_and_si256(bits, each(single::SIGN))));
        _mm256_blendv_epi8(number, each(Fixed::NAN), is_nan(x))
    }

    /// Rounds f32 to integers.
    #[inline]
    fn counted<const R: u8>(quanta: __m256i) -> __m256i {
        let quanta = _mm256_castsi256_ps(quanta);
        match_mode!(R { RZ => _mm256_cvttps_epi32(quanta), RN => _mm256_cvtps_epi32(quanta) })
    }
}
