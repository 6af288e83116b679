//! The texts of operands: one for each operand, and remarks about numbers that were changed when they were read.

use std::{fmt, str};

use ptxcvt::forms::Operand;
use ptxcvt::literal::{Number, Parsed, Reader, Split};
use ptxcvt::{Format, Outcome, Value};

/// A brace in texts of operands that no other one closes or opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracesError {
    texts: String,
}

impl fmt::Display for BracesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the braces of `{}` do not match", self.texts)
    }
}

impl std::error::Error for BracesError {}

/// Splits texts of a command line into one for each operand, with [`Split`]: `{1,2,3,4}` and, for single elements, `1,-2`
/// are several. A text that is empty or missing between commas becomes an empty one, which is not a number.
///
/// # Errors
///
/// Fails if braces do not match.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt::literal::Reader;
/// use ptxcvt_report::reading::separated;
///
/// let readers = [Reader::number(Format::F32); 2];
/// assert_eq!(separated(&readers, &["{1,-2}"])?, ["1", "-2"]);
/// assert_eq!(separated(&readers, &["1,,-2"])?, ["1", "", "-2"]);
/// assert_eq!(separated(&readers, &["{1,", "-2"]).unwrap_err().to_string(), "the braces of `{1, -2` do not match");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separated<'t>(readers: &[Reader], texts: &[&'t str]) -> Result<Vec<&'t str>, BracesError> {
    check_braces(texts)?;
    let mut separate: Vec<&str> = Vec::new();
    let mut split = Split::new(false);
    for text in texts {
        if text.trim().is_empty() {
            separate.push("");
            continue;
        }
        let operands = split.operands(text.as_bytes(), readers.get(separate.len()));
        separate.extend(operands.map(|piece| str::from_utf8(piece).expect("the punctuation is ASCII")));
    }
    Ok(separate)
}

/// The text of a single operand without braces around it; the whole text if it is not a single operand.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt::literal::Reader;
/// use ptxcvt_report::reading::single;
/// assert_eq!(single(&Reader::packed(Format::F16, 2), "{1.5,2}"), "1.5,2");
/// assert_eq!(single(&Reader::number(Format::F16), "{1.5,2}"), "{1.5,2}");
/// ```
pub fn single<'t>(reader: &Reader, text: &'t str) -> &'t str {
    match separated(std::slice::from_ref(reader), &[text]).as_deref() {
        Ok([one]) => one,
        _ => text,
    }
}

/// Checks that braces match.
///
/// # Errors
///
/// Quotes the texts if they do not.
pub fn check_braces(texts: &[&str]) -> Result<(), BracesError> {
    match braces_match(texts) {
        true => Ok(()),
        false => Err(BracesError { texts: ptxcvt::clip(texts.join(" ").trim()) }),
    }
}

/// True if each brace in texts of operands closes, or is closed by, another one.
///
/// ```
/// use ptxcvt_report::reading::braces_match;
/// assert!(braces_match(&["{1,", "2}", "0x80"]));
/// assert!(!braces_match(&["{1,2"]) && !braces_match(&["1}{"]));
/// ```
pub fn braces_match(texts: &[&str]) -> bool {
    let mut braces = texts.iter().flat_map(|text| text.bytes()).filter(|byte| matches!(byte, b'{' | b'}'));
    let mut open = false;
    // Vectors of PTX do not nest.
    let expected = |byte: u8| (byte == b'{') != std::mem::replace(&mut open, byte == b'{');
    let all = braces.all(expected);
    all && !open
}

/// Like [`note`], for an operand of a form.
pub fn operand_note(operand: &Operand, text: &str, parsed: &Parsed) -> Option<String> {
    note(operand.ty.map(|ty| (ty.format(), format!(".{ty}"))), text, parsed)
}

/// The note for `-0x10`: with a sign, the digits are an integer; without, the bits of a float.
fn signed_digits(format: Format, text: &str) -> Option<String> {
    let digits = text.trim().strip_prefix(['+', '-'])?;
    let prefixed = digits.starts_with(['0']) && digits[1..].starts_with(['x', 'X', 'b', 'B']);
    let integer = matches!(Number::parse(text), Ok(Number::Integer { .. }));
    (prefixed && integer && format.is_float())
        .then(|| format!("is an integer because of its sign; {digits} alone is bits"))
}

/// The text about a number of a format and a type, such as `.e4m3x2`, that was changed when it was read, or is octal: the
/// end of a sentence about the text.
pub fn note(ty: Option<(Format, String)>, text: &str, parsed: &Parsed) -> Option<String> {
    let signed = ty.as_ref().and_then(|(format, _)| signed_digits(*format, text));
    let octal = parsed.octal.then(|| "is octal because of its leading zero, as in PTX".to_owned());
    let notes: Vec<String> = octal.into_iter().chain(change(ty, parsed)).chain(signed).collect();
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
