//! Integers: conversions to and from floats for which rounding by addition has too few bits.

use super::{match_mode, mode, single};
use crate::constants::Constants;

/// 2^31, and the largest f32 below it.
const TWO_TO_31: f32 = 2_147_483_648.0;
const BELOW_2_TO_31: f32 = 2_147_483_520.0;

/// `.rzi` from f32 to an integer of at most 16 bits: the low bits of the result.
#[inline(always)]
pub(crate) fn truncated(x: u32, k: &Constants) -> i32 {
    let value = f32::from_bits(x);
    // NaN fails the first comparison, and becomes the lower end.
    let value = if value > k.low as f32 { value } else { k.low as f32 };
    let value = if value < k.high as f32 { value } else { k.high as f32 };
    // SAFETY: the value is within a range of 16 bits, whose ends come from `Constants::new`.
    let number = unsafe { value.to_int_unchecked::<i32>() };
    if x & single::MAGNITUDE > single::INFINITY { 0 } else { number }
}

/// Converts an integral f32 to s32; NaN becomes 0. A plain cast returns the same, but compilers do not
/// vectorise it.
#[inline(always)]
pub(crate) fn single_to_s32(x: u32) -> u32 {
    let value = f32::from_bits(x);
    let low = if value > -TWO_TO_31 { value } else { -TWO_TO_31 };
    let inner = if low < BELOW_2_TO_31 { low } else { BELOW_2_TO_31 };
    // SAFETY: between -2^31 and the largest f32 below 2^31.
    let number = unsafe { inner.to_int_unchecked::<i32>() } as u32;
    let number = if value >= TWO_TO_31 { i32::MAX as u32 } else { number };
    if x & single::MAGNITUDE > single::INFINITY { 0 } else { number }
}

/// Converts an integral f32 to u32 by signed conversions of the part above 2^31 and the rest; NaN becomes 0.
#[inline(always)]
pub(crate) fn single_to_u32(x: u32) -> u32 {
    // Not left to the comparison: some compilers for Arm use a maximum that keeps a signalling NaN.
    let value = f32::from_bits(if x & single::MAGNITUDE > single::INFINITY { 0 } else { x });
    let low = if value > 0.0 { value } else { 0.0 };
    let inner = if low < 2.0 * BELOW_2_TO_31 { low } else { 2.0 * BELOW_2_TO_31 };
    let (less, top) = if inner >= TWO_TO_31 { (TWO_TO_31, 1 << 31) } else { (0.0, 0) };
    // SAFETY: between 0 and the largest f32 below 2^31.
    let number = unsafe { (inner - less).to_int_unchecked::<i32>() } as u32 ^ top;
    if value >= 2.0 * TWO_TO_31 { u32::MAX } else { number }
}

/// A 64-bit integer's magnitude as an f64 that rounds to 40 bits or fewer as the integer does. The last of
/// the upper 53 bits is set if any bit below is.
#[inline(always)]
pub(crate) fn sticky(magnitude: u64) -> f64 {
    let short = magnitude & !0x7ff | if magnitude & 0x7ff != 0 { 0x800 } else { 0 };
    (if magnitude >> 53 != 0 { short } else { magnitude }) as f64
}

/// A 32-bit integer's magnitude as an f32 that rounds to 16 bits or fewer as the integer does, like
/// [`sticky`].
#[inline(always)]
pub(crate) fn sticky_single(magnitude: u32) -> f32 {
    let short = magnitude & !0xff | if magnitude & 0xff != 0 { 0x100 } else { 0 };
    (if magnitude >> 24 != 0 { short } else { magnitude }) as f32
}

/// A 64-bit integer as an f32 rounded to odd: the last bit is set if it is inexact, so that rounding to 22
/// bits or fewer is correct.
#[inline(always)]
pub(crate) fn odd_of_integer<const SIGNED: bool>(x: u64) -> u32 {
    // The halves are the last places of 2^84 and 2^52, which are subtracted again. The sign bit counts 2^63
    // less.
    const UPPER: f64 = (1_u128 << 84) as f64;
    const LOWER: f64 = (1_u64 << 52) as f64;
    const SIGN: f64 = (1_u64 << 63) as f64;
    let upper = if SIGNED {
        f64::from_bits(x >> 32 ^ UPPER.to_bits() ^ 1 << 31) - (UPPER + SIGN)
    } else {
        f64::from_bits(x >> 32 | UPPER.to_bits()) - UPPER
    };
    let lower = f64::from_bits(x & u64::from(u32::MAX) | LOWER.to_bits()) - LOWER;
    let sum = upper + lower;
    let single = sum as f32;
    // The error of both roundings; the second one's is larger.
    let lost = ((sum - f64::from(single)) + (lower - (sum - upper))) as f32;
    let bits = single.to_bits();
    let inexact = if lost != 0.0 { 1 } else { 0 };
    // One less if the magnitude was rounded up.
    let above = (lost.to_bits() ^ bits) >> 31 & inexact;
    (bits - above) | inexact
}

/// Integers to the float of their width. `whole! { integer_to_f64: u64 to f64 }` expands to a function of a
/// magnitude and a sign. The two halves are exact, and so is the error of their sum.
macro_rules! whole {
    ($($name:ident: $integer:ident to $float:ident;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name<const R: u8>(magnitude: $integer, negative: bool) -> $integer {
            const HALF: u32 = $integer::BITS / 2;
            let high = (magnitude >> HALF) as $float * (1_u64 << HALF) as $float;
            let low = (magnitude & ((1 << HALF) - 1)) as $float;
            let sum = high + low;
            let lost = low - (sum - high);
            let up = match_mode!(R { RM => negative, RP => !negative, RN | RZ => false });
            let step = match up {
                _ if R == mode::RN => 0,
                true => $integer::from(lost > 0.0),
                false => $integer::from(lost < 0.0).wrapping_neg(),
            };
            sum.to_bits().wrapping_add(step) | $integer::from(negative) << ($integer::BITS - 1)
        }
    )*};
}

whole! {
    integer_to_f64: u64 to f64;
    integer_to_f32: u32 to f32;
}
