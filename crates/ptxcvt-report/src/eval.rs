//! One evaluated conversion: its result, and what happened to each element.

use ptxcvt::{Explanation, Form, Outcome, Value};
use serde::Serialize;

use crate::bits::as_text;
use crate::{Bits, CodeValue};

/// The result of one conversion.
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt_report::eval::Evaluation;
///
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// let explanation = form.explain(&[1.55_f32.to_bits().into(), (-999_f32).to_bits().into()])?;
/// let evaluation = Evaluation::new(&form, &explanation, Vec::new());
/// assert_eq!(evaluation.result.to_string(), "0x3cfe");
/// assert_eq!(evaluation.elements[1].outcome, "saturated");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// The form in its canonical spelling.
    pub opcode: Form,
    /// The destination register.
    pub result: Bits,
    /// The width of the destination register in bits.
    pub width: u32,
    /// The destination register as an unsigned integer.
    pub decimal: u64,
    /// The elements, the upper one first.
    pub elements: Vec<Element>,
    /// Remarks about operands that were rounded when they were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One element of a conversion.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Element {
    /// The part of the destination: `upper`, `lower`, `d`.
    pub part: &'static str,
    /// The operand that the element is read from: `a`, `b`, `a.hi`.
    pub operand: &'static str,
    /// The source's bits.
    pub source: Bits,
    /// The source as a number.
    #[serde(serialize_with = "as_text")]
    pub source_value: Value,
    /// The result's bits.
    pub result: Bits,
    /// The result as a number.
    #[serde(serialize_with = "as_text")]
    pub value: Value,
    /// `exact`, `rounded-up`, `rounded-down`, `saturated`, `overflowed`, `wrapped` or `nan`.
    pub outcome: &'static str,
    /// For a rounded element, the numbers just below and just above the exact value.
    pub neighbours: Option<[CodeValue; 2]>,
    /// A subnormal number became zero.
    pub flushed: bool,
    /// `.relu` replaced a negative value by +0.
    pub relu: bool,
    /// `.pzo` replaced −0 by +0.
    pub pzo: bool,
    /// The sign was dropped because the destination is unsigned.
    pub sign_dropped: bool,
    /// The code of the scale that applied.
    pub scale: Option<Bits>,
    /// The random field that `.rs` added.
    pub random: Option<Random>,
    /// How the form treats NaN, if the result is one because of that rule.
    pub nan_rule: Option<&'static str>,
    /// The evaluator's own account, from which the other fields are derived.
    #[serde(skip)]
    pub account: ptxcvt::Element,
}

/// The random field of one element.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Random {
    /// The field's bits.
    pub value: Bits,
    /// The field's width in bits.
    pub bits: u32,
}

impl Evaluation {
    /// Reports an explanation of `form`; `notes` are remarks about the operands.
    pub fn new(form: &Form, explanation: &Explanation, notes: Vec<String>) -> Self {
        let elements = explanation.elements().iter().enumerate();
        Evaluation {
            opcode: *form,
            result: Bits::new(explanation.result, form.result_width()),
            width: form.result_width(),
            decimal: explanation.result,
            elements: elements.map(|(lane, e)| Element::new(form.element_names(lane), e)).collect(),
            notes,
        }
    }
}

impl Element {
    fn new((part, operand): (&'static str, &'static str), e: &ptxcvt::Element) -> Self {
        Element {
            part,
            operand,
            source: Bits::new(e.source, e.source_format.storage()),
            source_value: e.source_value(),
            result: Bits::new(e.result, e.result_format.storage()),
            value: e.result_value(),
            outcome: e.outcome.name(),
            neighbours: e.neighbours.map(|codes| codes.map(|code| CodeValue::new(e.result_format, code))),
            flushed: e.flushed,
            relu: e.relu,
            pzo: e.pzo,
            sign_dropped: e.sign_dropped,
            scale: e.scale.map(|code| Bits::new(code.into(), 8)),
            random: e.random.map(|r| Random { value: Bits::new(r.value.into(), r.bits), bits: r.bits }),
            nan_rule: match e.outcome {
                Outcome::Nan(rule) => Some(rule.describe()),
                _ => None,
            },
            account: *e,
        }
    }
}
