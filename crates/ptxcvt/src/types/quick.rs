//! f32 to and from the number types in 32-bit arithmetic, which is faster than the reference's exact numbers.
//!
//! PTX ISA section 6.5.2 (rounding) and 9.7.9.21 (`.satfinite`, NaN). There are no branches, so a loop over these
//! functions vectorises. Host modes that flush subnormal numbers do not change the results: in the only addition, a
//! subnormal operand is too small to change the sum. `tests/types_exhaustive.rs` compares every code, and all 2^32
//! inputs, with the reference.

use crate::formats::{Format, Kind};
use crate::overflow::Overflow;

const SIGN: u32 = 1 << 31;
const MAGNITUDE: u32 = !SIGN;
/// Bits of an f32's fraction.
const FRACTION: u32 = 23;
const BIAS: u32 = 127;
const INFINITY: u32 = 0xff << FRACTION;
/// 2^−127, the least number of ue8m0, a subnormal f32.
const LEAST_POWER: u32 = 1 << (FRACTION - 1);

/// The numbers of a format with which f32 are converted.
#[derive(Clone, Copy)]
pub(super) struct Quick {
    way: Way,
    /// Bits of an f32's fraction that the format lacks.
    drop: u32,
    /// The least normal number as an f32.
    least: u32,
    /// Magnitudes above this f32 become this before they are rounded.
    limit: u32,
    /// Where an f32's sign moves to, counted from the top; the mask of the sign.
    sign_shift: u32,
    sign: u32,
    /// The code of NaN, and the least code, without sign, that is not finite.
    nan: u32,
    special: u32,
}

/// The bits that the format's codes share with those of f32.
#[derive(Clone, Copy)]
enum Way {
    /// Fewer exponent bits.
    Narrower,
    /// The upper bits of an f32, stored with this many zeros below.
    Upper { padding: u32 },
    /// The exponent alone; numbers are rounded up.
    Power,
    /// Two's complement.
    Fixed { fraction: u32 },
}

impl Quick {
    /// The numbers of a format; overflow is [`Overflow::Saturate`] or [`Overflow::Ieee`].
    pub const fn new(format: Format, overflow: Overflow) -> Quick {
        let (nan, largest) = (format.nan_code() as u32, format.max_finite() as u32);
        // Infinity or NaN is the next code, if there is either.
        let special = largest + (1 << format.low_padding());
        let sign = format.sign_bit() as u32;
        let sign_shift = if sign == 0 { 0 } else { sign.leading_zeros() };
        let (way, fraction, bias) = match format.parameters().kind {
            Kind::Float { fraction, bias: 127, .. } => {
                (Way::Upper { padding: format.low_padding() }, fraction, BIAS)
            }
            Kind::Float { fraction, bias, .. } => (Way::Narrower, fraction, bias as u32),
            Kind::PowerOfTwo { .. } => (Way::Power, 0, BIAS),
            Kind::Fixed { fraction } => (Way::Fixed { fraction }, fraction, BIAS),
            Kind::Integer { .. } => panic!("the number types are not integers"),
        };
        let drop = FRACTION - fraction;
        let least = (BIAS + 1 - bias) << FRACTION;
        let saturates = matches!(overflow, Overflow::Saturate);
        assert!(
            !(saturates && matches!(way, Way::Upper { .. })),
            "the upper bits of an f32 do not saturate here"
        );
        let mut quick = Quick { way, drop, least, limit: 0, sign_shift, sign, nan, special };
        if let Way::Narrower = way {
            // One step above the largest number is the power of two that becomes infinity.
            let steps = if saturates { 0 } else { 1 };
            quick.limit = quick.magnitude(largest) + (steps << drop);
        }
        quick
    }

