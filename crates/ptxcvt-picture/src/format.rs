//! A narrow format as SVG: its numbers on a line by powers of two, and a table of all codes.

use std::fmt::Write as _;

use ptxcvt::{Format, Value};

use crate::fields::{FieldKind, fields};
use crate::style::{
    DIM, EXPONENT, FRACTION, INK, RESULT, RULE, SHADE, SIGN, about, is_power, line, marked, number, open,
    or_power, rect, small, text, wrapped,
};

/// Formats up to this width have a table of all codes.
pub const WIDEST_TABLE: u32 = 8;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 920.0;
/// The characters that fit between them.
const COLUMNS: usize = 120;
/// The distance of lines of text.
const TEXT_HEIGHT: f64 = 20.0;
/// The height of a line of numbers with its labels.
const LINE_HEIGHT: f64 = 96.0;

/// The format as an SVG document: its fields, its positive numbers on a line and, up to 8 bits, a table of every code
/// with one row for each upper digit.
///
/// ```
/// use ptxcvt::Format;
/// let svg = ptxcvt_picture::format_svg(Format::E2m1);
/// assert!(svg.contains(">1.5<") && svg.ends_with("</svg>"));
/// ```
pub fn format_svg(format: Format) -> String {
    format_svg_with(format, None)
}

/// Like [`format_svg`], but with one code highlighted: in the table, and on the line if it is positive. Its number is
/// written above, followed by a remark such as what was rounded to it.
///
/// ```
/// use ptxcvt::Format;
/// let svg = ptxcvt_picture::format_svg_with(Format::E4m3, Some((0x3c, "nearest to 1.55")));
/// assert!(svg.contains(">0x3c = 1.5, nearest to 1.55<"));
/// ```
pub fn format_svg_with(format: Format, chosen: Option<(u64, &str)>) -> String {
    let mut out = String::new();
    let title = format!("{format}: {}", format.parameters().about);
    text(&mut out, (LEFT, 26.0), "start", INK, &title);
    let remark = chosen.map(|(code, remark)| {
        let number = format!("{} = {}", ptxcvt::literal::hex(code, format.storage()), format.decode(code));
        [&number, remark].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    });
    // Next to the title if there is room for it, or below.
    let remark = remark.unwrap_or_default();
    let mut top = 0.0;
    if title.chars().count() + remark.chars().count() + 4 <= COLUMNS {
        text(&mut out, (RIGHT, 26.0), "end", RESULT, &remark);
    } else {
        for part in wrapped(&remark, COLUMNS) {
            top += TEXT_HEIGHT;
            text(&mut out, (LEFT, 26.0 + top), "start", RESULT, &part);
        }
    }
    bits(&mut out, format, 44.0 + top);
    let ends = positive(format);
    let range = [ends.first().copied().unwrap_or(1.0), ends.last().copied().unwrap_or(1.0)];
    number_line(&mut out, format, 132.0 + top, range);
    let marked = chosen.and_then(|(code, _)| format.decode(code).finite());
    if let Some(x) = marked.filter(|x| x.to_f64() > 0.0) {
        let x = place_on(range, x.to_f64());
        line(&mut out, (x, top + 132.0 - 20.0), (x, top + 132.0 + 20.0), RESULT, 3.0);
    }
    let mut height = 186.0 + top;
    if format.bits() <= WIDEST_TABLE {
        height = table(&mut out, format, 196.0 + top, chosen.map(|(code, _)| code));
        let any = |is: fn(Format, u64) -> bool| (0..1_u64 << format.bits()).any(|code| is(format, code));
        let meanings = [
            (SHADE, "subnormal", any(Format::is_subnormal)),
            (RESULT, "zero", any(|format, code| format.decode(code).finite().is_some_and(|x| x.is_zero()))),
            (SIGN, "NaN, infinity", any(|format, code| format.decode(code).finite().is_none())),
        ];
        for (at, (colour, what, _)) in meanings.into_iter().filter(|(.., drawn)| *drawn).enumerate() {
            let x = LEFT + 120.0 * at as f64;
            rect(&mut out, (x, height + 8.0), (10.0, 10.0), colour);
            small(&mut out, (x + 16.0, height + 17.0), "start", DIM, what);
        }
        small(
            &mut out,
            (RIGHT, height + 17.0),
            "end",
            DIM,
            "row: upper digit of the code; column: lower digit",
        );
        height += 32.0;
    }
    open(WIDTH, height, &format!("the numbers of {format}")) + &out + "</svg>"
}

