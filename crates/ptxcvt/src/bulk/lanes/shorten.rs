//! f32 to the formats that share its exponent, which are rounded on the bits: bf16, tf32 and ue8m0.

use super::{mode, single};
use crate::bulk::constants::Constants;

/// f32 to the formats that share its exponent: bf16 (`DROP` = 16) and tf32 (13), on the bits. The result is
/// not shifted down.
#[inline(always)]
pub(in crate::bulk) fn shorten<const DROP: u32, const R: u8>(x: u32, random: u32, k: &Constants) -> u32 {
    let (magnitude, sign) = (x & single::MAGNITUDE, x & single::SIGN);
    let m = magnitude.min(k.limit[0] as u32);
    let below = (1_u32 << DROP) - 1;
    let away = if (R == mode::RM) == (sign != 0) { below } else { 0 };
    let add = match R {
        mode::RN => (below >> 1) + (m >> DROP & 1),
        mode::RM | mode::RP => away,
        mode::RS => random,
        _ => 0,
    };
    let rounded = (m + add) & !below | sign;
    if magnitude > single::INFINITY { k.nan as u32 } else { rounded }
}

/// `cvt.rna.tf32.f32`: half a unit is added to the magnitude, NaN or not; see the reference.
#[inline(always)]
pub(in crate::bulk) fn tf32_ties_away(x: u32, k: &Constants) -> u32 {
    const STEP: u32 = 1 << single::BELOW_TF32;
    let rounded = (((x & single::MAGNITUDE) + STEP / 2) & !(STEP - 1)).min(single::NAN & !(STEP - 1));
    let lowered = if rounded >= single::INFINITY { rounded - (k.infinity as u32) } else { rounded };
    lowered | x & single::SIGN
}

/// f64 to f32, rounded to odd: what is not exact has its last bit set, so that a rounding to 22 bits and fewer sees what was
/// cut off. What exceeds the range becomes the largest number, and NaN keep the payload that fits.
#[inline(always)]
pub(in crate::bulk) fn odd_single(x: u64) -> u32 {
    const BELOW: u32 = 52 - single::FRACTION_BITS;
    const INFINITY: i64 = 0x7ff << 52;
    const LARGEST: i64 = (1023 + 128) << 52;
    const REBIAS: i64 = (1023 - 127) << single::FRACTION_BITS;
    // What has quanta of 2^-149 for its last places, and the least normal f32.
    const ONE: f64 = f64::from_bits((1023 - 149 + 52) << 52);
    const LEAST: i64 = (1023 - 126) << 52;
    // Signed numbers, which processors compare.
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

/// f32 to ue8m0, the exponent alone.
#[inline(always)]
pub(in crate::bulk) fn power<const R: u8>(x: u32, k: &Constants) -> u32 {
    let m = x & single::MAGNITUDE;
    // Up to 2^-127, which is code 0, nothing is rounded up.
    let up = if R == mode::RP && m > single::LEAST_POWER { single::FRACTION } else { 0 };
    let code = ((m + up) >> single::FRACTION_BITS).min(k.limit[0] as u32);
    if m > single::INFINITY { 0xff } else { code }
}
