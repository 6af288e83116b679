//! Reads a text as the bits that its place needs.

use super::error::LiteralError;
use super::number::Number;
use crate::bits::{mask, sign_extend};
use crate::exact::Value;
use crate::formats::{Encoded, Format};
use crate::forms::{Form, Operand, Role};
use crate::outcome::{NanRule, Outcome};
use crate::overflow::Overflow;
use crate::round::Mode;

/// Reads numbers for one place: an operand of a form, numbers of a format, or plain bits.
///
/// ```
/// use ptxcvt::literal::Reader;
/// use ptxcvt::{Form, Format, Outcome};
/// let form: Form = "cvt.rn.bf16x2.e4m3x2".parse()?;
/// let a = form.operands().nth(1).unwrap();
/// assert_eq!(Reader::operand(&form, &a).read("1.5,-448")?.bits, 0x3cfe);
/// assert_eq!(Reader::operand(&form, &a).read("0x3cfe")?.bits, 0x3cfe);
///
/// let read = Reader::number(Format::E4m3).read("1000")?;
/// assert_eq!((read.bits, read.outcome), (0x7e, Outcome::Saturated)); // 448
/// assert_eq!(Reader::bits(32).read("010")?.bits, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// The format of the numbers; `None` for plain bits.
    format: Option<Format>,
    /// How many numbers are packed.
    lanes: u32,
    /// The width of all of them.
    width: u32,
    /// The width of the widest register that may hold them.
    widest: u32,
    /// The bits of a wider register are accepted, and its low ones read.
    wide: bool,
    /// The numbers are scales, which are not rounded.
    scale: bool,
}

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
    const fn exact(bits: u64) -> Self {
        Parsed { bits, outcome: Outcome::Exact, octal: false, sign_dropped: false }
    }

    /// True if the bits have the text's exact value; NaN is exact unless the format lacks it.
    pub const fn is_exact(&self) -> bool {
        matches!(self.outcome, Outcome::Exact | Outcome::Nan(NanRule::Canonical)) && !self.sign_dropped
    }
}

impl Reader {
    /// Reads one number of a format.
    pub const fn number(format: Format) -> Reader {
        Reader::packed(format, 1)
    }

    /// Reads `lanes` numbers of a format, the first into the upper bits.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// use ptxcvt::literal::Reader;
    /// assert_eq!(Reader::packed(Format::Bf16, 2).read("1.5,-2")?.bits, 0x3fc0_c000);
    /// # Ok::<(), ptxcvt::literal::LiteralError>(())
    /// ```
    pub const fn packed(format: Format, lanes: u32) -> Reader {
        let width = format.storage() * lanes;
        Reader { format: Some(format), lanes, width, widest: width, wide: false, scale: false }
    }

    /// Reads `width` bits without a format: an integer, or the bits of `0f…` and `0d…`.
    pub const fn bits(width: u32) -> Reader {
        Reader { format: None, lanes: 1, width, widest: width, wide: false, scale: false }
    }

    /// Reads a source operand of a form. A destination is read as bits.
    pub fn operand(form: &Form, operand: &Operand) -> Reader {
        let widest = if form.takes_wider_registers() { 64 } else { operand.width };
        let reader = match (operand.role, operand.ty) {
            (Role::ScaleFactor, _) => {
                Reader { scale: true, ..Reader::packed(Format::Ue8m0, operand.width / 8) }
            }
            (Role::Destination, _) | (_, None) => Reader::bits(operand.width),
            (_, Some(ty)) => Reader::packed(ty.format(), ty.lanes()),
        };
        Reader { widest, ..reader }
    }

    /// Accepts the bits of a wider register if PTX does, and reads the low ones.
    #[must_use]
    pub const fn wide(self, wide: bool) -> Reader {
        Reader { wide, ..self }
    }

    /// The width of all numbers together.
    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    /// True if a text may have several numbers with commas between.
    pub(super) const fn is_packed(&self) -> bool {
        self.lanes > 1 || self.scale
    }

    /// The error of a text that is not a number.
    pub(super) const fn syntax(&self) -> LiteralError {
        LiteralError::Syntax { format: self.format }
    }

