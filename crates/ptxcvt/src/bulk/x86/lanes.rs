//! AVX2: f32 to bf16, ue8m0, s2f6 and 8-bit integers. The algorithms are those of the generic kernels; what is
//! gained is the packing of results, which compilers do one register at a time.

use core::arch::x86_64::*;

use crate::bulk::kernels::{Bf16, Fixed8, Power};
use crate::bulk::lanes::{Constants, mode};
use crate::bulk::stage::{Kernel, Span, Stage, fetch};
use crate::format::Format;

/// f32 to `destination` under `rounding`, where this file has it.
pub fn narrow(destination: Format, rounding: u8) -> Option<Stage> {
    Some(match (destination, rounding) {
        (Format::Bf16, mode::RN) => bf16::<{ mode::RN }>,
        (Format::Bf16, mode::RZ) => bf16::<{ mode::RZ }>,
        (Format::Bf16, mode::RM) => bf16::<{ mode::RM }>,
        (Format::Bf16, mode::RP) => bf16::<{ mode::RP }>,
        (Format::Ue8m0, mode::RZ) => power::<{ mode::RZ }>,
        (Format::Ue8m0, mode::RP) => power::<{ mode::RP }>,
        (Format::S2f6 | Format::S8 | Format::U8, mode::RN) => fixed8::<{ mode::RN }>,
        (Format::S2f6, mode::RZ) => fixed8::<{ mode::RZ }>,
        (Format::S8 | Format::U8, mode::RZ) => truncated8::<{ mode::RZ }>,
        (Format::S8 | Format::U8, mode::RM) => fixed8::<{ mode::RM }>,
        (Format::S8 | Format::U8, mode::RP) => fixed8::<{ mode::RP }>,
        _ => return None,
    })
}

#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn set(bits: u32) -> __m256i {
    _mm256_set1_epi32(bits as i32)
}

/// Where the numbers are NaN.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn is_nan(x: __m256) -> __m256i {
    _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x))
}

/// Eight bf16 in the low halves of the lanes.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn shortened<const R: u8>(x: __m256, k: &Constants) -> __m256i {
    let bits = _mm256_castps_si256(x);
    let m = _mm256_min_epu32(_mm256_and_si256(bits, set(0x7fff_ffff)), set(k.limit[0] as u32));
    let negative = _mm256_srai_epi32::<31>(bits);
    let sum = match R {
        mode::RN => {
            let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(m), set(1));
            _mm256_add_epi32(_mm256_add_epi32(m, set(0x7fff)), odd)
        }
        mode::RM => _mm256_add_epi32(m, _mm256_and_si256(negative, set(0xffff))),
        mode::RP => _mm256_add_epi32(m, _mm256_andnot_si256(negative, set(0xffff))),
        _ => m,
    };
    let code = _mm256_or_si256(_mm256_srli_epi32::<16>(sum), _mm256_and_si256(negative, set(0x8000)));
    _mm256_blendv_epi8(code, set((k.nan >> 16) as u32), is_nan(x))
}

/// Eight ue8m0 in the low bytes of the lanes, the others 0.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn exponents<const R: u8>(x: __m256, k: &Constants) -> __m256i {
    let m = _mm256_and_si256(_mm256_castps_si256(x), set(0x7fff_ffff));
    let up = _mm256_and_si256(_mm256_cmpgt_epi32(m, set(0x0040_0000)), set(0x007f_ffff));
    let m = if R == mode::RP { _mm256_add_epi32(m, up) } else { m };
    let code = _mm256_min_epu32(_mm256_srli_epi32::<23>(m), set(k.limit[0] as u32));
    _mm256_or_si256(code, _mm256_and_si256(is_nan(x), set(0xff)))
}

/// Eight integers or s2f6 in the low bytes of the lanes, the others 0.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn steps<const R: u8>(x: __m256, k: &Constants) -> __m256i {
    let number = |x: f64| _mm256_set1_ps(x as f32);
    let value = _mm256_min_ps(_mm256_max_ps(x, number(k.low)), number(k.high));
    let t = _mm256_add_ps(value, number(k.magic));
    let back = _mm256_sub_ps(t, number(k.magic));
    // Comparisons give -1 where they hold.
    let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GT_OQ>(back, value));
    let below = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(back, value));
    let negative = _mm256_srai_epi32::<31>(_mm256_castps_si256(value));
    let bits = _mm256_castps_si256(t);
    let code = match R {
        mode::RM => _mm256_add_epi32(bits, above),
        mode::RP => _mm256_sub_epi32(bits, below),
        mode::RZ => {
            let lowered = _mm256_add_epi32(bits, _mm256_andnot_si256(negative, above));
            _mm256_sub_epi32(lowered, _mm256_and_si256(negative, below))
        }
        _ => bits,
    };
    let code = _mm256_blendv_epi8(code, set(k.nan as u32), is_nan(x));
    _mm256_and_si256(code, set(0xff))
}

/// Eight integers under `.rzi` in the low bytes of the lanes, the others 0.
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn truncated<const R: u8>(x: __m256, k: &Constants) -> __m256i {
    let number = |x: f64| _mm256_set1_ps(x as f32);
    let value = _mm256_min_ps(_mm256_max_ps(x, number(k.low)), number(k.high));
    let code = _mm256_blendv_epi8(_mm256_cvttps_epi32(value), set(k.nan as u32), is_nan(x));
    _mm256_and_si256(code, set(0xff))
}

/// Declares the stages. `stages! { bf16, shortened, 2, Bf16; }` expands to a `#[target_feature]` function that
/// converts 32 elements at a time to bytes, or 16 to words, and leaves the rest to the generic kernel.
macro_rules! stages {
    ($($name:ident, $lanes:ident, bytes: $bytes:literal, tail: $tail:ident;)*) => {$(
        #[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $name<const R: u8>(span: Span<'_>) {
            let k = *span.constants;
            const STEP: usize = 32 / $bytes;
            let whole = span.result.len() / 32;
            for i in 0..whole {
                let part = &span.source[4 * STEP * i..4 * STEP * (i + 1)];
                fetch(part);
                // SAFETY: the part holds 32 bytes for each j below STEP / 8.
                let lanes = |j: usize| $lanes::<R>(unsafe { _mm256_loadu_ps(part.as_ptr().add(32 * j).cast()) }, &k);
                // Packing works in halves of the registers, which is put right at the end.
                let packed = if $bytes == 2 {
                    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(lanes(0), lanes(1)))
                } else {
                    let words = [_mm256_packus_epi32(lanes(0), lanes(1)), _mm256_packus_epi32(lanes(2), lanes(3))];
                    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
                    _mm256_permutevar8x32_epi32(_mm256_packus_epi16(words[0], words[1]), order)
                };
                // SAFETY: the result holds 32 bytes for each step.
                unsafe { _mm256_storeu_si256(span.result.as_mut_ptr().add(32 * i).cast(), packed) };
            }
            <$tail<R>>::run(Span {
                source: &span.source[4 * STEP * whole..],
                result: &mut span.result[32 * whole..],
                ..span
            });
        }
    )*};
}

stages! {
    bf16, shortened, bytes: 2, tail: Bf16;
    power, exponents, bytes: 1, tail: Power;
    fixed8, steps, bytes: 1, tail: Fixed8;
    truncated8, truncated, bytes: 1, tail: Fixed8;
}
