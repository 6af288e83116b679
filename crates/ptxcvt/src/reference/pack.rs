//! `cvt.pack`.
//!
//! PTX ISA section 9.7.9.22.

use super::integer;
use crate::bits::mask;
use crate::explain::{Element, Explanation};
use crate::forms::Form;

/// `cvt.pack`: both sources saturate to the type and fill the low bits of `d`, `a` above `b`; the low bits
/// of `c` fill the rest.
pub(super) fn pack(form: &Form, operands: &[u64]) -> Explanation {
    let size = form.destination().width();
    let mut explanation = Explanation::new();
    for &operand in &operands[..2] {
        let mut element =
            Element::new(form.source().format(), operand & mask(32), form.destination().format());
        integer::from_integer(form, &mut element);
        explanation.push(element);
    }
    let rest = operands.get(2).copied().unwrap_or(0);
    explanation.result = (explanation.result | rest << (2 * size)) & mask(32);
    explanation
}
