//! Operands as people write them, beyond what the library reads: scales by their value, hexadecimal floats, and word of
//! what was rounded on reading.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Code, Form, Type, Value, literal};

/// What a text was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    pub bits: u64,
    /// The number was not a value of the operand's type, and rounded to one.
    pub rounded: bool,
}

/// Why a text is not an operand.
#[derive(Clone, Debug)]
pub struct Unreadable {
    pub code: Code,
    pub message: String,
}

/// Reads one source operand; with `wide`, bits may be wider than the type, as a register may.
pub fn parse(form: &Form, operand: &Operand, text: &str, wide: bool) -> Result<Read, Unreadable> {
    let text = text.trim();
    let exact = |bits| Read { bits, rounded: false };
    if let Some(digits) = hexadecimal(text) {
        return bits(form, operand, digits, wide).map(exact);
    }
    if operand.role == Role::ScaleFactor {
        return scale(operand, text).map(exact);
    }
    let texts: Vec<String> = text.split(',').map(|one| plain_decimal(one.trim())).collect();
    let value = literal::parse(form, operand, &texts.join(",")).map_err(|e| unreadable(&e))?;
    let rounded = operand.ty.is_some_and(|ty| {
        let storage = ty.format().storage();
        let lanes = texts.len() as u32;
        texts.iter().zip(0..).any(|(text, lane)| {
            let code = value >> ((lanes - 1 - lane) * storage) & u64::MAX >> (64 - storage);
            !denotes(text, ty, code)
        })
    });
    Ok(Read { bits: value, rounded })
}

/// Reads bits from hexadecimal digits.
pub fn bits(form: &Form, operand: &Operand, digits: &str, wide: bool) -> Result<u64, Unreadable> {
    let value = literal::bits(form, operand, digits).map_err(|e| unreadable(&e))?;
    let significant = digits.trim_start_matches('0');
    let width = significant.len() as u32 * 4 - significant.chars().next().map_or(0, leading_zeros);
    if width > operand.width && !wide {
        let ty = operand.ty.map_or(format!("{} bits", operand.width), |ty| format!("`.{ty}`"));
        let message = format!(
            "has {width} bits, {ty} has {}; --wide reads the low ones, as PTX reads a wider register",
            operand.width
        );
        return Err(Unreadable { code: Code::OperandRange, message });
    }
    Ok(value)
}

/// Bits of a digit's four that are zero at the top.
fn leading_zeros(digit: char) -> u32 {
    digit.to_digit(16).map_or(0, |n| n.leading_zeros() - 28)
}

fn unreadable(error: &literal::LiteralError) -> Unreadable {
    Unreadable { code: error.code(), message: error.to_string() }
}

/// The digits of `0x3f80`; a float such as `0x1.8p3` is none.
fn hexadecimal(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    (!digits.contains(['.', 'p', 'P'])).then_some(digits)
}

/// A scale-factor by its value, one for all elements or one for each, the upper first: powers of two.
fn scale(operand: &Operand, text: &str) -> Result<u64, Unreadable> {
    let wanted = operand.width / 8;
    let texts: Vec<&str> = text.split(',').collect();
    let fail = |message: String| Unreadable { code: Code::OperandSyntax, message };
    if texts.len() != 1 && texts.len() != wanted as usize {
        return Err(fail(format!(
            "{wanted} scales are packed here, the upper first: write them with a comma between"
        )));
    }
    let mut codes = 0;
    for at in 0..wanted as usize {
        let text = texts[at.min(texts.len() - 1)].trim();
        let value =
            float(text).ok_or_else(|| fail("not a scale: write 0.5, 2, nan, or the code as 0x80".into()))?;
        let code = literal::scale_code(value).map_err(|e| unreadable(&e))?;
        codes = codes << 8 | code;
    }
    Ok(codes)
}

fn float(text: &str) -> Option<f64> {
    plain_decimal(text).parse().ok()
}

/// A hexadecimal float (`0x1.8p3`) as the decimal of the same value; any other text as it is.
pub fn plain_decimal(text: &str) -> String {
    hexadecimal_float(text).map_or_else(|| text.to_owned(), |value| format!("{value:e}"))
}

