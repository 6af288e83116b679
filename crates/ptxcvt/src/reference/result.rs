//! Operations on a rounded floating-point result: `.sat` and `.ftz`.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes".

use crate::conversion::{Conversion, Subnormals};
use crate::exact::Value;
use crate::explain::Element;
use crate::formats::Kind;
use crate::outcome::Outcome;
use crate::round::to_quantum;

/// `.sat` of floats: "limits the result to the range \[0.0, 1.0\]." Its result for NaN is a
/// [`NanRule`](crate::NanRule).
#[inline(always)]
pub(super) const fn limit_to_unit(element: &mut Element) {
    if let Outcome::Nan(_) = element.outcome {
        return;
    }
    let one = element.result_format.one();
    let limited = if element.result_value().is_negative() {
        0
    } else if element.result < one {
        element.result
    } else {
        one
    };
    if limited != element.result {
        // −0 becomes +0, but it was not out of range.
        if element.result != element.result_format.sign_bit() {
            element.outcome = Outcome::Saturated;
        }
        element.result = limited;
    }
}

/// `.ftz` of a result: flushes it if it is tiny after rounding to full precision with unbounded exponent.
#[inline(always)]
pub(super) const fn flush(conversion: &Conversion, element: &mut Element, value: Value) {
    let format = element.result_format;
    let (Value::Finite(x), Kind::Float { fraction, .. }) = (value, format.parameters().kind) else { return };
    let least_normal = format.min_exponent();
    if x.is_zero() || x.magnitude_exponent() >= least_normal {
        return;
    }
    let mode = conversion.rounding.mode(element.random);
    let below = x.magnitude_exponent();
    let carried = to_quantum(x, below - fraction as i32, mode).steps == 1 << (fraction + 1);
    if below + (carried as i32) < least_normal {
        element.flushed = true;
        element.outcome = Outcome::Exact;
        let keeps_sign = matches!(conversion.result_subnormals, Subnormals::Zero);
        element.result &= if keeps_sign { format.sign_bit() } else { 0 };
    }
}
