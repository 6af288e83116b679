//! f64 to bf16 on the upper words of the numbers: their fractions have 13 bits more than bf16, and one more says whether
//! the lower word has any. So numbers round as integers, once.

use core::arch::x86_64::*;

use super::registers::{Pad, each, floats, in_order, store};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::lanes::double::*;
use crate::lanes::match_mode;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::lanes::single;
use crate::stage::{Run, Span};
use ptxcvt::formats::Format::{Bf16, F64};

pub fn find(need: &Conversion) -> Option<Run> {
    if (need.from, need.to) != (F64, Bf16) || !need.only(&[]) {
        return None;
    }
    pick!(R: u8 = need.rounding, [RN, RZ, RM, RP] => Some(narrow::<R> as Run))
}

crate::avx2! {
    fn narrow<const R: u8>(span: Span<'_>) {
        let mut pad = Pad::<128, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let ((first, rare), (second, more)) = (rounded::<R>(from, 0), rounded::<R>(from, 1));
            if _mm256_movemask_epi8(_mm256_or_si256(rare, more)) == 0 {
                store(to, in_order(_mm256_packs_epi32(first, second)));
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
    fn some_rare<const R: u8>(from: &[u8; 128], to: &mut [u8; 32]) {
        store(to, in_order(_mm256_packs_epi32(any::<R>(from, 0), any::<R>(from, 1))));
    }

    /// Eight bf16, sign-extended, and a mask of the rare numbers, for which they are wrong.
    #[inline]
    fn rounded<const R: u8>(from: &[u8], j: usize) -> (__m256i, __m256i) {
        let (bits, m) = upper_words(floats(from, 2 * j), floats(from, 2 * j + 1));
        (_mm256_srai_epi32::<16>(single(sum::<R>(m, bits), bits)), rare(m))
    }

    /// A mask of the magnitudes, upper words of f64, that are rare.
    #[inline]
    pub fn rare(m: __m256i) -> __m256i {
        let zero = _mm256_cmpeq_epi32(m, _mm256_setzero_si256());
        // Signed numbers, because there is no other comparison.
        let above = _mm256_add_epi32(m, each((1_u32 << 31).wrapping_sub(LEAST)));
        _mm256_andnot_si256(zero, _mm256_cmpgt_epi32(above, each((1_u32 << 31) + RANGE - 1)))
    }

    /// Magnitudes that are not rare as f32, with the signs of `bits`.
    #[inline]
    pub fn single(m: __m256i, bits: __m256i) -> __m256i {
        let magnitude = _mm256_max_epi32(_mm256_sub_epi32(m, each(BASE)), _mm256_setzero_si256());
        _mm256_or_si256(_mm256_slli_epi32::<3>(magnitude), _mm256_and_si256(bits, each(single::SIGN)))
    }

    /// Like [`rounded`], for all numbers.
    #[inline]
    fn any<const R: u8>(from: &[u8], j: usize) -> __m256i {
        let (bits, m) = upper_words(floats(from, 2 * j), floats(from, 2 * j + 1));
        let small = _mm256_cmpgt_epi32(each(LEAST), m);
        // The significand of a subnormal number is shifted to the place of the last normal ones. Again the last bit
        // stays set. f64's own subnormal numbers leave nothing else.
        let zero = _mm256_cmpeq_epi32(m, _mm256_setzero_si256());
        let significand = _mm256_or_si256(_mm256_and_si256(m, each(FRACTION)), each(FRACTION + 1));
        let significand = _mm256_andnot_si256(zero, significand);
        let places = _mm256_sub_epi32(each(LEAST_EXPONENT), _mm256_srli_epi32::<{ FRACTION_BITS as i32 }>(m));
        let shifted = _mm256_srlv_epi32(significand, places);
        let exact = _mm256_cmpeq_epi32(_mm256_sllv_epi32(shifted, places), significand);
        let shifted = _mm256_or_si256(shifted, _mm256_andnot_si256(exact, each(1)));
        let limited = _mm256_blendv_epi8(m, _mm256_add_epi32(shifted, each(BASE)), small);
        let limited = _mm256_min_epu32(limited, each(LARGEST));
        let code = _mm256_sub_epi32(sum::<R>(limited, bits), each(BASE));
        // The lower eight bits of the exponents of infinity and NaN are bf16's.
        let special = _mm256_cmpgt_epi32(m, each(INFINITY - 1));
        let nan = _mm256_cmpgt_epi32(m, each(INFINITY));
        let kept = _mm256_or_si256(m, _mm256_and_si256(nan, each(QUIET)));
        let code = _mm256_slli_epi32::<3>(_mm256_blendv_epi8(code, kept, special));
        let code = _mm256_and_si256(code, each(single::MAGNITUDE));
        _mm256_srai_epi32::<16>(_mm256_or_si256(code, _mm256_and_si256(bits, each(single::SIGN))))
    }

    /// The upper words of eight numbers, with the last bit set if the lower words have any, and these without sign. In each
    /// half are two numbers of the first and two of the second register.
    #[inline]
    pub fn upper_words(first: __m256, second: __m256) -> (__m256i, __m256i) {
        let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
        let lower = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
        let bits = _mm256_or_si256(upper, _mm256_min_epu32(lower, each(1)));
        (bits, _mm256_and_si256(bits, each(single::MAGNITUDE)))
    }

    /// The magnitudes `m` of `bits` rounded up to where bf16's last place changes: what is below it counts no more.
    #[inline]
    fn sum<const R: u8>(m: __m256i, bits: __m256i) -> __m256i {
        const BELOW: u32 = (1 << BELOW_BF16) - 1;
        let negative = _mm256_srai_epi32::<31>(bits);
        match_mode!(R {
            RN => {
                let odd = _mm256_and_si256(_mm256_srli_epi32::<{ BELOW_BF16 as i32 }>(m), each(1));
                _mm256_add_epi32(_mm256_add_epi32(m, each(BELOW >> 1)), odd)
            },
            RM => _mm256_add_epi32(m, _mm256_and_si256(negative, each(BELOW))),
            RP => _mm256_add_epi32(m, _mm256_andnot_si256(negative, each(BELOW))),
            RZ => m,
        })
    }
}
