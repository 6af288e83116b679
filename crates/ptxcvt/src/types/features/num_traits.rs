//! `num-traits`: casts and bounds for every type, `Num` and `Signed` for types with a sign, `FloatCore` for types with
//! infinity.

use core::num::{FpCategory, ParseFloatError};

use ::num_traits::float::FloatCore;
use ::num_traits::{AsPrimitive, Bounded, FromPrimitive, Num, NumCast, One, Signed, ToPrimitive, Zero};

use crate::exact::Value;
use crate::formats::{Encoding, Format};
use crate::overflow::Overflow;
use crate::round::Rounding;
use crate::types::list::numbers;
use crate::types::number::*;

/// `as` between a type and primitive numbers. Integers are rounded once, from their exact value.
macro_rules! casts {
    ($name:ident $encoding:expr; $($integer:ident by $wide:ident),*) => {$(
        impl AsPrimitive<$integer> for $name {
            fn as_(self) -> $integer {
                self.to_f64() as $integer
            }
        }

        impl AsPrimitive<$name> for $integer {
            fn as_(self) -> $name {
                $name::from_bits(Format::$name.encode(Value::from(self as $wide), $encoding) as _)
            }
        }
    )*};
}

macro_rules! traits {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        casts!(
            $name Encoding::new(Rounding::$rounding).overflow(Overflow::$overflow);
            u8 by u64, u16 by u64, u32 by u64, u64 by u64, usize by u64,
            i8 by i64, i16 by i64, i32 by i64, i64 by i64, isize by i64
        );

        impl AsPrimitive<f32> for $name {
            fn as_(self) -> f32 {
                self.to_f32()
            }
        }

        impl AsPrimitive<f64> for $name {
            fn as_(self) -> f64 {
                self.to_f64()
            }
        }

        impl AsPrimitive<$name> for f32 {
            fn as_(self) -> $name {
                $name::from_f32(self)
            }
        }

        impl AsPrimitive<$name> for f64 {
            fn as_(self) -> $name {
                $name::from_f64(self)
            }
        }

        impl AsPrimitive<$name> for $name {
            fn as_(self) -> $name {
                self
            }
        }

        impl Bounded for $name {
            fn min_value() -> Self {
                Self::MIN
            }
            fn max_value() -> Self {
                Self::MAX
            }
        }

        impl ToPrimitive for $name {
            fn to_i64(&self) -> Option<i64> {
                $name::to_f64(*self).to_i64()
            }
            fn to_u64(&self) -> Option<u64> {
                $name::to_f64(*self).to_u64()
            }
            fn to_i128(&self) -> Option<i128> {
                $name::to_f64(*self).to_i128()
            }
            fn to_u128(&self) -> Option<u128> {
                $name::to_f64(*self).to_u128()
            }
            fn to_f32(&self) -> Option<f32> {
                Some($name::to_f32(*self))
            }
            fn to_f64(&self) -> Option<f64> {
                Some($name::to_f64(*self))
            }
        }

        impl FromPrimitive for $name {
            fn from_i64(n: i64) -> Option<Self> {
                Some(n.as_())
            }
            fn from_u64(n: u64) -> Option<Self> {
                Some(n.as_())
            }
            fn from_f32(x: f32) -> Option<Self> {
                Some($name::from_f32(x))
            }
            fn from_f64(x: f64) -> Option<Self> {
                Some($name::from_f64(x))
            }
        }

        impl NumCast for $name {
            /// Rounds the number's f64 once; an integer beyond 2^53 is rounded to an f64 first.
            fn from<T: ToPrimitive>(n: T) -> Option<Self> {
                n.to_f64().map($name::from_f64)
            }
        }

        $($has!($name);)*
    )*};
}

macro_rules! signed {
    ($name:ident) => {
        impl Zero for $name {
            fn zero() -> Self {
                Self::ZERO
            }
            fn is_zero(&self) -> bool {
                *self == Self::ZERO
            }
        }

        impl One for $name {
            fn one() -> Self {
                Self::ONE
            }
        }

        impl Num for $name {
            type FromStrRadixErr = ParseFloatError;
            /// Parses a decimal.
            ///
            /// # Panics
            ///
            /// Panics for a radix other than 10.
            fn from_str_radix(text: &str, radix: u32) -> Result<Self, ParseFloatError> {
                assert!(radix == 10, "only decimals are parsed, not radix {radix}");
                text.parse()
            }
        }

        impl Signed for $name {
            fn abs(&self) -> Self {
                $name::abs(*self)
            }
            fn abs_sub(&self, other: &Self) -> Self {
                if *self <= *other { Self::ZERO } else { *self - *other }
            }
            fn signum(&self) -> Self {
                $name::signum(*self)
            }
            fn is_positive(&self) -> bool {
                *self > Self::ZERO
            }
            fn is_negative(&self) -> bool {
                *self < Self::ZERO
            }
        }
    };
}

macro_rules! infinity {
    ($name:ident) => {
        impl $name {
            /// The integral number that `round` returns, rounded. Infinity and NaN are returned unchanged, because
            /// `from_f32` may saturate them.
            fn integral(self, round: fn(f32) -> f32) -> Self {
                if self.is_finite() { Self::from_f32(round(self.to_f32())) } else { self }
            }
        }

        impl FloatCore for $name {
            fn infinity() -> Self {
                Self::INFINITY
            }
            fn neg_infinity() -> Self {
                Self::NEG_INFINITY
            }
            fn nan() -> Self {
                Self::NAN
            }
            fn neg_zero() -> Self {
                -Self::ZERO
            }
            fn min_value() -> Self {
                Self::MIN
            }
            fn min_positive_value() -> Self {
                Self::MIN_POSITIVE
            }
            fn epsilon() -> Self {
                Self::EPSILON
            }
            fn max_value() -> Self {
                Self::MAX
            }
            fn classify(self) -> FpCategory {
                $name::classify(self)
            }
            // The default methods round after each step; these round once.
            fn floor(self) -> Self {
                self.integral(FloatCore::floor)
            }
            fn ceil(self) -> Self {
                self.integral(FloatCore::ceil)
            }
            fn round(self) -> Self {
                self.integral(FloatCore::round)
            }
            fn trunc(self) -> Self {
                self.integral(FloatCore::trunc)
            }
            fn to_degrees(self) -> Self {
                Self::from_f64(FloatCore::to_degrees(self.to_f64()))
            }
            fn to_radians(self) -> Self {
                Self::from_f64(FloatCore::to_radians(self.to_f64()))
            }
            fn integer_decode(self) -> (u64, i16, i8) {
                FloatCore::integer_decode(self.to_f64())
            }
        }
    };
}

macro_rules! other {
    ($name:ident) => {};
}
use other as nan;
use other as random;
use other as zero;

numbers!(traits);
