//! `.scaled::n1` and `.scaled::n2`: f32 lanes times the power of two that a ue8m0 scale stands for.

use super::single;
use crate::bulk::constants::Constants;

/// A number divided by the scale (`DIVIDED`; what k says is flushed before) or multiplied by it; a scale of 0xff is NaN.
/// What is finite stays finite (`FINITE`), which makes a difference where infinity is not what saturates.
#[inline(always)]
pub(in crate::bulk) fn scaled<const DIVIDED: bool, const FINITE: bool>(
    x: u32,
    scale: u8,
    k: &Constants,
) -> u32 {
    let (x, factor) = if DIVIDED {
        // Subnormal: zero is none, and keeps its sign.
        let below = (k.flush_below[0] as u32).saturating_sub(1);
        let flushed = (x & single::MAGNITUDE).wrapping_sub(1) < below;
        // 254 - s, the exponent of 2^(127 - s); of 0xff nothing but ones is left, a NaN.
        let exponent = 254 - i32::from(scale);
        let factor = ((exponent as u32) << 23).max(single::LEAST_POWER) | (exponent >> 31) as u32;
        (if flushed { x & k.flush_keep as u32 } else { x }, factor)
    } else {
        let nan = if scale == 0xff { single::NAN } else { 0 };
        (x, (u32::from(scale) << 23).max(single::LEAST_POWER) | nan)
    };
    let product = (f32::from_bits(x) * f32::from_bits(factor)).to_bits();
    let is_infinite = product & single::MAGNITUDE == single::INFINITY;
    if FINITE && is_infinite && x & single::MAGNITUDE < single::INFINITY { product - 1 } else { product }
}
