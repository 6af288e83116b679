//! Integers of at most 32 bits to f16 through f32, which exactly represents all integers within f16's range; and to bf16
//! through f32, rounded to odd.

use core::arch::x86_64::*;

use super::bfloat::integers_rounded;
use super::registers::{Pad, each, in_halves, load, load_half, store};
use crate::arch::find::{instruction_mode, pick};
use crate::arch::need::Conversion;
use crate::lanes::match_format;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, Bf16, F16, S8, S16, S32, U8, U16};

/// The number of elements of a step.
const STEP: usize = 16;

pub fn find(need: &Conversion) -> Option<Run> {
    if !need.only(&[]) {
        return None;
    }
    pick!(S: Format = need.from, [U8, S8, U16, S16, S32]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
        match need.to {
            F16 => Some(narrow::<{ S as usize }, { S.bits() as usize / 8 * STEP }, { instruction_mode(R) }> as Run),
            Bf16 => Some(bfloats::<{ S as usize }, { S.bits() as usize / 8 * STEP }, R> as Run),
            _ => None,
        }
    })
}

crate::avx2! {
    fn narrow<const S: usize, const FROM: usize, const HOW: i32>(span: Span<'_>) {
        let mut pad = Pad::<FROM, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let half = |j: usize| _mm256_cvtps_ph::<HOW>(_mm256_cvtepi32_ps(integers::<S>(from, j)));
            store(to, _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half(0)), half(1)));
        }
    }

    fn bfloats<const S: usize, const FROM: usize, const R: u8>(span: Span<'_>) {
        let mut pad = Pad::<FROM, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let code = |j: usize| {
                let x = _mm256_castps_si256(_mm256_cvtepi32_ps(short::<S>(integers::<S>(from, j))));
                _mm256_srai_epi32::<16>(integers_rounded::<R>(x))
            };
            store(to, in_halves(_mm256_packs_epi32(code(0), code(1))));
        }
    }

    /// Integers that f32 represents, and that round to bf16 as these do. Of numbers from 2^24 on, the last byte is cut
    /// off, and the bit above it set if that lost anything. bf16 has the places from 2^17 on.
    #[inline]
    fn short<const S: usize>(x: __m256i) -> __m256i {
        if const { Format::ALL[S].bits() } < 32 {
            return x;
        }
        const BYTE: u32 = 0xff;
        let lost = _mm256_cmpgt_epi32(_mm256_and_si256(x, each(BYTE)), _mm256_setzero_si256());
        let cut = _mm256_or_si256(_mm256_andnot_si256(each(BYTE), x), _mm256_and_si256(lost, each(BYTE + 1)));
        let long = _mm256_cmpgt_epi32(_mm256_abs_epi32(x), each((1 << 24) - 1));
        // The absolute value of the least integer is negative, but nothing is cut off it.
        _mm256_blendv_epi8(x, cut, long)
    }

    /// Eight integers: half `j` of a step.
    #[inline]
    fn integers<const S: usize>(from: &[u8], j: usize) -> __m256i {
        let bytes = || {
            let both = load_half(&elements::<16>(from)[0]);
            if j == 0 { both } else { _mm_unpackhi_epi64(both, both) }
        };
        let words = || load_half(&elements::<16>(from)[j]);
        match_format!(S {
            U8 => _mm256_cvtepu8_epi32(bytes()),
            S8 => _mm256_cvtepi8_epi32(bytes()),
            U16 => _mm256_cvtepu16_epi32(words()),
            S16 => _mm256_cvtepi16_epi32(words()),
            S32 => load(&elements::<32>(from)[j]),
        })
    }
}
