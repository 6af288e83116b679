//! What a conversion does with each number: a type for each rule, and all rules of one conversion.

use crate::formats::{Format, Kind};
use crate::outcome::NanRule;
use crate::overflow::Overflow;
use crate::round::Rounding;

/// The rules of a [`Conversion`](super::Conversion); its formats and the width of its random field are
/// [`source`](super::Conversion::source), [`destination`](super::Conversion::destination) and
/// [`random_bits`](super::Conversion::random_bits).
///
/// ```
/// use ptxcvt::{Conversion, Format, Overflow, Rounding};
/// let rules = Conversion::new(Format::F32, Format::E4m3).rounding(Rounding::Rz).rules();
/// assert_eq!((rules.rounding, rules.overflow), (Rounding::Rz, Overflow::Ieee));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rules {
    /// The rounding.
    pub rounding: Rounding,
    /// The treatment of numbers out of range.
    pub overflow: Overflow,
    /// The treatment of NaN.
    pub nan: NanRule,
    /// The treatment of subnormal sources.
    pub source_subnormals: Subnormals,
    /// The treatment of tiny results: below the least normal number after rounding to the format's precision with unbounded
    /// exponent.
    pub result_subnormals: Subnormals,
    /// The range to which results are limited.
    pub clamp: Clamp,
    /// −0 results become +0.
    pub positive_zero: bool,
    /// The effect of a scale.
    pub scale: Scale,
}

/// The treatment of subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subnormals {
    /// They are not changed.
    Keep,
    /// They become zero and keep the sign (PTX's `.ftz`).
    Zero,
    /// They become +0.
    PositiveZero,
}

/// The range to which results are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clamp {
    /// Every result of the format.
    None,
    /// Negative numbers and −0 become +0 before rounding (PTX's `.relu`).
    NonNegative,
    /// Results below 0 become +0 and those above 1 become 1 (PTX's `.sat` of floating-point formats).
    UnitInterval,
}

/// The effect of an element's scale, which is a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scale {
    /// There is no scale.
    None,
    /// The source is divided by the scale before it is rounded.
    Divide,
    /// The source is multiplied by the scale before it is rounded.
    Multiply,
}

impl Scale {
    /// The binary logarithm of the factor that a scale's ue8m0 code stands for; 0 without a scale.
    ///
    /// ```
    /// use ptxcvt::Scale;
    /// let factors = [Scale::None, Scale::Divide, Scale::Multiply].map(|scale| scale.log2_factor(0x81)); // a scale of 4
    /// assert_eq!(factors, [0, -2, 2]);
    /// ```
    #[inline(always)]
    pub const fn log2_factor(self, code: u8) -> i32 {
        let Kind::PowerOfTwo { bias } = Format::Ue8m0.parameters().kind else { unreachable!() };
        match self {
            Scale::None => 0,
            Scale::Divide => bias - code as i32,
            Scale::Multiply => code as i32 - bias,
        }
    }
}
