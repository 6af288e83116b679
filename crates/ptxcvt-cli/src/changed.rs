//! Numbers that were changed when they were read: rounded, saturated, cut to their low bits, or without their sign. Octal
//! numbers are named, too.

use ptxcvt::literal::Parsed;
use ptxcvt::{Format, Outcome, Value};

/// The text about a number of a format and a type, such as `.e4m3x2`, that was changed when it was read, or is octal: the
/// end of a sentence about the text.
pub fn note(ty: Option<(Format, String)>, parsed: &Parsed) -> Option<String> {
    let octal = parsed.octal.then(|| "is octal because of its leading zero, as in PTX".to_owned());
    let notes: Vec<String> = octal.into_iter().chain(change(ty, parsed)).collect();
    (!notes.is_empty()).then(|| notes.join("; it "))
}

/// How the number was changed.
fn change(ty: Option<(Format, String)>, parsed: &Parsed) -> Option<String> {
    let format = ty.as_ref().map(|(format, _)| *format);
    let [of, range] =
        ["of", "for"].map(|word| ty.as_ref().map_or(String::new(), |(_, ty)| format!(" {word} `{ty}`")));
    if let Some(format) = format.filter(|_| parsed.sign_dropped) {
        return Some(format!("is negative, and was read without its sign, because `.{format}` has none"));
    }
    match parsed.outcome {
        Outcome::Saturated => Some(format!("is out of range{range}, and was saturated when it was read")),
        Outcome::Overflowed => Some(format!("is out of range{range}, and became infinity when it was read")),
        Outcome::Wrapped => format.map(|format| {
            let value = format.decode(parsed.bits);
            format!("is out of range for `.{format}`, and its low bits were read: {value}")
        }),
        Outcome::RoundedUp | Outcome::RoundedDown if format.is_none_or(|f| matters(f, parsed.bits)) => {
            Some(format!("is not a value{of}, and was rounded when it was read"))
        }
        Outcome::Nan(_) if !parsed.is_exact() => {
            Some(format!("is not a value{of}, and was replaced when it was read"))
        }
        _ => None,
    }
}

/// Decimals are rounded to wide formats all the time. A narrow format has few values, and which of them was
/// chosen matters; so does a number that became zero.
fn matters(format: Format, code: u64) -> bool {
    format.bits() <= 16 || matches!(format.decode(code), Value::Finite(x) if x.is_zero())
}