/// Only the line of a narrow format: its positive numbers by powers of two.
pub fn format_line_svg(format: Format) -> String {
    format_lines_svg(&[format])
}

/// The lines of some formats below each other, on one axis.
///
/// ```
/// use ptxcvt::Format;
/// let svg = ptxcvt_picture::format_lines_svg(&[Format::E4m3, Format::E2m1]);
/// assert!(svg.contains(">e4m3<") && svg.contains(">448<") && svg.contains(">6<"));
/// ```
pub fn format_lines_svg(formats: &[Format]) -> String {
    let mut out = String::new();
    let ends: Vec<f64> = formats.iter().flat_map(|format| positive(*format)).collect();
    let range =
        [ends.iter().copied().fold(f64::INFINITY, f64::min), ends.iter().copied().fold(0.0, f64::max)];
    for (row, format) in formats.iter().enumerate() {
        let y = 44.0 + LINE_HEIGHT * row as f64;
        if formats.len() > 1 {
            text(&mut out, (RIGHT, y - 26.0), "end", INK, format.name());
        }
        number_line(&mut out, *format, y, range);
    }
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let label = format!("the positive numbers of {}, by powers of two", names.join(" and "));
    open(WIDTH, 2.0 + LINE_HEIGHT * formats.len() as f64, &label) + &out + "</svg>"
}

const fn colour(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Sign => SIGN,
        FieldKind::Exponent => EXPONENT,
        FieldKind::Fraction => FRACTION,
        FieldKind::Integer => INK,
        FieldKind::Padding => RULE,
    }
}

/// The fields as a row of cells.
fn bits(out: &mut String, format: Format, y: f64) {
    let cell = (RIGHT - LEFT).min(f64::from(format.storage()) * 22.0) / f64::from(format.storage());
    let mut x = LEFT;
    for (kind, width) in fields(format) {
        let wide = cell * f64::from(width);
        rect(out, (x, y), (wide - 2.0, 14.0), colour(kind));
        if wide > 16.0 {
            let name = if wide > 80.0 { format!("{} {width}", kind.name()) } else { width.to_string() };
            small(out, (x + wide / 2.0, y + 28.0), "middle", DIM, &name);
        }
        x += wide;
    }
}

/// The positive finite numbers in order. For a wide format, only its ends, its least normal number and 1.
fn positive(format: Format) -> Vec<f64> {
    let codes = 0..1_u64 << format.bits().min(WIDEST_TABLE);
    let value = |code: u64| format.decode(code).finite().map(|x| x.to_f64()).filter(|x| *x > 0.0);
    let mut all: Vec<f64> = if format.bits() <= WIDEST_TABLE {
        codes.filter_map(value).collect()
    } else {
        let ends = [format.min_positive(), format.min_normal(), format.one(), format.max_finite()];
        ends.into_iter().filter_map(value).collect()
    };
    all.sort_by(f64::total_cmp);
    all
}

/// The place of a positive number on a logarithmic axis from the first to the second number of `range`.
fn place_on(range: [f64; 2], value: f64) -> f64 {
    let [first, last, value] = [range[0], range[1], value].map(f64::log2);
    LEFT + (value - first) / (last - first).max(1.0) * (RIGHT - LEFT)
}

