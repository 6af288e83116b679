//! The error of a text that is not a valid number for its place.

use core::fmt;

use crate::counted::counted;
use crate::error::Code;
use crate::formats::Format;

/// Why a text is not a valid number for its place.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt::literal::{LiteralError, Reader};
/// let error = Reader::number(Format::U8).read("256").unwrap_err();
/// assert_eq!(error, LiteralError::TooWide { width: 8 });
/// assert_eq!(error.to_string(), "does not fit in 8 bits");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiteralError {
    /// The text is not a number that this operand accepts.
    Syntax {
        /// The format of the number; `None` for plain bits.
        format: Option<Format>,
    },
    /// The text begins with 0 and has the digit 8 or 9, so it is not an octal number.
    Octal,
    /// The number is outside the range of the operand.
    TooWide {
        /// The operand's width in bits.
        width: u32,
    },
    /// The bits do not fit the operand, but they fit a wider register, which PTX accepts here.
    Wider {
        /// The number's width in bits.
        given: u32,
        /// The operand's width in bits.
        width: u32,
    },
    /// The number of elements is wrong for a packed operand.
    Elements {
        /// How many elements the operand has.
        wanted: u32,
    },
    /// The number of scales is wrong for a packed scale-factor.
    Scales {
        /// How many scales the operand has.
        wanted: u32,
    },
    /// The number is not a scale: neither a power of two of the format ue8m0 nor NaN.
    Scale,
}

impl LiteralError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        match self {
            LiteralError::Syntax { .. }
            | LiteralError::Octal
            | LiteralError::Elements { .. }
            | LiteralError::Scales { .. } => Code::OperandSyntax,
            LiteralError::TooWide { .. } | LiteralError::Wider { .. } | LiteralError::Scale => {
                Code::OperandRange
            }
        }
    }

    /// How to correct the text, unless the message says it.
    pub const fn help(&self) -> Option<&str> {
        match self {
            LiteralError::TooWide { .. } | LiteralError::Wider { .. } => {
                Some("give no more bits than the operand has")
            }
            _ => None,
        }
    }
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LiteralError::Syntax { format: Some(Format::Ue8m0) } => {
                f.write_str("not a scale: write 0.5, 2, nan, or the code as 0x80")
            }
            LiteralError::Syntax { format: Some(format) } if format.is_integer() => {
                write!(f, "not an integer for `.{format}`: write 42, -7, 0x2a or 0b101")
            }
            LiteralError::Syntax { format: Some(format) } => {
                // The bits of a number near 1, as wide as the format.
                let bits = match format.storage() {
                    0..=8 => "0x38",
                    9..=16 => "0x3f80",
                    17..=32 => "0x3f800000",
                    _ => "0x3ff0000000000000",
                };
                write!(f, "not a number for `.{format}`: write 1.5, -inf, nan, or bits as {bits}")
            }
            LiteralError::Syntax { format: None } => f.write_str("not an integer: write 0x1fff or 8191"),
            LiteralError::Octal => f.write_str(
                "a leading zero makes the number octal, which has the digits 0 to 7; leave the zero out",
            ),
            LiteralError::TooWide { width } => {
                write!(f, "does not fit in {}", counted(width, "bit"))
            }
            LiteralError::Wider { given, width } => write!(f, "has {given} bits, the operand has {width}"),
            LiteralError::Elements { wanted } => write!(
                f,
                "{wanted} elements are packed here: write them upper first, with commas between, or the bits as 0x…"
            ),
            LiteralError::Scales { wanted } => write!(
                f,
                "{wanted} scales are packed here, the upper first: write one for both, or {wanted} with commas between"
            ),
            LiteralError::Scale => {
                f.write_str("a scale-factor is a power of two from 2^-127 to 2^127; its code is written 0x80")
            }
        }
    }
}

impl core::error::Error for LiteralError {}
