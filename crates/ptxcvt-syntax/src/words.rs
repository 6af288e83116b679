//! The meaning of the parts of an opcode, in a few words.
//!
//! PTX ISA sections 6.5.2 (roundings) and 9.7.9.21 `cvt`; the words are those of the library's documentation.

use ptxcvt::forms::Part;
use ptxcvt::{Format, Modifier};

/// The meaning of a part of an opcode, or `None` if it is unknown.
///
/// ```
/// use ptxcvt::{Rounding, forms::Part};
/// let rounding = ptxcvt_syntax::meaning(Part::Rounding(Rounding::Rz));
/// assert_eq!(rounding.as_deref(), Some("rounded towards zero"));
/// ```
pub fn meaning(part: Part) -> Option<String> {
    match part {
        Part::Rounding(rounding) => Some(rounding.describe().to_owned()),
        Part::Modifier(modifier) => Some(of_modifier(modifier).to_owned()),
        Part::Type(ty) => Some(of_type(ty.format(), ty.lanes())),
        _ => None,
    }
}

fn of_modifier(modifier: Modifier) -> &'static str {
    match modifier {
        Modifier::Ftz => "f32 subnormals become zero of the same sign",
        Modifier::Sat => "saturated: to the integer's range, or to [0, 1] for floats",
        Modifier::Satfinite => "values beyond the largest finite number become that number",
        Modifier::Relu => "negative results become +0",
        Modifier::Pzo => "a negative zero result becomes +0",
        Modifier::ScaledN1 => "one scale for all elements",
        Modifier::ScaledN2 => "one scale for each of two elements",
        other => unreachable!("{other:?} has words of its own"),
    }
}

/// A type by its number of bits.
fn of_type(format: Format, lanes: u32) -> String {
    let count = match lanes {
        1 => String::new(),
        2 => "two elements, each ".to_owned(),
        _ => format!("{lanes} elements, each "),
    };
    let (bits, sign) = (format.bits(), if format.is_signed() { "signed" } else { "unsigned" });
    if format.is_integer() {
        return format!("{count}{sign} integer of {bits} bits");
    }
    let (exponent, fraction) = (format.exponent_bits(), format.fraction_bits());
    let sign = if format.is_signed() { "" } else { ", no sign" };
    format!("{count}{bits} bits: {exponent} of exponent, {fraction} of fraction{sign}")
}

#[cfg(test)]
mod tests {
    use ptxcvt::Rounding;

    use super::*;

    #[test]
    fn everything_has_words() {
        for modifier in Modifier::ALL {
            assert!(!of_modifier(*modifier).is_empty(), "{}", modifier.name());
        }
        let roundings: std::collections::BTreeSet<_> = Rounding::ALL.iter().map(|r| r.describe()).collect();
        assert_eq!(roundings.len(), Rounding::ALL.len());
        assert!(!roundings.contains("rounded"));
    }
}
