//! `.scaled::n1` and `.scaled::n2`: f32 lanes times the power of two of a ue8m0 scale.

use super::single;
use crate::constants::Constants;

/// Divides a number by the scale (`DIVIDED`; first flushed according to k), or multiplies it. A scale of 0xff
/// is NaN. `FINITE`: finite results do not become infinity; this matters if infinity does not saturate.
#[inline(always)]
pub(crate) fn scaled<const DIVIDED: bool, const FINITE: bool>(x: u32, scale: u8, k: &Constants) -> u32 {
    let (x, factor) = if DIVIDED {
        // Zero is not subnormal, and keeps its sign.
        let below = (k.flush_below[0] as u32).saturating_sub(1);
        let flushed = (x & single::MAGNITUDE).wrapping_sub(1) < below;
        // 254 - s, the exponent of 2^(127 - s). For 0xff only ones remain, which is NaN.
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
