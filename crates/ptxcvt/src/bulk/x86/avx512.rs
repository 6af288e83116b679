//! AVX-512 with VBMI: 64 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use crate::bulk::kernels::{Narrow8, Stochastic8, TwoToAByte};
use crate::bulk::lanes::{Small, mode};
use crate::bulk::stage::{Kernel, Span, Stage};

/// f32 to float format `D` under `R`: a code to a byte, or FP4 two to a byte.
pub fn narrow<const D: usize, const R: u8>(packed: bool) -> Stage {
    match (packed, R) {
        (false, mode::RS) => stochastic8::<D>,
        (true, mode::RS) => stochastic4::<D>,
        (false, _) => narrow8::<D, R>,
        (true, _) => narrow4::<D, R>,
    }
}

/// The constants of a format, in registers.
#[derive(Clone, Copy)]
struct Registers {
    largest: __m512,
    nan: __m512,
    exponent: __m512i,
    least: __m512i,
    quanta: __m512i,
    one: __m512,
    sign: __m512i,
    low_bytes: __m512i,
    excess: __m512i,
    stochastic_excess: __m512i,
    difference: __m512i,
    code: __m512i,
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
fn registers<const D: usize>() -> Registers {
    let f = const { Small::new::<D>() };
    let low: [u8; 64] = core::array::from_fn(|i| (4 * i) as u8);
    Registers {
        largest: _mm512_castsi512_ps(_mm512_set1_epi32(f.largest as i32)),
        nan: _mm512_castsi512_ps(_mm512_set1_epi32(f.nan as i32)),
        exponent: _mm512_set1_epi32(0x7f80_0000),
        least: _mm512_set1_epi32(f.least as i32),
        quanta: _mm512_set1_epi32(f.quanta as i32),
        one: _mm512_castsi512_ps(_mm512_set1_epi32(f.one as i32)),
        sign: _mm512_set1_epi32(1 << (f.bits - 1)),
        // SAFETY: 64 bytes are read from an array of that size.
        low_bytes: unsafe { _mm512_loadu_si512(low.as_ptr().cast()) },
        excess: _mm512_set1_epi8(f.excess as i8),
        stochastic_excess: _mm512_set1_epi8(f.stochastic_excess as i8),
        difference: _mm512_set1_epi32((f.stochastic_excess as i32) - ((f.one >> 16) as i32)),
        code: _mm512_set1_epi8(((1_u32 << f.bits) - 1) as u8 as i8),
    }
}

/// Sixteen magnitudes within the range and which lanes are no NaN; NaN becomes the number whose code it has.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn limited(x: __m512, r: &Registers) -> (__m512, __mmask16) {
    let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
    // The lesser magnitude (2), without sign (2 << 2).
    (_mm512_mask_range_ps::<0b1010>(r.nan, number, x, r.largest), number)
}

/// The sign in its place, but for NaN. As codes still have an excess, it is flipped, not set.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn with_sign<const D: usize>(code: __m512i, x: __m512, number: __mmask16, r: &Registers) -> __m512i {
    let x = _mm512_castps_si512(x);
    let sign = match const { Small::new::<D>().bits } {
        8 => _mm512_srli_epi32::<24>(x),
        6 => _mm512_srli_epi32::<26>(x),
        _ => _mm512_srli_epi32::<28>(x),
    };
    _mm512_mask_ternarylogic_epi32::<0x78>(code, number, sign, r.sign) // code ^ (sign & place)
}

/// Sixteen codes plus an excess, in the low bytes: m + c · 2^(F − P) rounds, and c's exponent counts binades.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn codes<const D: usize, const R: u8>(x: __m512, r: &Registers) -> __m512i {
    let (m, number) = limited(x, r);
    let c = _mm512_max_epu32(_mm512_and_si512(_mm512_castps_si512(m), r.exponent), r.least);
    let one = _mm512_castsi512_ps(_mm512_add_epi32(c, r.quanta));
    let t = match R {
        mode::RZ => _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(m, one),
        _ => _mm512_add_ps(m, one),
    };
    let binades = match const { Small::new::<D>().fraction } {
        3 => _mm512_srli_epi32::<20>(c),
        2 => _mm512_srli_epi32::<21>(c),
        _ => _mm512_srli_epi32::<22>(c),
    };
    with_sign::<D>(_mm512_add_epi32(_mm512_castps_si512(t), binades), x, number, r)
}

