//! Everything that ends in a floating-point, fixed-point or power-of-two format.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes".

use super::{result, source};
use crate::exact::{Exact, Value};
use crate::explain::Element;
use crate::formats::{Format, NanCode};
use crate::forms::{Form, Modifier};
use crate::outcome::{NanRule, Outcome};
use crate::round::Rounding;

/// "Floating Point Notes", in the order in which they apply.
#[inline(always)]
pub(super) fn convert(form: &Form, element: &mut Element) {
    let destination = element.result_format;
    let mut value = source::flushed(form, element);
    if let Some(scale) = element.scale {
        value = source::scaled(form, element, value, scale);
    }
    let number = !matches!(value, Value::Nan { .. });
    if !destination.is_signed() && number && value.is_negative() {
        element.sign_dropped = true;
        value = value.with_sign(false);
    }
    if form.has(Modifier::Relu) && number && value.is_negative() {
        element.relu = true;
        value = Value::Finite(Exact::new(false, 0, 0));
    }
    let satfinite = form.has(Modifier::Satfinite);
    match value {
        Value::Nan { negative, payload } => nan(form, element, negative, payload),
        Value::Infinity { negative } => element.take(destination.encode_infinity(negative, satfinite)),
        Value::Finite(x) => {
            let rounding = form.rounding().unwrap_or(Rounding::Rn);
            let mode = rounding.mode(element.random);
            element.take(if rounding.is_integer() {
                destination.encode_integral(x, mode, satfinite)
            } else {
                destination.encode_finite(x, mode, satfinite)
            });
        }
    }
    if form.has(Modifier::Sat) {
        result::saturate_to_unit(element);
    }
    if form.has(Modifier::Ftz) && destination == Format::F32 {
        result::flush(form, element, value);
    }
    if form.has(Modifier::Pzo) && element.result == destination.sign_bit() {
        element.pzo = true;
        element.result = 0;
    }
}

/// NaN results, as measured: most formats have one canonical NaN; payloads survive only next to f64 and
/// from bf16 to f32.
#[inline(always)]
fn nan(form: &Form, element: &mut Element, negative: bool, payload: u64) {
    let (source, destination) = (element.source_format, element.result_format);
    let flushing = form.has(Modifier::Ftz);
    let (result, rule) = match (source, destination) {
        // An f64's canonical NaN, but with no more bits than an f32 has.
        (Format::F32, Format::F64) if flushing => (0x7fff_ffff_e000_0000, NanRule::Canonical),
        (Format::F64, Format::F32 | Format::F16 | Format::Bf16) | (_, Format::F64) => {
            (quieted(destination, negative, payload), NanRule::Quieted)
        }
        (Format::Bf16, Format::F32) if !flushing => (element.source << 16, NanRule::Moved),
        _ => match destination.parameters().nan {
            NanCode::Largest => (destination.nan_code(), NanRule::MaxNorm),
            _ => (destination.nan_code(), NanRule::Canonical),
        },
    };
    element.result = result;
    element.outcome = Outcome::Nan(rule);
}

/// A NaN of that sign and payload with the quiet bit set.
fn quieted(format: Format, negative: bool, payload: u64) -> u64 {
    let payload = (payload | 1 << 63) >> (64 - format.fraction_bits());
    format.infinity().unwrap_or(0) | payload | if negative { format.sign_bit() } else { 0 }
}
