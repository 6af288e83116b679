//! Constants, and their bits as operands.
//!
//! PTX ISA section 4.5 (constants) and 4.5.5 (constant expressions).

use ptxcvt::{Format, Rounding, mask};
use ptxcvt_syntax::parse::Constant;

use crate::ty::{Class, Ty};

/// The bits of a constant as an operand of type `ty`; `None` if PTX accepts no such constant there.
///
/// ptxas accepts (`conformance/records/operands.tsv`):
///
/// - integers for integers, predicates and bits;
/// - floats for f32 and f64, which it converts;
/// - `0f…` for the bits of `.b32`, and f64 for the bits of `.b64`.
pub(super) fn bits(constant: Constant, ty: Ty) -> Option<u64> {
    let float = |bits: u64, source: Format| {
        let format = ty.format()?;
        Some(if format == source { bits } else { format.encode(source.decode(bits), Rounding::Rn) })
    };
    if !ty.takes_constants() {
        return None;
    }
    match (constant, ty.class()) {
        (Constant::Integer(value), Class::Bits | Class::Unsigned | Class::Signed) => {
            Some(value.bits as u64 & mask(ty.width()))
        }
        (Constant::Integer(value), Class::Predicate) => Some(u64::from(value.bits != 0)),
        (Constant::Bits32(bits), Class::Bits) if ty.width() == 32 => Some(bits.into()),
        (Constant::Bits64(bits), Class::Bits) if ty.width() == 64 => Some(bits),
        (Constant::Decimal(value), Class::Bits) if ty.width() == 64 => Some(value.to_bits()),
        (Constant::Decimal(value), Class::Float(_)) => float(value.to_bits(), Format::F64),
        (Constant::Bits32(bits), Class::Float(_)) => float(bits.into(), Format::F32),
        (Constant::Bits64(bits), Class::Float(_)) => float(bits, Format::F64),
        _ => None,
    }
}
