//! Predicates, signs, neighbours and comparisons of the number types, as those of `f32`.

use core::cmp::Ordering;
use core::num::FpCategory;

use super::list::numbers;
use super::number::*;
use crate::exact::Value;
use crate::formats::{Format, Kind};

impl Format {
    /// Whether a code is zero, subnormal, normal, infinite or NaN. Only floating-point formats have subnormal numbers.
    ///
    /// ```
    /// use core::num::FpCategory;
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E4m3.classify(0x01), FpCategory::Subnormal);
    /// assert_eq!(Format::S8.classify(0x80), FpCategory::Normal);
    /// ```
    pub const fn classify(self, code: u64) -> FpCategory {
        match self.decode(code) {
            Value::Nan { .. } => FpCategory::Nan,
            Value::Infinity { .. } => FpCategory::Infinite,
            Value::Finite(x) if x.is_zero() => FpCategory::Zero,
            Value::Finite(x) if self.is_float() => {
                if x.magnitude_exponent() < self.min_exponent() {
                    FpCategory::Subnormal
                } else {
                    FpCategory::Normal
                }
            }
            Value::Finite(_) => FpCategory::Normal,
        }
    }
}

/// An integer that orders codes: sign and magnitude become two's complement.
const fn order(format: Format, code: u64) -> i64 {
    let sign = format.sign_bit();
    let negative = code & sign != 0;
    match format.parameters().kind {
        Kind::Float { .. } if negative => -1 - (code ^ sign) as i64,
        Kind::Fixed { .. } if negative => code as i64 - 2 * sign as i64,
        _ => code as i64,
    }
}

macro_rules! classify {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        /// Predicates, neighbours and comparisons.
        impl $name {
            /// Whether the number is zero, subnormal, normal, infinite or NaN.
            #[inline]
            pub const fn classify(self) -> FpCategory {
                Format::$name.classify(self.to_bits() as u64)
            }

            /// True for NaN.
            #[inline]
            pub const fn is_nan(self) -> bool {
                matches!(self.classify(), FpCategory::Nan)
            }

            /// True for an infinity.
            #[inline]
            pub const fn is_infinite(self) -> bool {
                matches!(self.classify(), FpCategory::Infinite)
            }

            /// True for neither NaN nor infinity.
            #[inline]
            pub const fn is_finite(self) -> bool {
                !matches!(self.classify(), FpCategory::Nan | FpCategory::Infinite)
            }

            /// True for a number of full precision: neither zero, subnormal, infinite nor NaN.
            #[inline]
            pub const fn is_normal(self) -> bool {
                matches!(self.classify(), FpCategory::Normal)
            }

            /// True for a number closer to zero than every number of full precision.
            #[inline]
            pub const fn is_subnormal(self) -> bool {
                matches!(self.classify(), FpCategory::Subnormal)
            }

            /// True if the sign bit is set, of −0 and NaN, too; never in an unsigned format.
            #[inline]
            pub const fn is_sign_negative(self) -> bool {
                self.to_bits() as u64 & Format::$name.sign_bit() != 0
            }

            /// True if the sign bit is not set.
            #[inline]
            pub const fn is_sign_positive(self) -> bool {
                !self.is_sign_negative()
            }

            /// The least number greater than this one, or infinity above the largest number. `None` for NaN, for
            /// infinity, and for the largest number of a format without infinity.
            ///
            /// ```
            #[doc = concat!("use ptxcvt::", stringify!($name), ";")]
            #[doc = concat!("let next = ", stringify!($name), "::ONE.next_up().unwrap();")]
            #[doc = concat!("assert_eq!(next.to_f32(), 1.0 + ", stringify!($name), "::EPSILON.to_f32());")]
            #[doc = concat!("assert_eq!(next.next_down(), Some(", stringify!($name), "::ONE));")]
            /// ```
            #[inline]
            pub const fn next_up(self) -> Option<Self> {
                match Format::$name.next_up(self.to_bits() as u64) {
                    Some(code) => Some(Self::from_bits(code as $bits)),
                    None => None,
                }
            }

            /// The greatest number less than this one, or negative infinity below the least number. `None` for NaN, for
            /// negative infinity, and for the least number of a format without infinity.
            #[inline]
            pub const fn next_down(self) -> Option<Self> {
                match Format::$name.next_down(self.to_bits() as u64) {
                    Some(code) => Some(Self::from_bits(code as $bits)),
                    None => None,
                }
            }

            /// Compares by IEEE 754's total order: −NaN, −infinity, negative numbers, −0, +0, positive numbers, infinity,
            /// NaN.
            ///
            /// ```
            #[doc = concat!("use ptxcvt::", stringify!($name), ";")]
            #[doc = concat!("let mut numbers = [", stringify!($name), "::MAX, ", stringify!($name), "::MIN];")]
            #[doc = concat!("numbers.sort_by(", stringify!($name), "::total_cmp);")]
            #[doc = concat!("assert_eq!(numbers, [", stringify!($name), "::MIN, ", stringify!($name), "::MAX]);")]
            /// ```
            #[inline]
            pub fn total_cmp(&self, other: &Self) -> Ordering {
                let key = |number: &Self| order(Format::$name, number.to_bits() as u64);
                key(self).cmp(&key(other))
            }

            /// The larger of two numbers; the other one if one is NaN.
            #[inline]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                if other > self || self.is_nan() { other } else { self }
            }

            /// The smaller of two numbers; the other one if one is NaN.
            #[inline]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                if other < self || self.is_nan() { other } else { self }
            }

            /// The number limited to a range; NaN remains.
            ///
            /// # Panics
            ///
            /// Panics unless `min <= max`.
            #[must_use]
            pub fn clamp(self, min: Self, max: Self) -> Self {
                assert!(min <= max, "min <= max: min is {min}, max is {max}");
                if self < min {
                    min
                } else if self > max {
                    max
                } else {
                    self
                }
            }
        }

        impl PartialEq for $name {
            /// As IEEE 754: −0 equals +0, and NaN equals nothing.
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $name {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        $($has!($name $bits);)*
    )*};
}

macro_rules! signed {
    ($name:ident $bits:ident) => {
        /// Signs.
        impl $name {
            /// The number without its sign. Fixed point saturates.
            #[inline]
            #[must_use]
            pub const fn abs(self) -> Self {
                if self.is_sign_negative() { self.negated() } else { self }
            }

            /// The magnitude of this number with the sign of another one.
            #[inline]
            #[must_use]
            pub const fn copysign(self, sign: Self) -> Self {
                if self.is_sign_negative() == sign.is_sign_negative() { self } else { self.negated() }
            }

            /// 1 or −1 by the sign bit; NaN remains.
            #[inline]
            #[must_use]
            pub const fn signum(self) -> Self {
                if self.is_nan() {
                    self
                } else if self.is_sign_negative() {
                    Self::NEG_ONE
                } else {
                    Self::ONE
                }
            }

            /// The number with the other sign. In fixed point, −2 becomes the largest number.
            #[inline]
            pub(super) const fn negated(self) -> Self {
                match Format::$name.parameters().kind {
                    Kind::Fixed { .. } => Self::from_f32(-self.to_f32()),
                    _ => Self::from_bits(self.to_bits() ^ Format::$name.sign_bit() as $bits),
                }
            }
        }
    };
}

macro_rules! other {
    ($name:ident $bits:ident) => {};
}
use other as zero;
use other as nan;
use other as infinity;
use other as random;

numbers!(classify);
