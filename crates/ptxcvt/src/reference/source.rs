//! What happens to a source before it is rounded: `.ftz` and `.scaled`.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and the notes on `scale-factor`.

use crate::bits::mask;
use crate::exact::{Exact, Value};
use crate::explain::Element;
use crate::formats::{Format, Kind};
use crate::forms::{Form, Modifier};

/// `.ftz`: "subnormal inputs are flushed to sign-preserving zero", where the input is f32.
#[inline(always)]
pub(super) fn flushed(form: &Form, element: &mut Element) -> Value {
    let value = element.source_value();
    if form.has(Modifier::Ftz) && element.source_format == Format::F32 && is_subnormal(element) {
        element.flushed = true;
        return Value::Finite(Exact::new(value.is_negative(), 0, 0));
    }
    value
}

/// True where the source's exponent field is zero and its fraction is not.
#[inline(always)]
fn is_subnormal(element: &Element) -> bool {
    match element.source_format.parameters().kind {
        Kind::Float { exponent, fraction, .. } => {
            element.source >> fraction & mask(exponent) == 0 && element.source & mask(fraction) != 0
        }
        _ => false,
    }
}

/// `.scaled`: down-conversion divides by the scale, up-conversion multiplies. Before the division by an n1
/// scale a subnormal source becomes +0. A scale of 0xff is NaN.
#[inline(always)]
pub(super) fn scaled(form: &Form, element: &mut Element, value: Value, scale: u8) -> Value {
    if scale == 0xff {
        return Value::Nan { negative: false, payload: 0 };
    }
    let power = i32::from(scale) - 127;
    match value {
        Value::Finite(_) if form.has(Modifier::ScaledN1) && is_subnormal(element) => {
            element.flushed = true;
            Value::Finite(Exact::new(false, 0, 0))
        }
        // The one up-conversion with scales is the one to bf16.
        Value::Finite(x) if element.result_format == Format::Bf16 => Value::Finite(x.scaled(power)),
        Value::Finite(x) => Value::Finite(x.scaled(-power)),
        other => other,
    }
}
