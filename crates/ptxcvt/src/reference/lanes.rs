//! Packed forms: the bits of the operands that each element uses.
//!
//! PTX ISA section 9.7.9.21, "Semantics", and "Random bits `rbits` semantics for `.rs` rounding".

use crate::bits::mask;
use crate::conversion::{Conversion, Extra};
use crate::explain::Element;
use crate::formats::Format;
use crate::forms::{Form, Modifier};
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
            extra.scale = (last >> (8 * (1 - lane))) as u8;
        }
        conversion.element(bits, extra)
    })
}

/// "Random bits `rbits` semantics for `.rs` rounding": the bits that an element uses, and their order. The
/// manual's figures show the fields. Where two elements share a field, in `x4` forms, the first of the two uses it with the
/// bits reversed, as measured.
pub(crate) const fn random_field(destination: Format, rbits: u32, lane: u32) -> u32 {
    let (upper, lower) = (rbits >> 16, rbits & 0xffff);
    match destination {
        Format::F16 => [upper, lower][lane as usize] & mask(destination.random_bits()) as u32,
        Format::Bf16 => [upper, lower][lane as usize],
        format => {
            let (first, second) = match format {
                // FP4: the upper bytes of both halves for a and b, the lower bytes for e and f.
                Format::E2m1 => ((upper & 0xff00) | lower >> 8, (upper & 0xff) << 8 | lower & 0xff),
                _ => (upper, lower),
            };
            let field = if lane < 2 { first } else { second };
            if lane % 2 == 0 { (field as u16).reverse_bits() as u32 } else { field }
        }
    }
}
