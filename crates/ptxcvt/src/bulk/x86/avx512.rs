//! AVX-512 with VBMI: 64 elements at a time, four registers of f32 to one of bytes.

use core::arch::x86_64::*;

use crate::bulk::kernels::{Narrow8, Power, Stochastic8, TwoToAByte};
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

/// Where four elements in a row lie after packing in lanes of 128 bits and choosing halves.
const DWORDS: [u8; 16] = [0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15];

/// `tables! { NAME: |i| byte }`: the bytes of a permutation.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: |$i:ident| $byte:expr;)*) => {$(
        $(#[$doc])*
        static $name: [u8; 64] = {
            let mut bytes = [0; 64];
            let mut $i = 0;
            while $i < 64 {
                bytes[$i] = $byte as u8;
                $i += 1;
            }
            bytes
        };
    )*};
}

tables! {
    LOW_BYTES: |i| 4 * i;
    TOP_BYTES: |i| 4 * i + 3;
    ORDER: |i| i % 4 + 4 * DWORDS[i / 4] as usize;
    /// The low bytes of words, two of four codes.
    PAIRS_ORDER: |i| 2 * (i % 2) + 4 * DWORDS[i / 2 % 16] as usize;
    /// Two bytes of eight from each register.
    POWERS_ORDER: |i| 8 * (i % 16 / 2) + i % 2 + 2 * (i / 16);
}

