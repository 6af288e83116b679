//! The rounding modifiers and the one place where a number loses bits.
//!
//! PTX ISA section 6.5.2, Tables 17 and 18. A number is rounded to a whole count of some quantum 2^q;
//! the caller chooses q from the destination format, and everything below is discarded by the mode.

use core::cmp::Ordering;

use crate::bits::mask;
use crate::exact::Exact;

/// A rounding modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rounding {
    /// To nearest, ties to even.
    Rn,
    /// To nearest, ties away from zero.
    Rna,
    /// Towards zero.
    Rz,
    /// Towards negative infinity.
    Rm,
    /// Towards positive infinity.
    Rp,
    /// Stochastic: random bits added to the discarded ones decide.
    Rs,
    /// To the nearest integer, ties to even.
    Rni,
    /// To an integer, towards zero.
    Rzi,
    /// To an integer, towards negative infinity.
    Rmi,
    /// To an integer, towards positive infinity.
    Rpi,
}

impl Rounding {
    /// Every rounding modifier, in the manual's order.
    pub const ALL: &'static [Rounding] = {
        use Rounding::*;
        &[Rn, Rna, Rz, Rm, Rp, Rs, Rni, Rzi, Rmi, Rpi]
    };

    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Rounding::Rn => "rn",
            Rounding::Rna => "rna",
            Rounding::Rz => "rz",
            Rounding::Rm => "rm",
            Rounding::Rp => "rp",
            Rounding::Rs => "rs",
            Rounding::Rni => "rni",
            Rounding::Rzi => "rzi",
            Rounding::Rmi => "rmi",
            Rounding::Rpi => "rpi",
        }
    }

    /// The modifier of that name (without the dot).
    pub fn from_name(name: &str) -> Option<Rounding> {
        Self::ALL.iter().copied().find(|r| r.name() == name)
    }

    /// True of `.rni .rzi .rmi .rpi`, which round to an integer (Table 18).
    pub const fn is_integer(self) -> bool {
        matches!(self, Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi)
    }

    /// How the discarded part decides; `random` is used by `.rs` alone.
    #[inline]
    pub(crate) fn mode(self, random: Option<Random>) -> Mode {
        match self {
            Rounding::Rn | Rounding::Rni => Mode::NearestEven,
            Rounding::Rna => Mode::NearestAway,
            Rounding::Rz | Rounding::Rzi => Mode::TowardZero,
            Rounding::Rm | Rounding::Rmi => Mode::Down,
            Rounding::Rp | Rounding::Rpi => Mode::Up,
            Rounding::Rs => Mode::Stochastic(random.unwrap_or(Random { value: 0, bits: 16 })),
        }
    }
}

/// The random field of one element under `.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Random {
    /// The field's bits, as they are added.
    pub value: u32,
    /// How many bits the field has.
    pub bits: u32,
}

/// What decides between the two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    NearestEven,
    NearestAway,
    TowardZero,
    Down,
    Up,
    Stochastic(Random),
}

/// A magnitude as a whole number of quanta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounded {
    /// Quanta after rounding.
    pub steps: u64,
    /// Quanta at or below the magnitude, before the mode decided.
    pub floor: u64,
    /// Something was discarded.
    pub inexact: bool,
}

/// Rounds |x| to a multiple of 2^`quantum`. The caller sees to it that the result fits 64 bits.
#[inline]
pub(crate) fn to_quantum(x: Exact, quantum: i32, mode: Mode) -> Rounded {
    if quantum <= x.exponent {
        let steps = if x.significand == 0 { 0 } else { x.significand << (x.exponent - quantum) };
        return Rounded { steps, floor: steps, inexact: false };
    }
    // Beyond 100 places everything is discarded and far below one half: the count need not be exact.
    let shift = (quantum - x.exponent) as u32;
    // Where all 64 bits are shifted out, what is left is at most a half, and of 65 and more less than that.
    let (floor, rest, half) = match shift {
        0..64 => (x.significand >> shift, x.significand & mask(shift), Some(1 << (shift - 1))),
        64 => (0, x.significand, Some(1 << 63)),
        _ => (0, x.significand, None),
    };
    let to_half = half.map_or(Ordering::Less, |half| rest.cmp(&half));
    let up = match mode {
        Mode::NearestEven => to_half == Ordering::Greater || (to_half == Ordering::Equal && floor & 1 == 1),
        Mode::NearestAway => to_half != Ordering::Less,
        Mode::TowardZero => false,
        Mode::Down => x.negative && rest != 0,
        Mode::Up => !x.negative && rest != 0,
        Mode::Stochastic(Random { value, bits }) => {
            // The first `bits` places of what is discarded.
            let tail = u128::from(rest) << bits >> shift.min(100);
            tail as u64 + u64::from(value) > mask(bits)
        }
    };
    Rounded { steps: floor + u64::from(up), floor, inexact: rest != 0 }
}
