//! The steps of the reference for the operands of a difference, one line per element.

use ptxcvt::literal::hex;
use ptxcvt::{Element, Form, Format};

/// A line per element, the upper one first.
///
/// ```
/// use ptxcvt_conform::explain;
/// let lines = explain::elements(&"cvt.rn.f16.f32".parse()?, &[0x3f80_1000]);
/// assert_eq!(
///     lines,
///     ["f32 0x3f801000 (1.00048828125) to f16 0x3c00 (1): \
///       halfway between 0x3c00 1 and 0x3c01 1.0009765625: rounded down, to the even one, whose last bit is 0"]
/// );
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
///
/// # Panics
///
/// Panics if there are fewer or more operands than the form has.
pub fn elements(form: &Form, operands: &[u64]) -> Vec<String> {
    let explanation = form.explain(operands).expect("as many operands as the form has");
    explanation.elements().iter().map(line).collect()
}

fn line(element: &Element) -> String {
    let source = number(element.source_format, element.source);
    let result = number(element.result_format, element.result);
    format!("{source} to {result}: {}", element.steps().join("; "))
}

/// A number as `f32 0x3f801000 (1.00048828125)`: the format, the bits and the value.
fn number(format: Format, bits: u64) -> String {
    format!("{format} {} ({})", hex(bits, format.storage()), format.decode(bits))
}
