//! Exact numbers: the meaning of a code, before anything is rounded.
//!
//! Every finite source is (−1)^s · m · 2^e with m below 2^64, also after it is multiplied or divided by a scale.
//! Therefore one rounding (PTX ISA section 6.5.2) from this number suffices.

use crate::decimal::decimal;

/// A finite number. Sign and magnitude are separate fields, so that −0 exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exact {
    /// The sign; −0 and +0 are different values.
    pub negative: bool,
    /// The magnitude in units of 2^`exponent`.
    pub significand: u64,
    /// The weight of the significand's lowest bit, as a power of two.
    pub exponent: i32,
}

impl Exact {
    #[inline]
    pub(crate) const fn new(negative: bool, significand: u64, exponent: i32) -> Self {
        Self { negative, significand, exponent }
    }

    /// `value · 2^exponent`.
    #[inline]
    pub(crate) const fn from_i64(value: i64, exponent: i32) -> Self {
        Self { negative: value < 0, significand: value.unsigned_abs(), exponent }
    }

    /// True for +0 and −0.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The weight of the highest set bit: the e of 2^e ≤ |x| < 2^(e+1). Meaningless for zero.
    #[inline]
    pub(crate) const fn magnitude_exponent(self) -> i32 {
        self.exponent + 63 - self.significand.leading_zeros() as i32
    }

    /// The number times 2^`power`.
    #[inline]
    pub(crate) const fn scaled(self, power: i32) -> Self {
        Self { exponent: self.exponent + power, ..self }
    }

    /// The nearest f64, exact for every format of at most 53 significant bits.
    pub fn to_f64(self) -> f64 {
        // Two factors, because 2^exponent alone may be below the least f64 while the product is not.
        let half = self.exponent / 2;
        let magnitude = self.significand as f64 * pow2(half) * pow2(self.exponent - half);
        if self.negative { -magnitude } else { magnitude }
    }
}

/// 2^`e` as an f64, for −1022 ≤ e ≤ 1023.
fn pow2(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

/// The meaning of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Finite(Exact),
    /// An infinity.
    Infinity {
        /// Its sign.
        negative: bool,
    },
    /// Not a number.
    Nan {
        /// Its sign bit; false if the format has none.
        negative: bool,
        /// Its fraction bits, moved to the top of the word: bit 63 is the quiet bit.
        payload: u64,
    },
}

impl Value {
    /// The value as an f64. It is exact except for 64-bit integers above 2^53; every NaN becomes `f64::NAN`.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::Finite(x) => x.to_f64(),
            Value::Infinity { negative: false } => f64::INFINITY,
            Value::Infinity { negative: true } => f64::NEG_INFINITY,
            Value::Nan { .. } => f64::NAN,
        }
    }

    /// True for NaN.
    #[inline]
    pub const fn is_nan(self) -> bool {
        matches!(self, Value::Nan { .. })
    }

    /// The number, unless it is infinite or NaN.
    #[inline]
    pub const fn finite(self) -> Option<Exact> {
        match self {
            Value::Finite(x) => Some(x),
            Value::Infinity { .. } | Value::Nan { .. } => None,
        }
    }

    /// The sign, also of NaN.
    #[inline]
    pub const fn is_negative(self) -> bool {
        match self {
            Value::Finite(x) => x.negative,
            Value::Infinity { negative } | Value::Nan { negative, .. } => negative,
        }
    }

    /// Replaces the sign.
    #[inline]
    pub(crate) const fn with_sign(self, negative: bool) -> Self {
        match self {
            Value::Finite(x) => Value::Finite(Exact { negative, ..x }),
            Value::Infinity { .. } => Value::Infinity { negative },
            Value::Nan { payload, .. } => Value::Nan { negative, payload },
        }
    }
}

impl core::fmt::Display for Value {
    /// A decimal that parses to this number again; integers are written in full.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Value::Finite(x) if x.exponent == 0 => {
                let sign = if x.negative { "-" } else { "" };
                write!(f, "{sign}{}", x.significand)
            }
            Value::Finite(x) => write!(f, "{}", decimal(x.to_f64())),
            Value::Infinity { negative } => f.write_str(if negative { "-inf" } else { "inf" }),
            Value::Nan { .. } => f.write_str("nan"),
        }
    }
}
