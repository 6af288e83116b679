//! Exact values to codes: the one rounding, and what lies beyond the range.
//!
//! PTX ISA sections 6.5.2 (rounding) and 9.7.9.21 ("Floating Point Notes", `.satfinite`); overflow without it
//! follows IEEE 754 section 7.4.

use super::parameters::{Kind, NanCode};
use super::rows::Format;
use crate::bits::mask;
use crate::exact::Exact;
use crate::outcome::Outcome;
use crate::round::{Mode, Rounded, to_quantum};

/// A code, and how it came about: two words, which stay in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub code: u64,
    pub outcome: Outcome,
}

impl Encoded {
    #[inline]
    pub const fn new(code: u64, outcome: Outcome) -> Self {
        Encoded { code, outcome }
    }

    /// The code of a count of quanta that may have been rounded.
    #[inline(always)]
    fn rounded(code: u64, negative: bool, rounded: Rounded) -> Self {
        let up = (rounded.steps > rounded.floor) != negative;
        let outcome = match (rounded.inexact, up) {
            (false, _) => Outcome::Exact,
            (true, true) => Outcome::RoundedUp,
            (true, false) => Outcome::RoundedDown,
        };
        Encoded::new(code, outcome)
    }
}

impl Format {
    #[inline]
    const fn sign_of(self, negative: bool) -> u64 {
        // Signs of data are random: no branch.
        self.sign_bit() * negative as u64
    }

    /// Rounds a number into the format; of an unsigned floating-point one it takes the magnitude.
    #[inline(always)]
    pub(crate) fn encode_finite(self, x: Exact, mode: Mode, satfinite: bool) -> Encoded {
        match self.parameters().kind {
            Kind::Float { fraction, bias, .. } => self.float(x, (fraction, bias), mode, satfinite),
            Kind::PowerOfTwo { bias } => self.power(x, bias, mode, satfinite),
            Kind::Fixed { fraction } => self.steps(x, -(fraction as i32), mode),
            Kind::Integer { .. } => self.steps(x, 0, mode),
        }
    }

    /// An infinity: infinity where there is one and `.satfinite` does not forbid it, else NaN, else the largest
    /// finite number.
    pub(crate) fn encode_infinity(self, negative: bool, satfinite: bool) -> Encoded {
        match (self.infinity(), self.parameters().nan) {
            (Some(infinity), _) if !satfinite => {
                Encoded::new(self.sign_of(negative) | infinity, Outcome::Exact)
            }
            (None, NanCode::Canonical) if !satfinite => Encoded::new(self.nan_code(), Outcome::Overflowed),
            _ => Encoded::new(self.end(negative), Outcome::Saturated),
        }
    }

    /// Rounds a number to an integral one, and that into the format.
    pub(crate) fn encode_integral(self, x: Exact, mode: Mode, satfinite: bool) -> Encoded {
        let quantum = x.exponent.max(0);
        let rounded = to_quantum(x, quantum, mode);
        let whole = self.encode_finite(Exact::new(x.negative, rounded.steps, quantum), mode, satfinite);
        match whole.outcome {
            Outcome::Exact => Encoded::rounded(whole.code, x.negative, rounded),
            _ => whole,
        }
    }

    /// The last finite number in one direction.
    #[inline]
    fn end(self, negative: bool) -> u64 {
        if negative { self.min_finite() } else { self.max_finite() }
    }

    /// A floating-point code. Quanta are counted from the subnormals up, which makes the code: a carry enters the
    /// exponent by itself.
    #[inline(always)]
    fn float(self, x: Exact, (fraction, bias): (u32, i32), mode: Mode, satfinite: bool) -> Encoded {
        let sign = self.sign_of(x.negative);
        if x.is_zero() {
            return Encoded::new(sign, Outcome::Exact);
        }
        // The quantum is the last place of x's binade, or of the subnormals.
        let least = 1 - bias;
        let binade = x.magnitude_exponent().max(least);
        let rounded = to_quantum(x, binade - fraction as i32, mode);
        let base = ((binade - least) as u64) << fraction;
        let (padding, largest) = (self.low_padding(), self.max_finite());
        let floor = (base + rounded.floor) << padding;
        let chosen = (base + rounded.steps) << padding;
        if chosen > largest || floor > largest {
            return self.overflow(x.negative, mode, satfinite);
        }
        Encoded::rounded(sign | chosen, x.negative, rounded)
    }

    /// A finite value beyond the largest finite number, by rounding mode.
    fn overflow(self, negative: bool, mode: Mode, satfinite: bool) -> Encoded {
        let towards_zero = match mode {
            Mode::TowardZero => true,
            Mode::Down => !negative,
            Mode::Up => negative,
            Mode::NearestEven | Mode::NearestAway | Mode::Stochastic(_) => false,
        };
        let infinite = self.encode_infinity(negative, satfinite || towards_zero);
        match infinite.outcome {
            Outcome::Saturated => infinite,
            _ => Encoded::new(infinite.code, Outcome::Overflowed),
        }
    }

    /// ue8m0: the exponent of a power of two next to the magnitude. What lies below the least power, zero too,
    /// becomes that power.
    fn power(self, x: Exact, bias: i32, mode: Mode, satfinite: bool) -> Encoded {
        let exponent = if x.is_zero() { i32::MIN } else { x.magnitude_exponent() };
        if exponent < -bias {
            return Encoded::new(0, Outcome::RoundedUp);
        }
        // One quantum is the power below, two are the power above.
        let rounded = to_quantum(x, exponent, mode);
        let floor = (exponent + bias) as u64;
        let code = floor + rounded.steps - 1;
        if code > self.max_finite() {
            return self.overflow(x.negative, mode, satfinite);
        }
        Encoded::rounded(code, false, rounded)
    }

    /// Integers and two's complement fixed point: whole steps, clamped to the range.
    fn steps(self, x: Exact, quantum: i32, mode: Mode) -> Encoded {
        if !x.is_zero() && x.magnitude_exponent() - quantum >= 64 {
            return Encoded::new(self.end(x.negative), Outcome::Saturated);
        }
        let rounded = to_quantum(x, quantum, mode);
        let (low, high) = self.step_range();
        let steps = i128::from(rounded.steps);
        let value = if x.negative { -steps } else { steps };
        let code = value.clamp(low, high) as u64 & mask(self.bits());
        if (low..=high).contains(&value) {
            Encoded::rounded(code, x.negative, rounded)
        } else {
            Encoded::new(code, Outcome::Saturated)
        }
    }

    /// The least and the greatest whole step of an integer or fixed-point format.
    #[inline]
    pub(crate) const fn step_range(self) -> (i128, i128) {
        let width = self.bits();
        if self.is_signed() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
    }
}
