//! f32 to FP8, FP6 and FP4: 32 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use super::super::find::small_by_need;
use super::registers::{each, floats, in_order, load_half, store, store_half};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::narrow::{Narrow8, Stochastic8};
use crate::bulk::arch::small::{Small, TwoToAByte};
use crate::bulk::features;
use crate::bulk::lanes::{mode, single};
use crate::bulk::stage::{Kernel, Span, Stage, elements};

pub fn find(need: &Conversion) -> Option<Stage> {
    small_by_need!(need, E4m3 E5m2 E2m3 E3m2 E2m1)
}

features::avx2! {
    fn narrow8<const D: usize, const R: u8>(span: Span<'_>) {
        let (steps, rest) = span.steps::<128, 32>();
        for (from, to) in steps {
            store(to, rounded::<D, R>(from));
        }
        Narrow8::<D, R, true>::run(rest);
    }

    fn narrow4<const D: usize, const R: u8>(span: Span<'_>) {
        let (steps, rest) = span.steps::<128, 16>();
        for (from, to) in steps {
            store_half(to, pack4(rounded::<D, R>(from)));
        }
        TwoToAByte::<Narrow8<D, R, true>>::run(rest);
    }

    fn stochastic8<const D: usize>(span: Span<'_>) {
        let (steps, rest) = span.steps_with_extra::<128, 64, 32>();
        for (from, random, to) in steps {
            store(to, stochastic::<D>(from, random));
        }
        Stochastic8::<D>::run(rest);
    }

    fn stochastic4<const D: usize>(span: Span<'_>) {
        let (steps, rest) = span.steps_with_extra::<128, 64, 16>();
        for (from, random, to) in steps {
            store_half(to, pack4(stochastic::<D>(from, random)));
        }
        TwoToAByte::<Stochastic8<D>>::run(rest);
    }

    /// 32 signed codes.
    #[inline]
    fn rounded<const D: usize, const R: u8>(from: &[u8; 128]) -> __m256i {
        let number = |j: usize| limited::<D>(floats(from, j));
        let x = [number(0), number(1), number(2), number(3)];
        let code = |j: usize| codes::<D, R>(x[j]);
        signed::<D>(join::<D>([code(0), code(1), code(2), code(3)]), x)
    }

    /// 32 signed codes, with random bits.
    #[inline]
    fn stochastic<const D: usize>(from: &[u8; 128], random: &[u8; 64]) -> __m256i {
        let number = |j: usize| limited::<D>(floats(from, j));
        let x = [number(0), number(1), number(2), number(3)];
        let code = |j: usize| stochastic_codes::<D>(x[j], load_half(&elements::<16>(random)[j]));
        let excess = const { Small::new::<D>().stochastic_excess };
        signed::<D>(low_bytes([code(0), code(1), code(2), code(3)], excess), x)
    }

    /// Eight numbers within the range, with their signs. `min` and `max` return their second operand where one is
    /// NaN, which carries NaN to the last limit: the number whose code it takes, positive.
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

    /// Eight codes plus a multiple of their range, in the low words: m + c · 2^(F − P) rounds, and the exponent of the
    /// sum counts binades. Its upper word is that exponent, its lower word the count of quanta; a product of words
    /// joins them. Towards zero, what a normal number drops is cut off first, and of subnormal ones nearly half a
    /// quantum is taken, which no larger quantum notices.
    #[inline]
    fn codes<const D: usize, const R: u8>(x: __m256) -> __m256i {
        let f = const { Small::new::<D>() };
        let bits = _mm256_castps_si256(x);
        let c = _mm256_max_epi32(_mm256_and_si256(bits, each(single::INFINITY)), each(f.least));
        let one = _mm256_castsi256_ps(_mm256_add_epi32(c, each(f.quanta)));
        let m = if R == mode::RN {
            _mm256_castsi256_ps(_mm256_and_si256(bits, each(single::MAGNITUDE)))
        } else {
            let cut = _mm256_castsi256_ps(_mm256_and_si256(bits, each(f.cut)));
            _mm256_sub_ps(cut, _mm256_castsi256_ps(each(f.half)))
        };
        _mm256_madd_epi16(_mm256_castps_si256(_mm256_add_ps(m, one)), each(f.join))
    }

    /// Eight codes under `.rs`, plus an excess, in the low bytes.
    #[inline]
    fn stochastic_codes<const D: usize>(x: __m256, random: __m128i) -> __m256i {
        let f = const { Small::new::<D>() };
        let random = _mm256_cvtepu16_epi32(random);
        let m = _mm256_and_si256(_mm256_castps_si256(x), each(single::MAGNITUDE));
        let normal = match f.fraction {
            3 => _mm256_srli_epi32::<20>(_mm256_add_epi32(m, _mm256_slli_epi32::<4>(random))),
            2 => _mm256_srli_epi32::<21>(_mm256_add_epi32(m, _mm256_slli_epi32::<5>(random))),
            _ => _mm256_srli_epi32::<22>(_mm256_add_epi32(m, _mm256_slli_epi32::<6>(random))),
        };
        let small = _mm256_cmpgt_epi32(each(f.least), m);
        let (m, one) = (_mm256_castsi256_ps(m), _mm256_castsi256_ps(each(f.one)));
        let t = _mm256_add_ps(m, one);
        let above = _mm256_cmp_ps::<_CMP_GT_OQ>(_mm256_sub_ps(t, one), m);
        let cut = _mm256_add_epi32(_mm256_castps_si256(t), _mm256_castps_si256(above));
        // What the two kinds of codes are too large by differs; the difference lies above the random bits.
        let difference = each(f.stochastic_excess.wrapping_sub(f.one >> 16) << 16);
        let sum = _mm256_add_epi32(_mm256_add_epi32(cut, difference), random);
        _mm256_blendv_epi8(normal, _mm256_srli_epi32::<16>(sum), small)
    }

    /// Four registers of such words to one of codes, in halves.
    #[inline]
    fn join<const D: usize>(words: [__m256i; 4]) -> __m256i {
        let f = const { Small::new::<D>() };
        let codes = |words: __m256i| {
            let codes = match f.fraction {
                3 => _mm256_srli_epi16::<4>(words),
                2 => _mm256_srli_epi16::<5>(words),
                _ => _mm256_srli_epi16::<6>(words),
            };
            _mm256_and_si256(codes, _mm256_set1_epi16((1 << (f.bits - 1)) - 1))
        };
        let first = codes(_mm256_packs_epi32(words[0], words[1]));
        _mm256_packus_epi16(first, codes(_mm256_packs_epi32(words[2], words[3])))
    }

    /// The low bytes of four registers, in halves, less the excess.
    #[inline]
    fn low_bytes(codes: [__m256i; 4], excess: u32) -> __m256i {
        let low = |code: __m256i| _mm256_and_si256(code, _mm256_set1_epi32(0xff));
        let first = _mm256_packus_epi32(low(codes[0]), low(codes[1]));
        let second = _mm256_packus_epi32(low(codes[2]), low(codes[3]));
        _mm256_sub_epi8(_mm256_packus_epi16(first, second), _mm256_set1_epi8(excess as i8))
    }

    /// Codes in halves and the signs of the numbers that they came from, in order.
    #[inline]
    fn signed<const D: usize>(codes: __m256i, x: [__m256; 4]) -> __m256i {
        // Saturation keeps the sign and makes it the top bit of the byte.
        let x = x.map(|x| _mm256_castps_si256(x));
        let words = [_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3])];
        in_order(with_signs::<D>(codes, _mm256_packs_epi16(words[0], words[1])))
    }

    /// Codes and, from the top bits of bytes, their signs.
    #[inline]
    pub fn with_signs<const D: usize>(codes: __m256i, signs: __m256i) -> __m256i {
        let f = const { Small::new::<D>() };
        let signs = match f.bits {
            8 => signs,
            6 => _mm256_srli_epi16::<2>(signs),
            _ => _mm256_srli_epi16::<4>(signs),
        };
        let signs = _mm256_and_si256(signs, _mm256_set1_epi8((1_u32 << (f.bits - 1)) as u8 as i8));
        _mm256_or_si256(codes, signs)
    }

    /// Two FP4 codes to a byte, the first one low.
    #[inline]
    pub fn pack4(codes: __m256i) -> __m128i {
        let pairs = _mm256_maddubs_epi16(codes, _mm256_set1_epi16(0x1001));
        _mm_packus_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs))
    }
}
