//! f64 to integers of at most 32 bits: the conversion instruction rounds, and saturating packs limit.

use core::arch::x86_64::*;

use super::registers::{Pad, in_halves, load, store, store_half};
use super::sums::DoubleSums;
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::lanes::{match_format, match_mode};
use crate::stage::{Run, Span, elements, elements_mut};
use ptxcvt::formats::Format::{self, F64, S8, S16, S32, U8, U16, U32};
use ptxcvt::forms::Modifier::Sat;

/// The elements of a step.
const STEP: usize = 16;

pub fn find(need: &Conversion) -> Option<Run> {
    // `.sat` has no effect.
    if need.from != F64 || !need.only(&[Sat]) {
        return None;
    }
    pick!(R: u8 = need.rounding, [RN, RZ, RM, RP]; D: Format = need.to, [S8, U8, S16, U16, S32, U32] => {
        Some(narrow::<R, { D as usize }, { D.bits() as usize / 8 * STEP }> as Run)
    })
}

crate::avx2! {
    fn narrow<const R: u8, const D: usize, const TO: usize>(span: Span<'_>) {
        let doubt = span.doubt;
        let mut sums = DoubleSums::<4>::new();
        let mut pad = Pad::<{ 8 * STEP }, 0, TO>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let x = [doubles(from, 0), doubles(from, 1), doubles(from, 2), doubles(from, 3)];
            sums.add(x);
            let number = || x.map(|x| limited::<R, D>(x));
            // 16 numbers as signed words.
            let words = || {
                let number = number();
                [_mm_packs_epi32(number[0], number[1]), _mm_packs_epi32(number[2], number[3])]
            };
            match_format!(D {
                S8 => {
                    let words = words();
                    store_half(&mut elements_mut::<16>(to)[0], _mm_packs_epi16(words[0], words[1]));
                },
                U8 => {
                    let words = words();
                    store_half(&mut elements_mut::<16>(to)[0], _mm_packus_epi16(words[0], words[1]));
                },
                S16 => {
                    let (to, words) = (elements_mut::<16>(to), words());
                    store_half(&mut to[0], words[0]);
                    store_half(&mut to[1], words[1]);
                },
                U16 => {
                    let (to, number) = (elements_mut::<16>(to), number());
                    store_half(&mut to[0], _mm_packus_epi32(number[0], number[1]));
                    store_half(&mut to[1], _mm_packus_epi32(number[2], number[3]));
                },
                S32 => {
                    for (to, number) in elements_mut::<16>(to).iter_mut().zip(number()) {
                        store_half(to, number);
                    }
                },
                U32 => {
                    let to = elements_mut::<32>(to);
                    store(&mut to[0], unsigned::<R>(x[0], x[1]));
                    store(&mut to[1], unsigned::<R>(x[2], x[3]));
                },
            });
        }
        sums.report(doubt);
    }

    /// Part `j` of a step: four f64.
    #[inline]
    fn doubles(from: &[u8], j: usize) -> __m256d {
        _mm256_castsi256_pd(load(&elements::<32>(from)[j]))
    }

    /// Four integers of 32 bits: PTX's results, or for narrower integers what saturating packs make these of.
    #[inline]
    fn limited<const R: u8, const D: usize>(x: __m256d) -> __m128i {
        let format = const { Format::ALL[D] };
        let x = if format.is_signed() {
            // The instruction returns the least integer for NaN, as PTX does, also where it is narrowed.
            x
        } else {
            let nan = _mm256_set1_pd((1_u64 << (format.bits() - 1)) as f64);
            _mm256_blendv_pd(x, nan, _mm256_cmp_pd::<_CMP_UNORD_Q>(x, x))
        };
        // If one operand is NaN, `min` returns the second one.
        let x = _mm256_min_pd(_mm256_set1_pd(i32::MAX.into()), x);
        match_mode!(R {
            RN => _mm256_cvtpd_epi32(x),
            RM => _mm256_cvttpd_epi32(_mm256_floor_pd(x)),
            RP => _mm256_cvttpd_epi32(_mm256_ceil_pd(x)),
            RZ => _mm256_cvttpd_epi32(x),
        })
    }

    /// Eight unsigned integers of 32 bits, which are the last places of sums with 2^52.
    #[inline]
    fn unsigned<const R: u8>(first: __m256d, second: __m256d) -> __m256i {
        let sum = |x: __m256d| {
            let nan = _mm256_cmp_pd::<_CMP_UNORD_Q>(x, x);
            let x = _mm256_blendv_pd(x, _mm256_set1_pd((1_u64 << 31) as f64), nan);
            let x = _mm256_min_pd(_mm256_max_pd(x, _mm256_setzero_pd()), _mm256_set1_pd(u32::MAX.into()));
            let x = match_mode!(R {
                RM => _mm256_floor_pd(x),
                RP => _mm256_ceil_pd(x),
                RZ => _mm256_round_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x),
                // The sum rounds to nearest.
                RN => x,
            });
            _mm256_castpd_ps(_mm256_add_pd(x, _mm256_set1_pd((1_u64 << 52) as f64)))
        };
        in_halves(_mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(sum(first), sum(second))))
    }
}
