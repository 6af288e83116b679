//! FP8, FP6 and FP4 to f16 and bf16 by tables in registers: a byte permute looks up the upper bytes of the
//! results, another one the lower bytes, and interleaving makes words of them.

use core::arch::x86_64::*;

use crate::bulk::kernels::{WordOf, WordsOfNibbles};
use crate::bulk::lanes::word_of;
use crate::bulk::stage::{Kernel, Span, Stage, fetch};
use crate::bulk::tier::{Tier, has_vbmi};
use crate::format::Format;

/// From `source` to `destination` without modifiers; `None` where the generic kernels do.
pub fn widen(tier: Tier, source: Format, destination: Format) -> Option<Stage> {
    macro_rules! choose {
        ($kernel:ident, $($s:ident)+) => {
            match (source, destination) {
                $((Format::$s, Format::F16) => Some($kernel::<{ Format::$s as usize }, { Format::F16 as usize }>),
                  (Format::$s, Format::Bf16) => Some($kernel::<{ Format::$s as usize }, { Format::Bf16 as usize }>),)+
                _ => None,
            }
        };
    }
    match (tier, source) {
        (Tier::Avx512, Format::E2m1) if has_vbmi() => choose!(nibbles_avx512, E2m1),
        (Tier::Avx512 | Tier::Avx2, Format::E2m1) => choose!(nibbles, E2m1),
        (Tier::Avx2, Format::E4m3) if destination == Format::F16 => Some(e4m3_to_f16),
        (Tier::Avx2, Format::E5m2) if destination == Format::F16 => Some(e5m2_to_f16),
        (Tier::Avx512, _) if has_vbmi() => choose!(bytes_avx512, E4m3 E5m2 E2m3 E3m2),
        _ => None,
    }
}

/// The bytes of the words of the first `N` codes of `S` as `D`: which = 0 the lower, 1 the upper.
const fn table<const S: usize, const D: usize, const N: usize>(which: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let mut code = 0;
    while code < N {
        bytes[code] = word_of::<S, D>(code as u8).to_le_bytes()[which];
        code += 1;
    }
    bytes
}

