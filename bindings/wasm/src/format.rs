//! A number format: facts, codes, curves of spacing.

use ptxcvt::formats::Kind;
use ptxcvt::literal::{self, hex};
use ptxcvt::{Format, Type, Value};
use ptxcvt_picture::{fields, format_line_svg, spacing};
use serde::Serialize;

/// Everything about a format.
#[derive(Default, Serialize)]
pub struct Description {
    error: Option<String>,
    name: &'static str,
    about: &'static str,
    aliases: &'static [&'static str],
    types: Vec<&'static str>,
    bits: u32,
    storage: u32,
    fields: Vec<(&'static str, u32)>,
    facts: Vec<Fact>,
    /// All codes of a narrow format, else none.
    codes: Vec<CodeReport>,
    line: Option<String>,
    /// It has a curve of spacing.
    has_spacing: bool,
}

#[derive(Serialize)]
struct Fact {
    name: &'static str,
    value: String,
    code: Option<String>,
}

#[derive(Serialize)]
struct CodeReport {
    code: String,
    value: String,
    /// `zero`, `subnormal`, `normal`, `infinity`, `nan`.
    class: &'static str,
}

/// Formats up to this width show every code.
const SHOW_ALL_BITS: u32 = 8;

impl Description {
    pub fn read(name: &str) -> Description {
        match Format::from_name(name).or(Type::from_name(name).map(Type::format)) {
            Some(format) => Description::new(format),
            None => Description { error: Some(format!("no format `{name}`")), ..Description::default() },
        }
    }

    fn new(format: Format) -> Description {
        let parameters = format.parameters();
        let narrow = format.bits() <= SHOW_ALL_BITS;
        let codes = 0..if narrow { 1_u64 << format.bits() } else { 0 };
        let of_kind = Type::ALL.iter().filter(|ty| ty.format() == format);
        Description {
            error: None,
            name: format.name(),
            about: parameters.about,
            aliases: parameters.aliases,
            types: of_kind.map(|ty| ty.name()).collect(),
            bits: format.bits(),
            storage: format.storage(),
            fields: fields(format).into_iter().map(|(kind, width)| (kind.name(), width)).collect(),
            facts: facts(format),
            codes: codes.map(|code| CodeReport::new(format, code)).collect(),
            line: (narrow && !format.is_integer()).then(|| format_line_svg(format)),
            has_spacing: !spacing(format).is_empty(),
        }
    }
}

impl CodeReport {
    fn new(format: Format, code: u64) -> CodeReport {
        let value = format.decode(code);
        let class = match value {
            Value::Finite(x) if x.is_zero() => "zero",
            Value::Finite(_) if code & !format.sign_bit() < format.min_normal() => "subnormal",
            Value::Finite(_) => "normal",
            Value::Infinity { .. } => "infinity",
            Value::Nan { .. } => "nan",
        };
        CodeReport { code: hex(code, format.bits()), value: value.to_string(), class }
    }
}

fn facts(format: Format) -> Vec<Fact> {
    let number = |name, code: u64| Fact {
        name,
        value: format.decode(code).to_string(),
        code: Some(hex(code, format.storage())),
    };
    let plain = |name, value: String| Fact { name, value, code: None };
    let mut all = vec![number("largest", format.max_finite()), number("least", format.min_finite())];
    if !format.is_integer() {
        all.push(number("smallest normal", format.min_normal()));
        all.push(number("smallest above zero", format.min_positive()));
        all.extend(format.epsilon().map(|code| number("step at 1", code)));
        if let Kind::Float { bias, .. } | Kind::PowerOfTwo { bias } = format.parameters().kind {
            all.push(plain("bias", bias.to_string()));
        }
        let special = |name, code: Option<u64>| match code {
            Some(code) => Fact { name, value: hex(code, format.storage()), code: None },
            None => plain(name, "none".to_owned()),
        };
        all.push(special("infinity", format.infinity()));
        all.push(special("NaN", format.nan()));
    }
    all
}

/// One number of a format.
#[derive(Default, Serialize)]
pub struct Number {
    error: Option<String>,
    code: String,
    value: String,
}

impl Number {
    pub fn read(format: &str, text: &str) -> Number {
        let fail = |error: String| Number { error: Some(error), ..Number::default() };
        let Some(format) = Format::from_name(format) else { return fail(format!("no format `{format}`")) };
        let text = text.trim();
        let code = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(_) => literal::integer_of_width(text, format.storage()),
            None => literal::element_of(format, text),
        };
        match code {
            Ok(code) => Number {
                error: None,
                code: hex(code, format.storage()),
                value: format.decode(code).to_string(),
            },
            Err(error) => fail(error.to_string()),
        }
    }
}
