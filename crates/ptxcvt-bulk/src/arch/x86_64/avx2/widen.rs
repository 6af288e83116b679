//! FP8, FP6 and FP4 to f16 and bf16. Bytes of normal numbers are computed or looked up by a part of the code, others
//! looked up by shuffles of sixteen bytes. Upper and lower bytes are then interleaved.

use core::arch::x86_64::*;

use super::registers::{Pad, each_byte, in_halves, interleaved, load, shuffle_table, store_both};
use crate::arch::find::by_formats;
use crate::arch::need::Conversion;
use crate::arch::tables::table;
use crate::lanes::{float, match_const, match_format, word_of};
use crate::stage::{Run, Span};
use ptxcvt::formats::Format;

const E4M3: usize = Format::E4m3 as usize;
const E5M2: usize = Format::E5m2 as usize;
const F16: usize = Format::F16 as usize;
pub const BF16: usize = Format::Bf16 as usize;

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to) {
        _ if !need.only(&[]) => None,
        (Format::E2m1, _) => find_nibbles(need),
        (Format::E2m3 | Format::E3m2, _) => by_formats!(six, need, [E2m3, E3m2]),
        _ => by_formats!(eight, need, [E4m3, E5m2]),
    }
}

/// The kernels for FP4 only.
pub fn find_nibbles(need: &Conversion) -> Option<Run> {
    if need.only(&[]) { by_formats!(nibbles, need, [E2m1]) } else { None }
}

/// The tables of e4m3 to words of `D`.
struct E4m3<const D: usize>;

impl<const D: usize> E4m3<D> {
    /// The lower bytes of normal numbers, by the last four bits of the next code.
    const LOWER: [u8; 16] = {
        let (codes, mut bytes) = (table::<E4M3, D, 32>(0), [0; 16]);
        let mut code = 16;
        while code < 32 {
            bytes[(code + 1) % 16] = codes[code];
            code += 1;
        }
        bytes
    };
    /// The upper bytes of normal numbers of bf16, by the first four bits of the code.
    const UPPER: [u8; 16] = {
        let mut bytes = [0; 16];
        let mut top = 0;
        while top < 16 {
            bytes[top] = (word_of::<E4M3, D>((top << 4 | 8) as u8) >> 8) as u8;
            top += 1;
        }
        bytes
    };
    /// For f16: added to the next magnitude, and halved, it gives the exponent's new bias.
    const BIAS: u8 = ((float::<D>().1 - float::<E4M3>().1) as u8).wrapping_mul(8).wrapping_sub(2);

    /// The difference of the lower (`which` = 0) or upper (1) bytes of NaN and of subnormal numbers from what they
    /// would be if the code were normal: NaN's is at 7, those of subnormal numbers from 8 on.
    const fn special(which: usize) -> [u8; 16] {
        let mut bytes = [0; 16];
        let mut at = 7;
        while at < 16 {
            let code = if at == 7 { 0x7f } else { at as u8 - 8 };
            let next = (code + 1) & 0x7f;
            let normal = match (which, Format::ALL[D]) {
                (0, _) => Self::LOWER[next as usize % 16],
                (_, Format::F16) => (next + Self::BIAS + 1) >> 1,
                _ => Self::UPPER[code as usize >> 4],
            };
            bytes[at] = normal ^ word_of::<E4M3, D>(code).to_le_bytes()[which];
            at += 1;
        }
        bytes
    }
}

/// What FP6 adds for the upper byte of f16: subnormal numbers, and from the least normal one on.
const fn terms<const S: usize>() -> [u8; 16] {
    let mut bytes = table::<S, F16, 16>(1);
    let mut code = 0;
    while code < 16 {
        let moved = if float::<S>().0 == 3 { (code as u8 >> 1) + 1 } else { code as u8 };
        bytes[code] = bytes[code].wrapping_sub(moved);
        code += 1;
    }
    bytes
}

/// The bytes of sixteen FP6 codes from `first` on; see [`table`].
const fn sixteen<const S: usize, const D: usize>(which: usize, first: usize) -> [u8; 16] {
    let (codes, mut bytes) = (table::<S, D, 32>(which), [0; 16]);
    let mut code = 0;
    while code < 16 {
        bytes[code] = codes[first + code];
        code += 1;
    }
    bytes
}

