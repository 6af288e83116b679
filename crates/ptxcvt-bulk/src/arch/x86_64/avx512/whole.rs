//! Integers of at most 32 bits to f16 through f32, which exactly represents all integers within f16's range.

use core::arch::x86_64::*;

use super::registers::{Pad, load, load_half, load_quarter, store_half};
use crate::arch::find::{instruction_mode, pick};
use crate::arch::need::Conversion;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, F16, S8, S16, S32, U8, U16, U32};

/// The number of elements of a step.
const STEP: usize = 16;

pub fn find(need: &Conversion) -> Option<Run> {
    if need.to != F16 || !need.only(&[]) {
        return None;
    }
    pick!(S: Format = need.from, [U8, S8, U16, S16, S32, U32]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
        Some(narrow::<{ S as usize }, { S.bits() as usize / 8 * STEP }, { instruction_mode(R) }> as Run)
    })
}

crate::avx512! {
    fn narrow<const S: usize, const FROM: usize, const HOW: i32>(span: Span<'_>) {
        let mut pad = Pad::<FROM, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            store_half(to, _mm512_cvtps_ph::<HOW>(wide::<S>(from)));
        }
    }

    /// Sixteen integers as f32.
    #[inline]
    fn wide<const S: usize>(from: &[u8]) -> __m512 {
        let quarter = || load_quarter(&elements::<16>(from)[0]);
        let half = || load_half(&elements::<32>(from)[0]);
        let integers = match const { Format::ALL[S] } {
            U8 => _mm512_cvtepu8_epi32(quarter()),
            S8 => _mm512_cvtepi8_epi32(quarter()),
            U16 => _mm512_cvtepu16_epi32(half()),
            S16 => _mm512_cvtepi16_epi32(half()),
            _ => load(&elements::<64>(from)[0]),
        };
        match const { Format::ALL[S] } {
            U32 => _mm512_cvtepu32_ps(integers),
            _ => _mm512_cvtepi32_ps(integers),
        }
    }
}
