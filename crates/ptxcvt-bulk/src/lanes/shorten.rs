//! f32 to the formats with its exponent width, which are rounded as integers: bf16, tf32 and ue8m0.

use super::{match_mode, mode, single};
use crate::constants::Constants;

/// f32 to bf16 (`DROP` = 16) and tf32 (13), rounded as integers. The result is not shifted down.
#[inline(always)]
pub(crate) fn shorten<const DROP: u32, const R: u8>(x: u32, random: u32, k: &Constants) -> u32 {
    let (magnitude, sign) = (x & single::MAGNITUDE, x & single::SIGN);
    let m = magnitude.min(k.limit[0] as u32);
    let below = (1_u32 << DROP) - 1;
    let away = if (R == mode::RM) == (sign != 0) { below } else { 0 };
    let add = match_mode!(R {
        RN => (below >> 1) + (m >> DROP & 1),
        RM | RP => away,
        RS => random,
        RZ => 0,
    });
    let rounded = (m + add) & !below | sign;
    if magnitude > single::INFINITY { k.nan as u32 } else { rounded }
}

/// `cvt.rna.tf32.f32`: adds half a unit to the magnitude, also to that of NaN; see the reference.
#[inline(always)]
pub(crate) fn tf32_ties_away(x: u32, k: &Constants) -> u32 {
    const STEP: u32 = 1 << single::BELOW_TF32;
    let rounded = (((x & single::MAGNITUDE) + STEP / 2) & !(STEP - 1)).min(single::NAN & !(STEP - 1));
    let lowered = if rounded >= single::INFINITY { rounded - (k.infinity as u32) } else { rounded };
    lowered | x & single::SIGN
}

/// f64 to f32, rounded to odd: the last bit is set if the result is inexact, so that rounding to 22 bits or
/// fewer is correct. Numbers beyond the range become the largest number. NaN keeps the payload bits that fit.
#[inline(always)]
pub(crate) fn odd_single(x: u64) -> u32 {
    const BELOW: u32 = 52 - single::FRACTION_BITS;
    const INFINITY: i64 = 0x7ff << 52;
    const LARGEST: i64 = (1023 + 128) << 52;
    const REBIAS: i64 = (1023 - 127) << single::FRACTION_BITS;
    // A number whose last place is 2^-149, and the least normal f32.
    const ONE: f64 = f64::from_bits((1023 - 149 + 52) << 52);
    const LEAST: i64 = (1023 - 126) << 52;
    // Signed numbers, because processors compare those.
    let magnitude = (x & (u64::MAX >> 1)) as i64;
    let below = (1 << BELOW) - 1;
    let bits = (magnitude | ((magnitude & below) + below)) >> BELOW;
    let number = if magnitude < LARGEST { bits - REBIAS } else { i64::from(single::INFINITY - 1) };
    let special = bits & i64::from(single::FRACTION) | i64::from(single::INFINITY);
    let normal = if magnitude < INFINITY { number } else { special };
    let sum = f64::from_bits(magnitude as u64) + ONE;
    let back = (sum - ONE).to_bits() as i64;
    let above = if back > magnitude { 1 } else { 0 };
    let inexact = if back != magnitude { 1 } else { 0 };
    let subnormal = (sum.to_bits() as i64 - above) | inexact;
    let bits = if magnitude < LEAST { subnormal } else { normal };
    bits as u32 & single::MAGNITUDE | (x >> 32) as u32 & single::SIGN
}

/// f32 to ue8m0: the exponent only.
#[inline(always)]
pub(crate) fn power<const R: u8>(x: u32, k: &Constants) -> u32 {
    let m = x & single::MAGNITUDE;
    // Magnitudes up to 2^-127, which is code 0, are not rounded up.
    let up = match_mode!(R { RP => m > single::LEAST_POWER, RZ => false });
    let up = if up { single::FRACTION } else { 0 };
    let code = ((m + up) >> single::FRACTION_BITS).min(k.limit[0] as u32);
    if m > single::INFINITY { 0xff } else { code }
}
