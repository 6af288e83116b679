//! A trait of all number types, for generic code.

use core::fmt::{Debug, Display};
use core::num::ParseFloatError;
use core::str::FromStr;

use super::list::numbers;
use super::number::*;
use crate::formats::Format;
use crate::overflow::Overflow;
use crate::round::Rounding;

/// A number type of this crate. Its methods are those of the types.
///
/// ```
/// use ptxcvt::types::Number;
/// use ptxcvt::{E2m1, E4m3};
/// fn error<N: Number>(x: f32) -> f32 {
///     N::from_f32(x).to_f32() - x
/// }
/// assert_eq!((error::<E4m3>(0.3), error::<E2m1>(0.25)), (0.012499988, -0.25));
/// ```
pub trait Number:
    Copy
    + Default
    + Debug
    + Display
    + FromStr<Err = ParseFloatError>
    + PartialOrd
    + Into<f32>
    + Into<f64>
    + Send
    + Sync
    + sealed::Sealed
    + 'static
{
    /// The format.
    const FORMAT: Format;
    /// The opcode whose results `from_f32` returns; it may convert two elements.
    const FROM_F32: &'static str;

    /// The number with this code. Bits that do not belong to the code are ignored.
    fn from_code(code: u64) -> Self;
    /// The code.
    fn to_code(self) -> u64;
    /// Rounds an f32 as PTX's plainest form does.
    fn from_f32(x: f32) -> Self;
    /// Rounds an f64 once.
    fn from_f64(x: f64) -> Self;
    /// Rounds an f32 as [`Format::encode`] does.
    fn from_f32_with(x: f32, rounding: Rounding, overflow: Overflow) -> Self;
    /// Rounds an f64 as [`Format::encode`] does.
    fn from_f64_with(x: f64, rounding: Rounding, overflow: Overflow) -> Self;
    /// The number as an f32, which is exact.
    fn to_f32(self) -> f32;
    /// The number as an f64, which is exact.
    fn to_f64(self) -> f64;
}

mod sealed {
    /// Only types of this crate are number types.
    pub trait Sealed {}
}

macro_rules! generic {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        impl sealed::Sealed for $name {}

        impl Number for $name {
            const FORMAT: Format = Format::$name;
            const FROM_F32: &'static str = $form;
            #[inline]
            fn from_code(code: u64) -> Self {
                Self::from_bits(code as $bits)
            }
            #[inline]
            fn to_code(self) -> u64 {
                self.to_bits().into()
            }
            #[inline]
            fn from_f32(x: f32) -> Self {
                Self::from_f32(x)
            }
            #[inline]
            fn from_f64(x: f64) -> Self {
                Self::from_f64(x)
            }
            fn from_f32_with(x: f32, rounding: Rounding, overflow: Overflow) -> Self {
                Self::from_f32_with(x, rounding, overflow)
            }
            fn from_f64_with(x: f64, rounding: Rounding, overflow: Overflow) -> Self {
                Self::from_f64_with(x, rounding, overflow)
            }
            #[inline]
            fn to_f32(self) -> f32 {
                self.to_f32()
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self.to_f64()
            }
        }
    )*};
}

numbers!(generic);
