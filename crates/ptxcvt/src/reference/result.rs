//! What happens to a float result after it was rounded: `.sat` and `.ftz`.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes".

use crate::exact::Value;
use crate::explain::Element;
use crate::formats::Format;
use crate::forms::Form;
use crate::outcome::{NanRule, Outcome};
use crate::round::{Rounding, to_quantum};

/// `.sat` of floats: "limits the result to the range \[0.0, 1.0\]. NaN results are flushed to positive zero."
#[inline(always)]
pub(super) fn saturate_to_unit(element: &mut Element) {
    let value = element.result_value();
    let one = element.result_format.one();
    let clamped = match value {
        Value::Nan { .. } => {
            element.result = 0;
            element.outcome = Outcome::Nan(NanRule::SaturatedToZero);
            return;
        }
        _ if value.is_negative() => 0,
        _ => element.result.min(one),
    };
    if clamped != element.result {
        // −0 becomes +0: the sign goes, but nothing was out of range.
        if element.result != element.result_format.sign_bit() {
            element.outcome = Outcome::Saturated;
        }
        element.result = clamped;
    }
}

/// `.ftz` of an f32 result: flushed where it is tiny after rounding to 24 bits with unbounded exponent.
#[inline(always)]
pub(super) fn flush(form: &Form, element: &mut Element, value: Value) {
    const LEAST_NORMAL: i32 = -126;
    let Value::Finite(x) = value else { return };
    if x.is_zero() || x.magnitude_exponent() >= LEAST_NORMAL {
        return;
    }
    let mode = form.rounding().unwrap_or(Rounding::Rn).mode(None);
    let below = x.magnitude_exponent();
    let carried = to_quantum(x, below - 23, mode).steps == 1 << 24;
    if below + i32::from(carried) < LEAST_NORMAL {
        element.flushed = true;
        element.outcome = Outcome::Exact;
        element.result &= Format::F32.sign_bit();
    }
}
