//! The one parser of numbers: operands of forms, numbers of a format, and plain bits.
//!
//! PTX ISA section 4.5 (constants), and common notations. A [`Reader`] is made for one purpose. It accepts
//! these texts, except fractions for plain bits and commas for a single number:
//!
//! | text | meaning |
//! |---|---|
//! | `0x3c`, `0b101` | the bits |
//! | `+0x3c`, `-0b101` | an integer, because of its sign: 60, -5 |
//! | `42`, `-7`, `42U` | an integer |
//! | `010` | octal, as in PTX: 8 |
//! | `1.5`, `2e3`, `0x1.8p3`, `-inf`, `nan` | a number, rounded to nearest if the format lacks it |
//! | `1.5f`, `2e3F` | the number without C's suffix of floats |
//! | `0f3F800000`, `0d3FF0000000000000` | the f32 or f64 of these bits |
//! | `1.5,-2` | the elements of a packed operand, the upper first |

mod decimal;
mod digits;
mod encode;
mod error;
mod line;
mod number;
mod reader;
mod split;

pub use encode::Parsed;
pub use error::LiteralError;
pub use line::{WordError, read_line, read_line_with};
pub use number::Number;
pub use reader::Reader;
pub use split::Split;

#[cfg(feature = "alloc")]
use crate::bits::mask;
use crate::formats::{Encoding, Format};

/// Hexadecimal with prefix, padded to `width` bits: `0x3c00`.
#[cfg(feature = "alloc")]
pub fn hex(bits: u64, width: u32) -> alloc::string::String {
    alloc::format!("0x{bits:0digits$x}", digits = width.div_ceil(4) as usize)
}

/// The numbers of a register as text, the upper one first: `1.5, -2`.
///
/// ```
/// use ptxcvt::{Format, literal};
/// assert_eq!(literal::numbers(Format::E4m3, 2, 0x3c00), "1.5, 0");
/// ```
#[cfg(feature = "alloc")]
pub fn numbers(format: Format, lanes: u32, bits: u64) -> alloc::string::String {
    use core::fmt::Write;
    let mut text = alloc::string::String::new();
    for lane in (0..lanes).rev() {
        let element = format.decode(bits >> (lane * format.storage()) & mask(format.storage()));
        let comma = if text.is_empty() { "" } else { ", " };
        write!(text, "{comma}{element}").expect("writing to a string cannot fail");
    }
    text
}

/// The code to which a decimal rounds. Out of range it is infinity if the format has one, otherwise the largest number.
/// `None` if the standard library does not parse the text as an f64.
pub(crate) fn decimal(format: Format, text: &str) -> Option<u64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let value = decimal::parse(text.starts_with('-'), unsigned)?.0;
    Some(format.encode_value(value, Encoding::nearest(format)))
}

/// The code of the value of a format that is nearest to a number.
///
/// Out of range it is infinity if the format has one, otherwise the largest number. Integers are rounded to
/// nearest even.
///
/// ```
/// use ptxcvt::{Format, literal};
/// assert_eq!(literal::nearest(Format::E4m3, 1.55), 0x3c);
/// assert_eq!(literal::nearest(Format::F16, 1e6), 0x7c00);
/// ```
pub fn nearest(format: Format, value: f64) -> u64 {
    // The payload of a NaN is kept.
    if format == Format::F64 { value.to_bits() } else { format.encode(value, Encoding::nearest(format)) }
}
