//! One number of a format: its code, its value, its neighbours.

use std::io::Write;

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Rounding, Value};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{clip, hex};
use crate::style::{DIM, RESULT};

/// A number of a format, as `ptxcvt format NAME VALUE|CODE` shows it.
#[derive(Serialize)]
pub struct Number {
    format: Format,
    #[serde(flatten)]
    place: Place,
    /// What was read is exactly this value.
    exact: bool,
    below: Option<Place>,
    above: Option<Place>,
    /// How far it is to the value above.
    spacing: Option<f64>,
    /// What was read.
    #[serde(rename = "input")]
    text: String,
}

/// A code and its value.
#[derive(Serialize)]
struct Place {
    code: String,
    value: String,
}

impl Place {
    fn new(format: Format, code: u64) -> Place {
        Place { code: hex(code, format.storage()), value: format.decode(code).to_string() }
    }
}

impl Number {
    /// Reads a code (`0x3c`), or a number, which is rounded to the nearest value.
    pub fn read(format: Format, text: &str) -> Result<Number, Failure> {
        let (code, exact) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) if !digits.contains(['.', 'p', 'P']) => (code(format, digits)?, true),
            _ => nearest(format, text)?,
        };
        let [below, above] = [false, true].map(|up| neighbour(format, code, up));
        let spacing = above.and_then(|above| {
            let [from, to] = [code, above].map(|code| format.decode(code));
            matches!((from, to), (Value::Finite(_), Value::Finite(_))).then(|| to.to_f64() - from.to_f64())
        });
        let place = |code: u64| Place::new(format, code);
        Ok(Number {
            format,
            place: place(code),
            exact,
            below: below.map(place),
            above: above.map(place),
            spacing,
            text: text.to_owned(),
        })
    }

    /// Prints it with its neighbours.
    pub fn print(&self) -> std::io::Result<()> {
        let mut out = anstream::stdout().lock();
        let Place { code, value } = &self.place;
        let rounded =
            if self.exact { String::new() } else { format!("  {DIM}nearest to {}{DIM:#}", clip(&self.text)) };
        writeln!(out, "{} {RESULT}{code}{RESULT:#} = {value}{rounded}", self.format)?;
        for (name, place) in [("below", &self.below), ("above", &self.above)] {
            match place {
                Some(Place { code, value }) => writeln!(out, "  {name}    {code} = {value}")?,
                None => writeln!(out, "  {name}    nothing")?,
            }
        }
        self.spacing.iter().try_for_each(|spacing| writeln!(out, "  spacing  {spacing}"))
    }
}

fn code(format: Format, digits: &str) -> Result<u64, Failure> {
    let code =
        u64::from_str_radix(digits, 16).ok().filter(|code| *code <= u64::MAX >> (64 - format.storage()));
    code.ok_or_else(|| {
        let message =
            format!("`0x{}`: not a code of {format}, which has {} bits", clip(digits), format.storage());
        Failure::new(message)
    })
}

/// The code nearest to a number, ties to even, and whether it is that number.
fn nearest(format: Format, text: &str) -> Result<(u64, bool), Failure> {
    let fail = |what: &str| Failure::new(format!("`{}`: {what}", clip(text)));
    if let Kind::Integer { .. } = format.parameters().kind {
        let value: i128 =
            text.parse().map_err(|_| fail("not an integer: write 42 or -7, or a code as 0x2a"))?;
        let bits = format.bits();
        let range = match format.is_signed() {
            true => -(1_i128 << (bits - 1))..=(1_i128 << (bits - 1)) - 1,
            false => 0..=(1_i128 << bits) - 1,
        };
        if !range.contains(&value) {
            return Err(fail(&format!("{format} goes from {} to {}", range.start(), range.end())));
        }
        return Ok((value as u64 & u64::MAX >> (64 - bits), true));
    }
    let number = crate::operand::plain_decimal(text);
    let wide: f64 =
        number.parse().map_err(|_| fail("not a number: write 1.5, -inf, nan, or a code as 0x3c"))?;
    let code = match format {
        // The f32 nearest to the decimal, not to the f64 nearest to it.
        Format::F32 => number.parse::<f32>().map_or(0, |x| u64::from(x.to_bits())),
        Format::F64 => wide.to_bits(),
        _ => format.encode(wide, Rounding::Rn),
    };
    let read = format.decode(code).to_f64();
    Ok((code, read == wide || (read.is_nan() && wide.is_nan())))
}

/// The code of the next value above or below, if there is one.
fn neighbour(format: Format, code: u64, up: bool) -> Option<u64> {
    let step = 1_u64 << format.low_padding();
    let all = u64::MAX >> (64 - format.storage());
    if let Value::Nan { .. } = format.decode(code) {
        return None;
    }
    let next = match format.parameters().kind {
        Kind::Integer { .. } | Kind::Fixed { .. } => {
            let (least, largest) = (least(format), format.max_finite());
            match up {
                true if code == largest => return None,
                false if code == least => return None,
                true => code.wrapping_add(1) & all,
                false => code.wrapping_sub(1) & all,
            }
        }
        Kind::PowerOfTwo { .. } => if up { code.checked_add(1) } else { code.checked_sub(1) }?,
        _ => {
            let sign = format.sign_bit();
            let (negative, magnitude) = (code & sign != 0, code & !sign);
            match (up != negative, magnitude) {
                (true, _) => code.checked_add(step)?,
                // Across zero.
                (false, 0) if up => step,
                (false, 0) if sign != 0 => sign | step,
                (false, 0) => return None,
                (false, _) => code - step,
            }
        }
    };
    // Not into the other sign, and not to NaN.
    let crossed = matches!(format.parameters().kind, Kind::Float { .. })
        && code & !format.sign_bit() != 0
        && (next ^ code) & format.sign_bit() != 0;
    (next <= all && !crossed && !matches!(format.decode(next), Value::Nan { .. })).then_some(next)
}

/// The least code of two's complement or unsigned integers.
fn least(format: Format) -> u64 {
    let signed = !matches!(format.parameters().kind, Kind::Integer { signed: false });
    if signed { 1 << (format.bits() - 1) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Going up from the least value meets every number of the format in order, and going down comes back.
    #[test]
    fn neighbours_are_in_order() {
        for format in Format::ALL.iter().copied().filter(|format| format.bits() <= 16) {
            let codes = (0..1_u64 << format.bits()).map(|code| code << format.low_padding());
            let mut numbers: Vec<(f64, u64)> = codes
                .filter(|code| !matches!(format.decode(*code), Value::Nan { .. }))
                .map(|code| (format.decode(code).to_f64(), code))
                .filter(|(value, code)| *value != 0.0 || code & format.sign_bit() == 0 || !format.is_signed())
                .collect();
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in numbers.windows(2) {
                let [(_, low), (_, high)] = [pair[0], pair[1]];
                assert_eq!(
                    format.decode(neighbour(format, low, true).unwrap()).to_f64(),
                    pair[1].0,
                    "{format}"
                );
                assert_eq!(
                    format.decode(neighbour(format, high, false).unwrap()).to_f64(),
                    pair[0].0,
                    "{format}"
                );
            }
            let (first, last) = (numbers[0].1, numbers[numbers.len() - 1].1);
            assert_eq!(
                (neighbour(format, first, false), neighbour(format, last, true)),
                (None, None),
                "{format}"
            );
        }
    }
}
