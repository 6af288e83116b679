//! A number format: its parameters and its values.

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Type, Value};
use serde::Serialize;

use crate::bits::as_text;
use crate::{Bits, CodeValue};

/// Formats of up to this width list every code.
pub const LISTED_BITS: u32 = 8;

/// The parameters of a format, and every code of a small one.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Description {
    /// PTX's name.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Name"))]
    pub name: &'static str,
    /// One line about the format.
    pub about: &'static str,
    /// The significant bits of a code.
    pub bits: u32,
    /// The bits that one element occupies in a register.
    pub storage: u32,
    /// Whether the format has negative numbers.
    pub signed: bool,
    /// The width of the exponent field, which integers and fixed-point formats lack.
    pub exponent_bits: Option<u32>,
    /// The width of the fraction field, which integers lack.
    pub fraction_bits: Option<u32>,
    /// The exponent bias, which integers and fixed-point formats lack.
    pub bias: Option<i32>,
    /// The largest finite number.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Number"))]
    pub max_finite: Value,
    /// The smallest positive number.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Number"))]
    pub min_positive: Value,
    /// Whether the format has infinities.
    pub infinity: bool,
    /// The types that hold this format.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::schema::Name>"))]
    pub types: Vec<Type>,
    /// Every code and its value for formats of up to eight bits; empty for wider ones.
    pub codes: Vec<CodeValue>,
    /// The format itself.
    #[serde(skip)]
    pub format: Format,
}

impl Description {
    /// Describes a format with all its codes.
    pub fn new(format: Format) -> Self {
        let bits = format.bits();
        let codes = 0..if bits <= LISTED_BITS { 1_u64 << bits } else { 0 };
        let listed = codes.map(|code| CodeValue { code: Bits::new(code, bits), value: format.decode(code) });
        Description { codes: listed.collect(), ..Description::parameters(format) }
    }

    /// Describes a format without its codes.
    pub fn parameters(format: Format) -> Self {
        let parameters = format.parameters();
        let bias = match parameters.kind {
            Kind::Float { bias, .. } | Kind::PowerOfTwo { bias } => Some(bias),
            _ => None,
        };
        Description {
            name: parameters.name,
            about: parameters.about,
            bits: parameters.bits,
            storage: parameters.storage,
            signed: format.is_signed(),
            exponent_bits: Some(format.exponent_bits()).filter(|bits| *bits > 0),
            fraction_bits: Some(format.fraction_bits()).filter(|_| !format.is_integer()),
            bias,
            max_finite: format.decode(format.max_finite()),
            min_positive: format.decode(format.min_positive()),
            infinity: format.infinity().is_some(),
            types: Type::ALL.iter().copied().filter(|ty| ty.format() == format).collect(),
            codes: Vec::new(),
            format,
        }
    }
}

/// A value as tables of a format show it: exact, and by a power of two where its decimals say little. 2^-24 is
/// 5.960464477539063e-8, and 3×2^-9 is 0.005859375.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt_report::format::shown;
/// let all = [0x01, 0x83, 0x08, 0x7e].map(|code| shown(Format::E4m3.decode(code)));
/// assert_eq!(all, ["2^-9", "-3×2^-9", "0.015625", "448"]);
/// ```
pub fn shown(value: Value) -> String {
    /// Numbers of up to this many characters are read at a glance.
    const GLANCE: usize = 8;
    let text = value.to_string();
    let Some(x) = value.finite().filter(|x| x.exponent != 0 && !x.is_zero()) else { return text };
    let zeros = x.significand.trailing_zeros();
    let (factor, power) = (x.significand >> zeros, x.exponent + zeros as i32);
    let sign = if x.negative { "-" } else { "" };
    match factor {
        _ if text.len() - sign.len() <= GLANCE && !text.contains('e') => text,
        1 => format!("{sign}2^{power}"),
        2..1000 => format!("{sign}{factor}×2^{power}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_numbers_are_exact_and_short() {
        for (format, code, expected) in [
            (Format::F16, Format::F16.min_positive(), "2^-24"),
            (Format::F64, Format::F64.min_positive(), "2^-1074"),
            (Format::Ue8m0, Format::Ue8m0.max_finite(), "2^127"),
            (Format::F16, Format::F16.max_finite(), "65504"),
            (Format::F32, Format::F32.max_finite(), "3.4028234663852886e38"),
            (Format::E5m2, 0x05, "5×2^-16"),
            (Format::E5m2, 0x80, "-0"),
            (Format::S32, 0x8000_0000, "-2147483648"),
            (Format::E5m2, 0x7c, "inf"),
        ] {
            assert_eq!(shown(format.decode(code)), expected, "{format} {code:#x}");
        }
    }

    #[test]
    fn every_code_of_a_small_format_is_listed() {
        for format in Format::ALL.iter().copied() {
            let codes = Description::new(format).codes;
            let expected = if format.bits() <= LISTED_BITS { 1 << format.bits() } else { 0 };
            assert_eq!(codes.len(), expected, "{format}");
            for (code, listed) in (0..).zip(&codes) {
                assert_eq!(listed.code, Bits::new(code, format.bits()), "{format}");
                assert_eq!(listed.value.to_string(), format.decode(code).to_string(), "{format}");
            }
            assert!(Description::parameters(format).codes.is_empty());
        }
    }

    #[test]
    fn json_of_a_code() {
        let e4m3 = serde_json::to_value(Description::new(Format::E4m3)).unwrap();
        assert_eq!(e4m3["codes"].as_array().unwrap().len(), 256);
        assert_eq!(e4m3["codes"][0x3c], serde_json::json!({ "code": "0x3c", "value": "1.5" }));
        assert_eq!(e4m3["types"], serde_json::json!(["e4m3x2", "e4m3x4"]));
    }
}
