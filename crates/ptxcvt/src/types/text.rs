//! The number types as text: printed as the f32 of the same value, parsed with one rounding.

use core::fmt;
use core::num::ParseFloatError;
use core::str::FromStr;

use super::list::numbers;
use super::number::*;
use crate::formats::Format;
use crate::literal;

/// Formatting by the traits of what a method returns.
macro_rules! print {
    ($name:ident $method:ident: $($trait:ident)*) => {$(
        impl fmt::$trait for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::$trait::fmt(&self.$method(), f)
            }
        }
    )*};
}

macro_rules! text {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        print!($name to_f32: Debug Display LowerExp UpperExp);
        print!($name to_bits: LowerHex UpperHex Binary Octal);

        impl FromStr for $name {
            type Err = ParseFloatError;

            /// Parses what `f32` parses and rounds it once to nearest, ties to even. Beyond the range it is infinity if
            /// the format has one, else the largest number; an unsigned format drops the sign.
            fn from_str(text: &str) -> Result<Self, ParseFloatError> {
                // The standard library decides which texts are numbers; its error says why this one is not.
                text.parse::<f64>()?;
                let bits = literal::decimal(Format::$name, text).expect("the standard library has parsed it");
                Ok(Self::from_bits(bits as $bits))
            }
        }
    )*};
}

numbers!(text);
