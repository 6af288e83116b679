//! Packed forms: which bits of the operands each element takes.
//!
//! PTX ISA section 9.7.9.21, "Semantics", and "Random bits `rbits` semantics for `.rs` rounding".

use super::element;
use crate::bits::mask;
use crate::explain::Element;
use crate::formats::Format;
use crate::forms::{Form, Modifier};
use crate::round::{Random, Rounding};

/// Semantics: `d[hi] = convert(a); d[lo] = convert(b)`, the first element to the upper bits.
#[inline]
pub(super) fn elements(form: &Form, operands: &[u64]) -> impl Iterator<Item = Element> {
    let (source, destination) = (form.source(), form.destination());
    (0..destination.lanes()).map(move |lane| {
        let bits = match source.lanes() {
            1 => operands[lane as usize] & mask(source.width()),
            _ => source.element(operands[0], lane),
        };
        let last = operands[operands.len() - 1];
        let mut element = Element::new(source.format(), bits, destination.format());
        if form.rounding() == Some(Rounding::Rs) {
            element.random = Some(random_field(form, last as u32, lane));
        }
        if form.has(Modifier::ScaledN1) {
            element.scale = Some(last as u8);
        } else if form.has(Modifier::ScaledN2) {
            element.scale = Some((last >> (8 * (1 - lane))) as u8);
        }
        element::convert(form, &mut element);
        element
    })
}

/// "Random bits `rbits` semantics for `.rs` rounding": which bits an element takes, and in which order.
/// The manual's figures show the fields; that the first element of each pair takes its field reversed was
/// measured.
fn random_field(form: &Form, rbits: u32, lane: u32) -> Random {
    let (upper, lower) = (rbits >> 16, rbits & 0xffff);
    let (value, bits) = match form.destination().format() {
        Format::F16 => ([upper, lower][lane as usize] & 0x1fff, 13),
        Format::Bf16 => ([upper, lower][lane as usize], 16),
        format => {
            let (first, second) = match format {
                // FP4: the upper bytes of both halves for a and b, the lower bytes for e and f.
                Format::E2m1 => ((upper & 0xff00) | lower >> 8, (upper & 0xff) << 8 | lower & 0xff),
                _ => (upper, lower),
            };
            let field = if lane < 2 { first } else { second };
            (if lane % 2 == 0 { u32::from((field as u16).reverse_bits()) } else { field }, 16)
        }
    };
    Random { value, bits }
}
