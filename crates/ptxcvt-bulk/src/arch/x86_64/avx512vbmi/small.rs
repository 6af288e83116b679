//! f32 to FP8, FP6 and FP4: 64 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use super::super::avx512::registers::{Pad, floats, load, store, store_half};
use super::permutations::{
    ORDER, PAIRS_ORDER, RANDOM_BYTES, RANDOM_BYTES_FP4, RANDOM_ORDER, RANDOM_PAIRS_ORDER, permutation,
};
use crate::arch::find::{small_by_need, stochastic_by_need};
use crate::arch::need::Conversion;
use crate::arch::small::Small;
use crate::constants::Constants;
use crate::lanes::{match_format, match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    small_by_need!(need).or_else(|| stochastic_by_need!(need))
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
    /// Multiplies the words of a sum; and the selections of the product's bits that become codes and signs,
    /// and their order.
    join: __m512i,
    code_bits: __m512i,
    sign_bits: __m512i,
    signs: __m512i,
    order: __m512i,
    /// The codes that become 0.
    zeroed: __m512i,
    more_zeroed: __m512i,
}

crate::avx512vbmi! {
    fn narrow8<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let r = &registers::<D>(&ORDER, span.constants);
        let mut pad = Pad::<256, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = finished::<CODES>(rounded::<D, R>(from, r), r);
            store(to, _mm512_permutexvar_epi8(r.order, codes));
        }
    }

    fn narrow4<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
        let r = &registers::<D>(&PAIRS_ORDER, span.constants);
        let mut pad = Pad::<256, 0, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = finished::<CODES>(rounded::<D, R>(from, r), r);
            // Two codes per byte, the first in the low half.
            let pairs = _mm512_maddubs_epi16(codes, _mm512_set1_epi16(0x1001));
            store_half(to, _mm512_castsi512_si256(_mm512_permutexvar_epi8(r.order, pairs)));
        }
    }

    fn stochastic8<const D: usize, const CODES: bool>(span: Span<'_>) {
        let r = &registers::<D>(&RANDOM_ORDER, span.constants);
        let fields = &fields::<D>();
        let mut pad = Pad::<256, 64, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, random, to)) = steps.next_with_extra() {
            let codes = finished::<CODES>(stochastic::<D>(from, load(random), r, fields), r);
            store(to, _mm512_permutexvar_epi8(r.order, codes));
        }
    }

    fn stochastic4<const D: usize, const CODES: bool>(span: Span<'_>) {
        let r = &registers::<D>(&RANDOM_PAIRS_ORDER, span.constants);
        let fields = &fields::<D>();
        let mut pad = Pad::<256, 64, 32>::new();
        let mut steps = pad.steps(span);
        while let Some((from, random, to)) = steps.next_with_extra() {
            let codes = finished::<CODES>(stochastic::<D>(from, load(random), r, fields), r);
            // Neighbouring elements are two bytes apart; the second one's code is placed above that of the
            // first.
            let pairs = _mm512_or_si512(codes, _mm512_srli_epi64::<12>(codes));
            store_half(to, _mm512_castsi512_si256(_mm512_permutexvar_epi8(r.order, pairs)));
        }
    }

    /// `.relu` and `.pzo`, if the form has them: some codes become 0.
    #[inline]
    fn finished<const CODES: bool>(codes: __m512i, r: &Registers) -> __m512i {
        if !CODES {
            return codes;
        }
        let kept = _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(codes, r.zeroed), r.more_zeroed);
        _mm512_maskz_mov_epi8(kept, codes)
    }

    /// 64 signed codes, in groups of four; `order` restores the order.
    #[inline]
    fn rounded<const D: usize, const R: u8>(from: &[u8; 256], r: &Registers) -> __m512i {
        let code = |j: usize| codes::<D, R>(floats(from, j), r);
        join([code(0), code(1), code(2), code(3)], r)
    }

    fn registers<const D: usize>(order: &'static [u8; 64], k: &Constants) -> Registers {
        let f = const { Small::new::<D>() };
        Registers {
            largest: _mm512_castsi512_ps(_mm512_set1_epi32(f.largest as i32)),
            lowest: _mm512_castsi512_ps(_mm512_set1_epi32((f.largest | single::SIGN) as i32)),
            nan: _mm512_castsi512_ps(_mm512_set1_epi32(f.nan as i32)),
            exponent: _mm512_set1_epi32((single::SIGN | single::INFINITY) as i32),
            least: _mm512_set1_epi32(f.least as i32),
            quanta: _mm512_set1_epi32(f.quanta as i32),
            join: _mm512_set1_epi32(f.join as i32),
            // Bytes 0 to 3 of eight are from the four words of one operand, 4 to 7 from those of the other.
            code_bits: _mm512_set1_epi64(
                (0x3020_1000_3020_1000 + 0x0101_0101_0101_0101 * u64::from(7 - f.fraction)) as i64,
            ),
            sign_bits: _mm512_set1_epi64(
                (0x3020_1000_3020_1000 + 0x0101_0101_0101_0101 * u64::from(16 - f.bits)) as i64,
            ),
            signs: _mm512_set1_epi8((!0_u32 << (f.bits - 1)) as u8 as i8),
            order: permutation(order),
            zeroed: _mm512_set1_epi8(k.zeroed as i8),
            more_zeroed: _mm512_set1_epi8(k.more_zeroed as i8),
        }
    }

    /// Sixteen numbers limited to the range, with their signs. NaN becomes the positive number whose code it
    /// gets.
    #[inline]
    fn limited<const D: usize>(x: __m512, r: &Registers) -> __m512 {
        if const { Small::new::<D>().nan == Small::new::<D>().largest } {
            // If one operand is NaN, `min` returns the second one.
            return _mm512_max_ps(_mm512_min_ps(x, r.largest), r.lowest);
        }
        let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
        // The lesser magnitude (2), with the sign of x (0 << 2).
        _mm512_mask_range_ps::<0b0010>(r.nan, number, x, r.largest)
    }

    /// Sixteen signs and codes plus a multiple of their range, as sign-extended words. The sum m + c · 2^(F −
    /// P) rounds, and its exponent counts binades. Numbers and powers have the sign, and so does the sum. Its
    /// upper word is sign and exponent, its lower word the count of quanta; a product of words joins them.
    #[inline]
    fn codes<const D: usize, const R: u8>(x: __m512, r: &Registers) -> __m512i {
        let number = limited::<D>(x, r);
        let power = _mm512_and_ps(number, _mm512_castsi512_ps(r.exponent));
        // The greater magnitude (3), with the sign of the first (0 << 2).
        let power = _mm512_castps_si512(_mm512_range_ps::<0b0011>(power, _mm512_castsi512_ps(r.least)));
        let one = _mm512_castsi512_ps(_mm512_add_epi32(power, r.quanta));
        let t = match_mode!(R {
            RZ => _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(number, one),
            RN => _mm512_add_ps(number, one),
        });
        _mm512_madd_epi16(_mm512_castps_si512(t), r.join)
    }

    /// Packs four registers of such words to one of codes, in groups of four; `order` restores the order.
    #[inline]
    fn join(words: [__m512i; 4], r: &Registers) -> __m512i {
        let first = _mm512_packs_epi32(words[0], words[1]);
        let second = _mm512_packs_epi32(words[2], words[3]);
        let choose = |bits| {
            let half = _mm512_multishift_epi64_epi8(bits, first);
            _mm512_mask_multishift_epi64_epi8(half, 0xf0f0_f0f0_f0f0_f0f0, bits, second)
        };
        // Above the sign bit are the low bits of another word, which are 0: signs ? sign : code.
        _mm512_ternarylogic_epi32::<0xca>(r.signs, choose(r.sign_bits), choose(r.code_bits))
    }

    /// The bytes of each register's lanes from which random fields of 16 bits are made.
    #[inline]
    fn fields<const D: usize>() -> [__m512i; 4] {
        let tables = match_format!(D { E2m1 => &RANDOM_BYTES_FP4, E4m3 | E5m2 | E2m3 | E3m2 => &RANDOM_BYTES });
        [0, 1, 2, 3].map(|j| permutation(&tables[j]))
    }

    /// 64 signed codes with random bits, four elements to a word; `order` restores the order.
    #[inline]
    fn stochastic<const D: usize>(
        from: &[u8; 256],
        random: __m512i,
        r: &Registers,
        fields: &[__m512i; 4],
    ) -> __m512i {
        let f = const { Small::new::<D>() };
        let sum = |j: usize| stochastic_sums::<D>(floats(from, j), random, r, fields[j]);
        // The upper words of each register in turn.
        let upper = |first: __m512i, second: __m512i| {
            _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(first), second)
        };
        let (first, second) = (upper(sum(0), sum(1)), upper(sum(2), sum(3)));
        // Bytes 0 to 3 of eight are from the four words of one operand, 4 to 7 from those of the other.
        let choose = |place: u32| {
            let bits = _mm512_set1_epi64((0x3020_1000_3020_1000 + 0x0101_0101_0101_0101 * u64::from(place)) as i64);
            let half = _mm512_multishift_epi64_epi8(bits, first);
            _mm512_mask_multishift_epi64_epi8(half, 0xf0f0_f0f0_f0f0_f0f0, bits, second)
        };
        let each = |byte: u32| _mm512_set1_epi8(byte as u8 as i8);
        let (magnitude, sign) = ((1 << (f.bits - 1)) - 1, 1 << (f.bits - 1));
        let quanta = _mm512_and_si512(choose(0), each(0x1f));
        let exponents = _mm512_and_si512(choose(7 - f.fraction), each(0xff << f.fraction));
        let excess = ((f.least + f.random_quanta) >> 23) << f.fraction;
        let code = _mm512_sub_epi8(_mm512_add_epi8(quanta, exponents), each(excess));
        let code = if f.bits == 8 { code } else { _mm512_and_si512(code, each(magnitude)) };
        // sign ? signs : code
        let signs = choose(16 - f.bits);
        if f.bits == 8 {
            _mm512_ternarylogic_epi32::<0xca>(each(sign), signs, code)
        } else {
            // code | (signs & sign)
            _mm512_ternarylogic_epi32::<0xf8>(code, signs, each(sign))
        }
    }

    /// Sixteen sums m + c · 2^s, truncated to 2^-16 quanta, with random bits: signs, exponents and, from bit
    /// 16 on, quanta.
    #[inline]
    fn stochastic_sums<const D: usize>(
        x: __m512,
        random: __m512i,
        r: &Registers,
        field: __m512i,
    ) -> __m512i {
        let f = const { Small::new::<D>() };
        let number = limited::<D>(x, r);
        let power = _mm512_and_ps(number, _mm512_castsi512_ps(r.exponent));
        let power = _mm512_castps_si512(_mm512_range_ps::<0b0011>(power, _mm512_castsi512_ps(r.least)));
        let one = _mm512_castsi512_ps(_mm512_add_epi32(power, _mm512_set1_epi32(f.random_quanta as i32)));
        let sum = _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(number, one);
        // Two bytes for each lane. In every second element the table reversed the bytes; the bits are
        // reversed here.
        let bytes = _mm512_maskz_permutexvar_epi8(0x3333_3333_3333_3333, field, random);
        let reverse = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
        let bytes =
            _mm512_mask_gf2p8affine_epi64_epi8::<0>(bytes, 0x3030_3030_3030_3030, bytes, reverse);
        _mm512_add_epi32(_mm512_castps_si512(sum), bytes)
    }
}
