//! Decimals, infinity and NaN: parses text to a value that rounds to every format as the text itself does.
//!
//! A decimal is parsed to the nearest f64. Rounding that again to a narrower format could be wrong at a tie,
//! so the value records on which side of the f64 the decimal is. Integers of up to 64 bits are exact.

use core::cmp::Ordering;
use core::fmt::{self, Write as _};

use crate::exact::{Exact, Value};

/// The value of a decimal, `inf`, `infinity` or `nan` without a sign, and its magnitude if it is an integer of at most
/// 64 bits; `None` for any other text.
pub(super) fn parse(negative: bool, text: &str) -> Option<(Value, Option<u64>)> {
    let nearest: f64 = text.parse().ok()?;
    if nearest.is_nan() {
        return Some((Value::Nan { negative, payload: 1 << 63 }, None));
    }
    if nearest.is_infinite() {
        // `inf` is infinity; `1e999` is a finite number beyond every format.
        let value = match text.as_bytes() {
            [b'i' | b'I', ..] => Value::Infinity { negative },
            _ => Value::Finite(Exact::new(negative, 1, 2000)),
        };
        return Some((value, None));
    }
    if let Some(magnitude) = Decimal::split(text).whole() {
        return Some((Value::Finite(Exact::new(negative, magnitude, 0)), Some(magnitude)));
    }
    let Value::Finite(x) = Value::from(nearest) else { unreachable!("neither NaN nor infinite") };
    let x = match compare(text, nearest, x) {
        Ordering::Equal => x,
        // An eighth of the f64's last place: on the correct side of the f64, and of every tie.
        Ordering::Less => Exact::new(negative, (x.significand << 3) - 1, x.exponent - 3),
        Ordering::Greater => Exact::new(negative, (x.significand << 3) + 1, x.exponent - 3),
    };
    Some((Value::Finite(Exact { negative, ..x }), None))
}

/// The digits and the power of ten of a decimal that Rust parses.
struct Decimal<'t> {
    /// They may include a point.
    digits: &'t str,
    /// The power of ten of the last digit before the point. Larger and smaller powers are clamped.
    power: i64,
}

impl<'t> Decimal<'t> {
    fn split(text: &'t str) -> Self {
        let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let power = power.strip_prefix('+').unwrap_or(power);
        // Beyond these powers the value is always zero or infinite.
        let (least, most) = (-(1 << 60), 1 << 60);
        let beyond = if power.starts_with('-') { least } else { most };
        Decimal { digits, power: power.parse().unwrap_or(beyond).clamp(least, most) }
    }

    /// The digits without the point, from the first that is not zero.
    fn significant(&self) -> impl Iterator<Item = u8> + use<'t> {
        self.digits.bytes().filter(|b| *b != b'.').skip_while(|b| *b == b'0').map(|b| b - b'0')
    }

    /// The power of ten of the first significant digit.
    fn first_power(&self) -> i64 {
        let whole = self.digits.bytes().take_while(|b| *b != b'.').count() as i64;
        let zeros = self.digits.bytes().filter(|b| *b != b'.').take_while(|b| *b == b'0').count() as i64;
        whole - 1 - zeros + self.power
    }

    /// The value if it is an integer of at most 64 bits.
    fn whole(&self) -> Option<u64> {
        let mut digits = self.significant().peekable();
        if digits.peek().is_none() {
            return Some(0);
        }
        // The powers of ten that 64 bits hold.
        let places = usize::try_from(self.first_power()).ok().filter(|power| *power <= 19)? + 1;
        let digit = |n: u64, digit: u8| n.checked_mul(10)?.checked_add(digit.into());
        let padded = digits.by_ref().chain(core::iter::repeat(0));
        let n = padded.take(places).try_fold(0, digit)?;
        digits.all(|digit| digit == 0).then_some(n)
    }
}

/// Compares a decimal with the f64 nearest to it, given also as `exact`; both without sign.
fn compare(text: &str, nearest: f64, exact: Exact) -> Ordering {
    let decimal = Decimal::split(text);
    if exact.significand == 0 {
        return if decimal.significant().any(|digit| digit != 0) {
            Ordering::Greater
        } else {
            Ordering::Equal
        };
    }
    compare_small(&decimal, exact).unwrap_or_else(|| compare_digits(&decimal, nearest))
}