/// Draws the numbers of a format on an axis from the first to the second number of `range`.
fn number_line(out: &mut String, format: Format, y: f64, range: [f64; 2]) {
    let values = positive(format);
    let (Some(first), Some(last)) = (values.first().copied(), values.last().copied()) else { return };
    let place = |value| place_on(range, value);
    let normal = format.decode(format.min_normal()).to_f64();
    if normal > first {
        rect(out, (place(first) - 6.0, y - 18.0), (place(normal) - place(first) + 6.0, 36.0), SHADE);
        small(out, (place(normal) - 4.0, y - 22.0), "end", DIM, "subnormal");
    }
    line(out, (LEFT - 8.0, y), (RIGHT + 8.0, y), RULE, 1.0);
    for value in &values {
        let power = is_power(*value);
        let (size, colour) = if power { (12.0, EXPONENT) } else { (7.0, FRACTION) };
        line(
            out,
            (place(*value), y - size),
            (place(*value), y + size),
            colour,
            if power { 1.6 } else { 1.0 },
        );
    }
    // Labels as far as there is room: the ends, then powers of two from the left.
    let mut taken = vec![place(first), place(last)];
    let shown = |value: f64| if (1e-3..1e5).contains(&value) { number(value) } else { String::new() };
    let near = |at: f64, taken: &[f64]| taken.iter().any(|other| (other - at).abs() < 74.0);
    // The largest 64-bit integers are not f64 values; they round up.
    let is_exact = |value: f64| value != last || format.is_float() || format.bits() < 64;
    let label = |out: &mut String, value: f64, anchor: &str| {
        // A power of two is easier to read than many decimals.
        let power = is_power(value).then(|| marked(format!("2^{}", value.log2()), is_exact(value)));
        match (shown(value), power) {
            (decimals, Some(power)) if decimals.is_empty() => {
                text(out, (place(value), y + 32.0), anchor, INK, &power)
            }
            (_, None) => text(out, (place(value), y + 32.0), anchor, INK, &number(value)),
            (decimals, Some(power)) => {
                text(out, (place(value), y + 32.0), anchor, INK, &decimals);
                small(out, (place(value), y + 46.0), anchor, DIM, &power);
            }
        }
    };
    // Next to each other, the labels of the ends are on either side of the numbers.
    let ends = if near(place(first), &taken[1..]) { ["end", "start"] } else { ["middle"; 2] };
    label(out, first, ends[0]);
    if last > first {
        label(out, last, ends[1]);
    }
    for value in values.iter().filter(|value| is_power(**value)) {
        if !near(place(*value), &taken) {
            taken.push(place(*value));
            label(out, *value, "middle");
        }
    }
}

/// Draws all codes, sixteen in a row; returns the y coordinate below the table.
fn table(out: &mut String, format: Format, top: f64, chosen: Option<u64>) -> f64 {
    let count = 1_u64 << format.bits();
    let columns = count.min(16);
    let (wide, high) = ((RIGHT - LEFT) / 16.0, 20.0);
    for column in 0..columns {
        small(out, (LEFT + wide * (column as f64 + 0.9), top), "end", DIM, &format!("{column:x}"));
    }
    for code in 0..count {
        let (row, column) = ((code / 16) as f64, (code % 16) as f64);
        let y = top + 8.0 + high * row;
        if column == 0.0 {
            small(out, (LEFT - 8.0, y + 14.0), "end", DIM, &format!("{:x}", code / 16));
        }
        let value = format.decode(code);
        let (ground, ink) = match value {
            Value::Finite(x) if x.is_zero() => (None, RESULT),
            Value::Finite(_) if format.is_subnormal(code) => (Some(SHADE), INK),
            Value::Finite(_) => (None, INK),
            _ => (None, SIGN),
        };
        if let Some(ground) = ground {
            rect(out, (LEFT + wide * column + 1.0, y), (wide - 2.0, high - 2.0), ground);
        }
        if chosen == Some(code) {
            let _ = write!(
                out,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                 style=\"fill:none;stroke:{RESULT};stroke-width:2\"/>",
                LEFT + wide * column + 1.0,
                wide - 2.0,
                high - 2.0
            );
        }
        let shown = match value {
            Value::Finite(x) if x.is_zero() && x.negative => "-0".to_owned(),
            Value::Finite(x) if x.to_f64().abs() < 1e-3 && !x.is_zero() => short_power(x.to_f64()),
            Value::Finite(x) if x.to_f64().abs() >= 1e6 => short_power(x.to_f64()),
            Value::Finite(x) => shortened(x.to_f64()),
            other => other.to_string(),
        };
        small(out, (LEFT + wide * (column + 0.9), y + 14.0), "end", ink, &shown);
    }
    top + 8.0 + high * (count.div_ceil(16)) as f64
}

/// A number for a cell of the table: its digits if there is room, the power of two that it is, or `≈` and fewer digits.
fn shortened(value: f64) -> String {
    let full = number(value);
    // The longest are `0.03125`, `≈0.0352` and `≈-0.035`.
    let digits = if value < 0.0 { 3 } else { 4 };
    let few = || about(format!("{value:.digits$}").trim_end_matches('0').to_owned(), value);
    or_power(if full.len() <= 7 { full } else { few() }, value)
}

