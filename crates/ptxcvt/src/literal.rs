//! Operand text to bits: hexadecimal bits, decimals, PTX's `0f` and `0d`, integers, packed elements.
//!
//! PTX ISA section 4.5 (constants), and what people type at a prompt: `1.5`, `-inf`, `nan`.

use core::fmt;

use crate::bits::mask;
use crate::error::Code;
use crate::exact::Value;
use crate::formats::{Encoding, Format, Kind};
use crate::forms::{Form, Operand, Role};
use crate::round::Rounding;
use crate::types::Type;

/// Why a text is not an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiteralError {
    /// It is not a number that this operand takes.
    Syntax {
        /// The element type wanted; `None` for plain bits.
        ty: Option<Type>,
    },
    /// It is a number, but wider than the register.
    TooWide {
        /// The register's width in bits.
        width: u32,
    },
    /// A packed operand needs its elements, or its bits.
    Elements {
        /// How many elements the type has.
        wanted: u32,
    },
    /// It is a number, but no scale.
    Scale,
}

impl LiteralError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        match self {
            LiteralError::Syntax { .. } | LiteralError::Elements { .. } => Code::OperandSyntax,
            LiteralError::TooWide { .. } | LiteralError::Scale => Code::OperandRange,
        }
    }
}

impl LiteralError {
    /// What to do about it, where the message does not say so.
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            LiteralError::TooWide { .. } => Some("give no more bits than the register has"),
            LiteralError::Syntax { .. } | LiteralError::Elements { .. } | LiteralError::Scale => None,
        }
    }
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiteralError::Syntax { ty: Some(ty) } if ty.format().is_integer() => {
                write!(f, "not an integer for `.{ty}`: write 42, -7, 0x2a or 0b101")
            }
            LiteralError::Syntax { ty: Some(ty) } => {
                // The bits of 1, more or less, as wide as the type.
                let bits = match ty.width() {
                    0..=8 => "0x38",
                    9..=16 => "0x3f80",
                    17..=32 => "0x3f800000",
                    _ => "0x3ff0000000000000",
                };
                write!(f, "not a number for `.{ty}`: write 1.5, -inf, nan, or bits as {bits}")
            }
            LiteralError::Syntax { ty: None } => f.write_str("not an integer: write 0x1fff or 8191"),
            LiteralError::TooWide { width } => write!(f, "does not fit in {width} bits"),
            LiteralError::Scale => {
                f.write_str("a scale-factor is a power of two from 2^-127 to 2^127; its code is written 0x80")
            }
            LiteralError::Elements { wanted } => {
                write!(
                    f,
                    "{wanted} elements are packed here: write them upper first, with commas between, or the bits as 0x…"
                )
            }
        }
    }
}

impl core::error::Error for LiteralError {}

/// Hexadecimal with prefix, padded to `width` bits: `0x3c00`.
#[cfg(feature = "alloc")]
pub fn hex(bits: u64, width: u32) -> alloc::string::String {
    alloc::format!("0x{bits:0digits$x}", digits = width.div_ceil(4) as usize)
}

/// The code of a `scale-factor` of this value: a power of two from 2^−127 to 2^127, or NaN.
///
/// ```
/// use ptxcvt::literal::{LiteralError, scale_code};
/// assert_eq!(scale_code(2.0), Ok(0x80));
/// assert_eq!(scale_code(3.0), Err(LiteralError::Scale));
/// ```
///
/// # Errors
///
/// Fails for any other number.
pub fn scale_code(value: f64) -> Result<u64, LiteralError> {
    let codes = 0..=Format::Ue8m0.nan().unwrap_or(0);
    let means = |code: &u64| match Format::Ue8m0.decode(*code) {
        Value::Finite(x) => x.to_f64() == value,
        _ => value.is_nan(),
    };
    codes.into_iter().find(means).ok_or(LiteralError::Scale)
}

/// The code of the value of a format that is nearest to a number: beyond the range infinity, where there is one, else
/// the largest number; integers are rounded to nearest even.
///
/// ```
/// use ptxcvt::{Format, literal};
/// assert_eq!(literal::nearest(Format::E4m3, 1.55), 0x3c);
/// assert_eq!(literal::nearest(Format::F16, 1e6), 0x7c00);
/// ```
pub fn nearest(format: Format, value: f64) -> u64 {
    nearest_to(format, Format::F64, value.to_bits())
}

fn nearest_to(format: Format, source: Format, bits: u64) -> u64 {
    let nearest = Encoding::new(if format.is_integer() { Rounding::Rni } else { Rounding::Rn });
    let how = if format.infinity().is_some() { nearest } else { nearest.satfinite() };
    format.encode(source.decode(bits), how)
}

