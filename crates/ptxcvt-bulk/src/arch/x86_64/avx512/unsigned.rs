//! f32, f16 and bf16 to ue5m3, with or without a scale for each pair: 64 elements at a time.

use core::arch::x86_64::*;

use super::integer::wide;
use super::registers::{Pad, load, load_half, store};
use crate::arch::find::unsigned_by_need;
use crate::arch::need::Conversion;
use crate::arch::scale::{Unsigned, pairs};
use crate::constants::Constants;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    unsigned_by_need!(need, 64)
}

crate::avx512! {
    fn narrow<const S: usize, const R: u8, const FINITE: bool, const FROM: usize, const WITH: usize>(span: Span<'_>) {
        // After two packs in lanes of 128 bits, four elements of each register are adjacent.
        let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            let scales = scales.first_chunk().map(|scales| {
                let scales = _mm256_xor_si256(load_half(scales), _mm256_set1_epi8(-1));
                let scales = _mm512_castsi256_si512(scales);
                // Each half, repeated four times.
                [_mm512_shuffle_i32x4::<0>(scales, scales), _mm512_shuffle_i32x4::<0x55>(scales, scales)]
            });
            let word = |j: usize| words::<S, R, FINITE>(from, scales, j, &k);
            let codes = |first, second| {
                let words = _mm512_srli_epi16::<{ Unsigned::PLACE }>(_mm512_packs_epi32(first, second));
                _mm512_and_si512(words, _mm512_set1_epi16(0xff))
            };
            let bytes = _mm512_packus_epi16(codes(word(0), word(1)), codes(word(2), word(3)));
            store(to, _mm512_permutexvar_epi32(order, bytes));
        }
    }

    /// Part `j` of a step: sixteen codes in 32-bit words, from bit [`Unsigned::PLACE`] on. `scales` holds 255
    /// − s for 32 scales s; each half is repeated four times. `FINITE`: infinity saturates.
    #[inline]
    fn words<const S: usize, const R: u8, const FINITE: bool>(
        from: &[u8],
        scales: Option<[__m512i; 2]>,
        j: usize,
        k: &Constants,
    ) -> __m512i {
        const INFINITE: i32 = 0x18;
        const NAN: i32 = 0x81;
        let each = |bits: u32| _mm512_set1_epi32(bits as i32);
        let limit = k.limit[0] as u32;
        let x = wide::<S>(from, j);
        let m = _mm512_and_si512(_mm512_castps_si512(x), each(single::MAGNITUDE));
        let special = if FINITE { _mm512_fpclass_ps_mask::<NAN>(x) } else { _mm512_fpclass_ps_mask::<{ NAN | INFINITE }>(x) };
        let (m, special) = match scales {
            Some(scales) => {
                let power = _mm512_srli_epi32::<1>(_mm512_shuffle_epi8(scales[j / 2], load(&PAIRS[j % 2])));
                // Numbers that are subnormal in the source count as 0, which is too small.
                let kept = _mm512_cmpge_epu32_mask(m, each(k.flush_below[0] as u32));
                let sum = _mm512_maskz_add_epi32(kept, m, power);
                let sum = if FINITE {
                    _mm512_mask_mov_epi32(sum, _mm512_fpclass_ps_mask::<INFINITE>(x), each(u32::MAX))
                } else {
                    sum
                };
                let sum = _mm512_max_epu32(sum, each(Unsigned::NOTHING));
                let sum = _mm512_min_epu32(sum, each(limit + Unsigned::TOO_MUCH));
                (_mm512_sub_epi32(sum, each(Unsigned::TOO_MUCH)), special | _mm512_cmpeq_epi32_mask(power, each(0)))
            }
            None => (_mm512_min_epu32(m, each(limit)), special),
        };
        let binade = _mm512_max_epi32(_mm512_and_si512(m, each(single::INFINITY)), each(Unsigned::LEAST));
        let (m, one) = (_mm512_castsi512_ps(m), _mm512_castsi512_ps(_mm512_add_epi32(binade, each(Unsigned::QUANTA))));
        let sum = match_mode!(R {
            RZ => _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(m, one),
            RP => _mm512_add_round_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(m, one),
            RN => _mm512_add_ps(m, one),
        });
        let words = _mm512_madd_epi16(_mm512_castps_si512(sum), each(Unsigned::JOIN));
        _mm512_mask_mov_epi32(words, special, each(0xff << Unsigned::PLACE))
    }
}

/// The scales, of sixteen, that each register uses.
static PAIRS: [[u8; 64]; 2] = [pairs(0), pairs(8)];
