//! A number format: its facts and its codes.

use std::num::FpCategory;

use ptxcvt::literal::hex;
use ptxcvt::{Form, Format, Type};
use ptxcvt_picture::{fields, format_line_svg};
use ptxcvt_report::CodeValue;
use ptxcvt_report::format::{Description, shown};
use serde::Serialize;

/// The command's description of a format, and what the page draws in addition.
#[derive(Default, Serialize)]
pub struct Answer {
    error: Option<String>,
    #[serde(flatten)]
    format: Option<Description>,
    aliases: &'static [&'static str],
    fields: Vec<(&'static str, u32)>,
    facts: Vec<Fact>,
    /// For each code its value in a style that is short and exact.
    shown: Vec<String>,
    /// For each code `zero`, `subnormal`, `normal`, `infinity` or `nan`.
    classes: Vec<&'static str>,
    line: Option<String>,
    /// A form with this format as its source.
    convert: Option<String>,
}

#[derive(Serialize)]
struct Fact {
    name: &'static str,
    value: String,
    code: Option<String>,
}

impl Answer {
    pub fn read(name: &str) -> Answer {
        match Type::read_format(name) {
            Ok(format) => Answer::new(format),
            Err(refusal) => Answer { error: Some(refusal.to_string()), ..Answer::default() },
        }
    }

    fn new(format: Format) -> Answer {
        let description = Description::new(format);
        let narrow = !description.codes.is_empty();
        Answer {
            error: None,
            aliases: format.parameters().aliases,
            fields: fields(format).into_iter().map(|(kind, width)| (kind.name(), width)).collect(),
            facts: facts(&description),
            shown: description.codes.iter().map(|code| shown(code.value)).collect(),
            classes: description.codes.iter().map(|code| class(format, code)).collect(),
            line: (narrow && !format.is_integer()).then(|| format_line_svg(format)),
            convert: source(format).map(|form| form.to_string()),
            format: Some(description),
        }
    }
}

/// The plainest form with this source.
fn source(format: Format) -> Option<Form> {
    let plainness = |form: &Form| form.modifiers().len();
    Form::all().filter(|form| form.source().format() == format).min_by_key(plainness)
}

fn class(format: Format, code: &CodeValue) -> &'static str {
    match format.classify(code.code.bits) {
        FpCategory::Zero => "zero",
        FpCategory::Subnormal => "subnormal",
        FpCategory::Normal => "normal",
        FpCategory::Infinite => "infinity",
        FpCategory::Nan => "nan",
    }
}

fn facts(description: &Description) -> Vec<Fact> {
    let format = description.format;
    let number = |name, code: u64| Fact {
        name,
        value: shown(format.decode(code)),
        code: Some(hex(code, format.storage())),
    };
    let plain = |name, value: String| Fact { name, value, code: None };
    let mut all = vec![number("largest", format.max_finite()), number("least", format.min_finite())];
    if !format.is_integer() {
        all.push(number("smallest normal", format.min_normal()));
        all.push(number("smallest above zero", format.min_positive()));
        all.extend(format.epsilon().map(|code| number("step at 1", code)));
        all.extend(description.bias.map(|bias| plain("bias", bias.to_string())));
        let special = |name, code: Option<u64>| match code {
            Some(code) => Fact { name, value: hex(code, format.storage()), code: None },
            None => plain(name, "none".to_owned()),
        };
        all.push(special("infinity", format.infinity()));
        all.push(special("NaN", format.nan()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_floating_point_numbers_are_subnormal() {
        for (format, code, expected) in [
            (Format::S2f6, 0x80, "normal"),
            (Format::S8, 0x80, "normal"),
            (Format::S8, 0, "zero"),
            (Format::E4m3, 0x01, "subnormal"),
            (Format::E4m3, 0x88, "normal"),
            (Format::E5m2, 0xfc, "infinity"),
            (Format::Ue8m0, 0, "normal"),
            (Format::Ue8m0, 0xff, "nan"),
        ] {
            assert_eq!(class(format, &CodeValue::new(format, code)), expected, "{format} {code:#x}");
        }
    }
}