/// C's hexadecimal floats of up to 53 significant bits: sign, `0x`, digits with a point, `p`, a decimal power of two.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    let (digits, power) = rest.split_once(['p', 'P']).unwrap_or((rest, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let significand = u64::from_str_radix(&all, 16).ok().filter(|n| *n < 1 << 53)?;
    let power: i32 = power.parse().ok().filter(|n: &i32| n.abs() < 5000)?;
    let power = power - 4 * fraction.len() as i32;
    // In steps, for 2^power alone may be out of range.
    let half = power / 2;
    let value = significand as f64 * f64::from(half).exp2() * f64::from(power - half).exp2();
    Some(if negative { -value } else { value })
}

/// True where `code` is the number that the text says.
fn denotes(text: &str, ty: Type, code: u64) -> bool {
    if ty.format().is_integer() || text.starts_with("0f") || text.starts_with("0F") {
        return true;
    }
    let Ok(wanted) = text.parse::<f64>() else { return true };
    match ty.format().decode(code) {
        Value::Nan { .. } => wanted.is_nan(),
        Value::Infinity { .. } => text.trim_start_matches(['-', '+']).starts_with(['i', 'I']),
        // The decimal of 1e-46 is no f64 either, so its zero is looked at by its digits.
        Value::Finite(x) if x.significand == 0 => {
            !text.split(['e', 'E']).next().unwrap_or_default().contains(|c: char| ('1'..='9').contains(&c))
        }
        // Any decimal may be rounded to a wide format; a small one has few values, and which it was matters.
        Value::Finite(x) => ty.format().bits() > 16 || x.to_f64() == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(opcode: &str, number: usize, text: &str) -> Result<Read, String> {
        let form: Form = opcode.parse().unwrap();
        let operand = form.operands().nth(number).unwrap();
        parse(&form, &operand, text, false).map_err(|e| e.message)
    }

    #[test]
    fn bits_must_fit_the_type() {
        let message = read("cvt.rn.f16.f32", 1, "0x3ff0000000000000").unwrap_err();
        assert_eq!(
            message,
            "has 62 bits, `.f32` has 32; --wide reads the low ones, as PTX reads a wider register"
        );
        assert_eq!(read("cvt.rn.f16.f32", 1, "0x000000003f800000").unwrap().bits, 0x3f80_0000);
        assert!(read("cvt.u32.u8", 1, "0x1ff").unwrap_err().starts_with("has 9 bits"));
        let form: Form = "cvt.u32.u8".parse().unwrap();
        let operand = form.operands().nth(1).unwrap();
        assert_eq!(parse(&form, &operand, "0x1ff", true).unwrap().bits, 0xff);
    }

    #[test]
    fn scales_are_values() {
        let one = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32";
        assert_eq!(read(one, 3, "2").unwrap().bits, 0x80);
        assert_eq!(read(one, 3, "0x80").unwrap().bits, 0x80);
        assert_eq!(read(one, 3, "nan").unwrap().bits, 0xff);
        assert!(read(one, 3, "3").unwrap_err().starts_with("a scale-factor is a power of two"));
        let two = "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32";
        assert_eq!(read(two, 3, "4,0.5").unwrap().bits, 0x817e);
        assert_eq!(read(two, 3, "1").unwrap().bits, 0x7f7f);
    }

    #[test]
    fn what_is_rounded_on_reading_is_told() {
        let f32 = |text| read("cvt.rn.f16.f32", 1, text).unwrap();
        for text in ["1e39", "1e-46", "-1e300"] {
            assert!(f32(text).rounded, "{text}");
        }
        assert!(read("cvt.rn.f16x2.e4m3x2", 1, "1.5,1.55").unwrap().rounded);
        assert!(!read("cvt.rn.f16x2.e4m3x2", 1, "1.5,-448").unwrap().rounded);
        for text in ["0.1", "inf", "-0", "0e5", "nan", "1e-45", "0f7F800000"] {
            assert!(!f32(text).rounded, "{text}");
        }
        assert_eq!(f32("0x1.8p3").bits, u64::from(12_f32.to_bits()));
        assert_eq!(f32("-0x.8p-1").bits, u64::from((-0.25_f32).to_bits()));
    }
}
