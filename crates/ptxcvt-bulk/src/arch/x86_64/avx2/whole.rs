//! Integers of at most 32 bits to f16 through f32, which exactly represents all integers within f16's range.

use core::arch::x86_64::*;

use super::registers::{Pad, load, load_half, store};
use crate::arch::find::{instruction_mode, pick};
use crate::arch::need::Conversion;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, F16, S8, S16, S32, U8, U16};

/// The number of elements of a step.
const STEP: usize = 16;

pub fn find(need: &Conversion) -> Option<Run> {
    if need.to != F16 || !need.only(&[]) {
        return None;
    }
    pick!(S: Format = need.from, [U8, S8, U16, S16, S32]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
        Some(narrow::<{ S as usize }, { S.bits() as usize / 8 * STEP }, { instruction_mode(R) }> as Run)
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

    /// Eight integers: half `j` of a step.
    #[inline]
    fn integers<const S: usize>(from: &[u8], j: usize) -> __m256i {
        let bytes = || {
            let both = load_half(&elements::<16>(from)[0]);
            if j == 0 { both } else { _mm_unpackhi_epi64(both, both) }
        };
        let words = || load_half(&elements::<16>(from)[j]);
        match const { Format::ALL[S] } {
            U8 => _mm256_cvtepu8_epi32(bytes()),
            S8 => _mm256_cvtepi8_epi32(bytes()),
            U16 => _mm256_cvtepu16_epi32(words()),
            S16 => _mm256_cvtepi16_epi32(words()),
            _ => load(&elements::<32>(from)[j]),
        }
    }
}
