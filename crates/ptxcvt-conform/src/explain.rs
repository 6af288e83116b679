//! The steps of the reference for the operands of a difference, one line per element.

use ptxcvt::{Element, Form, Format, Outcome};

/// A line per element, the upper one first.
///
/// ```
/// use ptxcvt_conform::explain;
/// let lines = explain::elements(&"cvt.rn.f16.f32".parse()?, &[0x3f80_1000]);
/// assert_eq!(lines, ["f32 3f801000 (1.00048828125) to f16 3c00 (1): rounded down, the code above is 3c01"]);
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
pub fn elements(form: &Form, operands: &[u64]) -> Vec<String> {
    let explanation = form.explain(operands);
    explanation.iter().flat_map(|e| e.elements()).map(line).collect()
}

fn line(element: &Element) -> String {
    let source = number(element.source_format, element.source);
    let result = number(element.result_format, element.result);
    let mut notes: Vec<String> = Vec::new();
    let mut note = |applies: bool, what: &str| {
        if applies {
            notes.push(what.to_owned());
        }
    };
    note(element.flushed, "flushed");
    note(element.sign_dropped, "sign dropped");
    note(element.relu, "raised to +0 by .relu");
    note(element.pzo, "sign of zero dropped by .pzo");
    if let Some(scale) = element.scale {
        notes.push(format!("scale {scale:02x}"));
    }
    if let Some(random) = element.random {
        notes.push(format!("random field {:x} of {} bits", random.value, random.bits));
    }
    let other = |at: usize| element.neighbours.map_or(String::new(), |n| format!("{:x}", n[at]));
    match element.outcome {
        Outcome::RoundedUp if element.neighbours.is_none() => notes.push("rounded up".to_owned()),
        Outcome::RoundedDown if element.neighbours.is_none() => notes.push("rounded down".to_owned()),
        Outcome::RoundedUp => notes.push(format!("rounded up, the code below is {}", other(0))),
        Outcome::RoundedDown => notes.push(format!("rounded down, the code above is {}", other(1))),
        Outcome::Wrapped => notes.push("high bits removed".to_owned()),
        Outcome::Nan(rule) => notes.push(rule.describe().to_owned()),
        other => notes.push(other.name().to_owned()),
    }
    format!("{source} to {result}: {}", notes.join(", "))
}

/// A number as `f32 3f801000 (1.00048828125)`: the format, the bits and the value.
fn number(format: Format, bits: u64) -> String {
    let digits = format.storage().div_ceil(4) as usize;
    format!("{format} {bits:0digits$x} ({})", format.decode(bits))
}
