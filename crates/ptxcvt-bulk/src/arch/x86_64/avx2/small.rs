//! f32 to FP8, FP6 and FP4: 32 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use super::registers::{Pad, each, each_byte, floats, in_order, load, shuffle_table, store, store_half};
use crate::arch::find::{small_by_need, stochastic_by_need};
use crate::arch::need::Conversion;
use crate::arch::small::Small;
use crate::arch::tables::{BACKWARDS, FORWARDS, LOWER_REVERSED, REVERSED, UPPER_REVERSED};
use crate::constants::Constants;
use crate::lanes::{match_const, match_format, match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    small_by_need!(need).or_else(|| find_stochastic(need))
}

/// The kernels for `.rs` only.
pub fn find_stochastic(need: &Conversion) -> Option<Run> {
    stochastic_by_need!(need)
}

crate::avx2! {
    fn narrow8<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<128, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            store(to, in_order(finished::<CODES>(rounded::<D, R>(from), &k)));
        }
    }

    fn narrow4<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<128, 0, 16>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            store_half(to, pack4(in_order(finished::<CODES>(rounded::<D, R>(from), &k))));
        }
    }

    fn stochastic8<const D: usize, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<128, 32, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, random, to)) = steps.next_with_extra() {
            store(to, in_order(finished::<CODES>(stochastic::<D>(from, random), &k)));
        }
    }

    fn stochastic4<const D: usize, const CODES: bool>(span: Span<'_>) {
        let k = *span.constants;
        let mut pad = Pad::<128, 32, 16>::new();
        let mut steps = pad.steps(span);
        while let Some((from, random, to)) = steps.next_with_extra() {
            store_half(to, pack4(in_order(finished::<CODES>(stochastic::<D>(from, random), &k))));
        }
    }

    /// `.relu` and `.pzo`, if the form has them: some codes become 0.
    #[inline]
    pub fn finished<const CODES: bool>(codes: __m256i, k: &Constants) -> __m256i {
        if !CODES {
            return codes;
        }
        let offset = _mm256_sub_epi8(codes, each_byte(k.zeroed as u8));
        let kept = _mm256_min_epu8(offset, each_byte(k.more_zeroed as u8));
        _mm256_andnot_si256(_mm256_cmpeq_epi8(kept, offset), codes)
    }

    /// 32 signed codes, ordered in halves of 128 bits.
    #[inline]
    fn rounded<const D: usize, const R: u8>(from: &[u8; 128]) -> __m256i {
        let number = |j: usize| limited::<D>(floats(from, j));
        let x = [number(0), number(1), number(2), number(3)];
        let code = |j: usize| codes::<D, R>(x[j]);
        signed::<D>(join::<D>([code(0), code(1), code(2), code(3)]), x)
    }

    /// 32 signed codes with random bits, ordered in halves of 128 bits.
    #[inline]
    fn stochastic<const D: usize>(from: &[u8; 128], random: &[u8; 32]) -> __m256i {
        let number = |j: usize| limited::<D>(floats(from, j));
        let x = [number(0), number(1), number(2), number(3)];
        let random = fields::<D>(load(random));
        let sum = |j: usize| stochastic_sums::<D>(x[j], random[j]);
        signed::<D>(join_sums::<D>([sum(0), sum(1), sum(2), sum(3)]), x)
    }

    /// Eight numbers limited to the range, with their signs. If one operand is NaN, `min` and `max` return
    /// the second one. NaN therefore becomes the last limit: the positive number whose code it gets.
    #[inline]
    fn limited<const D: usize>(x: __m256) -> __m256 {
        let f = const { Small::new::<D>() };
        let number = |bits: u32| _mm256_castsi256_ps(each(bits));
        let (low, high) = (number(f.largest | single::SIGN), number(f.largest));
        if f.nan == f.largest {
            return _mm256_max_ps(_mm256_min_ps(x, high), low);
        }
        _mm256_min_ps(_mm256_max_ps(low, _mm256_min_ps(high, x)), number(f.nan))
    }

    /// Eight codes plus a multiple of their range, in the low words. The sum m + c · 2^(F − P) rounds, and
    /// its exponent counts binades. Its upper word is that exponent, its lower word the count of quanta; a
    /// product of words joins them. Rounding towards zero first truncates normal numbers, and subtracts
    /// nearly half a quantum from subnormal ones, which changes no other number.
    #[inline]
    fn codes<const D: usize, const R: u8>(x: __m256) -> __m256i {
        let f = const { Small::new::<D>() };
        let bits = _mm256_castps_si256(x);
        let c = _mm256_max_epi32(_mm256_and_si256(bits, each(single::INFINITY)), each(f.least));
        let one = _mm256_castsi256_ps(_mm256_add_epi32(c, each(f.quanta)));
        let m = match_mode!(R {
            RN => _mm256_castsi256_ps(_mm256_and_si256(bits, each(single::MAGNITUDE))),
            RZ => {
                let cut = _mm256_castsi256_ps(_mm256_and_si256(bits, each(f.cut)));
                _mm256_sub_ps(cut, _mm256_castsi256_ps(each(f.half)))
            }
        });
        _mm256_madd_epi16(_mm256_castps_si256(_mm256_add_ps(m, one)), each(f.join))
    }

    /// One random field of 16 bits in the low half of each lane. Four elements share a word: its low half,
    /// that reversed, its high half, and that reversed. A shuffle of sixteen bytes reverses nibbles.
    #[inline]
    fn fields<const D: usize>(random: __m256i) -> [__m256i; 4] {
        let is_fp4 = match_format!(D { E2m1 => true, E4m3 | E5m2 | E2m3 | E3m2 => false });
        let (upper, lower) = (shuffle_table(&UPPER_REVERSED), shuffle_table(&LOWER_REVERSED));
        let backwards = shuffle_table(if is_fp4 { &BACKWARDS } else { &REVERSED });
        // Two interleavings work in halves; in this order, their results are contiguous.
        let word = _mm256_permutevar8x32_epi32(random, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
        let back = _mm256_shuffle_epi8(word, backwards);
        let word = if is_fp4 { _mm256_shuffle_epi8(word, shuffle_table(&FORWARDS)) } else { word };
        let low = _mm256_and_si256(back, each_byte(15));
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(back), each_byte(15));
        let back = _mm256_or_si256(_mm256_shuffle_epi8(upper, low), _mm256_shuffle_epi8(lower, high));
        let (first, second) = (_mm256_unpacklo_epi16(word, back), _mm256_unpackhi_epi16(word, back));
        let zero = _mm256_setzero_si256();
        [
            _mm256_unpacklo_epi16(first, zero),
            _mm256_unpackhi_epi16(first, zero),
            _mm256_unpacklo_epi16(second, zero),
            _mm256_unpackhi_epi16(second, zero),
        ]
    }

    /// Eight sums m + 1.5 · c · 2^s with random bits: exponents, and counts of half of the least random
    /// quantum. The bits below are truncated: for normal numbers before the sum; for subnormal ones by
    /// counting in halves, which is a tie only if the count is even.
    #[inline]
    fn stochastic_sums<const D: usize>(x: __m256, random: __m256i) -> __m256i {
        let f = const { Small::new::<D>() };
        let bits = _mm256_castps_si256(x);
        let float = |bits: u32| _mm256_castsi256_ps(each(bits));
        let cut = _mm256_castsi256_ps(_mm256_and_si256(bits, each(f.cut_below_random)));
        let c = _mm256_max_epi32(_mm256_and_si256(bits, each(single::INFINITY)), each(f.least));
        let less = _mm256_sub_ps(cut, float(f.half_counted));
        let sum = _mm256_fmadd_ps(_mm256_castsi256_ps(c), float(f.counting), less);
        _mm256_add_epi32(_mm256_castps_si256(sum), _mm256_add_epi32(random, random))
    }

    /// Packs four registers of such sums to one of codes, in halves: quanta start at bit 17, exponents at bit
    /// 23.
    #[inline]
    fn join_sums<const D: usize>(sums: [__m256i; 4]) -> __m256i {
        let f = const { Small::new::<D>() };
        let codes = |first: __m256i, second: __m256i| {
            let words = _mm256_packus_epi32(_mm256_srli_epi32::<17>(first), _mm256_srli_epi32::<17>(second));
            let quanta = _mm256_and_si256(words, _mm256_set1_epi16(31));
            let exponents = match_const!(Small::new::<D>().fraction, {
                3 => _mm256_srli_epi16::<3>(words),
                2 => _mm256_srli_epi16::<4>(words),
                1 => _mm256_srli_epi16::<5>(words),
            });
            let places = (1_i16 << (f.bits - 1)) - (1 << f.fraction);
            _mm256_add_epi16(quanta, _mm256_and_si256(exponents, _mm256_set1_epi16(places)))
        };
        let codes = _mm256_packus_epi16(codes(sums[0], sums[1]), codes(sums[2], sums[3]));
        let exact = _mm256_sub_epi8(codes, each_byte(f.counted_excess as u8));
        _mm256_and_si256(exact, each_byte((1 << (f.bits - 1)) - 1))
    }

    /// Packs four registers of such words to one of codes, in halves.
    #[inline]
    fn join<const D: usize>(words: [__m256i; 4]) -> __m256i {
        let f = const { Small::new::<D>() };
        let codes = |words: __m256i| {
            let codes = match_const!(Small::new::<D>().fraction, {
                3 => _mm256_srli_epi16::<4>(words),
                2 => _mm256_srli_epi16::<5>(words),
                1 => _mm256_srli_epi16::<6>(words),
            });
            _mm256_and_si256(codes, _mm256_set1_epi16((1 << (f.bits - 1)) - 1))
        };
        let first = codes(_mm256_packs_epi32(words[0], words[1]));
        _mm256_packus_epi16(first, codes(_mm256_packs_epi32(words[2], words[3])))
    }

    /// Adds the signs of the source numbers to their codes, in halves.
    #[inline]
    fn signed<const D: usize>(codes: __m256i, x: [__m256; 4]) -> __m256i {
        // Saturation keeps the sign and moves it to the top bit of the byte.
        let x = x.map(|x| _mm256_castps_si256(x));
        let words = [_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3])];
        with_signs::<D>(codes, _mm256_packs_epi16(words[0], words[1]))
    }

    /// Adds signs, the top bits of bytes, to codes.
    #[inline]
    pub fn with_signs<const D: usize>(codes: __m256i, signs: __m256i) -> __m256i {
        let f = const { Small::new::<D>() };
        let signs = match_const!(Small::new::<D>().bits, {
            8 => signs,
            6 => _mm256_srli_epi16::<2>(signs),
            4 => _mm256_srli_epi16::<4>(signs),
        });
        let signs = _mm256_and_si256(signs, _mm256_set1_epi8((1_u32 << (f.bits - 1)) as u8 as i8));
        _mm256_or_si256(codes, signs)
    }

    /// Two FP4 codes per byte, the first in the low half.
    #[inline]
    pub fn pack4(codes: __m256i) -> __m128i {
        let pairs = _mm256_maddubs_epi16(codes, _mm256_set1_epi16(0x1001));
        _mm_packus_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs))
    }
}
