//! Numbers that were changed when they were read: rounded, saturated, cut to their low bits, or without their sign.

use ptxcvt::literal::Parsed;
use ptxcvt::{Format, Outcome, Value};

/// The text about a number of a format and a type, such as `.e4m3x2`, that was changed when it was read: the end of a sentence
/// about the text.
pub fn note(ty: Option<(Format, String)>, parsed: &Parsed) -> Option<String> {
    let format = ty.as_ref().map(|(format, _)| *format);
    let ty = ty.map_or(String::new(), |(_, ty)| format!(" of `{ty}`"));
    if let Some(format) = format.filter(|_| parsed.sign_dropped) {
        return Some(format!("is negative, and was read without its sign, because `.{format}` has none"));
    }
    match parsed.outcome {
        Outcome::Saturated => {
            Some(format!("is out of range{}, and was saturated when it was read", ty.replace(" of", " for")))
        }
        Outcome::Overflowed => Some(format!(
            "is out of range{}, and became infinity when it was read",
            ty.replace(" of", " for")
        )),
        Outcome::Wrapped => format.map(|format| {
            let value = format.decode(parsed.bits);
            format!("is out of range for `.{format}`, and its low bits were read: {value}")
        }),
        Outcome::RoundedUp | Outcome::RoundedDown if format.is_none_or(|f| matters(f, parsed.bits)) => {
            Some(format!("is not a value{ty}, and was rounded when it was read"))
        }
        Outcome::Nan(_) if !parsed.is_exact() => {
            Some(format!("is not a value{ty}, and was replaced when it was read"))
        }
        _ if parsed.octal => Some("is octal because of its leading zero, as in PTX".to_owned()),
        _ => None,
    }
}

/// Decimals are rounded to wide formats all the time. A narrow format has few values, and which of them was
/// chosen matters; so does a number that became zero.
fn matters(format: Format, code: u64) -> bool {
    format.bits() <= 16 || matches!(format.decode(code), Value::Finite(x) if x.is_zero())
}
