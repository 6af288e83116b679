//! One element, by the kinds of its two formats.
//!
//! PTX ISA section 9.7.9.21, "Description".

use super::{float, integer, tf32};
use crate::exact::Value;
use crate::explain::Element;
use crate::formats::Format;
use crate::forms::Form;
use crate::outcome::{NanRule, Outcome};
use crate::round::Rounding;

/// One element, by the kinds of its two formats.
#[inline(always)]
pub(super) fn convert(form: &Form, element: &mut Element) {
    let (source, destination) = (element.source_format, element.result_format);
    match (source.is_integer(), destination.is_integer()) {
        (true, true) => integer::from_integer(form, element),
        (false, true) => integer::from_float(form, element),
        _ if form.rounding() == Some(Rounding::Rna) => tf32::ties_away(form, element),
        _ if source == destination && is_move(form, source) => {
            element.result = element.source;
            if let Value::Nan { .. } = element.source_value() {
                element.outcome = Outcome::Nan(NanRule::Moved);
            }
        }
        _ => float::convert(form, element),
    }
}

/// `cvt.f32.f32` and `cvt.f64.f64` without modifiers move the bits; `.f16.f16` and `.bf16.bf16` compute.
fn is_move(form: &Form, format: Format) -> bool {
    matches!(format, Format::F32 | Format::F64) && form.rounding().is_none() && form.modifiers().is_empty()
}
