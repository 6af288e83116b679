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
    pub name: &'static str,
    /// One line about the format.
    pub about: &'static str,
    /// The significant bits of a code.
    pub bits: u32,
    /// The bits that one element occupies in a register.
    pub storage: u32,
    /// Whether the format has negative numbers.
    pub signed: bool,
    /// The width of the exponent field; `None` for integers and fixed-point formats.
    pub exponent_bits: Option<u32>,
    /// The width of the fraction field; `None` for integers.
    pub fraction_bits: Option<u32>,
    /// The exponent bias; `None` for integers and fixed-point formats.
    pub bias: Option<i32>,
    /// The largest finite number.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub max_finite: Value,
    /// The smallest positive number.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub min_positive: Value,
    /// Whether the format has infinities.
    pub infinity: bool,
    /// The types that hold this format.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub types: Vec<Type>,
    /// Every code and its value for formats of up to [`LISTED_BITS`] bits; empty for wider ones.
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
        let (exponent_bits, fraction_bits, bias) = match parameters.kind {
            Kind::Float { exponent, fraction, bias, .. } => (Some(exponent), Some(fraction), Some(bias)),
            Kind::PowerOfTwo { bias } => (Some(parameters.bits), Some(0), Some(bias)),
            Kind::Fixed { fraction } => (None, Some(fraction), None),
            _ => (None, None, None),
        };
        Description {
            name: parameters.name,
            about: parameters.about,
            bits: parameters.bits,
            storage: parameters.storage,
            signed: format.is_signed(),
            exponent_bits,
            fraction_bits,
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

#[cfg(test)]
mod tests {
    use super::*;

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