/// Sixteen codes under `.rs`, plus an excess, in the low bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn stochastic_codes<const D: usize>(x: __m512, random: __m256i, r: &Registers) -> __m512i {
    let (m, number) = limited(x, r);
    let random = _mm512_cvtepu16_epi32(random);
    let bits = _mm512_castps_si512(m);
    let normal = match const { Small::new::<D>().fraction } {
        3 => _mm512_srli_epi32::<20>(_mm512_add_epi32(bits, _mm512_slli_epi32::<4>(random))),
        2 => _mm512_srli_epi32::<21>(_mm512_add_epi32(bits, _mm512_slli_epi32::<5>(random))),
        _ => _mm512_srli_epi32::<22>(_mm512_add_epi32(bits, _mm512_slli_epi32::<6>(random))),
    };
    let small = _mm512_cmplt_epu32_mask(bits, r.least);
    let cut = _mm512_add_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(m, r.one);
    let sum = _mm512_add_epi32(_mm512_castps_si512(cut), random);
    let code = _mm512_mask_srli_epi32::<16>(normal, small, sum);
    let code = _mm512_mask_add_epi32(code, small, code, r.difference);
    with_sign::<D>(code, x, number, r)
}

/// The low bytes of four registers, less the excess.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn pack<const D: usize>(codes: [__m512i; 4], excess: __m512i, r: &Registers) -> __m512i {
    let first = _mm512_permutex2var_epi8(codes[0], r.low_bytes, codes[1]);
    let second = _mm512_permutex2var_epi8(codes[2], r.low_bytes, codes[3]);
    let all = _mm512_inserti64x4::<1>(first, _mm512_castsi512_si256(second));
    let exact = _mm512_sub_epi8(all, excess);
    if const { Small::new::<D>().bits == 8 } { exact } else { _mm512_and_si512(exact, r.code) }
}

/// Two FP4 codes to a byte, the first one low.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn pack4(codes: __m512i) -> __m256i {
    let pairs = _mm512_maddubs_epi16(codes, _mm512_set1_epi16(0x1001));
    _mm512_cvtepi16_epi8(pairs)
}

/// Declares the stages. `stages! { narrow8<const R: u8>, 1, |x, e| …, |p, c| …, Tail }` expands to a
/// `#[target_feature]` function that reads 64 floats at a time, makes the four registers of codes, and stores
/// them; what is left over goes through the generic kernel.
macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident<$(const $r:ident: u8)?>, per_byte: $per_byte:literal, excess: $excess:ident,
        |$x:ident, $at:ident, $span:ident, $k:ident| $codes:expr, store: |$to:ident, $bytes:ident| $store:expr,
        tail: $tail:ty;)*) => {$(
        $(#[$doc])*
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
        unsafe fn $name<const D: usize $(, const $r: u8)?>($span: Span<'_>) {
            let $k = &registers::<D>();
            let whole = $span.result.len() * $per_byte / 64;
            for i in 0..whole {
                // SAFETY: the source holds 4 bytes, and `extra` 2 where it is read, for each element.
                let code = |j: usize| unsafe {
                    let $at = 64 * i + 16 * j;
                    let $x = _mm512_loadu_ps($span.source.as_ptr().add(4 * $at).cast());
                    $codes
                };
                let $bytes = pack::<D>([code(0), code(1), code(2), code(3)], $k.$excess, $k);
                // SAFETY: the result holds that many bytes.
                unsafe {
                    let $to = $span.result.as_mut_ptr().add(64 / $per_byte * i);
                    $store
                }
            }
            let done = 64 * whole;
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
    narrow8<const R: u8>, per_byte: 1, excess: excess,
        |x, at, span, k| codes::<D, R>(x, k),
        store: |to, bytes| _mm512_storeu_si512(to.cast(), bytes),
        tail: Narrow8<D, R, true>;
    /// Two codes to a byte.
    narrow4<const R: u8>, per_byte: 2, excess: excess,
        |x, at, span, k| codes::<D, R>(x, k),
        store: |to, bytes| _mm256_storeu_si256(to.cast(), pack4(bytes)),
        tail: TwoToAByte<Narrow8<D, R, true>>;
    /// A code to a byte, with random bits.
    stochastic8<>, per_byte: 1, excess: stochastic_excess,
        |x, at, span, k| stochastic_codes::<D>(x, _mm256_loadu_si256(span.extra.as_ptr().add(2 * at).cast()), k),
        store: |to, bytes| _mm512_storeu_si512(to.cast(), bytes),
        tail: Stochastic8<D>;
    /// Two codes to a byte, with random bits.
    stochastic4<>, per_byte: 2, excess: stochastic_excess,
        |x, at, span, k| stochastic_codes::<D>(x, _mm256_loadu_si256(span.extra.as_ptr().add(2 * at).cast()), k),
        store: |to, bytes| _mm256_storeu_si256(to.cast(), pack4(bytes)),
        tail: TwoToAByte<Stochastic8<D>>;
}