/// Reads one source operand of `form`.
///
/// Bits (`0x…`) may be wider than the type where PTX admits a wider register; the instruction reads the
/// low ones. A packed operand is bits, or its elements upper first with commas between: `1.5,-2`.
///
/// # Errors
///
/// Fails where the text is not such a number, or does not fit.
///
/// ```
/// use ptxcvt::{Form, literal};
/// let form: Form = "cvt.rn.bf16x2.e4m3x2".parse()?;
/// let a = form.operands().nth(1).unwrap();
/// assert_eq!(literal::parse(&form, &a, "1.5,-448")?, 0x3cfe);
/// assert_eq!(literal::parse(&form, &a, "0x3cfe")?, 0x3cfe);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(form: &Form, operand: &Operand, text: &str) -> Result<u64, LiteralError> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return bits(form, operand, digits);
    }
    let Some(ty) = operand.ty.filter(|_| operand.role != Role::Destination) else {
        return integer(text, operand.width).ok_or(LiteralError::Syntax { ty: None })?;
    };
    let one = |text: &str| element(ty.format(), text.trim()).ok_or(LiteralError::Syntax { ty: Some(ty) })?;
    if ty.lanes() == 1 {
        return one(text);
    }
    if text.split(',').count() != ty.lanes() as usize {
        return Err(LiteralError::Elements { wanted: ty.lanes() });
    }
    text.split(',').try_fold(0, |register, part| Ok(register << ty.format().storage() | one(part)?))
}

/// Reads the bits of an operand from hexadecimal digits without prefix.
///
/// # Errors
///
/// Fails where a character is not a hexadecimal digit, or the bits do not fit the widest register that PTX
/// admits here.
pub fn bits(form: &Form, operand: &Operand, digits: &str) -> Result<u64, LiteralError> {
    let syntax = LiteralError::Syntax { ty: operand.ty };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(syntax);
    }
    let width = if form.takes_wider_registers() { 64 } else { operand.width };
    let value = match u64::from_str_radix(digits, 16) {
        Ok(value) if value <= mask(width) => value,
        _ => return Err(LiteralError::TooWide { width }),
    };
    Ok(value & mask(operand.width))
}

/// Reads an integer, or bits as `0x…`, of `width` bits.
///
/// # Errors
///
/// Fails where the text is not an integer, or does not fit.
pub fn integer_of_width(text: &str, width: u32) -> Result<u64, LiteralError> {
    integer(text.trim(), width).ok_or(LiteralError::Syntax { ty: None })?
}

/// Reads one element of a format: `1.5`, `-inf`, `0f3F800000`, `-7`.
///
/// # Errors
///
/// Fails where the text is not a number of that format, or does not fit.
pub fn element_of(format: Format, text: &str) -> Result<u64, LiteralError> {
    let ty = Type::ALL.iter().copied().find(|t| t.format() == format);
    element(format, text).ok_or(LiteralError::Syntax { ty })?
}

/// One element; `None` where the text is not a number of that kind, `Some(Err)` where it does not fit.
fn element(format: Format, text: &str) -> Option<Result<u64, LiteralError>> {
    match format.parameters().kind {
        Kind::Integer { .. } => integer(text, format.bits()),
        _ => float(format, text).map(Ok),
    }
}

/// An integer literal of PTX: decimal, `0x`, `0b`, octal by a leading zero, `U` at the end, a sign before.
fn integer(text: &str, width: u32) -> Option<Result<u64, LiteralError>> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let digits = digits.strip_suffix(['u', 'U']).unwrap_or(digits);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let too_wide = Some(Err(LiteralError::TooWide { width }));
    let Ok(magnitude) = u64::from_str_radix(digits, radix) else { return too_wide };
    let limit = if negative { 1 << (width - 1) } else { mask(width) };
    if magnitude > limit {
        return too_wide;
    }
    Some(Ok(if negative { magnitude.wrapping_neg() } else { magnitude } & mask(width)))
}

/// A number of a floating-point, fixed-point or power-of-two format, rounded to nearest where needed.
fn float(format: Format, text: &str) -> Option<u64> {
    let hexadecimal = |digits: &str, count: usize| {
        (digits.len() == count && digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .then(|| u64::from_str_radix(digits, 16).ok())
            .flatten()
    };
    let value = match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => (Format::F32, hexadecimal(&text[2..], 8)?),
        [b'0', b'd' | b'D', ..] => (Format::F64, hexadecimal(&text[2..], 16)?),
        // The f32 nearest to the decimal, not to the f64 nearest to it.
        _ if format == Format::F32 => (Format::F32, u64::from(text.parse::<f32>().ok()?.to_bits())),
        _ => (Format::F64, text.parse::<f64>().ok()?.to_bits()),
    };
    let (source, bits) = value;
    if source == format {
        return Some(bits);
    }
    Some(nearest_to(format, source, bits))
}
