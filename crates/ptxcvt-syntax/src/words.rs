//! The meaning of the parts of an opcode, in a few words.
//!
//! PTX ISA sections 6.5.2 (roundings) and 9.7.9.21 `cvt`; the words are those of the library's documentation.

use ptxcvt::forms::Part;
use ptxcvt::{Format, Modifier, Rounding};

/// The meaning of a part of an opcode, or `None` if it is unknown.
///
/// ```
/// use ptxcvt::{Rounding, forms::Part};
/// let said = ptxcvt_syntax::meaning(Part::Rounding(Rounding::Rz));
/// assert_eq!(said.as_deref(), Some("rounded towards zero"));
/// ```
pub fn meaning(part: Part) -> Option<String> {
    match part {
        Part::Rounding(rounding) => Some(of_rounding(rounding).to_owned()),
        Part::Modifier(modifier) => Some(of_modifier(modifier).to_owned()),
        Part::Type(ty) => Some(of_type(ty.format(), ty.lanes())),
        _ => None,
    }
}

fn of_rounding(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Rn => "rounded to nearest, ties to even",
        Rounding::Rna => "rounded to nearest, ties away from zero",
        Rounding::Rz => "rounded towards zero",
        Rounding::Rm => "rounded towards negative infinity",
        Rounding::Rp => "rounded towards positive infinity",
        Rounding::Rs => "rounded stochastically: random bits are added to the discarded ones",
        Rounding::Rni => "rounded to the nearest integer, ties to even",
        Rounding::Rzi => "rounded to an integer, towards zero",
        Rounding::Rmi => "rounded to an integer, towards negative infinity",
        Rounding::Rpi => "rounded to an integer, towards positive infinity",
        other => unreachable!("{other:?} has words of its own"),
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
    use super::*;

    #[test]
    fn everything_has_words() {
        for modifier in Modifier::ALL {
            assert!(!of_modifier(*modifier).is_empty(), "{}", modifier.name());
        }
        let roundings: std::collections::BTreeSet<_> =
            Rounding::ALL.iter().map(|r| of_rounding(*r)).collect();
        assert_eq!(roundings.len(), Rounding::ALL.len());
        assert!(!roundings.contains("rounded"));
    }
}