crate::avx2! {
    fn eight<const S: usize, const D: usize>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let [lower, upper] = bytes_of_eight::<S, D>(in_halves(load(from)));
            store_both(to, interleaved(lower, upper));
        }
    }

    fn six<const S: usize, const D: usize>(span: Span<'_>) {
        let mut pad = Pad::<32, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let [lower, upper] = bytes_of_six::<S, D>(in_halves(load(from)));
            store_both(to, interleaved(lower, upper));
        }
    }

    /// The lower and the upper bytes of 32 codes of FP8 as words.
    #[inline]
    pub fn bytes_of_eight<const S: usize, const D: usize>(codes: __m256i) -> [__m256i; 2] {
        match_const!((Format::ALL[S], Format::ALL[D]), {
            (Format::E4m3, Format::F16 | Format::Bf16) => e4m3::<D>(codes),
            (Format::E5m2, Format::F16) => e5m2_to_f16(codes),
            (Format::E5m2, Format::Bf16) => e5m2_to_bf16(codes),
        })
    }

    /// The lower and the upper bytes of 32 codes of FP6 as words.
    #[inline]
    pub fn bytes_of_six<const S: usize, const D: usize>(codes: __m256i) -> [__m256i; 2] {
        match_format!(D { F16 => six_to_f16::<S>(codes), Bf16 => six_to_bf16::<S>(codes) })
    }

    /// e4m3 to f16 and bf16. The bytes of a normal number are computed; those of others differ from them by what a
    /// shuffle looks up, which gives 0 where the top bit of the index is set.
    #[inline]
    fn e4m3<const D: usize>(codes: __m256i) -> [__m256i; 2] {
        // The sum changes the sign of NaN, and no other one. Without it, NaN is 0, and subnormal numbers are 1 to 8.
        let next = _mm256_add_epi8(codes, each_byte(1));
        let magnitude = _mm256_and_si256(next, each_byte(0x7f));
        let special = _mm256_add_epi8(magnitude, each_byte(0x77));
        let looked_up = |bytes: &[u8; 16], index: __m256i| _mm256_shuffle_epi8(shuffle_table(bytes), index);
        let lower = _mm256_xor_si256(
            looked_up(const { &E4m3::<D>::LOWER }, magnitude),
            looked_up(const { &E4m3::<D>::special(0) }, special),
        );
        let change = looked_up(const { &E4m3::<D>::special(1) }, special);
        let upper = match_format!(D {
            F16 => {
                // The exponent and two fraction bits; the average adds 1 before it halves.
                let upper = _mm256_xor_si256(_mm256_avg_epu8(magnitude, each_byte(E4m3::<D>::BIAS)), change);
                let sign = _mm256_and_si256(_mm256_and_si256(codes, next), each_byte(0x80));
                _mm256_or_si256(upper, sign)
            },
            Bf16 => {
                // The sign and three bits of the exponent.
                let top = _mm256_and_si256(_mm256_srli_epi16::<4>(codes), each_byte(15));
                let upper = _mm256_xor_si256(looked_up(const { &E4m3::<D>::UPPER }, top), change);
                _mm256_and_si256(upper, _mm256_or_si256(next, each_byte(0x7f)))
            },
        });
        [lower, upper]
    }

    /// e5m2 is the upper byte of f16, except for NaN.
    #[inline]
    fn e5m2_to_f16(codes: __m256i) -> [__m256i; 2] {
        let nan = _mm256_cmpgt_epi8(_mm256_and_si256(codes, each_byte(0x7f)), each_byte(0x7c));
        // Among magnitudes, compared as signed bytes, those of NaN are the greatest.
        [nan, _mm256_or_si256(_mm256_andnot_si256(nan, codes), _mm256_and_si256(nan, each_byte(0x7f)))]
    }

    /// A normal code is shifted right by the difference in fraction widths; only the upper byte needs the new bias.
    #[inline]
    fn e5m2_to_bf16(codes: __m256i) -> [__m256i; 2] {
        let (fraction, bias) = const { float::<E5M2>() };
        let small_upper = shuffle_table(const { &table::<E5M2, BF16, 16>(1) });
        let small_lower = shuffle_table(const { &table::<E5M2, BF16, 16>(0) });
        let m = _mm256_and_si256(codes, each_byte(0x7f));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<3>(m), each_byte(0x7f >> (fraction + 1)));
        let upper = _mm256_add_epi8(upper, each_byte(((127 - bias) >> 1) as u8));
        let lower = _mm256_and_si256(_mm256_slli_epi16::<5>(m), each_byte(0xff << (7 - fraction)));
        let small = _mm256_cmpgt_epi8(each_byte(1 << fraction), m);
        let upper = _mm256_blendv_epi8(upper, _mm256_shuffle_epi8(small_upper, m), small);
        let lower = _mm256_blendv_epi8(lower, _mm256_shuffle_epi8(small_lower, m), small);
        // The largest finite magnitude, and the largest that is not NaN.
        let beyond = _mm256_cmpgt_epi8(m, each_byte(0x7b));
        let nan = _mm256_cmpgt_epi8(m, each_byte(0x7c));
        let upper = _mm256_or_si256(upper, _mm256_and_si256(beyond, each_byte(0x7f)));
        let sign = _mm256_andnot_si256(nan, _mm256_and_si256(codes, each_byte(0x80)));
        [_mm256_or_si256(lower, nan), _mm256_or_si256(upper, sign)]
    }

    /// FP6 to f16. The upper byte of a normal number is its code without the bits that are in the lower byte, plus a
    /// constant; a shuffle looks up that constant, and the terms of subnormal numbers.
    #[inline]
    fn six_to_f16<const S: usize>(codes: __m256i) -> [__m256i; 2] {
        let m = _mm256_and_si256(codes, each_byte(31));
        let least = each_byte(1 << float::<S>().0);
        let term = _mm256_shuffle_epi8(shuffle_table(const { &terms::<S>() }), _mm256_min_epu8(m, least));
        let sign = _mm256_and_si256(_mm256_slli_epi16::<2>(codes), each_byte(0x80));
        let (lower, moved) = match_format!(S {
            // The lower byte has one bit of the fraction, and is 0 for subnormal numbers, as for the least normal one.
            E2m3 => {
                let table = shuffle_table(const { &sixteen::<S, F16>(0, 16) });
                // Half of m, plus 1.
                (_mm256_shuffle_epi8(table, _mm256_max_epu8(m, least)), _mm256_avg_epu8(m, each_byte(1)))
            },
            E3m2 => (_mm256_setzero_si256(), m),
        });
        [lower, _mm256_or_si256(_mm256_add_epi8(moved, term), sign)]
    }

    /// FP6 to bf16. FP6 has 32 magnitudes; each of two tables holds sixteen. A shuffle gives 0 where the top bit of the
    /// index is set.
    #[inline]
    fn six_to_bf16<const S: usize>(codes: __m256i) -> [__m256i; 2] {
        let first = _mm256_add_epi8(_mm256_and_si256(codes, each_byte(31)), each_byte(0x70));
        let second = _mm256_xor_si256(first, each_byte(0x80));
        let looked_up = |[low, high]: [&[u8; 16]; 2]| {
            let low = _mm256_shuffle_epi8(shuffle_table(low), first);
            _mm256_or_si256(low, _mm256_shuffle_epi8(shuffle_table(high), second))
        };
        let lower = looked_up(const { [&sixteen::<S, BF16>(0, 0), &sixteen::<S, BF16>(0, 16)] });
        let moved = _mm256_slli_epi16::<2>(codes);
        let upper = match_format!(S {
            // From the second table on, the exponent has one more bit, which is that of the code, and no others.
            E2m3 => {
                let low = shuffle_table(const { &sixteen::<S, BF16>(1, 0) });
                _mm256_or_si256(_mm256_shuffle_epi8(low, first), _mm256_and_si256(moved, each_byte(0xc0)))
            },
            E3m2 => {
                let upper = looked_up(const { [&sixteen::<S, BF16>(1, 0), &sixteen::<S, BF16>(1, 16)] });
                _mm256_or_si256(upper, _mm256_and_si256(moved, each_byte(0x80)))
            },
        });
        [lower, upper]
    }

    /// 32 pairs of FP4 codes: split, ordered, looked up, interleaved.
    fn nibbles<const S: usize, const D: usize>(span: Span<'_>) {
        let low = shuffle_table(const { &table::<S, D, 16>(0) });
        let high = shuffle_table(const { &table::<S, D, 16>(1) });
        // Two interleavings work in halves; in this order, their results are contiguous.
        let order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        let mut pad = Pad::<32, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let pairs = _mm256_permutevar8x32_epi32(load(from), order);
            let even = _mm256_and_si256(pairs, each_byte(15));
            let odd = _mm256_and_si256(_mm256_srli_epi16::<4>(pairs), each_byte(15));
            let (first, second) = to.split_at_mut(64);
            for (codes, to) in interleaved(even, odd).into_iter().zip([first, second]) {
                let lower = match_format!(D {
                    // All lower bytes are 0.
                    F16 => _mm256_setzero_si256(),
                    Bf16 => _mm256_shuffle_epi8(low, codes),
                });
                let upper = _mm256_shuffle_epi8(high, codes);
                if let Ok(to) = to.try_into() {
                    store_both(to, interleaved(lower, upper));
                }
            }
        }
    }
}
