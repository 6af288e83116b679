//! Constant expressions, and their bits in the place of an operand.
//!
//! PTX ISA section 4.5.5.

use ptxcvt::{Format, Value};
use ptxcvt_syntax::constant::{Constant, Fault, binding};
use ptxcvt_syntax::lex::TokenKind;

use super::Error;
use super::statement::Statements;
use crate::semantics::mask;
use crate::ty::{Class, Ty};

/// Deeper expressions are not read.
const MAX_DEPTH: u32 = 100;

/// The value of a text that is nothing but an integer constant expression.
pub(super) fn of_text(text: &str) -> Option<u64> {
    let mut statements = Statements::new(text, false);
    match expression(&mut statements) {
        Ok(Constant::Integer(value)) if statements.current.kind == TokenKind::End => Some(value),
        _ => None,
    }
}

/// Reads an expression.
pub(super) fn expression(s: &mut Statements<'_>) -> Result<Constant, Error> {
    binary(s, 0, 0)
}

fn binary(s: &mut Statements<'_>, least: u8, depth: u32) -> Result<Constant, Error> {
    let start = s.current.span;
    let fault = |s: &Statements<'_>, fault: Fault| Error::new(start.to(s.previous), fault.describe());
    if depth > MAX_DEPTH {
        return Err(Error::new(
            start,
            format!("constant expressions are read up to {MAX_DEPTH} levels deep"),
        ));
    }
    let mut left = unary(s, depth)?;
    loop {
        let TokenKind::Punctuation(operator) = s.current.kind else { return Ok(left) };
        let tightness = if operator == *b"?\0" { Some(0) } else { binding(operator) };
        let Some(tightness) = tightness.filter(|&t| t >= least) else { return Ok(left) };
        s.bump();
        let result = if tightness == 0 {
            let yes = binary(s, 0, depth + 1)?;
            s.demand(b':')?;
            left.choose(yes, binary(s, 0, depth + 1)?)
        } else {
            let right = binary(s, tightness + 1, depth + 1)?;
            left.binary(operator, right)
        };
        left = result.map_err(|f| fault(s, f))?;
    }
}

fn unary(s: &mut Statements<'_>, depth: u32) -> Result<Constant, Error> {
    let span = s.current.span;
    let literal = match s.current.kind {
        TokenKind::Integer => Constant::integer(s.word()),
        TokenKind::Decimal => Constant::decimal(s.word()),
        TokenKind::Bits32 | TokenKind::Bits64 => Constant::bits(s.word()),
        TokenKind::Name if s.word() == "WARP_SZ" => Ok(Constant::Integer(32)),
        TokenKind::Punctuation([sign @ (b'-' | b'+' | b'!' | b'~'), 0]) if depth <= MAX_DEPTH => {
            s.bump();
            let operand = unary(s, depth + 1)?;
            return operand.unary(sign).map_err(|f| Error::new(span.to(s.previous), f.describe()));
        }
        TokenKind::Punctuation([b'(', 0]) => {
            s.bump();
            // A cast to `.s64` or `.u64` changes no bits.
            if s.current.kind == TokenKind::Dotted {
                s.bump();
                s.demand(b')')?;
                return unary(s, depth + 1);
            }
            let value = binary(s, 0, depth + 1)?;
            s.demand(b')')?;
            return Ok(value);
        }
        _ => return Err(s.expected("an operand")),
    };
    s.bump();
    literal.map_err(|f| Error::new(span, f.describe()))
}

/// The bits of a constant where an operand of that type stands; `None` where such a constant cannot stand there.
pub(super) fn bits(constant: Constant, ty: Ty) -> Option<u64> {
    let float = |bits: u64, source: Format| ty.format().map(|format| round(bits, source, format));
    match (constant, ty.class()) {
        (Constant::Integer(value), Class::Bits | Class::Unsigned | Class::Signed) => {
            Some(value & mask(ty.width()))
        }
        (Constant::Integer(value), Class::Predicate) => Some(u64::from(value != 0)),
        // Packed and 16-bit floats take their bits.
        (Constant::Integer(value), Class::Float(Format::F16 | Format::Bf16)) => {
            Some(value & mask(ty.width()))
        }
        (Constant::Bits32(bits), Class::Bits | Class::Unsigned | Class::Signed) if ty.width() >= 32 => {
            Some(bits.into())
        }
        (Constant::Bits64(bits), Class::Bits | Class::Unsigned | Class::Signed) if ty.width() == 64 => {
            Some(bits)
        }
        _ if ty.lanes() > 1 => None,
        (Constant::Decimal(value), Class::Float(_)) => float(value.to_bits(), Format::F64),
        (Constant::Bits32(bits), Class::Float(_)) => float(bits.into(), Format::F32),
        (Constant::Bits64(bits), Class::Float(_)) => float(bits, Format::F64),
        _ => None,
    }
}

/// The code of `format` nearest to a code of another.
fn round(bits: u64, source: Format, format: Format) -> u64 {
    match source.decode(bits) {
        _ if source == format => bits,
        Value::Finite(x) => format.encode(x, ptxcvt::Rounding::Rn),
        Value::Infinity { negative } => {
            format.infinity().unwrap_or(0) | if negative { format.sign_bit() } else { 0 }
        }
        Value::Nan { .. } => mask(format.bits() - 1),
    }
}
