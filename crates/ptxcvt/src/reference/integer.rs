//! Everything that ends in an integer.
//!
//! PTX ISA section 9.7.9.21, Table 15 and "Integer Notes".

use super::source;
use crate::bits::mask;
use crate::exact::Value;
use crate::explain::Element;
use crate::formats::{Format, NanCode};
use crate::forms::{Form, Modifier};
use crate::outcome::{NanRule, Outcome};
use crate::round::Rounding;

/// Table 15: sext, zext, chop; `.sat` limits to the range of the destination.
#[inline(always)]
pub(super) fn from_integer(form: &Form, element: &mut Element) {
    let width = element.result_format.bits();
    let Value::Finite(x) = element.source_value() else { return };
    let value = if x.negative { -i128::from(x.significand) } else { i128::from(x.significand) };
    let (low, high) = element.result_format.step_range();
    let in_range = (low..=high).contains(&value);
    if form.has(Modifier::Sat) {
        element.result = value.clamp(low, high) as u64 & mask(width);
    } else {
        element.result = value as u64 & mask(width);
    }
    if !in_range {
        element.outcome = if form.has(Modifier::Sat) { Outcome::Saturated } else { Outcome::Wrapped };
    }
}

/// "Integer Notes": rounds to an integer, clamps to the destination's range; NaN has its own rule.
#[inline(always)]
pub(super) fn from_float(form: &Form, element: &mut Element) {
    let destination = element.result_format;
    match source::flushed(form, element) {
        Value::Nan { .. } => nan(element),
        Value::Infinity { negative } => element.take(destination.encode_infinity(negative, true)),
        Value::Finite(x) => {
            let mode = form.rounding().unwrap_or(Rounding::Rzi).mode(None);
            element.take(destination.encode_finite(x, mode, true));
        }
    }
}

/// NaN becomes 0, but the top bit alone in 64 bits, and from f64 in any width (measured).
#[inline(always)]
fn nan(element: &mut Element) {
    let destination = element.result_format;
    let top = element.source_format == Format::F64 || destination.parameters().nan == NanCode::TopBit;
    (element.result, element.outcome) = if top {
        (1 << (destination.bits() - 1), Outcome::Nan(NanRule::IntegerTopBit))
    } else {
        (destination.nan_code(), Outcome::Nan(NanRule::IntegerZero))
    };
}