    /// Reads a number, or the numbers of a packed operand separated by commas.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a number for this place, or does not fit.
    pub fn read(&self, text: &str) -> Result<Parsed, LiteralError> {
        let text = text.trim();
        if text.contains(',') && self.is_packed() {
            return self.read_elements(text);
        }
        let number = self.parse(text)?;
        match (number, self.format) {
            (Number::Bits(bits), _) => self.register(bits),
            (Number::Single(bits), None) => self.register(bits.into()),
            (Number::Double(bits), None) => self.register(bits),
            // Bits have no sign. A negative number gives its two's complement.
            (_, None) => {
                integer(number, self.width, false).map(|read| Parsed { outcome: Outcome::Exact, ..read })
            }
            (_, Some(_)) if self.scale => {
                let code = scale(number.value())?;
                let bits = (0..self.lanes).fold(0, |codes, _| codes << 8 | code);
                Ok(Parsed { octal: is_octal(number), ..Parsed::exact(bits) })
            }
            (_, Some(format)) if self.lanes == 1 => element(format, number),
            // PTX's notation for the bits of a packed source.
            (Number::Single(bits), _) if self.width == 32 => Ok(Parsed::exact(bits.into())),
            _ => Err(LiteralError::Elements { wanted: self.lanes }),
        }
    }

    /// Reads a word of batch input. Hexadecimal digits without prefix are bits (`3f80`, and `2e3`, too); any
    /// other text is read as by [`read`](Self::read).
    ///
    /// ```
    /// use ptxcvt::Format;
    /// use ptxcvt::literal::Reader;
    /// let reader = Reader::number(Format::F32);
    /// assert_eq!(reader.read_word("2e3")?.bits, 0x2e3);
    /// assert_eq!(reader.read_word("2.e3")?.bits, 2000_f32.to_bits().into());
    /// # Ok::<(), ptxcvt::literal::LiteralError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read) does.
    pub fn read_word(&self, word: &str) -> Result<Parsed, LiteralError> {
        // PTX's own literals for floats consist of hexadecimal digits, too, but have more of them than a float has.
        let literal = self.format.is_none_or(Format::is_float)
            && matches!(
                (word.len(), word.as_bytes()),
                (10, [b'0', b'f' | b'F', ..]) | (18, [b'0', b'd' | b'D', ..])
            );
        if word.is_empty() || literal || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return self.read(word);
        }
        let bits = u64::from_str_radix(word, 16);
        self.register(bits.map_err(|_| LiteralError::TooWide { width: self.widest })?)
    }

    /// Parses a number; the error names the format of this reader.
    fn parse(&self, text: &str) -> Result<Number, LiteralError> {
        Number::parse(text).map_err(|error| match error {
            LiteralError::Syntax { .. } => self.syntax(),
            LiteralError::TooWide { .. } => LiteralError::TooWide { width: self.width },
            other => other,
        })
    }

    fn read_elements(&self, text: &str) -> Result<Parsed, LiteralError> {
        let format = self.format.expect("only numbers of a format are packed");
        let count = text.split(',').count();
        if count != self.lanes as usize {
            let wanted = self.lanes;
            return Err(match self.scale {
                true => LiteralError::Scales { wanted },
                false => LiteralError::Elements { wanted },
            });
        }
        let one = Reader { lanes: 1, width: format.storage(), widest: format.storage(), ..*self };
        text.split(',').try_fold(Parsed::exact(0), |all, text| {
            let read = one.read(text)?;
            Ok(Parsed {
                bits: all.bits << format.storage() | read.bits,
                outcome: if all.is_exact() { read.outcome } else { all.outcome },
                octal: all.octal || read.octal,
                sign_dropped: all.sign_dropped || read.sign_dropped,
            })
        })
    }

    /// The bits of the register that holds the numbers.
    fn register(&self, bits: u64) -> Result<Parsed, LiteralError> {
        let given = 64 - bits.leading_zeros();
        if given <= self.width || (self.wide && given <= self.widest) {
            Ok(Parsed::exact(bits & mask(self.width)))
        } else if given <= self.widest {
            Err(LiteralError::Wider { given, width: self.width })
        } else {
            Err(LiteralError::TooWide { width: self.widest })
        }
    }
}

/// A number of a format, rounded to nearest if needed.
fn element(format: Format, number: Number) -> Result<Parsed, LiteralError> {
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
fn integer(number: Number, width: u32, signed: bool) -> Result<Parsed, LiteralError> {
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
const fn is_octal(number: Number) -> bool {
    matches!(number, Number::Integer { octal: true, magnitude: 8.., .. })
}
