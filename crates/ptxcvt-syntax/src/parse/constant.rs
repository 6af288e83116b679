//! Constants: the value and the kind of an immediate operand.
//!
//! PTX ISA sections 4.5.5 (integer and floating-point constant expressions) and 4.5.6 (their types). A hexadecimal
//! float (`0f…`, `0d…`) can have a sign or an operator only in parentheses. Integers are `.s64` or `.u64`, by the rules of
//! ptxas where the section differs (docs/run.md).

use ptxcvt::literal::Number;
use ptxcvt::{Format, Rounding, Value};

use crate::cpp::{self, Integer};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// An integer of type `.s64` or `.u64`.
    Integer(Integer),
    /// A decimal floating-point number.
    Decimal(f64),
    /// `0f…`
    Bits32(u32),
    /// `0d…`
    Bits64(u64),
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A literal that does not fit in 64 bits, or in f64.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// An operator with an integer and a floating-point number.
    Mixed,
    /// A floating-point number as operand of an operator on integers.
    IntegerNeeded,
    /// A cast to a type other than `.s64` and `.u64`.
    Cast,
}

impl Fault {
    /// The fault as a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            Fault::Overflow => "this constant does not fit in 64 bits",
            Fault::DivisionByZero => "this constant divides by zero",
            Fault::Mixed => "this constant mixes an integer and a floating-point number",
            Fault::IntegerNeeded => "this operator accepts integers only",
            Fault::Cast => "a constant can be cast only to `.s64` or `.u64`",
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.describe())
    }
}

impl std::error::Error for Fault {}

impl Constant {
    /// The integer of type `.s64`.
    pub const fn signed(bits: i64) -> Constant {
        Constant::Integer(Integer { bits, is_unsigned: false })
    }

    /// Reads an integer literal, suffix and all. It is `.s64` unless it has the suffix `U` or does not fit.
    pub fn integer(text: &str) -> Result<Constant, Fault> {
        match Number::parse(text) {
            Ok(Number::Bits(n) | Number::Integer { negative: false, magnitude: n, .. }) => {
                let is_unsigned = text.ends_with(['u', 'U']) || i64::try_from(n).is_err();
                Ok(Constant::Integer(Integer { bits: n as i64, is_unsigned }))
            }
            _ => Err(Fault::Overflow),
        }
    }

    /// Reads a decimal floating-point literal. It overflows if the nearest f64 is infinity, or zero for another number.
    pub fn decimal(text: &str) -> Result<Constant, Fault> {
        let Ok(Value::Finite(exact)) = Number::parse(text).map(Number::value) else {
            return Err(Fault::Overflow);
        };
        let value = f64::from_bits(Format::F64.encode(Value::Finite(exact), Rounding::Rn));
        if value.is_infinite() || (value == 0.0 && !exact.is_zero()) {
            return Err(Fault::Overflow);
        }
        Ok(Constant::Decimal(value))
    }

    /// Reads `0f…` or `0d…`.
    pub fn bits(text: &str) -> Result<Constant, Fault> {
        match Number::parse(text) {
            Ok(Number::Single(bits)) => Ok(Constant::Bits32(bits)),
            Ok(Number::Double(bits)) => Ok(Constant::Bits64(bits)),
            _ => Err(Fault::Overflow),
        }
    }

    /// The value as operators see it: a hexadecimal float becomes a decimal number.
    fn number(self) -> Constant {
        match self {
            Constant::Bits32(bits) => Constant::Decimal(f32::from_bits(bits).into()),
            Constant::Bits64(bits) => Constant::Decimal(f64::from_bits(bits)),
            number => number,
        }
    }

    /// A unary operator: `- + ! ~`.
    ///
    /// # Panics
    ///
    /// Panics if PTX has no such operator.
    pub fn unary(self, operator: u8) -> Result<Constant, Fault> {
        Ok(match (operator, self.number()) {
            (b'-', Constant::Integer(i)) => Constant::Integer(Integer { bits: i.bits.wrapping_neg(), ..i }),
            (b'-', Constant::Decimal(d)) => Constant::Decimal(-d),
            (b'!', Constant::Integer(i)) => Constant::signed((i.bits == 0).into()),
            (b'~', Constant::Integer(i)) => Constant::Integer(Integer { bits: !i.bits, is_unsigned: true }),
            (b'!' | b'~', _) => return Err(Fault::IntegerNeeded),
            (b'+', same) => same,
            (other, _) => panic!("PTX has no unary operator `{}`", other.escape_ascii()),
        })
    }

    /// A binary operator of one byte, followed by a zero, or of two: `b"*\0"`, `b"<<"`.
    ///
    /// # Panics
    ///
    /// Panics if PTX has no such operator.
    pub fn binary(self, operator: [u8; 2], right: Constant) -> Result<Constant, Fault> {
        match (self.number(), right.number()) {
            (Constant::Integer(a), Constant::Integer(b)) => integers(operator, a, b).map(Constant::Integer),
            (Constant::Decimal(a), Constant::Decimal(b)) => decimals(operator, a, b),
            _ => Err(Fault::Mixed),
        }
    }

