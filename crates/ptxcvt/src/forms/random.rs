//! The fields of the operand `rbits`: which of its bits round each element of a destination.
//!
//! PTX ISA section 9.7.9.21, "Random bits `rbits` semantics for `.rs` rounding". Its figures show the fields. Where two
//! elements share a field, the first of the two uses it with the bits reversed, as measured.

use crate::bits::mask;
use crate::formats::Format;
use crate::types::Type;

/// How the elements of a destination share `rbits`.
#[derive(Clone, Copy)]
enum Fields {
    /// Two elements: each has the lowest bits of a half, so many of them.
    OwnHalves(u32),
    /// Four elements: a and b share the upper half, e and f the lower one.
    SharedHalves,
    /// Four elements: a and b share the upper bytes of both halves, e and f the lower ones.
    SharedBytes,
}

/// The fields for a format; `None` if the manual has no figure for it.
const fn fields(destination: Format) -> Option<Fields> {
    match destination {
        Format::F16 => Some(Fields::OwnHalves(13)),
        Format::Bf16 => Some(Fields::OwnHalves(16)),
        Format::E4m3 | Format::E5m2 | Format::E2m3 | Format::E3m2 => Some(Fields::SharedHalves),
        Format::E2m1 => Some(Fields::SharedBytes),
        _ => None,
    }
}

/// The width of the field of `rbits` with which `.rs` rounds an element to this format, in bits; `None` if no form does so.
///
/// ```
/// use ptxcvt::{Format, forms::random_bits};
/// assert_eq!([Format::F16, Format::Bf16, Format::E2m1].map(random_bits), [Some(13), Some(16), Some(16)]);
/// assert_eq!(random_bits(Format::S8), None);
/// ```
pub const fn random_bits(destination: Format) -> Option<u32> {
    match fields(destination) {
        Some(Fields::OwnHalves(bits)) => Some(bits),
        Some(Fields::SharedHalves | Fields::SharedBytes) => Some(16),
        None => None,
    }
}

/// True if the fields of `rbits` are known for the elements of this type.
pub(super) const fn has_random_fields(destination: Type) -> bool {
    match fields(destination.format()) {
        Some(Fields::OwnHalves(_)) => destination.lanes() == 2,
        Some(Fields::SharedHalves | Fields::SharedBytes) => destination.lanes() == 4,
        None => false,
    }
}

/// The random bits of an element; the first operand is element 0.
///
/// # Panics
///
/// Panics if no form rounds to the format with `.rs`. A row of the table with such a form does not compile.
pub(crate) const fn random_field(destination: Format, rbits: u32, element: u32) -> u32 {
    let (upper, lower) = (rbits >> 16, rbits & 0xffff);
    let (first, second) = match fields(destination) {
        Some(Fields::OwnHalves(bits)) => return [upper, lower][element as usize] & mask(bits) as u32,
        Some(Fields::SharedHalves) => (upper, lower),
        Some(Fields::SharedBytes) => ((upper & 0xff00) | lower >> 8, (upper & 0xff) << 8 | lower & 0xff),
        None => panic!("no form rounds to this format with `.rs`"),
    };
    let field = if element < 2 { first } else { second };
    if element % 2 == 0 { (field as u16).reverse_bits() as u32 } else { field }
}
