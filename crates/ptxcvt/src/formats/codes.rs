//! Exact values to codes: rounds once, and handles numbers beyond the range.
//!
//! PTX ISA sections 6.5.2 (rounding) and 9.7.9.21 ("Floating Point Notes", `.satfinite`); overflow without it
//! follows IEEE 754 section 7.4.

use super::parameters::{Kind, NanCode};
use super::rows::Format;
use crate::bits::mask;
use crate::exact::Exact;
use crate::outcome::Outcome;
use crate::overflow::Overflow;
use crate::round::{Mode, Rounded, to_quantum};

/// A code and the outcome: two words, which stay in registers.
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

    /// The result for a code that was made from a rounded count of quanta.
    #[inline(always)]
    const fn rounded(code: u64, negative: bool, rounded: Rounded) -> Self {
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
        // Multiplication instead of a branch, because signs of data are random.
        self.sign_bit() * negative as u64
    }

    /// Rounds a number into the format; an unsigned floating-point format encodes the magnitude.
    #[inline(always)]
    pub(crate) const fn encode_finite(self, x: Exact, mode: Mode, overflow: Overflow) -> Encoded {
        match self.parameters().kind {
            Kind::Float { fraction, bias, .. } => self.float(x, (fraction, bias), mode, overflow),
            Kind::PowerOfTwo { bias } => self.power(x, bias, mode, overflow),
            Kind::Fixed { fraction } => self.steps(x, -(fraction as i32), mode),
            Kind::Integer { .. } => self.steps(x, 0, mode),
        }
    }

    /// Encodes an infinity. If overflow saturates, it becomes the largest finite number. Otherwise it becomes
    /// infinity, or NaN in a format without infinity, or the largest number in a format without both.
    pub(crate) const fn encode_infinity(self, negative: bool, overflow: Overflow) -> Encoded {
        let saturate = matches!(overflow, Overflow::Saturate);
        match (self.infinity(), self.parameters().nan) {
            (Some(infinity), _) if !saturate => {
                Encoded::new(self.sign_of(negative) | infinity, Outcome::Exact)
            }
            (None, NanCode::Canonical) if !saturate => Encoded::new(self.nan_code(), Outcome::Overflowed),
            _ => Encoded::new(self.end(negative), Outcome::Saturated),
        }
    }

    /// Rounds a number to an integral number, and that into the format.
    pub(crate) const fn encode_integral(self, x: Exact, mode: Mode, overflow: Overflow) -> Encoded {
        let quantum = if x.exponent > 0 { x.exponent } else { 0 };
        let rounded = to_quantum(x, quantum, mode);
        let whole = self.encode_finite(Exact::new(x.negative, rounded.steps, quantum), mode, overflow);
        match whole.outcome {
            Outcome::Exact => Encoded::rounded(whole.code, x.negative, rounded),
            _ => whole,
        }
    }

    /// The last finite number in one direction.
    #[inline]
    const fn end(self, negative: bool) -> u64 {
        if negative { self.min_finite() } else { self.max_finite() }
    }

    /// A floating-point code. Codes are counts of quanta from the subnormals up, so a carry moves into the
    /// exponent.
    #[inline(always)]
    const fn float(self, x: Exact, (fraction, bias): (u32, i32), mode: Mode, overflow: Overflow) -> Encoded {
        let sign = self.sign_of(x.negative);
        if x.is_zero() {
            return Encoded::new(sign, Outcome::Exact);
        }
        // The quantum is the last place of x's binade, or of the subnormals.
        let least = 1 - bias;
        let exponent = x.magnitude_exponent();
        let binade = if exponent > least { exponent } else { least };
        let rounded = to_quantum(x, binade - fraction as i32, mode);
        let base = ((binade - least) as u64) << fraction;
        let (padding, largest) = (self.low_padding(), self.max_finite());
        let floor = (base + rounded.floor) << padding;
        let chosen = (base + rounded.steps) << padding;
        if chosen > largest || floor > largest {
            return self.overflow(x.negative, mode, overflow);
        }
        Encoded::rounded(sign | chosen, x.negative, rounded)
    }

    /// Encodes a finite value beyond the largest finite number; under IEEE 754 the rounding decides.
    const fn overflow(self, negative: bool, mode: Mode, overflow: Overflow) -> Encoded {
        let towards_zero = match mode {
            Mode::TowardZero => true,
            Mode::Down => !negative,
            Mode::Up => negative,
            Mode::NearestEven | Mode::NearestAway | Mode::Stochastic(_) => false,
        };
        let ends = towards_zero && !matches!(overflow, Overflow::InfinityOrNan);
        let infinite = self.encode_infinity(negative, if ends { Overflow::Saturate } else { overflow });
        match infinite.outcome {
            Outcome::Saturated => infinite,
            _ => Encoded::new(infinite.code, Outcome::Overflowed),
        }
    }

    /// ue8m0: the exponent of a power of two next to the magnitude. Zero and smaller magnitudes become the
    /// least power.
    const fn power(self, x: Exact, bias: i32, mode: Mode, overflow: Overflow) -> Encoded {
        let exponent = if x.is_zero() { i32::MIN } else { x.magnitude_exponent() };
        if exponent < -bias {
            return Encoded::new(0, Outcome::RoundedUp);
        }
        // One quantum is the power below, two are the power above.
        let rounded = to_quantum(x, exponent, mode);
        let floor = (exponent + bias) as u64;
        let code = floor + rounded.steps - 1;
        if code > self.max_finite() {
            return self.overflow(x.negative, mode, overflow);
        }
        Encoded::rounded(code, false, rounded)
    }

    /// Integers and two's complement fixed point: whole steps, clamped to the range.
    const fn steps(self, x: Exact, quantum: i32, mode: Mode) -> Encoded {
        if !x.is_zero() && x.magnitude_exponent() - quantum >= 64 {
            return Encoded::new(self.end(x.negative), Outcome::Saturated);
        }
        let rounded = to_quantum(x, quantum, mode);
        let (low, high) = self.step_range();
        let steps = rounded.steps as i128;
        let value = if x.negative { -steps } else { steps };
        if value < low || value > high {
            return Encoded::new(self.end(value < low), Outcome::Saturated);
        }
        Encoded::rounded(value as u64 & mask(self.bits()), x.negative, rounded)
    }

    /// The least and the greatest whole step of an integer or fixed-point format.
    #[inline]
    pub(crate) const fn step_range(self) -> (i128, i128) {
        let width = self.bits();
        if self.is_signed() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
    }
}