/// The unsigned codes above which there are only negative NaN, whose sign does not count.
const fn last_signed<const S: usize>() -> u8 {
    match Format::ALL[S] {
        Format::E4m3 => 0xfe,
        Format::E5m2 => 0xfc,
        _ => 0xff,
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn bytes_avx512<const S: usize, const D: usize>(span: Span<'_>) {
    // Seven bits choose: of FP8 the magnitude, of FP6 everything.
    let (low, high) = const { (table::<S, D, 128>(0), table::<S, D, 128>(1)) };
    // SAFETY: 64 bytes of 128 each.
    let load =
        |table: &[u8; 128], half: usize| unsafe { _mm512_loadu_si512(table.as_ptr().add(64 * half).cast()) };
    let (low, high) = ([load(&low, 0), load(&low, 1)], [load(&high, 0), load(&high, 1)]);
    // Interleaving works in lanes of 128 bits; so ordered, its results are contiguous.
    let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    let last = _mm512_set1_epi8(const { last_signed::<S>() } as i8);
    let sign = _mm512_set1_epi8(i8::MIN);
    let whole = span.result.len() / 128;
    for i in 0..whole {
        fetch(&span.source[64 * i..64 * (i + 1)]);
        // SAFETY: the source holds a byte, the result two, for each element.
        unsafe {
            let codes = _mm512_loadu_si512(span.source.as_ptr().add(64 * i).cast());
            let codes = _mm512_permutexvar_epi64(order, codes);
            let lower = _mm512_permutex2var_epi8(low[0], codes, low[1]);
            let upper = _mm512_permutex2var_epi8(high[0], codes, high[1]);
            let upper = if const { Format::ALL[S].bits() == 8 } {
                let signed = _mm512_cmple_epu8_mask(codes, last);
                // upper | (codes & sign)
                let with_sign = _mm512_ternarylogic_epi64::<0xf8>(upper, codes, sign);
                _mm512_mask_mov_epi8(upper, signed, with_sign)
            } else {
                upper
            };
            let to = span.result.as_mut_ptr().add(128 * i);
            _mm512_storeu_si512(to.cast(), _mm512_unpacklo_epi8(lower, upper));
            _mm512_storeu_si512(to.add(64).cast(), _mm512_unpackhi_epi8(lower, upper));
        }
    }
    WordOf::<S, D>::run(Span {
        source: &span.source[64 * whole..],
        result: &mut span.result[128 * whole..],
        ..span
    });
}

/// Without permutes of 128 bytes: 32 codes, moved in place where they are normal, looked up where they are not.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn e4m3_to_f16(span: Span<'_>) {
    const S: usize = Format::E4m3 as usize;
    const D: usize = Format::F16 as usize;
    let small = const { table::<S, D, 16>(1) };
    // SAFETY: 16 bytes.
    let small = unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(small.as_ptr().cast())) };
    let set = |byte: u8| _mm256_set1_epi8(byte as i8);
    let whole = span.result.len() / 64;
    for i in 0..whole {
        if i % 2 == 0 {
            fetch(&span.source[32 * i..32 * (i + 1)]);
        }
        // SAFETY: the source holds a byte, the result two, for each element.
        unsafe {
            let codes = _mm256_loadu_si256(span.source.as_ptr().add(32 * i).cast());
            // Interleaving works in lanes of 128 bits; so ordered, its results are contiguous.
            let codes = _mm256_permute4x64_epi64::<0b11_01_10_00>(codes);
            let m = _mm256_and_si256(codes, set(0x7f));
            let subnormal = _mm256_cmpgt_epi8(set(8), m);
            let nan = _mm256_cmpeq_epi8(m, set(0x7f));
            // The upper byte: exponent and two fraction bits, the bias 8 larger; the lower: the third bit.
            let normal = _mm256_add_epi8(_mm256_and_si256(_mm256_srli_epi16::<1>(m), set(0x3f)), set(0x20));
            let upper = _mm256_blendv_epi8(normal, _mm256_shuffle_epi8(small, m), subnormal);
            let sign = _mm256_andnot_si256(nan, _mm256_and_si256(codes, set(0x80)));
            let upper = _mm256_or_si256(_mm256_or_si256(upper, sign), _mm256_and_si256(nan, set(0x7f)));
            let third = _mm256_and_si256(_mm256_slli_epi16::<7>(m), set(0x80));
            let lower = _mm256_or_si256(_mm256_andnot_si256(subnormal, third), nan);
            let to = span.result.as_mut_ptr().add(64 * i);
            _mm256_storeu_si256(to.cast(), _mm256_unpacklo_epi8(lower, upper));
            _mm256_storeu_si256(to.add(32).cast(), _mm256_unpackhi_epi8(lower, upper));
        }
    }
    WordOf::<S, D>::run(Span {
        source: &span.source[32 * whole..],
        result: &mut span.result[64 * whole..],
        ..span
    });
}

/// e5m2 is the upper byte of f16, but for NaN.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn e5m2_to_f16(span: Span<'_>) {
    const S: usize = Format::E5m2 as usize;
    const D: usize = Format::F16 as usize;
    let set = |byte: u8| _mm256_set1_epi8(byte as i8);
    let whole = span.result.len() / 64;
    for i in 0..whole {
        if i % 2 == 0 {
            fetch(&span.source[32 * i..32 * (i + 1)]);
        }
        // SAFETY: the source holds a byte, the result two, for each element.
        unsafe {
            let codes = _mm256_loadu_si256(span.source.as_ptr().add(32 * i).cast());
            // Interleaving works in lanes of 128 bits; so ordered, its results are contiguous.
            let codes = _mm256_permute4x64_epi64::<0b11_01_10_00>(codes);
            let nan = _mm256_cmpgt_epi8(_mm256_and_si256(codes, set(0x7f)), set(0x7c));
            // The greatest of signed bytes is NaN's.
            let upper = _mm256_or_si256(_mm256_andnot_si256(nan, codes), _mm256_and_si256(nan, set(0x7f)));
            let to = span.result.as_mut_ptr().add(64 * i);
            _mm256_storeu_si256(to.cast(), _mm256_unpacklo_epi8(nan, upper));
            _mm256_storeu_si256(to.add(32).cast(), _mm256_unpackhi_epi8(nan, upper));
        }
    }
    WordOf::<S, D>::run(Span {
        source: &span.source[32 * whole..],
        result: &mut span.result[64 * whole..],
        ..span
    });
}