/// Compares in 128 bits; `None` if the decimal has more than 19 digits or a large power of ten.
fn compare_small(decimal: &Decimal<'_>, exact: Exact) -> Option<Ordering> {
    const DIGITS: usize = 19;
    const POWER: i64 = 27;
    let count = decimal.significant().take(DIGITS + 1).count();
    let power = decimal.first_power() - (count as i64 - 1);
    if count > DIGITS || power.abs() > POWER {
        return None;
    }
    let whole = decimal.significant().fold(0_u128, |n, digit| n * 10 + u128::from(digit));
    let (fives, significand) = (5_u128.pow(power.unsigned_abs() as u32), u128::from(exact.significand));
    // Compares whole · 10^power with significand · 2^exponent; the fives multiply one of the sides. Both sides
    // are nearly equal and below 2^127, so that neither shift loses a bit.
    let (left, right) = if power < 0 { (whole, significand * fives) } else { (whole * fives, significand) };
    let shift = i64::from(exact.exponent) - power;
    Some(if shift < 0 { (left << -shift).cmp(&right) } else { left.cmp(&(right << shift)) })
}

/// Compares digit by digit with the exact decimal expansion of the f64, which has at most 767 digits.
fn compare_digits(decimal: &Decimal<'_>, nearest: f64) -> Ordering {
    let mut digits = Digits { text: decimal.significant(), order: Ordering::Equal, power: None };
    write!(digits, "{nearest:.800e}").expect("the comparison accepts every digit");
    let (negative, power) = digits.power.expect("the expansion has an exponent");
    let power: i64 = if negative { -power } else { power };
    decimal
        .first_power()
        .cmp(&power)
        .then(digits.order)
        .then_with(|| if digits.text.any(|digit| digit != 0) { Ordering::Greater } else { Ordering::Equal })
}

/// Receives `d.ddde±p` and compares its digits with those of a text.
struct Digits<I> {
    text: I,
    /// The first difference.
    order: Ordering,
    /// Sign and magnitude of the exponent, once it has begun.
    power: Option<(bool, i64)>,
}

impl<I: Iterator<Item = u8>> fmt::Write for Digits<I> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match (byte, &mut self.power) {
                (b'e', power) => *power = Some((false, 0)),
                (b'-', Some((negative, _))) => *negative = true,
                (b'0'..=b'9', Some((_, power))) => *power = *power * 10 + i64::from(byte - b'0'),
                (b'0'..=b'9', None) => {
                    let written = self.text.next().unwrap_or(0);
                    self.order = self.order.then(written.cmp(&(byte - b'0')));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::round::Rounding;

    fn encode(format: Format, text: &str) -> u64 {
        format.encode(parse(false, text).unwrap().0, Rounding::Rn)
    }

    /// Numbers just above a tie round up and just below round down, through both comparisons.
    #[test]
    fn ties_are_decided_by_the_text() {
        // 1 + 2^-8 is half-way between two bf16.
        for (text, code) in [
            ("1.00390625", 0x3f80),
            ("1.003906250000000001", 0x3f81),
            ("1.00390625000000000000000000000000000001", 0x3f81),
            ("1.00390624999999999999999999999999999999", 0x3f80),
            ("1.01171875", 0x3f82),
            ("1.0117187499999999999999999999999999", 0x3f81),
            ("100390625000000000000000000000000000001e-38", 0x3f81),
            ("0.000100390625000000000000000000000000000000000001e4", 0x3f81),
        ] {
            assert_eq!(encode(Format::Bf16, text), code, "{text}");
        }
        // Half of the least bf16, 2^-134, in full.
        let half = std::format!("{:.200e}", f64::from_bits(0x379 << 52));
        assert_eq!(encode(Format::Bf16, &half), 0);
        assert_eq!(encode(Format::Bf16, &half.replace("000e", "001e")), 1);
    }

    /// The standard library parses the same f32 and f64 from a text.
    #[test]
    fn the_standard_library_agrees() {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 20
        };
        for n in 0..4000 {
            let power = (next() % 100) as i64 - 50 - if n % 7 == 0 { 280 } else { 0 };
            let text = match n % 3 {
                0 => std::format!("{}.{}e{power}", next() % 1000, next()),
                1 => std::format!("{}e{power}", next()),
                _ => std::format!("0.{:020}{}e{power}", next(), next()),
            };
            let (single, double): (f32, f64) = (text.parse().unwrap(), text.parse().unwrap());
            assert_eq!(encode(Format::F32, &text), u64::from(single.to_bits()), "{text}");
            assert_eq!(encode(Format::F64, &text), double.to_bits(), "{text}");
        }
    }
}
