//! The meaning of the parts of an opcode, in a few words.
//!
//! PTX ISA sections 6.5.2 (roundings) and 9.7.9.21 `cvt`; the words are those of the library's documentation.

use ptxcvt::forms::{Opcode, Part};
use ptxcvt::{Form, Format, Modifier, Spelling};

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
        Part::Rest => Some("the lower bits of `c` fill the rest of `d`".to_owned()),
        _ => None,
    }
}

/// The parts of a form's opcode in the order in which they are written, and their meaning in this form.
///
/// ```
/// let form = "cvt.rzi.sat.u8.f32".parse()?;
/// assert_eq!(ptxcvt_syntax::meanings(&form)[1].1, "saturated to the integer's range");
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
pub fn meanings(form: &Form) -> Vec<(Part, String)> {
    let opcode = form.to_string();
    let parts = Spelling::new(&opcode).parts().filter_map(|(part, _)| {
        let meaning = match (part, form.filling()) {
            (Part::Modifier(Modifier::Sat), _) => of_sat(form.destination().format()).to_owned(),
            (Part::Rest, Some((of_d, of_c))) => format!("the {of_d} of d are {of_c}"),
            _ => meaning(part)?,
        };
        Some((part, meaning))
    });
    parts.collect()
}

/// One sentence about a form: which types it converts, and how.
///
/// ```
/// let form = "cvt.pack.sat.u8.s32.b32".parse()?;
/// assert_eq!(
///     ptxcvt_syntax::sentence(&form),
///     "Converts two s32 to u8 and packs them, a above b: saturated to the integer's range; \
///      the upper 16 bits of d are the lower 16 bits of c."
/// );
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
pub fn sentence(form: &Form) -> String {
    let (source, destination) = (form.source(), form.destination());
    let what = match form.opcode() {
        Opcode::CvtPack => format!("two {source} to {destination} and packs them, a above b"),
        _ => format!("{source} to {destination}"),
    };
    let how = meanings(form).into_iter().filter(|(part, _)| !matches!(part, Part::Type(_)));
    let how: Vec<String> = how.map(|(_, meaning)| meaning).collect();
    let how = if how.is_empty() { String::new() } else { format!(": {}", how.join("; ")) };
    format!("Converts {what}{how}.")
}

fn of_sat(destination: Format) -> &'static str {
    match destination.is_integer() {
        true => "saturated to the integer's range",
        false => "saturated to [0, 1]",
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