/// A permutation, hidden from the compiler, which would make two shuffles of one that it knows.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn load(table: &'static [u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from an array of that size.
    unsafe { _mm512_loadu_si512(core::hint::black_box(table.as_ptr()).cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
fn registers<const D: usize>(packed: bool) -> Registers {
    let f = const { Small::new::<D>() };
    Registers {
        largest: _mm512_castsi512_ps(_mm512_set1_epi32(f.largest as i32)),
        lowest: _mm512_castsi512_ps(_mm512_set1_epi32((f.largest | 0x8000_0000) as i32)),
        nan: _mm512_castsi512_ps(_mm512_set1_epi32(f.nan as i32)),
        exponent: _mm512_set1_epi32(0xff80_0000_u32 as i32),
        least: _mm512_set1_epi32(f.least as i32),
        quanta: _mm512_set1_epi32(f.quanta as i32),
        one: _mm512_castsi512_ps(_mm512_set1_epi32(f.one as i32)),
        sign: _mm512_set1_epi32(i32::MIN),
        low_bytes: load(&LOW_BYTES),
        top_bytes: load(&TOP_BYTES),
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
        order: load(if packed { &PAIRS_ORDER } else { &ORDER }),
        stochastic_excess: _mm512_set1_epi8(f.stochastic_excess as i8),
        difference: _mm512_set1_epi32((f.stochastic_excess as i32) - ((f.one >> 16) as i32)),
    }
}

/// Sixteen numbers within the range, with their signs; NaN becomes the positive number whose code it has.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
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
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
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
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
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
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
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
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
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

/// Two FP4 codes to a byte, the first one low.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn pack4(codes: __m512i) -> __m256i {
    _mm512_cvtepi16_epi8(pairs(codes))
}

/// The same in words.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
#[inline]
fn pairs(codes: __m512i) -> __m512i {
    _mm512_maddubs_epi16(codes, _mm512_set1_epi16(0x1001))
}

/// Declares the stages. `stages! { narrow8<const R: u8>, 1, |x, e| …, |p, c| …, Tail }` expands to a
/// `#[target_feature]` function that reads 64 floats at a time, makes the four registers of codes, and stores
/// them; what is left over goes through the generic kernel.
macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident<$(const $r:ident: u8)?>, per_byte: $per_byte:literal, pack: |$c:ident| $pack:expr,
        |$x:ident, $at:ident, $span:ident, $k:ident| $codes:expr, store: |$to:ident, $bytes:ident| $store:expr,
        tail: $tail:ty;)*) => {$(
        $(#[$doc])*
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
        unsafe fn $name<const D: usize $(, const $r: u8)?>($span: Span<'_>) {
            let $k = &registers::<D>($per_byte == 2);
            let whole = $span.result.len() * $per_byte / 64;
            for i in 0..whole {
                fetch(&$span.source[4 * 64 * i..4 * 64 * (i + 1)]);
                // SAFETY: the source holds 4 bytes, and `extra` 2 where it is read, for each element.
                let code = |j: usize| unsafe {
                    let $at = 64 * i + 16 * j;
                    let $x = _mm512_loadu_ps($span.source.as_ptr().add(4 * $at).cast());
                    $codes
                };
                let $c = [code(0), code(1), code(2), code(3)];
                let $bytes = $pack;
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
    narrow8<const R: u8>, per_byte: 1, pack: |c| _mm512_permutexvar_epi8(k.order, join(c, k)),
        |x, at, span, k| codes::<D, R>(x, k),
        store: |to, bytes| _mm512_storeu_si512(to.cast(), bytes),
        tail: Narrow8<D, R, true>;
    /// Two codes to a byte.
    narrow4<const R: u8>, per_byte: 2, pack: |c| _mm512_permutexvar_epi8(k.order, pairs(join(c, k))),
        |x, at, span, k| codes::<D, R>(x, k),
        store: |to, bytes| _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(bytes)),
        tail: TwoToAByte<Narrow8<D, R, true>>;
    /// A code to a byte, with random bits.
    stochastic8<>, per_byte: 1, pack: |c| pack::<D>(c, k.stochastic_excess, k),
        |x, at, span, k| stochastic_codes::<D>(x, _mm256_loadu_si256(span.extra.as_ptr().add(2 * at).cast()), k),
        store: |to, bytes| _mm512_storeu_si512(to.cast(), bytes),
        tail: Stochastic8<D>;
    /// Two codes to a byte, with random bits.
    stochastic4<>, per_byte: 2, pack: |c| pack::<D>(c, k.stochastic_excess, k),
        |x, at, span, k| stochastic_codes::<D>(x, _mm256_loadu_si256(span.extra.as_ptr().add(2 * at).cast()), k),
        store: |to, bytes| _mm256_storeu_si256(to.cast(), pack4(bytes)),
        tail: TwoToAByte<Stochastic8<D>>;
}

/// f32 to ue8m0: the exponent, of a number that was first raised where `.rp` says so.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,fma")]
pub unsafe fn power<const R: u8>(span: Span<'_>) {
    let set = |bits: u32| _mm512_set1_epi32(bits as i32);
    // What becomes of magnitudes beyond the limit: NaN's is the largest of all.
    let limit = set((span.constants.limit[0] as u32) << 23 | 0x007f_ffff);
    // Bits 23 to 30 of both lanes; two bytes of eight from each register.
    let bits = _mm512_set1_epi64(0x3717_3717_3717_3717);
    let places = load(&POWERS_ORDER);
    let whole = span.result.len() / 64;
    for i in 0..whole {
        fetch(&span.source[4 * 64 * i..4 * 64 * (i + 1)]);
        let raised = |j: usize| {
            // SAFETY: the source holds 4 bytes for each element.
            let x = unsafe { _mm512_loadu_si512(span.source.as_ptr().add(4 * (64 * i + 16 * j)).cast()) };
            let m = _mm512_and_si512(x, set(0x7fff_ffff));
            let up = _mm512_cmpgt_epu32_mask(m, set(0x0040_0000));
            let raised = if R == mode::RP { _mm512_mask_add_epi32(m, up, m, set(0x007f_ffff)) } else { m };
            let nan = _mm512_cmpgt_epu32_mask(m, set(0x7f80_0000));
            _mm512_mask_mov_epi32(_mm512_min_epu32(raised, limit), nan, set(0x7fff_ffff))
        };
        let codes = _mm512_multishift_epi64_epi8(bits, raised(0));
        let codes = _mm512_mask_multishift_epi64_epi8(codes, 0x0c0c_0c0c_0c0c_0c0c, bits, raised(1));
        let codes = _mm512_mask_multishift_epi64_epi8(codes, 0x3030_3030_3030_3030, bits, raised(2));
        let codes = _mm512_mask_multishift_epi64_epi8(codes, 0xc0c0_c0c0_c0c0_c0c0, bits, raised(3));
        // SAFETY: the result holds a byte for each element.
        unsafe {
            _mm512_storeu_si512(
                span.result.as_mut_ptr().add(64 * i).cast(),
                _mm512_permutexvar_epi8(places, codes),
            );
        }
    }
    Power::<R>::run(Span {
        source: &span.source[4 * 64 * whole..],
        result: &mut span.result[64 * whole..],
        ..span
    });
}
