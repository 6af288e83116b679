//! The rounding modifiers and the one place where a number loses bits.
//!
//! PTX ISA section 6.5.2, Tables 17 and 18. A number is rounded to a whole count of some quantum 2^q;
//! the caller chooses q from the destination format, and everything below is discarded by the mode.

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
    const HALF: u64 = 1 << 63;
    // The upper word counts whole quanta; the lower one is what is discarded, in units of 2^-64 quanta. Anything
    // below that leaves a one in the last place, where it keeps a number from being whole.
    let shift = (quantum - x.exponent) as u32;
    let shifted = u128::from(x.significand) << 64 >> shift.min(127);
    let below = shift > 64 && x.significand != 0;
    let (floor, discarded) = ((shifted >> 64) as u64, shifted as u64 | u64::from(below));
    let up = match mode {
        // Just a half goes up from an odd count.
        Mode::NearestEven => discarded > HALF - (floor & 1),
        Mode::NearestAway => discarded >= HALF,
        Mode::TowardZero => false,
        Mode::Down => x.negative && discarded != 0,
        Mode::Up => !x.negative && discarded != 0,
        Mode::Stochastic(Random { value, bits }) => {
            // The first `bits` places of what is discarded.
            let places = (u128::from(discarded) << bits >> 64) as u64;
            places + u64::from(value) > mask(bits)
        }
    };
    Rounded { steps: floor + u64::from(up), floor, inexact: discarded != 0 }
}
