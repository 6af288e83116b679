//! Operations on a source before rounding: flushing subnormals and applying a scale.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and the notes on `scale-factor`.

use crate::bits::mask;
use crate::conversion::{Conversion, Scale, Subnormals};
use crate::exact::{Exact, Value};
use crate::explain::Element;
use crate::formats::Kind;

/// The source's value, flushed and scaled as the conversion says.
///
/// `.ftz`: "subnormal inputs are flushed to sign-preserving zero". `.scaled`: down-conversion divides by the scale,
/// up-conversion multiplies. A scale of 0xff is NaN. Before a division by an n1 scale, a subnormal source becomes +0, also a
/// negative one; −0 keeps its sign. The notes on ISA 9.4 say so (`DESIGN.md`, "What decides a result?"); no GPU was asked.
#[inline(always)]
pub(super) const fn prepared(conversion: &Conversion, element: &mut Element) -> Value {
    if matches!(element.scale, Some(0xff)) {
        return Value::Nan { negative: false, payload: 0 };
    }
    let value = element.source_value();
    if !matches!(conversion.source_subnormals, Subnormals::Keep) && is_subnormal(element) {
        element.flushed = true;
        let negative = matches!(conversion.source_subnormals, Subnormals::Zero) && value.is_negative();
        return Value::Finite(Exact::new(negative, 0, 0));
    }
    let power = if let Some(scale) = element.scale { scale as i32 - 127 } else { 0 };
    match (value, conversion.scale) {
        (Value::Finite(x), Scale::Divide) => Value::Finite(x.scaled(-power)),
        (Value::Finite(x), Scale::Multiply) => Value::Finite(x.scaled(power)),
        _ => value,
    }
}

/// True if the source's exponent field is zero and its fraction is not.
#[inline(always)]
const fn is_subnormal(element: &Element) -> bool {
    match element.source_format.parameters().kind {
        Kind::Float { exponent, fraction, .. } => {
            let code = element.source >> element.source_format.low_padding();
            code >> fraction & mask(exponent) == 0 && code & mask(fraction) != 0
        }
        _ => false,
    }
}
