//! f32, f16 and bf16 to ue5m3, with or without a scale for each pair: 32 elements at a time.

use core::arch::x86_64::*;

use super::integer::wide;
use super::registers::{Pad, each, in_order, load, load_half, store};
use crate::arch::find::unsigned_by_need;
use crate::arch::need::Conversion;
use crate::arch::scale::{Unsigned, pairs};
use crate::constants::Constants;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    unsigned_by_need!(need, 32)
}

crate::avx2! {
    fn narrow<const S: usize, const R: u8, const FINITE: bool, const FROM: usize, const WITH: usize>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<FROM, WITH, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, scales, to)) = steps.next_with_extra() {
            let scales = scales.first_chunk().map(|scales| {
                _mm256_broadcastsi128_si256(_mm_xor_si128(load_half(scales), _mm_set1_epi8(-1)))
            });
            let nan = scales.map_or(each(0), |scales| nan_codes(scales));
            let word = |j: usize| words::<S, R, FINITE>(from, scales, j, &k);
            let codes = |first, second| {
                let words = _mm256_srli_epi16::<{ Unsigned::PLACE as i32 }>(_mm256_packs_epi32(first, second));
                _mm256_and_si256(words, _mm256_set1_epi16(0xff))
            };
            let bytes = _mm256_packus_epi16(codes(word(0), word(1)), codes(word(2), word(3)));
            store(to, _mm256_or_si256(in_order(bytes), nan));
        }
    }

    /// The code of NaN, all ones, for both elements of each of sixteen scales that are NaN; 0 for the others.
    #[inline]
    fn nan_codes(scales: __m256i) -> __m256i {
        let (first, second) = (_mm256_unpacklo_epi8(scales, scales), _mm256_unpackhi_epi8(scales, scales));
        _mm256_cmpeq_epi8(_mm256_blend_epi32::<0xf0>(first, second), each(0))
    }

    /// Part `j` of a step: eight codes in 32-bit words, from bit [`Unsigned::PLACE`] on. `scales` holds 255 −
    /// s for sixteen scales s. `FINITE`: infinity saturates.
    #[inline]
    fn words<const S: usize, const R: u8, const FINITE: bool>(
        from: &[u8],
        scales: Option<__m256i>,
        j: usize,
        k: &Constants,
    ) -> __m256i {
        let limit = k.limit[0] as u32;
        let x = _mm256_castps_si256(wide::<S>(from, j));
        let m = _mm256_and_si256(x, each(single::MAGNITUDE));
        let special = _mm256_cmpgt_epi32(m, each(if FINITE { single::INFINITY } else { single::INFINITY - 1 }));
        let m = match scales {
            Some(scales) => {
                let power = _mm256_srli_epi32::<1>(_mm256_shuffle_epi8(scales, load(&PAIRS[j])));
                // Numbers that are subnormal in the source count as 0, which is too small.
                let flushed = _mm256_cmpgt_epi32(each(k.flush_below[0] as u32), m);
                let sum = _mm256_andnot_si256(flushed, _mm256_add_epi32(m, power));
                let sum = if FINITE {
                    _mm256_or_si256(sum, _mm256_cmpeq_epi32(m, each(single::INFINITY)))
                } else {
                    sum
                };
                let sum = _mm256_max_epu32(sum, each(Unsigned::NOTHING));
                let sum = _mm256_min_epu32(sum, each(limit + Unsigned::TOO_MUCH));
                _mm256_sub_epi32(sum, each(Unsigned::TOO_MUCH))
            }
            None => _mm256_min_epu32(m, each(limit)),
        };
        let binade = _mm256_max_epi32(_mm256_and_si256(m, each(single::INFINITY)), each(Unsigned::LEAST));
        let (m, one) = (_mm256_castsi256_ps(m), _mm256_castsi256_ps(_mm256_add_epi32(binade, each(Unsigned::QUANTA))));
        let m = match_mode!(R {
            RZ => {
                let cut = _mm256_and_ps(m, _mm256_castsi256_ps(each(Unsigned::CUT)));
                _mm256_sub_ps(cut, _mm256_castsi256_ps(each(Unsigned::HALF)))
            },
            RN | RP => m,
        });
        let sum = _mm256_add_ps(m, one);
        let bits = match_mode!(R {
            RP => {
                // Comparisons give -1 if true.
                let below = _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_sub_ps(sum, one), m);
                _mm256_sub_epi32(_mm256_castps_si256(sum), _mm256_castps_si256(below))
            },
            RN | RZ => _mm256_castps_si256(sum),
        });
        let words = _mm256_madd_epi16(bits, each(Unsigned::JOIN));
        _mm256_or_si256(words, _mm256_and_si256(special, each(0xff << Unsigned::PLACE)))
    }
}

/// The scales that each register of a step uses.
static PAIRS: [[u8; 32]; 4] = [pairs(0), pairs(4), pairs(8), pairs(12)];
