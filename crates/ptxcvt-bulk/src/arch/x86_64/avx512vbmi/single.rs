//! FP8, FP6, FP4 and ue8m0 to f32. The results equal those of converting to f16 (ue8m0: bf16) first. Byte permutes look
//! up the upper two bytes of the results, which are bf16 numbers. The lower two are zeros, or ones for NaN. The
//! exponent of a power of two is its code, shifted.

use core::arch::x86_64::*;

use super::super::avx512::registers::{Pad, load, load_half, load_quarter, store};
use super::permutations::{WORDS_ORDER, permutation};
use crate::arch::find::pick;
use crate::arch::need::Conversion;
use crate::arch::tables::table;
use crate::lanes::{match_format, single};
use crate::stage::{Run, Span, elements, elements_mut};
use ptxcvt::formats::Format::{self, E2m1, E2m3, E3m2, E4m3, E5m2, Ue8m0};

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to, need.packed) {
        _ if !need.only(&[]) => None,
        (E2m1, Format::F32, true) => Some(nibbles),
        (Ue8m0, Format::F32, _) => Some(powers),
        (_, Format::F32, _) => {
            pick!(S: Format = need.from, [E4m3, E5m2, E2m3, E3m2, E2m1] => Some(bytes::<{ S as usize }> as Run))
        }
        _ => None,
    }
}

const BF16: usize = Format::Bf16 as usize;

crate::avx512vbmi! {
    fn bytes<const S: usize>(span: Span<'_>) {
        // The index has seven bits: the magnitude of FP8, the whole code of FP6 and FP4.
        let both = |table: &[u8; 128]| [load(&elements::<64>(table)[0]), load(&elements::<64>(table)[1])];
        let low = both(const { &table::<S, BF16, 128>(0) });
        let high = both(const { &table::<S, BF16, 128>(1) });
        // By class, four bits each: NaN become the first operand (0), all others the second (1).
        let nan = _mm512_castsi512_ps(_mm512_set1_epi32(single::NAN as i32));
        let replaced = _mm512_set1_epi32(0x1111_1100);
        let order = permutation(&WORDS_ORDER);
        let sign = _mm512_set1_epi8(i8::MIN);
        let mut pad = Pad::<64, 0, 256>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = _mm512_permutexvar_epi8(order, load(from));
            let (lower, upper) = match_format!(S {
                E4m3 | E5m2 => {
                    let upper = _mm512_permutex2var_epi8(high[0], codes, high[1]);
                    // upper | (codes & sign)
                    let upper = _mm512_ternarylogic_epi64::<0xf8>(upper, codes, sign);
                    (_mm512_permutex2var_epi8(low[0], codes, low[1]), upper)
                },
                // A permute of one register uses six bits of the index.
                E2m3 | E3m2 | E2m1 => {
                    (_mm512_permutexvar_epi8(codes, low[0]), _mm512_permutexvar_epi8(codes, high[0]))
                },
            });
            let number = |bits: __m512i| match_format!(S {
                // NaN has no sign, and ones below.
                E4m3 | E5m2 => {
                    _mm512_castps_si512(_mm512_fixupimm_ps::<0>(nan, _mm512_castsi512_ps(bits), replaced))
                },
                E2m3 | E3m2 | E2m1 => bits,
            });
            let words = [_mm512_unpacklo_epi8(lower, upper), _mm512_unpackhi_epi8(lower, upper)];
            store_numbers(to, words, number);
        }
    }

    /// Stores the numbers whose upper halves are the even words of the first register, its odd words, and then those of the
    /// second one.
    #[inline]
    fn store_numbers(to: &mut [u8; 256], words: [__m512i; 2], number: impl Fn(__m512i) -> __m512i) {
        let to = elements_mut::<64>(to);
        let upper_half = _mm512_set1_epi32(!0 << 16);
        for (half, words) in words.into_iter().enumerate() {
            store(&mut to[2 * half], number(_mm512_slli_epi32::<16>(words)));
            store(&mut to[2 * half + 1], number(_mm512_and_si512(words, upper_half)));
        }
    }

    /// 32 pairs of FP4 codes, as bytes of their own first.
    fn nibbles(span: Span<'_>) {
        const S: usize = E2m1 as usize;
        let first = |table: &[u8; 128]| load(&elements::<64>(table)[0]);
        let low = first(const { &table::<S, BF16, 128>(0) });
        let high = first(const { &table::<S, BF16, 128>(1) });
        let order = permutation(&WORDS_ORDER);
        let low_half = _mm512_set1_epi8(15);
        let mut pad = Pad::<32, 0, 256>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let pairs = _mm512_cvtepu8_epi16(load_half(from));
            let codes = _mm512_or_si512(pairs, _mm512_slli_epi16::<4>(pairs));
            let codes = _mm512_and_si512(_mm512_permutexvar_epi8(order, codes), low_half);
            let lower = _mm512_permutexvar_epi8(codes, low);
            let upper = _mm512_permutexvar_epi8(codes, high);
            let words = [_mm512_unpacklo_epi8(lower, upper), _mm512_unpackhi_epi8(lower, upper)];
            store_numbers(to, words, |bits| bits);
        }
    }

    /// Converts sixteen exponents. 2^-127 is a subnormal f32. NaN has the bits that bf16's NaN widens to.
    fn powers(span: Span<'_>) {
        const NAN_BELOW: i32 = 0x007f_0000;
        let least = _mm512_set1_epi32(single::LEAST_POWER as i32);
        let infinity = _mm512_set1_epi32(single::INFINITY as i32);
        let mut pad = Pad::<16, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let shifted = _mm512_slli_epi32::<23>(_mm512_cvtepu8_epi32(load_quarter(from)));
            let nan = _mm512_cmpeq_epi32_mask(shifted, infinity);
            let power = _mm512_max_epu32(shifted, least);
            store(to, _mm512_mask_or_epi32(power, nan, power, _mm512_set1_epi32(NAN_BELOW)));
        }
    }
}
