//! Operations on a source before rounding: flushing subnormals and applying a scale.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and the notes on `scale-factor`.

use crate::conversion::{Conversion, Subnormals};
use crate::exact::{Exact, Value};
use crate::explain::Element;

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
    if !matches!(conversion.source_subnormals, Subnormals::Keep)
        && element.source_format.is_subnormal(element.source)
    {
        element.flushed = true;
        let keeps_sign = matches!(conversion.source_subnormals, Subnormals::Zero);
        return Value::Finite(Exact::new(keeps_sign && element.source_value().is_negative(), 0, 0));
    }
    element.scaled(conversion)
}
