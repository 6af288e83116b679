//! The bits of a number at its place: rounded to a format, as an integer, or as the code of a scale.

use super::error::LiteralError;
use super::number::Number;
use crate::bits::{mask, sign_extend};
use crate::exact::Value;
use crate::formats::{Encoded, Format};
use crate::outcome::{NanRule, Outcome};
use crate::overflow::Overflow;
use crate::round::Mode;

/// The result of reading a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parsed {
    /// The bits.
    pub bits: u64,
    /// The outcome: rounded, saturated, overflowed, or wrapped if an integer is out of range and its low bits
    /// are used. For packed numbers, that of the first inexact one.
    pub outcome: Outcome,
    /// The number was read as octal because of a leading zero, and differs from the decimal with the same
    /// digits.
    pub octal: bool,
    /// The number is negative and the format has no sign. The bits and `outcome` are those of the magnitude, because PTX's
    /// conversions to unsigned formats drop the sign.
    pub sign_dropped: bool,
}

impl Parsed {
    pub(super) const fn exact(bits: u64) -> Self {
        Parsed { bits, outcome: Outcome::Exact, octal: false, sign_dropped: false }
    }

    /// True if the bits have the text's exact value; NaN is exact unless the format lacks it.
    pub const fn is_exact(&self) -> bool {
        matches!(self.outcome, Outcome::Exact | Outcome::Nan(NanRule::Canonical)) && !self.sign_dropped
    }

    /// True if the number is beyond the range of its format, so that the bits are a different number.
    pub const fn is_out_of_range(&self) -> bool {
        matches!(self.outcome, Outcome::Saturated | Outcome::Overflowed | Outcome::Wrapped)
            || self.sign_dropped
    }
}

/// A number of a format, rounded to nearest if needed.
pub(super) fn element(format: Format, number: Number) -> Result<Parsed, LiteralError> {
    if format.is_integer() {
        return integer(number, format.bits(), format.is_signed()).map_err(|error| match error {
            LiteralError::Syntax { .. } => LiteralError::Syntax { format: Some(format) },
            other => other,
        });
    }
    let octal = is_octal(number);
    let value = number.value();
    let encoded = match (number, value) {
        (Number::Single(bits), _) if format == Format::F32 => Encoded::new(bits.into(), Outcome::Exact),
        (Number::Double(bits), _) if format == Format::F64 => Encoded::new(bits, Outcome::Exact),
        (_, Value::Nan { negative, .. }) => nan(format, negative, number),
        _ => nearest(format, value),
    };
    let sign_dropped = !format.is_signed() && value.is_negative() && !is_zero_or_nan(value);
    Ok(Parsed { bits: encoded.code, outcome: encoded.outcome, octal, sign_dropped })
}

/// True of zero and NaN, whose sign is not part of their value.
fn is_zero_or_nan(value: Value) -> bool {
    value.is_nan() || value.finite().is_some_and(|x| x.is_zero())
}

/// Rounds to the nearest number, in an unsigned format the magnitude; out of range to infinity, or to the largest number of
/// a format without infinity.
fn nearest(format: Format, value: Value) -> Encoded {
    let value = if format.is_signed() { value } else { value.with_sign(false) };
    let overflow = format.nearest_overflow();
    match value {
        Value::Finite(x) => {
            let encoded = format.encode_finite(x, Mode::NearestEven, overflow);
            // A number beyond the last one of the format saturates, although it may be close enough to be rounded there.
            let (end, inward) = match x.negative {
                true => (format.min_finite(), Outcome::RoundedUp),
                false => (format.max_finite(), Outcome::RoundedDown),
            };
            let beyond = overflow == Overflow::Saturate && encoded.code == end && encoded.outcome == inward;
            if beyond { Encoded::new(end, Outcome::Saturated) } else { encoded }
        }
        Value::Infinity { negative } => format.encode_infinity(negative, overflow),
        Value::Nan { .. } => unreachable!("NaN is not rounded"),
    }
}

/// Encodes `nan`: the default NaN of C and Rust for f32 and f64, otherwise the canonical NaN, or the largest
/// number of a format without NaN.
fn nan(format: Format, negative: bool, number: Number) -> Encoded {
    let rule = if format.nan().is_some() { NanRule::Canonical } else { NanRule::MaxNorm };
    let sign = if negative { format.sign_bit() } else { 0 };
    let code = match (number, format) {
        (Number::Real(_), Format::F32) => sign | 0x7fc0_0000,
        (Number::Real(_), Format::F64) => sign | 0x7ff8_0000_0000_0000,
        _ => format.nan_code(),
    };
    Encoded::new(code, Outcome::Nan(rule))
}

/// Reads an integer of `width` bits, or a number equal to one. Integers out of the format's range wrap, as
/// PTX's constants do, if `width` bits hold the number with or without its sign.
pub(super) fn integer(number: Number, width: u32, signed: bool) -> Result<Parsed, LiteralError> {
    let (negative, magnitude) = number.integer().ok_or_else(|| match number.value() {
        Value::Finite(x) if !x.is_zero() && x.magnitude_exponent() >= 64 => LiteralError::TooWide { width },
        _ => LiteralError::Syntax { format: None },
    })?;
    let limit = if negative { 1 << (width - 1) } else { mask(width) };
    if magnitude > limit {
        return Err(LiteralError::TooWide { width });
    }
    let bits = if negative { magnitude.wrapping_neg() } else { magnitude } & mask(width);
    let value = if signed { i128::from(sign_extend(bits, width)) } else { i128::from(bits) };
    let given = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    let outcome = if value == given { Outcome::Exact } else { Outcome::Wrapped };
    Ok(Parsed { bits, outcome, octal: is_octal(number), sign_dropped: false })
}

/// The code of a scale: a power of two, or NaN.
pub(super) fn scale(value: Value) -> Result<u64, LiteralError> {
    let encoded = match value {
        Value::Nan { .. } => return Ok(Format::Ue8m0.nan_code()),
        Value::Infinity { .. } => return Err(LiteralError::Scale),
        // Encoding would round zero up to the least power of two.
        Value::Finite(x) if x.negative || x.is_zero() => return Err(LiteralError::Scale),
        Value::Finite(x) => Format::Ue8m0.encode_finite(x, Mode::NearestEven, Overflow::Saturate),
    };
    match encoded.outcome {
        Outcome::Exact => Ok(encoded.code),
        _ => Err(LiteralError::Scale),
    }
}

/// True if the number was read as octal and would be different in decimal.
pub(super) const fn is_octal(number: Number) -> bool {
    matches!(number, Number::Integer { octal: true, magnitude: 8.., .. })
}
