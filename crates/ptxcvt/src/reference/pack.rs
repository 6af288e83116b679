//! `cvt.pack`.
//!
//! PTX ISA section 9.7.9.22.

use super::integer;
use crate::bits::mask;
use crate::explain::Element;
use crate::forms::Form;

/// Both sources saturate to the type and fill the low bits of `d`, `a` above `b`.
#[inline]
pub(super) fn elements(form: &Form, operands: &[u64]) -> impl Iterator<Item = Element> {
    operands[..2].iter().map(|&operand| {
        let mut element =
            Element::new(form.source().format(), operand & mask(32), form.destination().format());
        integer::from_integer(form, &mut element);
        element
    })
}

/// The low bits of `c` fill the rest.
#[inline]
pub(super) fn filled(form: &Form, operands: &[u64], result: u64) -> u64 {
    let rest = operands.get(2).copied().unwrap_or(0);
    (result | rest << (2 * form.destination().width())) & mask(32)
}
