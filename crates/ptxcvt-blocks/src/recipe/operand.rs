//! Operands of a recipe's lines: registers, constants, and predefined names.

use std::fmt;

use ptxcvt::Format;
use ptxcvt::formats::Kind as FormatKind;
use ptxcvt::literal::{LiteralError, Number, Reader};

use super::program::{OfInput, Operand, Program};

/// The names of constants of the element format, of the input's type, and of f32.
const CONSTANTS: [&str; 8] =
    ["max", "emax", "half", "input_max", "input_tiny", "input_epsilon", "inf", "nan"];

/// True if the text is a valid register name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The register or constant of that name.
pub(super) fn operand(program: &Program, text: &str, element: Format) -> Result<Operand, String> {
    if let Some(register) = program.find(text) {
        return Ok(Operand::Register(register));
    }
    let constant = match text {
        "input_max" => return Ok(Operand::Input(OfInput::Max)),
        "input_tiny" => return Ok(Operand::Input(OfInput::Tiny)),
        "input_epsilon" => return Ok(Operand::Input(OfInput::Epsilon)),
        "max" => largest(element),
        "emax" => largest(element).log2().floor(),
        // Half the last place of the element format, in the bits of an f32.
        "half" => f32::from_bits(1 << (22 - fraction(element))),
        "inf" => f32::INFINITY,
        "nan" => f32::from_bits(0x7fff_ffff),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => number(text)?,
        _ => {
            let mut known: Vec<&str> = program.registers.iter().map(|r| r.name.as_str()).collect();
            known.extend(CONSTANTS);
            let mut seen = std::collections::BTreeSet::new();
            known.retain(|name| seen.insert(*name));
            return Err(format!("unknown name `{text}`; known here are {}", known.join(" ")));
        }
    };
    Ok(Operand::Constant(constant))
}

/// The largest number of a format.
fn largest(format: Format) -> f32 {
    format.decode(format.max_finite()).to_f64() as f32
}

/// The fraction bits of an element format.
fn fraction(element: Format) -> u32 {
    match element.parameters().kind {
        FormatKind::Float { fraction, .. } => fraction,
        other => unreachable!("elements are floats, not {other:?}"),
    }
}

/// Why a text is not a number here: the reader's reason, or `other` if the text does not resemble a number.
pub(super) fn refused(text: &str, error: LiteralError, other: impl Fn() -> String) -> String {
    match error {
        LiteralError::Syntax { .. } => other(),
        reason => format!("`{text}`: {reason}"),
    }
}

/// The message for an octal number.
fn octal(text: &str, value: impl fmt::Display) -> String {
    format!("`{text}`: a leading zero makes it octal ({value}): leave it out")
}

/// A number: a power of two such as `2^-6`, or what [`Reader`] reads, such as 0.5 and 0x7fffffff, the bits of an f32.
fn number(text: &str) -> Result<f32, String> {
    let invalid = || {
        format!(
            "`{text}` is not a number; numbers are like 448, 0.5, 2^-6 and 0x7fffffff (the bits of an f32)"
        )
    };
    let (number, is_exact) = match text.split_once('^') {
        Some((base, power)) => {
            let power = match Number::parse(power) {
                Err(error) => return Err(refused(text, error, invalid)),
                Ok(Number::Integer { octal: true, magnitude, .. }) if magnitude > 7 => {
                    return Err(octal(text, magnitude));
                }
                Ok(Number::Integer { negative, magnitude, .. }) if base == "2" => {
                    let power = i32::try_from(magnitude).map_err(|_| invalid())?;
                    if negative { -power } else { power }
                }
                _ => return Err(invalid()),
            };
            let number = f64::from(power).exp2();
            (number as f32, f64::from(number as f32) == number && number != 0.0)
        }
        None => {
            let read =
                Reader::number(Format::F32).read(text).map_err(|error| refused(text, error, invalid))?;
            // A recipe has no place for the note that a number is octal.
            let number = f32::from_bits(read.bits as u32);
            // Up to 7 both readings agree.
            if read.octal && number.abs() > 7.0 {
                return Err(octal(text, number));
            }
            if matches!(Number::parse(text), Ok(Number::Bits(_) | Number::Single(_))) {
                return Ok(number);
            }
            (number, read.is_exact())
        }
    };
    if !number.is_finite() {
        return Err(format!("`{text}` is larger than every f32; for infinity write `inf`"));
    }
    if number == 0.0 && !is_exact {
        return Err(format!("`{text}` is smaller than every f32; for zero write `0`"));
    }
    Ok(number)
}
