//! f32 to FP8, FP6 and FP4: 64 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use super::super::avx512::registers::{floats, load_half, store, store_half};
use super::super::find::small_by_need;
use super::permutations::{LOW_BYTES, ORDER, PAIRS_ORDER, TOP_BYTES, permutation};
use crate::bulk::arch::Conversion;
use crate::bulk::arch::generic::narrow::{Narrow8, Stochastic8};
use crate::bulk::arch::small::{Small, TwoToAByte};
use crate::bulk::features;
use crate::bulk::lanes::{mode, single};
use crate::bulk::stage::{Kernel, Span, Stage, elements};

pub fn find(need: &Conversion) -> Option<Stage> {
    small_by_need!(need, E4m3 E5m2 E2m3 E3m2 E2m1)
}

/// The constants of a format, in registers.
#[derive(Clone, Copy)]
struct Registers {
    largest: __m512,
    lowest: __m512,
    nan: __m512,
    /// Sign and exponent.
    exponent: __m512i,
    least: __m512i,
    quanta: __m512i,
    one: __m512,
    sign: __m512i,
    low_bytes: __m512i,
    top_bytes: __m512i,
    place: __m512i,
    /// What multiplies the words of a sum, and which bits of the products become codes and signs, in which order.
    join: __m512i,
    code_bits: __m512i,
    sign_bits: __m512i,
    signs: __m512i,
    order: __m512i,
    stochastic_excess: __m512i,
    difference: __m512i,
}

