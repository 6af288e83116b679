//! AVX2 with FMA: 32 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use crate::bulk::kernels::{Narrow8, Stochastic8, TwoToAByte};
use crate::bulk::lanes::{Small, mode};
use crate::bulk::stage::{Kernel, Span, Stage, fetch};

/// f32 to float format `D` under `R`: a code to a byte, or FP4 two to a byte.
pub fn narrow<const D: usize, const R: u8>(packed: bool) -> Stage {
    match (packed, R) {
        (false, mode::RS) => stochastic8::<D>,
        (true, mode::RS) => stochastic4::<D>,
        (false, _) => narrow8::<D, R>,
        (true, _) => narrow4::<D, R>,
    }
}

/// Eight numbers within the range, with their signs. `min` and `max` return their second operand where one is
/// NaN, which carries NaN to the last limit: the number whose code it takes, positive.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn limited<const D: usize>(x: __m256) -> __m256 {
    let f = const { Small::new::<D>() };
    let number = |bits: u32| _mm256_castsi256_ps(_mm256_set1_epi32(bits as i32));
    let (low, high) = (number(f.largest | 0x8000_0000), number(f.largest));
    if f.nan == f.largest {
        return _mm256_max_ps(_mm256_min_ps(x, high), low);
    }
    _mm256_min_ps(_mm256_max_ps(low, _mm256_min_ps(high, x)), number(f.nan))
}

/// Eight codes plus a multiple of their range, in the low words: m + c · 2^(F − P) rounds, and the exponent of the
/// sum counts binades. Its upper word is that exponent, its lower word the count of quanta; a product of words
/// joins them. Towards zero, what a normal number drops is cut off first, and of subnormal ones nearly half a
/// quantum is taken, which no larger quantum notices.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn codes<const D: usize, const R: u8>(x: __m256) -> __m256i {
    let f = const { Small::new::<D>() };
    let set = |bits: u32| _mm256_set1_epi32(bits as i32);
    let bits = _mm256_castps_si256(x);
    let c = _mm256_max_epi32(_mm256_and_si256(bits, set(0x7f80_0000)), set(f.least));
    let one = _mm256_castsi256_ps(_mm256_add_epi32(c, set(f.quanta)));
    let m = if R == mode::RN {
        _mm256_castsi256_ps(_mm256_and_si256(bits, set(0x7fff_ffff)))
    } else {
        let cut = _mm256_castsi256_ps(_mm256_and_si256(bits, set(f.cut)));
        _mm256_sub_ps(cut, _mm256_castsi256_ps(set(f.half)))
    };
    _mm256_madd_epi16(_mm256_castps_si256(_mm256_add_ps(m, one)), set(f.join))
}

/// Eight codes under `.rs`, plus an excess, in the low bytes.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn stochastic_codes<const D: usize>(x: __m256, random: __m128i) -> __m256i {
    let f = const { Small::new::<D>() };
    let set = |bits: u32| _mm256_set1_epi32(bits as i32);
    let random = _mm256_cvtepu16_epi32(random);
    let m = _mm256_and_si256(_mm256_castps_si256(x), set(0x7fff_ffff));
    let normal = match f.fraction {
        3 => _mm256_srli_epi32::<20>(_mm256_add_epi32(m, _mm256_slli_epi32::<4>(random))),
        2 => _mm256_srli_epi32::<21>(_mm256_add_epi32(m, _mm256_slli_epi32::<5>(random))),
        _ => _mm256_srli_epi32::<22>(_mm256_add_epi32(m, _mm256_slli_epi32::<6>(random))),
    };
    let small = _mm256_cmpgt_epi32(set(f.least), m);
    let (m, one) = (_mm256_castsi256_ps(m), _mm256_castsi256_ps(set(f.one)));
    let t = _mm256_add_ps(m, one);
    let above = _mm256_cmp_ps::<_CMP_GT_OQ>(_mm256_sub_ps(t, one), m);
    let cut = _mm256_add_epi32(_mm256_castps_si256(t), _mm256_castps_si256(above));
    // What the two kinds of codes are too large by differs; the difference lies above the random bits.
    let difference = set(f.stochastic_excess.wrapping_sub(f.one >> 16) << 16);
    let sum = _mm256_add_epi32(_mm256_add_epi32(cut, difference), random);
    _mm256_blendv_epi8(normal, _mm256_srli_epi32::<16>(sum), small)
}

/// Four registers of such words to one of codes, in halves.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
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
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn low_bytes(codes: [__m256i; 4], excess: u32) -> __m256i {
    let low = |code: __m256i| _mm256_and_si256(code, _mm256_set1_epi32(0xff));
    let first = _mm256_packus_epi32(low(codes[0]), low(codes[1]));
    let second = _mm256_packus_epi32(low(codes[2]), low(codes[3]));
    _mm256_sub_epi8(_mm256_packus_epi16(first, second), _mm256_set1_epi8(excess as i8))
}

