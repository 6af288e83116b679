//! Constants, and their bits in the place of an operand.
//!
//! PTX ISA section 4.5.5.

use ptxcvt::{Format, Rounding};
use ptxcvt_syntax::parse::{Constant, OperandKind, Tree};

use crate::semantics::mask;
use crate::ty::{Class, Ty};

/// The value of a text that is nothing but an integer constant expression.
pub(super) fn of_text(text: &str) -> Option<u64> {
    let instruction = format!("n.n {text};");
    let tree = Tree::of_snippet(&instruction);
    let operands = &tree.instructions().next()?.operands[..];
    match operands {
        [one] if tree.problems.is_empty() => match one.kind {
            OperandKind::Constant(Ok(Constant::Integer(value))) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// The bits of a constant where an operand of that type stands; `None` where such a constant cannot stand there.
pub(super) fn bits(constant: Constant, ty: Ty) -> Option<u64> {
    let float = |bits: u64, source: Format| {
        let format = ty.format()?;
        Some(if format == source { bits } else { format.encode(source.decode(bits), Rounding::Rn) })
    };
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
