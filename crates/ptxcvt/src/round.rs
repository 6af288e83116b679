//! The rounding modes, and the one function that rounds.
//!
//! PTX ISA section 6.5.2, Tables 17 and 18. A number is rounded to a multiple of a quantum 2^q. The caller
//! chooses q for the destination format.

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
    /// Stochastic: random bits are added to the discarded ones.
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

    /// The one table of words: the name, the direction, and the meaning in full.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Rounding::Rn => ["rn", "to nearest", "rounded to nearest, ties to even"],
            Rounding::Rna => {
                ["rna", "to nearest, ties away from zero", "rounded to nearest, ties away from zero"]
            }
            Rounding::Rz => ["rz", "towards zero", "rounded towards zero"],
            Rounding::Rm => ["rm", "down", "rounded towards negative infinity"],
            Rounding::Rp => ["rp", "up", "rounded towards positive infinity"],
            Rounding::Rs => {
                ["rs", "at random", "rounded stochastically: random bits are added to the discarded ones"]
            }
            Rounding::Rni => ["rni", "to nearest", "rounded to the nearest integer, ties to even"],
            Rounding::Rzi => ["rzi", "towards zero", "rounded to an integer, towards zero"],
            Rounding::Rmi => ["rmi", "down", "rounded to an integer, towards negative infinity"],
            Rounding::Rpi => ["rpi", "up", "rounded to an integer, towards positive infinity"],
        }
    }

    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// The direction in a few words: `to nearest`, `towards zero`, `down`.
    ///
    /// ```
    /// use ptxcvt::Rounding;
    /// assert_eq!(Rounding::Rm.direction(), "down");
    /// assert_eq!(Rounding::Rmi.describe(), "rounded to an integer, towards negative infinity");
    /// ```
    pub const fn direction(self) -> &'static str {
        self.words()[1]
    }

    /// A description of the modifier: `rounded to nearest, ties to even`.
    pub const fn describe(self) -> &'static str {
        self.words()[2]
    }

    /// The modifier of that name (without the dot).
    pub fn from_name(name: &str) -> Option<Rounding> {
        Self::ALL.iter().copied().find(|r| r.name() == name)
    }

    /// True for `.rni .rzi .rmi .rpi`, which round to an integer (Table 18).
    pub const fn is_integer(self) -> bool {
        matches!(self, Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi)
    }

    /// The rule of the mode; `random` is used only by `.rs`.
    #[inline]
    pub(crate) const fn mode(self, random: Option<Random>) -> Mode {
        match self {
            Rounding::Rn | Rounding::Rni => Mode::NearestEven,
            Rounding::Rna => Mode::NearestAway,
            Rounding::Rz | Rounding::Rzi => Mode::TowardZero,
            Rounding::Rm | Rounding::Rmi => Mode::Down,
            Rounding::Rp | Rounding::Rpi => Mode::Up,
            Rounding::Rs => Mode::Stochastic(match random {
                Some(random) => random,
                None => Random { value: 0, bits: 16 },
            }),
        }
    }
}

#[cfg(feature = "alloc")]
crate::names::from_str!(Rounding, "rounding");

/// The random field of one element under `.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Random {
    /// The bits of the field, as they are added.
    pub value: u32,
    /// The width of the field.
    pub bits: u32,
}

/// The rule that decides between the two neighbours.
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
    /// Whole quanta in the magnitude, before rounding.
    pub floor: u64,
    /// True if anything was discarded.
    pub inexact: bool,
}

/// Rounds |x| to a multiple of 2^`quantum`. The caller ensures that the result fits 64 bits.
#[inline]
pub(crate) const fn to_quantum(x: Exact, quantum: i32, mode: Mode) -> Rounded {
    if quantum <= x.exponent {
        let steps = if x.significand == 0 { 0 } else { x.significand << (x.exponent - quantum) };
        return Rounded { steps, floor: steps, inexact: false };
    }
    const HALF: u64 = 1 << 63;
    // The upper word counts whole quanta. The lower one is the discarded part, in units of 2^-64 quanta.
    // Anything below that sets the last bit, so that the number counts as inexact.
    let shift = (quantum - x.exponent) as u32;
    let shifted = (x.significand as u128) << 64 >> if shift < 127 { shift } else { 127 };
    let below = shift > 64 && x.significand != 0;
    let (floor, discarded) = ((shifted >> 64) as u64, shifted as u64 | below as u64);
    let up = match mode {
        // Exactly half rounds up from an odd count.
        Mode::NearestEven => discarded > HALF - (floor & 1),
        Mode::NearestAway => discarded >= HALF,
        Mode::TowardZero => false,
        Mode::Down => x.negative && discarded != 0,
        Mode::Up => !x.negative && discarded != 0,
        Mode::Stochastic(Random { value, bits }) => {
            // The first `bits` places of the discarded part.
            let places = ((discarded as u128) << bits >> 64) as u64;
            places + value as u64 > mask(bits)
        }
    };
    Rounded { steps: floor + up as u64, floor, inexact: discarded != 0 }
}
