//! Conversions to integers.
//!
//! PTX ISA section 9.7.9.21, Table 15 and "Integer Notes".

use super::{nan, source};
use crate::bits::mask;
use crate::conversion::Conversion;
use crate::exact::Value;
use crate::explain::Element;
use crate::outcome::Outcome;
use crate::overflow::Overflow;

/// Table 15: sext, zext, chop; `.sat` limits to the range of the destination.
#[inline(always)]
pub(super) const fn from_integer(conversion: &Conversion, element: &mut Element) {
    let width = element.result_format.bits();
    let Value::Finite(x) = element.source_value() else { panic!("integers are finite") };
    let magnitude = x.significand as i128;
    let value = if x.negative { -magnitude } else { magnitude };
    let (low, high) = element.result_format.step_range();
    let clamped = if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    };
    let wraps = matches!(conversion.overflow, Overflow::Wrap);
    element.result = if wraps { value } else { clamped } as u64 & mask(width);
    if clamped != value {
        element.outcome = if wraps { Outcome::Wrapped } else { Outcome::Saturated };
    }
}

/// "Integer Notes": rounds to an integer and clamps to the destination's range; NaN has its own rule.
#[inline(always)]
pub(super) const fn from_float(conversion: &Conversion, element: &mut Element) {
    let destination = element.result_format;
    match source::prepared(conversion, element) {
        Value::Nan { negative, payload } => nan::convert(conversion, element, negative, payload),
        Value::Infinity { negative } => {
            element.take(destination.encode_infinity(negative, Overflow::Saturate));
        }
        Value::Finite(x) => {
            let mode = conversion.rounding.mode(element.random);
            element.take(destination.encode_finite(x, mode, Overflow::Saturate));
        }
    }
}
