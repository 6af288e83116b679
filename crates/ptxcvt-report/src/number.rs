//! One number of a format and its neighbours.

use ptxcvt::literal::Parsed;
use ptxcvt::{Format, Outcome, Value};
use serde::Serialize;

use crate::{CodeValue, reading};

/// A number that was read as a value of a format.
///
/// ```
/// use ptxcvt::{Format, literal::Reader};
/// use ptxcvt_report::number::Number;
///
/// let read = Reader::number(Format::E4m3).read("1.55")?;
/// let number = Number::new(Format::E4m3, "1.55", &read);
/// assert_eq!((number.number.code.bits, number.exact), (0x3c, false));
/// assert_eq!(number.above.unwrap().value.to_string(), "1.625");
/// # Ok::<(), ptxcvt::literal::LiteralError>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Number {
    /// The format.
    pub format: Format,
    /// The code and its value.
    #[serde(flatten)]
    pub number: CodeValue,
    /// The text is exactly this value.
    pub exact: bool,
    /// `saturated`, `overflowed`, `wrapped` or `nan`, if the text is out of range or NaN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// The text is a negative number, and the format has no sign: the code is the magnitude's, as conversions give it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sign_dropped: bool,
    /// The text is an octal number.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub octal: bool,
    /// The next smaller number, if there is one.
    pub below: Option<CodeValue>,
    /// The next larger number, if there is one.
    pub above: Option<CodeValue>,
    /// The distance to the next larger number, if both are finite.
    pub spacing: Option<f64>,
    /// The text.
    pub input: String,
    /// How the number was changed, unless it was only rounded, and whether it is octal: the end of a sentence about the
    /// text.
    #[serde(skip)]
    pub note: Option<String>,
}

impl Number {
    /// Describes the number that `text` was read as.
    pub fn new(format: Format, text: &str, read: &Parsed) -> Number {
        let rounded = matches!(read.outcome, Outcome::RoundedUp | Outcome::RoundedDown);
        let exact = read.is_exact();
        // Texts are rounded to nearest, which `exact` says.
        let mut remarkable = *read;
        if rounded {
            remarkable.outcome = Outcome::Exact;
        }
        let number = |code| CodeValue::new(format, code);
        let (here, above) = (number(read.bits), format.next_up(read.bits).map(number));
        let spacing = above.and_then(|above| match (here.value, above.value) {
            // An f64 cannot hold every integer of 64 bits.
            _ if format.is_integer() => Some(1.0),
            (Value::Finite(from), Value::Finite(to)) => Some(to.to_f64() - from.to_f64()),
            _ => None,
        });
        Number {
            format,
            number: here,
            exact,
            outcome: Some(read.outcome)
                .filter(|outcome| !exact && !rounded && *outcome != Outcome::Exact)
                .map(Outcome::name),
            sign_dropped: read.sign_dropped,
            octal: read.octal,
            below: format.next_down(read.bits).map(number),
            above,
            spacing,
            input: text.to_owned(),
            note: reading::note(Some((format, format!(".{format}"))), text, &remarkable),
        }
    }
}