/// Sixteen pairs of FP4 codes: four codes to each 64 bits, one to each word, which a permute of words looks up.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn nibbles_avx512<const S: usize, const D: usize>(span: Span<'_>) {
    // The permute looks at five bits; the fifth belongs to the next code.
    let words: [u16; 32] = core::array::from_fn(|i| word_of::<S, D>(i as u8 & 15));
    // SAFETY: 64 bytes.
    let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    let places = _mm512_set1_epi64(0x000c_0008_0004_0000);
    let whole = span.result.len() / 64;
    for i in 0..whole {
        if i % 4 == 0 {
            fetch(&span.source[16 * i..16 * (i + 1)]);
        }
        // SAFETY: the source holds a byte, the result four, for each pair of elements.
        unsafe {
            let pairs = _mm_loadu_si128(span.source.as_ptr().add(16 * i).cast());
            let codes = _mm512_multishift_epi64_epi8(places, _mm512_cvtepu16_epi64(pairs));
            let to = span.result.as_mut_ptr().add(64 * i);
            _mm512_storeu_si512(to.cast(), _mm512_permutexvar_epi16(codes, words));
        }
    }
    WordsOfNibbles::<S, D>::run(Span {
        source: &span.source[16 * whole..],
        result: &mut span.result[64 * whole..],
        ..span
    });
}

/// 32 pairs of FP4 codes: taken apart, brought in order, looked up, interleaved.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn nibbles<const S: usize, const D: usize>(span: Span<'_>) {
    let (low, high) = const { (table::<S, D, 16>(0), table::<S, D, 16>(1)) };
    // SAFETY: 16 bytes each.
    let load =
        |table: &[u8; 16]| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())) };
    let (low, high, nibble) = (load(&low), load(&high), _mm256_set1_epi8(15));
    let whole = span.result.len() / 128;
    for i in 0..whole {
        if i % 2 == 0 {
            fetch(&span.source[32 * i..32 * (i + 1)]);
        }
        // SAFETY: the source holds a byte, the result four, for each pair of elements.
        unsafe {
            let pairs = _mm256_loadu_si256(span.source.as_ptr().add(32 * i).cast());
            // Interleaving twice works in lanes of 128 bits; so ordered, its results are contiguous.
            let order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
            let pairs = _mm256_permutevar8x32_epi32(pairs, order);
            let (even, odd) =
                (_mm256_and_si256(pairs, nibble), _mm256_and_si256(_mm256_srli_epi16::<4>(pairs), nibble));
            let codes = [_mm256_unpacklo_epi8(even, odd), _mm256_unpackhi_epi8(even, odd)];
            for (j, codes) in codes.into_iter().enumerate() {
                // To f16 all lower bytes are 0.
                let lower = match const { Format::ALL[D] } {
                    Format::F16 => _mm256_setzero_si256(),
                    _ => _mm256_shuffle_epi8(low, codes),
                };
                let upper = _mm256_shuffle_epi8(high, codes);
                let to = span.result.as_mut_ptr().add(128 * i + 64 * j);
                _mm256_storeu_si256(to.cast(), _mm256_unpacklo_epi8(lower, upper));
                _mm256_storeu_si256(to.add(32).cast(), _mm256_unpackhi_epi8(lower, upper));
            }
        }
    }
    WordsOfNibbles::<S, D>::run(Span {
        source: &span.source[32 * whole..],
        result: &mut span.result[128 * whole..],
        ..span
    });
}
