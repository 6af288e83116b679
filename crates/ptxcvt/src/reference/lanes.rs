//! Packed forms: the bits of the operands that each element uses.
//!
//! PTX ISA section 9.7.9.21, "Semantics".

use crate::bits::mask;
use crate::conversion::{Conversion, Extra};
use crate::explain::Element;
use crate::forms::{Form, Modifier, random_field};
use crate::round::Rounding;

/// Semantics: `d[hi] = convert(a); d[lo] = convert(b)`; the first element becomes the upper bits.
#[inline]
pub(super) fn elements(
    form: &Form,
    conversion: &Conversion,
    operands: &[u64],
) -> impl Iterator<Item = Element> {
    let (source, lanes) = (form.source(), form.destination().lanes());
    (0..lanes).map(move |lane| {
        let bits = match source.lanes() {
            1 => operands[lane as usize] & mask(source.width()),
            _ => source.element(operands[0], lane),
        };
        let last = operands[operands.len() - 1];
        let mut extra = Extra::default();
        if form.rounding() == Some(Rounding::Rs) {
            extra.random = random_field(conversion.destination, last as u32, lane);
        }
        if form.has(Modifier::ScaledN1) {
            extra.scale = last as u8;
        } else if form.has(Modifier::ScaledN2) {
            // Rows of `.scaled::n2` have two elements.
            extra.scale = (last >> (8 * (1 - lane))) as u8;
        }
        conversion.element(bits, extra)
    })
}