features::avx512vbmi! {
    fn narrow8<const D: usize, const R: u8>(span: Span<'_>) {
        let r = &registers::<D>(false);
        let (steps, rest) = span.steps::<256, 64>();
        for (from, to) in steps {
            store(to, _mm512_permutexvar_epi8(r.order, rounded::<D, R>(from, r)));
        }
        Narrow8::<D, R, true>::run(rest);
    }

    fn narrow4<const D: usize, const R: u8>(span: Span<'_>) {
        let r = &registers::<D>(true);
        let (steps, rest) = span.steps::<256, 32>();
        for (from, to) in steps {
            let bytes = _mm512_permutexvar_epi8(r.order, pairs(rounded::<D, R>(from, r)));
            store_half(to, _mm512_castsi512_si256(bytes));
        }
        TwoToAByte::<Narrow8<D, R, true>>::run(rest);
    }

    fn stochastic8<const D: usize>(span: Span<'_>) {
        let r = &registers::<D>(false);
        let (steps, rest) = span.steps_with_extra::<256, 128, 64>();
        for (from, random, to) in steps {
            store(to, stochastic::<D>(from, random, r));
        }
        Stochastic8::<D>::run(rest);
    }

    fn stochastic4<const D: usize>(span: Span<'_>) {
        let r = &registers::<D>(true);
        let (steps, rest) = span.steps_with_extra::<256, 128, 32>();
        for (from, random, to) in steps {
            store_half(to, _mm512_cvtepi16_epi8(pairs(stochastic::<D>(from, random, r))));
        }
        TwoToAByte::<Stochastic8<D>>::run(rest);
    }

    /// 64 signed codes, in groups of four that `order` puts in order.
    #[inline]
    fn rounded<const D: usize, const R: u8>(from: &[u8; 256], r: &Registers) -> __m512i {
        let code = |j: usize| codes::<D, R>(floats(from, j), r);
        join([code(0), code(1), code(2), code(3)], r)
    }

    /// 64 signed codes, with random bits.
    #[inline]
    fn stochastic<const D: usize>(from: &[u8; 256], random: &[u8; 128], r: &Registers) -> __m512i {
        let code = |j: usize| {
            stochastic_codes::<D>(floats(from, j), load_half(&elements::<32>(random)[j]), r)
        };
        pack::<D>([code(0), code(1), code(2), code(3)], r.stochastic_excess, r)
    }

    fn registers<const D: usize>(packed: bool) -> Registers {
        let f = const { Small::new::<D>() };
        Registers {
            largest: _mm512_castsi512_ps(_mm512_set1_epi32(f.largest as i32)),
            lowest: _mm512_castsi512_ps(_mm512_set1_epi32((f.largest | single::SIGN) as i32)),
            nan: _mm512_castsi512_ps(_mm512_set1_epi32(f.nan as i32)),
            exponent: _mm512_set1_epi32((single::SIGN | single::INFINITY) as i32),
            least: _mm512_set1_epi32(f.least as i32),
            quanta: _mm512_set1_epi32(f.quanta as i32),
            one: _mm512_castsi512_ps(_mm512_set1_epi32(f.one as i32)),
            sign: _mm512_set1_epi32(i32::MIN),
            low_bytes: permutation(&LOW_BYTES),
            top_bytes: permutation(&TOP_BYTES),
            place: _mm512_set1_epi8((1_u32 << (f.bits - 1)) as u8 as i8),
            join: _mm512_set1_epi32(f.join as i32),
            // Bytes 0 to 3 of eight come from the four words of one operand, 4 to 7 from those of the other.
            code_bits: _mm512_set1_epi64(
                (0x3020_1000_3020_1000 + 0x0101_0101_0101_0101 * u64::from(7 - f.fraction)) as i64,
            ),
            sign_bits: _mm512_set1_epi64(
                (0x3020_1000_3020_1000 + 0x0101_0101_0101_0101 * u64::from(16 - f.bits)) as i64,
            ),
            signs: _mm512_set1_epi8((!0_u32 << (f.bits - 1)) as u8 as i8),
            order: permutation(if packed { &PAIRS_ORDER } else { &ORDER }),
            stochastic_excess: _mm512_set1_epi8(f.stochastic_excess as i8),
            difference: _mm512_set1_epi32((f.stochastic_excess as i32) - ((f.one >> 16) as i32)),
        }
    }

    /// Sixteen numbers within the range, with their signs; NaN becomes the positive number whose code it has.
    #[inline]
    fn limited<const D: usize>(x: __m512, r: &Registers) -> __m512 {
        if const { Small::new::<D>().nan == Small::new::<D>().largest } {
            // Of a NaN and a number, `min` returns its second operand.
            return _mm512_max_ps(_mm512_min_ps(x, r.largest), r.lowest);
        }
        let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
        // The lesser magnitude (2), with the sign of x (0 << 2).
        _mm512_mask_range_ps::<0b0010>(r.nan, number, x, r.largest)
    }

    /// Sixteen signs and codes plus a multiple of their range, as words that are sign-extended: m + c · 2^(F − P)
    /// rounds, and the exponent of the sum counts binades. Numbers and powers carry the sign, so that the sum does.
    /// Its upper word is sign and exponent, its lower word the count of quanta; a product of words joins them.
    #[inline]
    fn codes<const D: usize, const R: u8>(x: __m512, r: &Registers) -> __m512i {
        let number = limited::<D>(x, r);
        let power = _mm512_and_ps(number, _mm512_castsi512_ps(r.exponent));
        // The greater magnitude (3), with the sign of the first (0 << 2).
        let power = _mm512_castps_si512(_mm512_range_ps::<0b0011>(power, _mm512_castsi512_ps(r.least)));
        let one = _mm512_castsi512_ps(_mm512_add_epi32(power, r.quanta));
        let t = match R {
            mode::RZ => _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(number, one),
            _ => _mm512_add_ps(number, one),
        };
        _mm512_madd_epi16(_mm512_castps_si512(t), r.join)
    }

    /// Four registers of such words to one of codes, in groups of four that `order` puts in order.
    #[inline]
    fn join(words: [__m512i; 4], r: &Registers) -> __m512i {
        let first = _mm512_packs_epi32(words[0], words[1]);
        let second = _mm512_packs_epi32(words[2], words[3]);
        let choose = |bits| {
            let half = _mm512_multishift_epi64_epi8(bits, first);
            _mm512_mask_multishift_epi64_epi8(half, 0xf0f0_f0f0_f0f0_f0f0, bits, second)
        };
        // Above the sign's bit come the low bits of another word, which are 0: signs ? sign : code.
        _mm512_ternarylogic_epi32::<0xca>(r.signs, choose(r.sign_bits), choose(r.code_bits))
    }

    /// Sixteen codes under `.rs`, plus an excess, in the low bytes, and the signs in the top ones.
    #[inline]
    fn stochastic_codes<const D: usize>(x: __m512, random: __m256i, r: &Registers) -> __m512i {
        let number = _mm512_castps_si512(limited::<D>(x, r));
        let random = _mm512_cvtepu16_epi32(random);
        let bits = _mm512_andnot_si512(r.sign, number);
        let normal = match const { Small::new::<D>().fraction } {
            3 => _mm512_srli_epi32::<20>(_mm512_add_epi32(bits, _mm512_slli_epi32::<4>(random))),
            2 => _mm512_srli_epi32::<21>(_mm512_add_epi32(bits, _mm512_slli_epi32::<5>(random))),
            _ => _mm512_srli_epi32::<22>(_mm512_add_epi32(bits, _mm512_slli_epi32::<6>(random))),
        };
        let small = _mm512_cmplt_epu32_mask(bits, r.least);
        let cut =
            _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(_mm512_castsi512_ps(bits), r.one);
        let sum = _mm512_add_epi32(_mm512_castps_si512(cut), random);
        let code = _mm512_mask_srli_epi32::<16>(normal, small, sum);
        let code = _mm512_mask_add_epi32(code, small, code, r.difference);
        // The sign joins in the top byte: code | (number & sign).
        _mm512_ternarylogic_epi32::<0xf8>(code, number, r.sign)
    }

    /// Four registers to one: their low bytes, less the excess, with the signs from their top bytes.
    #[inline]
    fn pack<const D: usize>(codes: [__m512i; 4], excess: __m512i, r: &Registers) -> __m512i {
        let bytes = |which| {
            let first = _mm512_permutex2var_epi8(codes[0], which, codes[1]);
            let second = _mm512_permutex2var_epi8(codes[2], which, codes[3]);
            _mm512_inserti64x4::<1>(first, _mm512_castsi512_si256(second))
        };
        let exact = _mm512_sub_epi8(bytes(r.low_bytes), excess);
        let signs = match const { Small::new::<D>().bits } {
            8 => bytes(r.top_bytes),
            6 => _mm512_srli_epi16::<2>(bytes(r.top_bytes)),
            _ => _mm512_srli_epi16::<4>(bytes(r.top_bytes)),
        };
        _mm512_ternarylogic_epi32::<0xf8>(exact, signs, r.place) // exact | (signs & place)
    }

    /// Two FP4 codes to a byte, the first one low: the low bytes of words.
    #[inline]
    fn pairs(codes: __m512i) -> __m512i {
        _mm512_maddubs_epi16(codes, _mm512_set1_epi16(0x1001))
    }
}
