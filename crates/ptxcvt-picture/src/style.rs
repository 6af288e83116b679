//! Colours and small parts that all pictures share.
//!
//! Sign, exponent and fraction are magenta, blue and amber everywhere: a choice that the common kinds of colour
//! blindness distinguish. A page may set the variables to suit its background; a picture alone uses these defaults.

use std::fmt::Write as _;

/// Ink of text and lines.
pub const INK: &str = "var(--ink,#1d2126)";
/// Subdued text.
pub const DIM: &str = "var(--dim,#5b6570)";
/// Subdued lines.
pub const RULE: &str = "var(--rule,#c9ced4)";
/// The ground.
pub const GROUND: &str = "var(--ground,#ffffff)";
/// The sign.
pub const SIGN: &str = "var(--sign,#b5307a)";
/// The exponent.
pub const EXPONENT: &str = "var(--exponent,#1769aa)";
/// The fraction.
pub const FRACTION: &str = "var(--fraction,#9a6200)";
/// The result and the way to it.
pub const RESULT: &str = "var(--result,#0b7a54)";
/// Ranges that are shaded.
pub const SHADE: &str = "var(--shade,#eceff2)";

/// The colours of a viewer who prefers a dark ground. An image in a page follows the viewer as well.
const DARK: &str = "@media screen and (prefers-color-scheme:dark){.ptxcvt-picture{--ink:#e6e9ec;--dim:#9aa5af;\
                    --rule:#343b42;--ground:#14171a;--sign:#ff8cc6;--exponent:#7cc0ff;--fraction:#f5bd5c;\
                    --result:#4fd1a5;--shade:#22282e}}";

/// The width of a character of [`text`] and of [`small`], rounded up.
pub const CHARACTER: f64 = 7.25;
pub const SMALL: f64 = 6.35;

/// Opens a document of that size; `label` is read to those who do not see it.
pub fn open(width: f64, height: f64, label: &str) -> String {
    let label = escape(label);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{label}\" font-family=\"ui-monospace, SFMono-Regular, \
         Menlo, Consolas, monospace\" font-size=\"12\" class=\"ptxcvt-picture\" \
         style=\"font-variant-numeric:tabular-nums;fill:{INK};max-width:100%;height:auto\">\
         <title>{label}</title><style>{DARK}</style><rect width=\"{width}\" height=\"{height}\" style=\"fill:{GROUND}\"/>"
    )
}

/// Text that begins, is centred on, or ends at a place: `start`, `middle`, `end`.
pub fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, what: &str) {
    let what = escape(what);
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" style=\"fill:{colour}\">{what}</text>"
    );
}

/// Like [`text`], but smaller.
pub fn small(out: &mut String, at: (f64, f64), anchor: &str, colour: &str, what: &str) {
    out.push_str("<g font-size=\"10.5\">");
    text(out, at, anchor, colour, what);
    out.push_str("</g>");
}

/// A straight line.
pub fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str, width: f64) {
    let _ = write!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
         style=\"stroke:{colour};stroke-width:{width}\"/>"
    );
}

/// A filled rectangle.
pub fn rect(out: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
    let _ = write!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" style=\"fill:{colour}\"/>"
    );
}

/// A number in a few digits, with `≈` if that rounds it.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 || (1e-4..1e7).contains(&size) {
        format!("{value:.7}").trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        scientific(value, 4)
    };
    about(text, value)
}

/// True for a power of two. The logarithm of a number next to one is rounded to an integer, too.
pub fn is_power(value: f64) -> bool {
    value.log2().exp2() == value && value.log2().fract() == 0.0
}

/// The text of a number, or the power of two that the text would round.
pub fn or_power(text: String, value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    if text.starts_with('≈') && is_power(value.abs()) {
        format!("{sign}2^{}", value.abs().log2())
    } else {
        text
    }
}

/// A distance in at most three digits or as an integer of four.
pub fn short(value: f64) -> String {
    if value < 1e4 && value.fract() == 0.0 { value.to_string() } else { about(scientific(value, 2), value) }
}

/// A number with an exponent and at most some digits after the point.
pub fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
    format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// A number in at most that many digits, with `≈` if that rounds it.
///
/// ```
/// use ptxcvt_picture::rounded;
/// let all = [0.125, -1.0 / 3.0, 1e-9, 123456.0, 0.0].map(|value| rounded(value, 3));
/// assert_eq!(all, ["0.125", "≈-0.333", "1e-9", "≈123000", "0"]);
/// ```
pub fn rounded(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return ptxcvt::decimal(value).to_string();
    }
    let few: f64 =
        format!("{value:.*e}", digits.saturating_sub(1)).parse().expect("Rust reads what it writes");
    about(ptxcvt::decimal(few).to_string(), value)
}

/// A text of a number, with `≈` if it is not the number.
pub fn about(text: String, value: f64) -> String {
    let is_exact = text.parse() == Ok(value);
    marked(text, is_exact)
}

/// A text of a number with `≈` unless it is exact. No other function writes this sign.
pub fn marked(text: String, is_exact: bool) -> String {
    if is_exact { text } else { format!("≈{text}") }
}

/// Breaks a text into lines of at most `columns` characters, between words where that is possible.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    ptxcvt::fill(text.split(' '), columns)
}

/// Escapes a text for XML. The backquotes of messages are Markdown, which a picture does not have.
fn escape(what: &str) -> String {
    what.replace('`', "").replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::rounded;

    /// A number that is shown rounded is marked, and no other.
    #[test]
    fn rounded_numbers_are_marked() {
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            // Half of them have few digits.
            let bits = if seed % 2 == 0 { seed } else { seed & !0 << 48 };
            let value = f64::from_bits(bits);
            let text = rounded(value, 3);
            let (is_marked, digits) = match text.strip_prefix('≈') {
                Some(rest) => (true, rest),
                None => (false, &*text),
            };
            let read: f64 = digits.parse().unwrap();
            assert_eq!(is_marked, read != value && !value.is_nan(), "{value:e}: {text}");
            let significant = digits.split('e').next().unwrap().replace(['-', '.'], "");
            assert!(
                !is_marked || significant.trim_start_matches('0').trim_end_matches('0').len() <= 3,
                "{text}"
            );
        }
    }

    /// The sign is written in one place.
    #[test]
    fn one_function_marks() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        // The folders hold tests.
        for file in entries.filter(|path| path.is_file()) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let written = code.iter().filter(|line| line.contains('≈') && !line.contains("starts_with"));
            let expected = usize::from(file.ends_with("style.rs"));
            assert_eq!(written.count(), expected, "{}", file.display());
        }
    }
}
