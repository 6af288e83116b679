//! A number as text, independent of its later format.
//!
//! PTX ISA section 4.5 (constants), and notations of C and other languages: `1.5f`, `0x1.8p3`, `-inf`, `nan`.

use super::decimal;
use super::error::LiteralError;
use crate::exact::{Exact, Value};
use crate::formats::Format;

/// A number as it was written.
///
/// ```
/// use ptxcvt::literal::Number;
/// assert_eq!(Number::parse("0x1F")?, Number::Bits(31));
/// assert_eq!(Number::parse("017")?, Number::Integer { negative: false, magnitude: 15, octal: true });
/// assert_eq!(Number::parse("0f3F800000")?, Number::Single(0x3f80_0000));
/// assert!(matches!(Number::parse("1.5")?, Number::Real(_)));
/// # Ok::<(), ptxcvt::literal::LiteralError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Number {
    /// `0x3c` or `0b101` without a sign: the bits of an operand, whatever its format.
    Bits(u64),
    /// An integer: decimal, octal, or with a sign.
    Integer {
        /// The sign.
        negative: bool,
        /// The absolute value.
        magnitude: u64,
        /// The text began with a zero and more digits followed.
        octal: bool,
    },
    /// PTX's `0f3F800000`: the bits of an f32.
    Single(u32),
    /// PTX's `0d3FF0000000000000`: the bits of an f64.
    Double(u64),
    /// An integer of at most 64 bits that is written with a point or an exponent: `1.0`, `1e3`, `0x1p3`.
    Whole {
        /// The sign.
        negative: bool,
        /// The absolute value.
        magnitude: u64,
    },
    /// A number that is not an integer of at most 64 bits: one with a fraction, a larger one, infinity or NaN.
    ///
    /// The value rounds to every floating-point format of at most 64 bits as the text itself does. A decimal without an
    /// exact binary value is replaced by a neighbour.
    Real(Value),
}

impl Number {
    /// Parses a number, without spaces around it.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a number, or if `0x…` or `0b…` has more than 64 bits.
    pub fn parse(text: &str) -> Result<Number, LiteralError> {
        let syntax = LiteralError::Syntax { format: None };
        let (negative, rest) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let signed = rest.len() < text.len();
        let suffix = |digits: &'_ str| digits.strip_suffix(['u', 'U']).map_or(digits.len(), str::len);
        let of_radix = |digits: &str, radix: u32| {
            let digits = &digits[..suffix(digits)];
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                return Err(syntax);
            }
            u64::from_str_radix(digits, radix).map_err(|_| LiteralError::TooWide { width: 64 })
        };
        let bits = |magnitude: u64| match signed {
            true => Number::Integer { negative, magnitude, octal: false },
            false => Number::Bits(magnitude),
        };
        let pattern = |digits: &str, count: usize| {
            let digits = digits.as_bytes();
            digits.len() == count && digits.iter().all(u8::is_ascii_hexdigit) && !signed
        };
        match rest.as_bytes() {
            [b'0', b'x' | b'X', ..] if rest.contains(['.', 'p', 'P']) => {
                hexadecimal_float(negative, &rest[2..]).ok_or(syntax)
            }
            [b'0', b'x' | b'X', ..] => of_radix(&rest[2..], 16).map(bits),
            [b'0', b'b' | b'B', ..] => of_radix(&rest[2..], 2).map(bits),
            [b'0', b'f' | b'F', ..] if pattern(&rest[2..], 8) => {
                u32::from_str_radix(&rest[2..], 16).map(Number::Single).map_err(|_| syntax)
            }
            [b'0', b'd' | b'D', ..] if pattern(&rest[2..], 16) => {
                u64::from_str_radix(&rest[2..], 16).map(Number::Double).map_err(|_| syntax)
            }
            [first, ..] if first.is_ascii_digit() && only_digits(&rest[..suffix(rest)]) => {
                let digits = &rest[..suffix(rest)];
                let octal = digits.len() > 1 && *first == b'0';
                if octal && digits.contains(['8', '9']) {
                    return Err(LiteralError::Octal);
                }
                match u64::from_str_radix(digits, if octal { 8 } else { 10 }) {
                    Ok(magnitude) => Ok(Number::Integer { negative, magnitude, octal }),
                    // No format needs an octal number of more than 64 bits: it is a decimal with zeros before it.
                    Err(_) if octal => Err(LiteralError::Octal),
                    Err(_) => decimal_number(negative, digits).ok_or(syntax),
                }
            }
            // The sign was consumed above, and a second one is invalid.
            [b'-' | b'+', ..] => Err(syntax),
            _ => decimal_number(negative, without_suffix(rest)).ok_or(syntax),
        }
    }

    /// The number's value; [`Bits`](Number::Bits) are taken as an unsigned integer.
    pub fn value(self) -> Value {
        match self {
            Number::Bits(bits) => Value::from(bits),
            Number::Integer { negative, magnitude, .. } | Number::Whole { negative, magnitude } => {
                Value::Finite(Exact::new(negative, magnitude, 0))
            }
            Number::Single(bits) => Format::F32.decode(bits.into()),
            Number::Double(bits) => Format::F64.decode(bits),
            Number::Real(value) => value,
        }
    }

    /// The number as a `u64`, or `None` if it is negative, has a fraction, or exceeds 64 bits: `1e3` gives 1000, `1.5`
    /// and `-1` give `None`.
    ///
    /// ```
    /// use ptxcvt::literal::Number;
    /// assert_eq!(Number::parse("1e3").unwrap().whole(), Some(1000));
    /// assert_eq!(Number::parse("1.5").unwrap().whole(), None);
    /// ```
    pub fn whole(self) -> Option<u64> {
        self.integer()
            .filter(|(negative, magnitude)| !negative || *magnitude == 0)
            .map(|(_, magnitude)| magnitude)
    }

    /// Sign and magnitude of an integer of at most 64 bits.
    pub(super) fn integer(self) -> Option<(bool, u64)> {
        let value = match self {
            Number::Bits(bits) => return Some((false, bits)),
            Number::Integer { negative, magnitude, .. } | Number::Whole { negative, magnitude } => {
                return Some((negative, magnitude));
            }
            Number::Single(_) | Number::Double(_) => self.value(),
            Number::Real(_) => return None,
        };
        let Value::Finite(x) = value else { return None };
        whole(x.significand.into(), x.exponent.into()).map(|magnitude| (x.negative, magnitude))
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        let value = Value::from(value);
        let Value::Finite(x) = value else { return Number::Real(value) };
        match whole(x.significand.into(), x.exponent.into()) {
            Some(magnitude) => Number::Whole { negative: x.negative, magnitude },
            None => Number::Real(value),
        }
    }
}

