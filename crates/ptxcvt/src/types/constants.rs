//! The constants of the number types, named as those of `f32`. They are derived from the table of formats.

use super::list::numbers;
use super::number::*;
use crate::formats::{Format, Kind};

/// How many decimal digits survive a round trip through a format, as `f32::DIGITS` counts them.
const fn digits(format: Format) -> u32 {
    let least_precision = match format.parameters().kind {
        // The smallest number of a fixed-point format has one significant bit.
        Kind::Fixed { .. } => 1,
        _ => format.fraction_bits() + 1,
    };
    // floor((p − 1) · log10(2)); the quotient is close enough for 64 bits.
    (least_precision - 1) * 30103 / 100_000
}

/// The greatest power of ten that is at most `x`, or the least that is at least `x`.
const fn decimal_exponent(x: f64, at_most: bool) -> i32 {
    let (mut power, mut exponent) = (1.0, 0);
    while power * 10.0 <= x {
        (power, exponent) = (power * 10.0, exponent + 1);
    }
    while power / 10.0 >= x {
        (power, exponent) = (power / 10.0, exponent - 1);
    }
    // If x is below 1, the power is now at least x; otherwise it is at most x.
    if at_most && power > x {
        exponent - 1
    } else if !at_most && power < x {
        exponent + 1
    } else {
        exponent
    }
}

macro_rules! constants {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        /// Constants.
        impl $name {
            /// The number 1.
            pub const ONE: Self = Self::from_bits(Format::$name.one() as $bits);
            /// The largest number.
            pub const MAX: Self = Self::from_bits(Format::$name.max_finite() as $bits);
            /// The least number: the most negative one, or the smallest of an unsigned format.
            pub const MIN: Self = Self::from_bits(Format::$name.min_finite() as $bits);
            /// The smallest positive number with full precision.
            pub const MIN_POSITIVE: Self = Self::from_bits(Format::$name.min_normal() as $bits);
            /// The smallest positive number.
            pub const MIN_POSITIVE_SUBNORMAL: Self = Self::from_bits(Format::$name.min_positive() as $bits);
            /// The distance from 1 to the next larger number.
            pub const EPSILON: Self = match Format::$name.epsilon() {
                Some(code) => Self::from_bits(code as $bits),
                None => panic!("only integers have no such number"),
            };
            /// The base of the exponent.
            pub const RADIX: u32 = 2;
            /// Significant bits, the hidden one included.
            pub const MANTISSA_DIGITS: u32 = Format::$name.fraction_bits() + 1;
            /// Decimal digits that survive a round trip from text through this type, from `MIN_POSITIVE` to `MAX`:
            /// floor((`MANTISSA_DIGITS` − 1) · log10 2), as for `f32`. [`S2f6`] has 0, because its smallest numbers are
            /// less precise.
            pub const DIGITS: u32 = digits(Format::$name);
            /// The largest number is below 2 to the power of this.
            pub const MAX_EXP: i32 = Format::$name.max_exponent();
            #[doc = concat!("One more than the exponent of [`MIN_POSITIVE`](", stringify!($name), "::MIN_POSITIVE).")]
            pub const MIN_EXP: i32 = Format::$name.min_exponent() + 1;
            /// The greatest power of ten within the range.
            pub const MAX_10_EXP: i32 = decimal_exponent(Self::MAX.to_f64(), true);
            /// The least power of ten with full precision.
            pub const MIN_10_EXP: i32 = decimal_exponent(Self::MIN_POSITIVE.to_f64(), false);
        }

        $($has!($name $bits);)*
    )*};
}

macro_rules! signed {
    ($name:ident $bits:ident) => {
        /// Negative constants.
        impl $name {
            /// The number −1.
            pub const NEG_ONE: Self = Self::from_f32(-1.0);
        }
    };
}

macro_rules! zero {
    ($name:ident $bits:ident) => {
        /// Zero.
        impl $name {
            /// The number 0.
            pub const ZERO: Self = Self::from_bits(0);
        }
    };
}

macro_rules! nan {
    ($name:ident $bits:ident) => {
        /// NaN.
        impl $name {
            /// The canonical NaN of PTX: every bit but the sign is set.
            pub const NAN: Self = Self::from_bits(Format::$name.nan_code() as $bits);
        }

        const _: () = assert!(Format::$name.nan().is_some(), "the row's format has NaN");
    };
}

macro_rules! infinity {
    ($name:ident $bits:ident) => {
        /// Infinities.
        impl $name {
            /// Infinity.
            pub const INFINITY: Self = match Format::$name.infinity() {
                Some(code) => Self::from_bits(code as $bits),
                None => panic!("the row's format has infinity"),
            };
            /// Negative infinity.
            pub const NEG_INFINITY: Self =
                Self::from_bits(Self::INFINITY.to_bits() | Format::$name.sign_bit() as $bits);
        }
    };
}

macro_rules! random {
    ($name:ident $bits:ident) => {};
}

numbers!(constants);
