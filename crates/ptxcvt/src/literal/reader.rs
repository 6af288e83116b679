//! Reads a text as the bits that its place needs.

use super::encode::{Parsed, element, integer, is_octal, scale};
use super::error::LiteralError;
use super::number::Number;
use crate::bits::mask;
use crate::formats::Format;
use crate::forms::{Form, Operand, Role};
use crate::outcome::Outcome;

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
        let reader = match operand.numbers() {
            Some((format, lanes)) if operand.role != Role::Destination => Reader::packed(format, lanes),
            _ => Reader::bits(operand.width),
        };
        Reader { widest, scale: operand.role == Role::ScaleFactor, ..reader }
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
        self.encode(self.parse(text)?)
    }

    /// Reads a number that is an f64 already, by the rules of [`read`](Self::read). f32 and f64 keep the payload of a NaN.
    ///
    /// ```
    /// use ptxcvt::literal::{LiteralError, Reader};
    /// use ptxcvt::{Format, Outcome};
    /// let reader = Reader::number(Format::S8);
    /// assert_eq!(reader.read_f64(7.0), reader.read("7.0"));
    /// assert_eq!(reader.read_f64(200.0)?.outcome, Outcome::Wrapped);
    /// assert_eq!(reader.read_f64(0.5).unwrap_err(), LiteralError::Syntax { format: Some(Format::S8) });
    /// # Ok::<(), LiteralError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if it is not a number for this place, or does not fit.
    pub fn read_f64(&self, value: f64) -> Result<Parsed, LiteralError> {
        match self.format {
            Some(Format::F32) if self.lanes == 1 && value.is_nan() => {
                Ok(Parsed::exact((value as f32).to_bits().into()))
            }
            Some(Format::F64) if self.lanes == 1 && value.is_nan() => Ok(Parsed::exact(value.to_bits())),
            _ => self.encode(Number::from(value)),
        }
    }

    /// The bits of a number at this place.
    fn encode(&self, number: Number) -> Result<Parsed, LiteralError> {
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
        if !self.is_bits(word) {
            return self.read(word);
        }
        let bits = u64::from_str_radix(word, 16);
        self.register(bits.map_err(|_| LiteralError::TooWide { width: self.widest })?)
    }

    /// True if [`read_word`](Self::read_word) reads a word as bits: it consists of hexadecimal digits without prefix. PTX's
    /// own literals of floats, such as `0f3F800000`, consist of such digits, too, and are read as numbers.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// use ptxcvt::literal::Reader;
    /// let reader = Reader::number(Format::F32);
    /// assert!(["3f80", "2e3"].into_iter().all(|word| reader.is_bits(word)));
    /// assert!(!["0f3F800000", "1.5", "0x1"].into_iter().any(|word| reader.is_bits(word)));
    /// ```
    pub fn is_bits(&self, word: &str) -> bool {
        let literal = self.format.is_none_or(Format::is_float) && is_float_literal(word.as_bytes());
        !word.is_empty() && !literal && word.bytes().all(|byte| byte.is_ascii_hexdigit())
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

/// True for PTX's literals of floats as bits, `0f` with 8 digits and `0d` with 16. Every character may be a hexadecimal
/// digit.
pub(super) fn is_float_literal(word: &[u8]) -> bool {
    matches!((word.len(), word), (10, [b'0', b'f' | b'F', ..]) | (18, [b'0', b'd' | b'D', ..]))
}