/// A power of two as such, another number with an exponent.
fn short_power(value: f64) -> String {
    let power = value.abs().log2();
    let sign = if value < 0.0 { "-" } else { "" };
    if is_power(value.abs()) { format!("{sign}2^{power}") } else { about(format!("{value:.1e}"), value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::CHARACTER;

    #[test]
    fn every_format_is_drawn() {
        for format in Format::ALL.iter().copied() {
            let svg = format_svg(format);
            assert!(!svg.contains("NaN\"") && !svg.contains("\"inf"), "{format}: {svg}");
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count(), "{format}");
        }
    }

    /// A remark that does not fit next to the title is below it, and everything below moves down.
    #[test]
    fn title_and_remark_do_not_meet() {
        for format in Format::ALL.iter().copied() {
            for length in [0, 10, 40, 80, 200, 500] {
                let remark = "`x`, ".repeat(length / 4);
                let svg = format_svg_with(format, Some((format.one(), remark.trim_end())));
                let texts: Vec<(&str, &str)> = svg
                    .split("<text ")
                    .skip(1)
                    .map(|text| (text.split("y=\"").nth(1).unwrap(), text))
                    .map(|(y, text)| (y.split('"').next().unwrap(), text))
                    .collect();
                let title: usize =
                    texts.iter().filter(|(y, _)| *y == "26.0").map(|(_, text)| shown(text)).sum();
                assert!(title <= COLUMNS, "{format} {length}");
                assert!(
                    texts.iter().all(|(_, text)| shown(text) <= COLUMNS && !text.contains('`')),
                    "{format}"
                );
            }
        }
    }

    /// How many characters a `text` element shows.
    fn shown(text: &str) -> usize {
        text.split('>').nth(1).unwrap().split('<').next().unwrap().chars().count()
    }

    /// The labels below the lines of any two formats do not meet, however short one of the lines is.
    #[test]
    fn labels_of_two_lines_do_not_meet() {
        let narrow = Format::ALL.iter().copied().filter(|format| format.bits() <= WIDEST_TABLE);
        for (a, b) in narrow.clone().flat_map(|a| narrow.clone().map(move |b| (a, b))) {
            let svg = format_lines_svg(&[a, b]);
            let mut all: Vec<(String, f64, f64)> = svg.split("<text ").skip(1).map(extent).collect();
            all.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
            for pair in all.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                assert!(pair[0].2 <= pair[1].1, "{a}, {b}: {pair:?}");
            }
            assert!(all.iter().all(|(_, from, to)| *from >= 0.0 && *to <= WIDTH), "{a}, {b}: {all:?}");
        }
    }

    /// The line of a `text` element, and where it begins and ends.
    fn extent(text: &str) -> (String, f64, f64) {
        let value = |name: &str| {
            text.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        let (x, wide): (f64, f64) = (value("x").parse().unwrap(), shown(text) as f64 * CHARACTER);
        let from = match value("text-anchor").as_str() {
            "start" => x,
            "middle" => x - wide / 2.0,
            _ => x - wide,
        };
        (value("y"), from, from + wide)
    }

    /// Only floats have subnormals; the least two's complement integer was once drawn as one.
    #[test]
    fn only_floats_have_subnormal_numbers() {
        for format in Format::ALL.iter().copied().filter(|format| format.bits() <= WIDEST_TABLE) {
            let any = (0..1_u64 << format.bits()).any(|code| format.is_subnormal(code));
            assert_eq!(format_svg(format).contains("subnormal"), any, "{format}");
        }
    }

    /// The largest f64 is not 2^1024, nor the largest s64 2^63.
    #[test]
    fn ends_are_not_rounded_to_powers_of_two() {
        assert!(!format_svg(Format::F64).contains(">2^1024<"));
        for (format, end) in [(Format::S64, "2^63"), (Format::U64, "2^64")] {
            let svg = format_svg(format);
            assert!(
                svg.contains(&format!(">≈2^{}<", &end[2..])) && !svg.contains(&format!(">{end}<")),
                "{format}"
            );
        }
        assert!(!format_svg(Format::E2m1).contains("infinity") && format_svg(Format::E4m3).contains("NaN"));
    }
}
