//! Integers to floats. f32 exactly represents all integers within f16's range. To bf16 they go through f32 rounded to
//! odd: cut off, with the last bit set if that lost anything. The conversion instructions for wider floats round as PTX
//! does.

use core::arch::x86_64::*;

use super::bfloat::{integers_rounded, upper_words};
use super::registers::{Pad, load, load_half, load_quarter, store, store_half};
use crate::arch::find::{instruction_mode, pick};
use crate::arch::need::Conversion;
use crate::lanes::match_format;
use crate::lanes::mode::{RM, RN, RP, RZ};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format::{self, Bf16, F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
use ptxcvt::forms::Modifier::Ftz;

/// The number of elements of a step.
const STEP: usize = 16;

const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

pub fn find(need: &Conversion) -> Option<Run> {
    match need.to {
        F16 if need.only(&[]) => {
            pick!(S: Format = need.from, [U8, S8, U16, S16, S32, U32]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
                Some(narrow::<{ S as usize }, { S.bits() as usize / 8 * STEP }, { instruction_mode(R) }> as Run)
            })
        }
        Bf16 if need.only(&[]) => pick!(
            S: Format = need.from, [U8, S8, U16, S16, S32, U32, S64, U64]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
                Some(bfloats::<{ S as usize }, { S.bits() as usize / 4 * STEP }, R> as Run)
            }
        ),
        // No integer is subnormal.
        F32 if need.only(&[Ftz]) => {
            pick!(S: Format = need.from, [S32, U32, S64, U64]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
                const HOW: i32 = instruction_mode(R) | _MM_FROUND_NO_EXC;
                Some(singles::<{ S as usize }, { S.bits() as usize / 8 * STEP }, HOW> as Run)
            })
        }
        F64 if need.only(&[]) => {
            pick!(S: Format = need.from, [S64, U64]; R: u8 = need.rounding, [RN, RZ, RM, RP] => {
                Some(doubles::<{ S as usize }, { instruction_mode(R) | _MM_FROUND_NO_EXC }> as Run)
            })
        }
        _ => None,
    }
}

crate::avx512! {
    fn narrow<const S: usize, const FROM: usize, const HOW: i32>(span: Span<'_>) {
        let mut pad = Pad::<FROM, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            store_half(to, _mm512_cvtps_ph::<HOW>(wide::<S, CUT>(from, 0)));
        }
    }

    fn bfloats<const S: usize, const FROM: usize, const R: u8>(span: Span<'_>) {
        let upper = upper_words();
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let part = |j: usize| integers_rounded::<R>(odd::<S>(from, j));
            store(to, _mm512_permutex2var_epi16(part(0), upper, part(1)));
        }
    }

    fn singles<const S: usize, const FROM: usize, const HOW: i32>(span: Span<'_>) {
        let mut pad = Pad::<FROM, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            store(to, _mm512_castps_si512(wide::<S, HOW>(from, 0)));
        }
    }

    fn doubles<const S: usize, const HOW: i32>(span: Span<'_>) {
        let mut pad = Pad::<64, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let integers = load(from);
            store(to, _mm512_castpd_si512(match_format!(S {
                U64 => _mm512_cvt_roundepu64_pd::<HOW>(integers),
                S64 => _mm512_cvt_roundepi64_pd::<HOW>(integers),
            })));
        }
    }

    /// Part `j` of a step: sixteen integers as f32. Only those of 32 bits and more are rounded.
    #[inline]
    fn wide<const S: usize, const HOW: i32>(from: &[u8], j: usize) -> __m512 {
        let quarter = || load_quarter(&elements::<16>(from)[j]);
        let half = || load_half(&elements::<32>(from)[j]);
        let pair = || [load(&elements::<64>(from)[2 * j]), load(&elements::<64>(from)[2 * j + 1])];
        match_format!(S {
            U8 => _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(quarter())),
            S8 => _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(quarter())),
            U16 => _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(half())),
            S16 => _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(half())),
            U32 => _mm512_cvt_roundepu32_ps::<HOW>(load(&elements::<64>(from)[j])),
            S32 => _mm512_cvt_roundepi32_ps::<HOW>(load(&elements::<64>(from)[j])),
            U64 => joined(pair().map(|x| _mm512_cvt_roundepu64_ps::<HOW>(x))),
            S64 => joined(pair().map(|x| _mm512_cvt_roundepi64_ps::<HOW>(x))),
        })
    }

    /// Two registers as one.
    #[inline]
    fn joined([low, high]: [__m256; 2]) -> __m512 {
        let [low, high] = [_mm256_castps_si256(low), _mm256_castps_si256(high)];
        _mm512_castsi512_ps(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high))
    }

    /// Like [`wide`], rounded to odd.
    #[inline]
    fn odd<const S: usize>(from: &[u8], j: usize) -> __m512i {
        let cut = wide::<S, CUT>(from, j);
        let bits = _mm512_castps_si512(cut);
        let integers = || load(&elements::<64>(from)[j]);
        let halves = || {
            let part = |i: usize| load(&elements::<64>(from)[2 * j + i]);
            let (low, high) = (_mm512_castsi512_si256(bits), _mm512_extracti64x4_epi64::<1>(bits));
            [(part(0), _mm256_castsi256_ps(low)), (part(1), _mm256_castsi256_ps(high))]
        };
        let lost = match_format!(S {
            U32 => _mm512_cmpneq_epi32_mask(_mm512_cvttps_epu32(cut), integers()),
            S32 => _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), integers()),
            U64 => {
                let [low, high] = halves().map(|(x, cut)| _mm512_cmpneq_epi64_mask(_mm512_cvttps_epu64(cut), x));
                _mm512_kunpackb(high.into(), low.into())
            },
            S64 => {
                let [low, high] = halves().map(|(x, cut)| _mm512_cmpneq_epi64_mask(_mm512_cvttps_epi64(cut), x));
                _mm512_kunpackb(high.into(), low.into())
            },
            // They have at most 16 bits, which f32 holds.
            U8 | S8 | U16 | S16 => 0,
        });
        _mm512_mask_or_epi32(bits, lost, bits, _mm512_set1_epi32(1))
    }
}