    /// The code to which the bits of an f32 round: to nearest, ties to even; upwards if the format is a power of two.
    #[inline(always)]
    pub const fn narrow(self, x: u32) -> u32 {
        let magnitude = x & MAGNITUDE;
        let code = match self.way {
            Way::Narrower => {
                let m = if magnitude < self.limit { magnitude } else { self.limit };
                // Half a unit less one, plus the last bit that remains: a tie goes to even, a carry to the exponent.
                let rebased = m.wrapping_sub(self.least - (1 << FRACTION));
                let half = (1 << (self.drop - 1)) - 1 + (m >> self.drop & 1);
                let normal = rebased.wrapping_add(half) >> self.drop;
                // In the binade of `unit` the last place of an f32 is the quantum, so that the addition rounds.
                let unit = self.least + (self.drop << FRACTION);
                let sum = (f32::from_bits(m) + f32::from_bits(unit)).to_bits();
                let code = if m < self.least { sum.wrapping_sub(unit) } else { normal };
                code | (x >> self.sign_shift) & self.sign
            }
            // The rounding of normal numbers above, in place.
            Way::Upper { padding } => {
                let odd = x >> self.drop & 1;
                ((x.wrapping_add((1 << (self.drop - 1)) - 1 + odd)) >> self.drop) << padding
            }
            Way::Power => {
                let above = (magnitude + (1 << FRACTION) - 1) >> FRACTION;
                let code = if above < self.nan { above } else { self.nan - 1 };
                if magnitude > LEAST_POWER { code } else { 0 }
            }
            Way::Fixed { fraction } => {
                let unit = 1.0 / (1 << fraction) as f32;
                let (low, high) = (-128.0 * unit, 127.0 * unit);
                let x = f32::from_bits(x);
                let x = if x > low { x } else { low };
                let x = if x < high { x } else { high };
                // The low bits of the sum count units in two's complement.
                (x + 1.5 * (1 << FRACTION) as f32 * unit).to_bits() & 0xff
            }
        };
        if magnitude > INFINITY { self.nan } else { code }
    }

    /// The bits of the f32 that a code means.
    #[inline(always)]
    pub const fn widen(self, code: u32) -> u32 {
        match self.way {
            Way::Narrower => {
                let magnitude = code & (self.sign.wrapping_sub(1));
                let sign = (code & self.sign) << self.sign_shift;
                if magnitude < self.special {
                    self.magnitude(magnitude) | sign
                } else if magnitude > self.special || self.special == self.nan {
                    // PTX's canonical NaN.
                    MAGNITUDE
                } else {
                    INFINITY | sign
                }
            }
            Way::Upper { padding } => code >> padding << self.drop,
            Way::Power if code == self.nan => MAGNITUDE,
            Way::Power if code == 0 => LEAST_POWER,
            Way::Power => code << FRACTION,
            Way::Fixed { fraction } => (code as u8 as i8 as f32 / (1 << fraction) as f32).to_bits(),
        }
    }

    /// The f32 of a finite code without sign of a format with fewer exponent bits.
    #[inline(always)]
    const fn magnitude(self, code: u32) -> u32 {
        let bits = code << self.drop;
        // A subnormal number is the fraction alone: a hidden bit is put before it and subtracted again.
        let hidden = f32::from_bits(self.least);
        let subnormal = (f32::from_bits(bits + self.least) - hidden).to_bits();
        if bits < 1 << FRACTION { subnormal } else { bits + self.least - (1 << FRACTION) }
    }
}

/// The bits of an f32 that rounds to every format of at most 22 significant bits as this f64 does: what is cut off sets
/// the last bit. NaN becomes a NaN.
#[inline(always)]
pub(super) const fn to_odd(x: u64) -> u32 {
    /// Bits of an f64's fraction that f32 lacks.
    const DROP: u32 = 29;
    /// 2^−126 and 2^128 as f64.
    const LEAST: u64 = (1023 - 126) << 52;
    const BEYOND: u64 = (1023 + 128) << 52;
    const INFINITE: u64 = 0x7ff << 52;
    let (magnitude, sign) = (x & !(1 << 63), (x >> 32) as u32 & SIGN);
    let cut = if magnitude > INFINITE {
        MAGNITUDE
    } else if magnitude == INFINITE {
        INFINITY
    } else if magnitude >= BEYOND {
        INFINITY - 1
    } else if magnitude >= LEAST {
        let bits = magnitude - (LEAST - (1 << 52));
        (bits >> DROP) as u32 | (bits & ((1 << DROP) - 1) != 0) as u32
    } else {
        let significand = magnitude & ((1 << 52) - 1) | 1 << 52;
        let shift = DROP as u64 + (LEAST >> 52) - (magnitude >> 52);
        if shift < 54 {
            (significand >> shift) as u32 | (significand & ((1 << shift) - 1) != 0) as u32
        } else {
            (magnitude != 0) as u32
        }
    };
    sign | cut
}
