//! Conversions to floating-point, fixed-point and power-of-two formats.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes".

use super::{nan, result, source};
use crate::conversion::{Clamp, Conversion, Subnormals};
use crate::exact::{Exact, Value};
use crate::explain::Element;

/// Applies the steps of the "Floating Point Notes" in their order.
#[inline(always)]
pub(super) const fn convert(conversion: &Conversion, element: &mut Element) {
    let destination = element.result_format;
    let mut value = source::prepared(conversion, element);
    let number = !value.is_nan();
    if !destination.is_signed() && number && value.is_negative() {
        element.sign_dropped = true;
        value = value.with_sign(false);
    }
    if matches!(conversion.clamp, Clamp::NonNegative) && number && value.is_negative() {
        element.relu = true;
        value = Value::Finite(Exact::new(false, 0, 0));
    }
    match value {
        Value::Nan { negative, payload } => nan::convert(conversion, element, negative, payload),
        Value::Infinity { negative } => {
            element.take(destination.encode_infinity(negative, conversion.overflow));
        }
        Value::Finite(x) => {
            let mode = conversion.rounding.mode(element.random);
            element.take(if conversion.rounding.is_integer() {
                destination.encode_integral(x, mode, conversion.overflow)
            } else {
                destination.encode_finite(x, mode, conversion.overflow)
            });
        }
    }
    if matches!(conversion.clamp, Clamp::UnitInterval) {
        result::limit_to_unit(element);
    }
    if !matches!(conversion.result_subnormals, Subnormals::Keep) {
        result::flush(conversion, element, value);
    }
    if conversion.positive_zero && element.result == destination.sign_bit() {
        element.pzo = true;
        element.result = 0;
    }
}
