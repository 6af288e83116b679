//! What the kernels from f32 lanes to s2f6 and ue5m3 share: a scale as an addition to the exponent.
//!
//! A number is divided by 2^(s − 127) by adding 255 − s to its exponent, which is 128 too many: so the sum is never
//! negative, and below 2^32 as an unsigned number, whatever the two are. Then it is brought into the range in which the
//! destination has more than one code, and the 128 are taken off again. No operation on floats meets what is subnormal.

use super::small::Small;
use crate::bulk::lanes::single;
use crate::formats::{Format, Kind};

/// What a scale adds too much to the exponent, in its place.
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
        _ => 0,
    };
    /// The code of NaN.
    pub const NAN: u32 = Format::S2f6.max_finite() as u32;
    /// What is too large, whose negative has the least code; counted, it exceeds the largest one, and saturates.
    pub const LIMIT: u32 = power(7 - Fixed::FRACTION);
    /// What makes quanta of units: an addition to the exponent.
    pub const PER_UNIT: u32 = (Fixed::FRACTION as u32) << single::FRACTION_BITS;
    /// Under a scale, what rounds to 0 becomes the first of these, what is too large the second; then the third is taken
    /// off.
    pub const LEAST: u32 = TOO_MUCH + power(-2 - Fixed::FRACTION);
    pub const LARGEST: u32 = TOO_MUCH + Fixed::LIMIT;
    pub const BIAS: u32 = TOO_MUCH - Fixed::PER_UNIT;
    /// What is subnormal in f32 has its fraction for a number of 2^-149; 255 − s less this is the exponent of what makes
    /// quanta of it, and of scales for which that is negative, the number is nothing.
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
    /// The place of the code's last bit when both halves of a sum have been joined.
    pub const PLACE: u32 = 7 - Unsigned::SMALL.fraction;
    /// What is too small for any code, and is 0, under a scale; what a scale adds too much.
    pub const NOTHING: u32 = TOO_MUCH + Unsigned::LEAST - (20 << single::FRACTION_BITS);
    pub const TOO_MUCH: u32 = TOO_MUCH;
}

/// Which bytes of sixteen scales a shuffle takes to bits 24 to 31 of the lanes of a register: each for two lanes, from the
/// one numbered `first` on.
pub const fn pairs<const BYTES: usize>(first: u8) -> [u8; BYTES] {
    // What begins with a set bit becomes 0.
    let mut places = [0x80; BYTES];
    let mut lane = 0;
    while lane < BYTES / 4 {
        places[4 * lane + 3] = first + lane as u8 / 2;
        lane += 1;
    }
    places
}