    /// `self ? yes : no`
    pub fn choose(self, yes: Constant, no: Constant) -> Result<Constant, Fault> {
        match (self, yes, no) {
            (Constant::Integer(i), Constant::Integer(_), Constant::Integer(_)) => {
                Ok(if i.bits != 0 { yes } else { no })
            }
            _ => Err(Fault::IntegerNeeded),
        }
    }
}

/// As in C++ with numbers of 64 bits, except that a shift's count is taken modulo 64 and that `%` has no sign.
fn integers(operator: [u8; 2], a: Integer, b: Integer) -> Result<Integer, Fault> {
    let text = std::str::from_utf8(&operator).expect("operators are ASCII").trim_end_matches('\0');
    let unsigned = |number: Integer| Integer { is_unsigned: true, ..number };
    let (a, b) = match text {
        "<<" | ">>" => (a, Integer { bits: b.bits & 63, is_unsigned: false }),
        "%" => (unsigned(a), unsigned(b)),
        _ => (a, b),
    };
    let bits = cpp::binary(text, a, b).ok_or(Fault::DivisionByZero)?;
    let is_truth = matches!(text, "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||");
    Ok(Integer { bits, is_unsigned: !is_truth && cpp::is_unsigned(text, a.is_unsigned, b.is_unsigned) })
}

fn decimals(operator: [u8; 2], a: f64, b: f64) -> Result<Constant, Fault> {
    Ok(match &operator {
        b"*\0" => Constant::Decimal(a * b),
        b"/\0" if b == 0.0 => return Err(Fault::DivisionByZero),
        b"/\0" => Constant::Decimal(a / b),
        b"+\0" => Constant::Decimal(a + b),
        b"-\0" => Constant::Decimal(a - b),
        b"<\0" => Constant::signed((a < b).into()),
        b">\0" => Constant::signed((a > b).into()),
        b"<=" => Constant::signed((a <= b).into()),
        b">=" => Constant::signed((a >= b).into()),
        b"==" => Constant::signed((a == b).into()),
        b"!=" => Constant::signed((a != b).into()),
        b"%\0" | b"<<" | b">>" | b"&\0" | b"^\0" | b"|\0" | b"&&" | b"||" => {
            return Err(Fault::IntegerNeeded);
        }
        other => panic!("PTX has no binary operator `{}`", other.escape_ascii()),
    })
}

/// The precedence of a binary operator, or `None` for other tokens.
pub(super) fn binding(operator: [u8; 2]) -> Option<u8> {
    Some(match &operator {
        b"*\0" | b"/\0" | b"%\0" => 10,
        b"+\0" | b"-\0" => 9,
        b"<<" | b">>" => 8,
        b"<\0" | b">\0" | b"<=" | b">=" => 7,
        b"==" | b"!=" => 6,
        b"&\0" => 5,
        b"^\0" => 4,
        b"|\0" => 3,
        b"&&" => 2,
        b"||" => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let unsigned = |bits| Ok(Constant::Integer(Integer { bits, is_unsigned: true }));
        assert_eq!(Constant::integer("0x1FU"), unsigned(31));
        assert_eq!(Constant::integer("9223372036854775808"), unsigned(i64::MIN));
        assert_eq!(Constant::integer("017"), Ok(Constant::signed(15)));
        assert_eq!(Constant::integer("0"), Ok(Constant::signed(0)));
        assert_eq!(Constant::integer("0b101"), Ok(Constant::signed(5)));
        assert_eq!(Constant::integer("99999999999999999999999"), Err(Fault::Overflow));
        assert_eq!(Constant::decimal("1e400"), Err(Fault::Overflow));
        assert_eq!(Constant::decimal("1e-400"), Err(Fault::Overflow));
        assert_eq!(Constant::decimal("0e-400"), Ok(Constant::Decimal(0.0)));
        assert_eq!(Constant::decimal(".5"), Ok(Constant::Decimal(0.5)));
        assert_eq!(Constant::decimal("1."), Ok(Constant::Decimal(1.0)));
        assert_eq!(Constant::bits("0f3F800000"), Ok(Constant::Bits32(0x3f80_0000)));
    }

    #[test]
    fn operators() {
        let (one, half) = (Constant::signed(1), Constant::Decimal(0.5));
        assert_eq!(one.binary(*b"/\0", Constant::signed(0)), Err(Fault::DivisionByZero));
        assert_eq!(one.binary(*b"+\0", half), Err(Fault::Mixed));
        assert_eq!(half.binary(*b"<\0", half), Ok(Constant::signed(0)));
        assert_eq!(half.binary(*b"&&", half), Err(Fault::IntegerNeeded));
        assert_eq!(half.unary(b'!'), Err(Fault::IntegerNeeded));
        assert_eq!(one.choose(half, half), Err(Fault::IntegerNeeded));
        assert_eq!(one.binary(*b"<<", Constant::signed(100)), Ok(Constant::signed(1 << 36)));
    }
}