/// The value of `significand · 2^exponent` if it is an integer of at most 64 bits.
fn whole(significand: u128, exponent: i64) -> Option<u64> {
    if significand == 0 {
        return Some(0);
    }
    // Without the zeros at the end, a number that is whole has an exponent of 0 or more.
    let zeros = significand.trailing_zeros();
    let odd = u64::try_from(significand >> zeros).ok()?;
    let up = u32::try_from(exponent + i64::from(zeros)).ok().filter(|up| *up <= odd.leading_zeros())?;
    Some(odd << up)
}

fn only_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A decimal without the suffix that C gives a float, `f` or `F`. It follows a point or an exponent: `1.5f`, `1e5F`.
fn without_suffix(text: &str) -> &str {
    let is_number = |rest: &&str| {
        rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') && rest.contains(['.', 'e', 'E'])
    };
    text.strip_suffix(['f', 'F']).filter(is_number).unwrap_or(text)
}

/// A decimal, infinity or NaN.
fn decimal_number(negative: bool, text: &str) -> Option<Number> {
    let (value, magnitude) = decimal::parse(negative, text)?;
    Some(magnitude.map_or(Number::Real(value), |magnitude| Number::Whole { negative, magnitude }))
}

/// C's hexadecimal floats, after `0x`: digits with a point, then perhaps `p`, a decimal power of two, and the suffix `f`.
fn hexadecimal_float(negative: bool, text: &str) -> Option<Number> {
    // Larger powers are out of range of every format, whatever the digits are.
    const LARGEST_POWER: i64 = 100_000;
    let (digits, power) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    // Before `p`, it would be a digit.
    let power = power.strip_suffix(['f', 'F']).unwrap_or(power);
    let unsigned = power.strip_prefix(['-', '+']).unwrap_or(power);
    if !only_digits(unsigned) {
        return None;
    }
    let saturated = if power.starts_with('-') { -LARGEST_POWER } else { LARGEST_POWER };
    let power = power.parse::<i64>().unwrap_or(saturated).clamp(-LARGEST_POWER, LARGEST_POWER);
    let (mut significand, mut exponent, mut sticky) = (0_u128, power, false);
    let (mut seen, mut after_point) = (false, false);
    for c in digits.chars() {
        if c == '.' && !after_point {
            after_point = true;
            continue;
        }
        let digit = c.to_digit(16)?;
        seen = true;
        if significand < 1 << 120 {
            significand = significand << 4 | u128::from(digit);
            exponent -= if after_point { 4 } else { 0 };
        } else {
            // Below every rounding position only the fact that a digit is not zero counts.
            sticky |= digit != 0;
            exponent += if after_point { 0 } else { 4 };
        }
    }
    if !seen {
        return None;
    }
    if let Some(magnitude) = whole(significand, exponent).filter(|_| !sticky) {
        return Some(Number::Whole { negative, magnitude });
    }
    // The upper bits, and one that says whether others follow.
    let dropped = (128 - significand.leading_zeros()).saturating_sub(62);
    let upper = (significand >> dropped) as u64;
    sticky |= u128::from(upper) << dropped != significand;
    let exponent = (exponent + i64::from(dropped) - 1).clamp(-10 * LARGEST_POWER, 10 * LARGEST_POWER) as i32;
    Some(Number::Real(Value::Finite(Exact::new(negative, upper << 1 | u64::from(sticky), exponent))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integers of up to 64 bits are exact, however they are written, and nothing else is one.
    #[test]
    fn integers() {
        let mut seed = 3_u64;
        for round in 0..4000_u32 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let n = [seed, u64::MAX - u64::from(round), (1 << 53) + u64::from(round)][round as usize % 3]
                >> (round % 60);
            let (digits, hex) = (std::format!("{n}"), std::format!("{n:x}"));
            let point = round as usize % digits.len();
            let moved = std::format!("{}.{}e{}", &digits[..point], &digits[point..], digits.len() - point);
            let zeros = std::format!("{n}0000000000000000000000e-22");
            for text in [
                std::format!("{n}.0"),
                moved,
                zeros,
                std::format!("0x{hex}p0"),
                std::format!("0x0.{hex}p{}", 4 * hex.len()),
            ] {
                assert_eq!(Number::parse(&text).unwrap().whole(), Some(n), "{text}");
            }
            let texts = [
                std::format!("{n}.5"),
                std::format!("{n}.000000000000000000000000000001"),
                std::format!("0x{hex}.8p0"),
            ];
            for text in texts.into_iter().chain([std::format!("{}0000000000000000000000", n.max(1))]) {
                assert_eq!(Number::parse(&text).unwrap().whole(), None, "{text}");
            }
        }
        for text in [
            "1e-99999999999999999999",
            "5e-324",
            "1e-400",
            "18446744073709551616.0",
            "0x1p64",
            "0x1p99999999999999999999",
            "inf",
        ] {
            assert_eq!(Number::parse(text).unwrap().whole(), None, "{text}");
        }
        for text in ["0.0", "-0.0", "0e99999999999999999999", "0x0p5", "-0"] {
            assert_eq!(Number::parse(text).unwrap().whole(), Some(0), "{text}");
        }
    }

    /// One `f` or `F` after a float changes nothing. After anything else, it is an error or a digit.
    #[test]
    fn the_suffix_of_floats() {
        let mut seed = 11_u64;
        for round in 0..4000_u32 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let sign = ["", "-", "+"][round as usize % 3];
            let (whole, fraction, power) = (seed >> 20, seed >> 40 & 0xfff, (seed >> 52) as i32 % 400 - 200);
            let floats = [
                std::format!("{sign}{whole}.{fraction}"),
                std::format!("{sign}{whole}."),
                std::format!("{sign}.{fraction}"),
                std::format!("{sign}0{whole}.{fraction}e{power}"),
                std::format!("{sign}{whole}E{power}"),
                std::format!("{sign}0x{whole:x}p{power}"),
                std::format!("{sign}0x{whole:x}.{fraction:x}P{power}"),
            ];
            for float in floats {
                let number = Number::parse(&float);
                assert!(number.is_ok(), "{float}");
                for (suffix, read) in
                    [("f", true), ("F", true), ("ff", false), ("fF", false), ("fu", false), ("l", false)]
                {
                    let text = std::format!("{float}{suffix}");
                    match read {
                        true => assert_eq!(Number::parse(&text), number, "{text}"),
                        false => assert!(Number::parse(&text).is_err(), "{text}"),
                    }
                }
            }
            let integer = std::format!("{sign}{}", whole | 1 << 43);
            assert!(Number::parse(&integer).is_ok() && Number::parse(&(integer + "f")).is_err());
        }
        for text in [
            "0b1f", "0b1.f", "1f", "017f", "1uf", ".f", "-.f", "1ef", "1.ef", "inff", "nanf", "f", "-f",
            "0x1pf",
        ] {
            assert!(Number::parse(text).is_err(), "{text}");
        }
        assert_eq!(Number::parse("0x1f"), Ok(Number::Bits(0x1f)));
        let f64_of =
            |text: &str| Format::F64.encode(Number::parse(text).unwrap().value(), crate::Rounding::Rn);
        assert_eq!(f64_of("0x1.8f"), f64_of("1.55859375"), "a digit");
        assert_eq!(Number::parse("0f3f80000f"), Ok(Number::Single(0x3f80_000f)));
        assert_eq!(Number::parse("0d3ff000000000000f"), Ok(Number::Double(0x3ff0_0000_0000_000f)));
        assert_eq!(Number::parse("-inf"), Ok(Number::Real(Value::Infinity { negative: true })));
    }
}
