//! The meaning of the bits of a code, from the top bit down.

use ptxcvt::Format;
use ptxcvt::formats::Kind;

/// The meaning of a group of neighbouring bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// The sign, also that of two's complement.
    Sign,
    /// The exponent.
    Exponent,
    /// The fraction.
    Fraction,
    /// The integral part, or an integer.
    Integer,
    /// Bits that are always zero.
    Padding,
}

impl FieldKind {
    /// Its name: `sign`, `exponent`, `fraction`, `integer`, `padding`.
    pub const fn name(self) -> &'static str {
        match self {
            FieldKind::Sign => "sign",
            FieldKind::Exponent => "exponent",
            FieldKind::Fraction => "fraction",
            FieldKind::Integer => "integer",
            FieldKind::Padding => "padding",
        }
    }
}

/// The fields of a code in its storage, each with its width in bits, from the top bit down.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt_picture::{FieldKind::*, fields};
/// assert_eq!(fields(Format::E4m3), [(Sign, 1), (Exponent, 4), (Fraction, 3)]);
/// assert_eq!(fields(Format::E2m3), [(Padding, 2), (Sign, 1), (Exponent, 2), (Fraction, 3)]);
/// assert_eq!(fields(Format::S8), [(Sign, 1), (Integer, 7)]);
/// ```
pub fn fields(format: Format) -> Vec<(FieldKind, u32)> {
    use FieldKind::{Exponent, Fraction, Integer, Padding, Sign};
    let (bits, low) = (format.bits(), format.low_padding());
    let code = match format.parameters().kind {
        Kind::Float { signed, exponent, fraction, .. } => {
            vec![(Sign, u32::from(signed)), (Exponent, exponent), (Fraction, fraction)]
        }
        Kind::PowerOfTwo { .. } => vec![(Exponent, bits)],
        Kind::Fixed { fraction } => vec![(Sign, 1), (Integer, bits - fraction - 1), (Fraction, fraction)],
        _ => {
            let sign = u32::from(format.is_signed());
            vec![(Sign, sign), (Integer, bits - sign)]
        }
    };
    let mut all = vec![(Padding, format.storage() - bits - low)];
    all.extend(code);
    all.push((Padding, low));
    all.retain(|(_, width)| *width > 0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_fill_the_storage() {
        for format in Format::ALL {
            let sum: u32 = fields(*format).iter().map(|(_, width)| width).sum();
            assert_eq!(sum, format.storage(), "{format}");
        }
    }
}