/// Codes in halves and the signs of the numbers that they came from, in order.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn signed<const D: usize>(codes: __m256i, x: [__m256; 4]) -> __m256i {
    let f = const { Small::new::<D>() };
    // Saturation keeps the sign and makes it the top bit of the byte.
    let x = x.map(|x| _mm256_castps_si256(x));
    let words = [_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3])];
    let signs = _mm256_packs_epi16(words[0], words[1]);
    let signs = match f.bits {
        8 => signs,
        6 => _mm256_srli_epi16::<2>(signs),
        _ => _mm256_srli_epi16::<4>(signs),
    };
    let signs = _mm256_and_si256(signs, _mm256_set1_epi8((1_u32 << (f.bits - 1)) as u8 as i8));
    // Packing works in halves: four elements of each register, then the other four.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_permutevar8x32_epi32(_mm256_or_si256(codes, signs), order)
}

/// Two FP4 codes to a byte, the first one low.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn pack4(codes: __m256i) -> __m128i {
    let pairs = _mm256_maddubs_epi16(codes, _mm256_set1_epi16(0x1001));
    _mm_packus_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs))
}

/// The random fields of the eight elements from `at` on.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn random(span: &Span<'_>, at: usize) -> __m128i {
    let fields = &span.extra[2 * at..2 * at + 16];
    // SAFETY: that is 16 bytes.
    unsafe { _mm_loadu_si128(fields.as_ptr().cast()) }
}

/// Declares the stages, as in the AVX-512 file but for 32 elements.
macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident<$(const $r:ident: u8)?>, per_byte: $per_byte:literal, pack: |$c:ident| $pack:expr,
        |$x:ident, $at:ident, $span:ident| $codes:expr, store: |$to:ident, $bytes:ident| $store:expr,
        tail: $tail:ty;)*) => {$(
        $(#[$doc])*
        #[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $name<const D: usize $(, const $r: u8)?>($span: Span<'_>) {
            let whole = $span.result.len() * $per_byte / 32;
            for i in 0..whole {
                fetch(&$span.source[4 * 32 * i..4 * 32 * (i + 1)]);
                // SAFETY: the source holds 4 bytes for each element.
                let number = |j: usize| unsafe {
                    limited::<D>(_mm256_loadu_ps($span.source.as_ptr().add(4 * (32 * i + 8 * j)).cast()))
                };
                let numbers = [number(0), number(1), number(2), number(3)];
                let code = |j: usize| {
                    let ($at, $x) = (32 * i + 8 * j, numbers[j]);
                    let _ = $at;
                    $codes
                };
                let $c = [code(0), code(1), code(2), code(3)];
                let $bytes = signed::<D>($pack, numbers);
                // SAFETY: the result holds that many bytes.
                unsafe {
                    let $to = $span.result.as_mut_ptr().add(32 / $per_byte * i);
                    $store
                }
            }
            let done = 32 * whole;
            <$tail>::run(Span {
                source: &$span.source[4 * done..],
                result: &mut $span.result[done / $per_byte..],
                extra: $span.extra.get(2 * done..).unwrap_or_default(),
                constants: $span.constants,
            });
        }
    )*};
}

stages! {
    /// A code to a byte.
    narrow8<const R: u8>, per_byte: 1, pack: |c| join::<D>(c),
        |x, at, span| codes::<D, R>(x),
        store: |to, bytes| _mm256_storeu_si256(to.cast(), bytes),
        tail: Narrow8<D, R, true>;
    /// Two codes to a byte.
    narrow4<const R: u8>, per_byte: 2, pack: |c| join::<D>(c),
        |x, at, span| codes::<D, R>(x),
        store: |to, bytes| _mm_storeu_si128(to.cast(), pack4(bytes)),
        tail: TwoToAByte<Narrow8<D, R, true>>;
    /// A code to a byte, with random bits.
    stochastic8<>, per_byte: 1, pack: |c| low_bytes(c, const { Small::new::<D>().stochastic_excess }),
        |x, at, span| stochastic_codes::<D>(x, random(&span, at)),
        store: |to, bytes| _mm256_storeu_si256(to.cast(), bytes),
        tail: Stochastic8<D>;
    /// Two codes to a byte, with random bits.
    stochastic4<>, per_byte: 2, pack: |c| low_bytes(c, const { Small::new::<D>().stochastic_excess }),
        |x, at, span| stochastic_codes::<D>(x, random(&span, at)),
        store: |to, bytes| _mm_storeu_si128(to.cast(), pack4(bytes)),
        tail: TwoToAByte<Stochastic8<D>>;
}
