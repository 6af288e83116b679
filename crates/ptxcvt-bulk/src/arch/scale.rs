//! Scales as additions to the exponent, for the kernels from f32 lanes to s2f6 and ue5m3.
//!
//! A number is divided by 2^(s − 127) by adding 255 − s to its exponent. That is 128 too many, so the sum is
//! never negative, and it is below 2^32 for all operands. The sum is then limited to the range in which the
//! destination has more than one code, and the 128 are subtracted. No floating-point operation receives a
//! subnormal number.

use super::small::Small;
use crate::lanes::single;
use ptxcvt::formats::{Format, Kind};

/// The excess that a scale adds to the exponent, at the exponent's place.
const TOO_MUCH: u32 = 128 << single::FRACTION_BITS;

/// The bits of 2^`exponent` as f32.
const fn power(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << single::FRACTION_BITS
}

/// Lanes of f32 counted in s2f6's quanta.
pub struct Fixed;

impl Fixed {
    const FRACTION: i32 = match Format::S2f6.parameters().kind {
        Kind::Fixed { fraction } => fraction as i32,
        _ => panic!("s2f6 is a fixed-point format"),
    };
    /// The code of NaN.
    pub const NAN: u32 = Format::S2f6.max_finite() as u32;
    /// The limit for large numbers; its negative has the least code. Converted to quanta it exceeds the
    /// largest code, and saturates.
    pub const LIMIT: u32 = power(7 - Fixed::FRACTION);
    /// Converts units to quanta by an addition to the exponent.
    pub const PER_UNIT: u32 = (Fixed::FRACTION as u32) << single::FRACTION_BITS;
    /// With a scale: numbers that round to 0 are replaced by the first limit, too large ones by the second.
    /// The third constant is then subtracted.
    pub const LEAST: u32 = TOO_MUCH + power(-2 - Fixed::FRACTION);
    pub const LARGEST: u32 = TOO_MUCH + Fixed::LIMIT;
    pub const BIAS: u32 = TOO_MUCH - Fixed::PER_UNIT;
    /// A subnormal f32 is its fraction times 2^-149. This constant is subtracted from 255 − s to get the
    /// exponent of the factor that converts it to quanta. If the difference is negative, the number rounds to
    /// 0.
    pub const BEFORE_SUBNORMAL: u32 = ((149 + 128 - Fixed::FRACTION - 127) as u32) << single::FRACTION_BITS;
}

/// Lanes of f32 to ue5m3: the numbers of [`Small`], and those under a scale.
pub struct Unsigned;

impl Unsigned {
    const SMALL: Small = Small::new::<{ Format::Ue5m3 as usize }>();
    pub const LEAST: u32 = Unsigned::SMALL.least;
    pub const QUANTA: u32 = Unsigned::SMALL.quanta;
    pub const CUT: u32 = Unsigned::SMALL.cut;
    pub const HALF: u32 = Unsigned::SMALL.half;
    pub const JOIN: u32 = Unsigned::SMALL.join;
    /// The place of the code's last bit after both halves of a sum have been joined.
    pub const PLACE: u32 = 7 - Unsigned::SMALL.fraction;
    /// With a scale: the limit below which the code is 0, and the excess of a scale.
    pub const NOTHING: u32 = TOO_MUCH + Unsigned::LEAST - (20 << single::FRACTION_BITS);
    pub const TOO_MUCH: u32 = TOO_MUCH;
}

/// A shuffle that moves scales to bits 24 to 31 of a register's lanes: each of sixteen scales to two lanes,
/// starting with scale number `first`.
pub const fn pairs<const BYTES: usize>(first: u8) -> [u8; BYTES] {
    // Indices with a set top bit give 0.
    let mut places = [0x80; BYTES];
    let mut lane = 0;
    while lane < BYTES / 4 {
        places[4 * lane + 3] = first + lane as u8 / 2;
        lane += 1;
    }
    places
}
