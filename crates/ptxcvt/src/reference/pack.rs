//! `cvt.pack`: two integers saturated to a narrow type and packed.
//!
//! PTX ISA section 9.7.9.22.

use crate::bits::mask;
use crate::conversion::{Conversion, Extra};
use crate::explain::Element;
use crate::forms::Form;

/// Saturates both sources to the type and packs them into the low bits of `d`, `a` above `b`.
#[inline]
pub(super) fn elements(conversion: &Conversion, operands: &[u64]) -> impl Iterator<Item = Element> {
    operands[..2].iter().map(|operand| conversion.element(operand & mask(32), Extra::default()))
}

/// Fills the rest of `d` with the low bits of `c`.
#[inline]
pub(super) fn filled(form: &Form, operands: &[u64], result: u64) -> u64 {
    let rest = operands.get(2).copied().unwrap_or(0); // without `c` the two elements fill `d`
    (result | rest << (2 * form.destination().width())) & mask(32)
}
