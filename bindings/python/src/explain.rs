//! An evaluation and the account of every element.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use ptxcvt::{Account, Element as InnerElement, Explanation as InnerExplanation, Outcome};

use crate::error::{error, plain};
use crate::form::Form;
use crate::scalar::{read_form, read_operands};

/// What happened to one element of a conversion.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug, Clone, Copy)]
pub struct Element {
    inner: InnerElement,
    names: (&'static str, &'static str),
}

#[pymethods]
impl Element {
    /// The part of the destination: "upper", "lower", "d".
    #[getter]
    fn part(&self) -> &'static str {
        self.names.0
    }

    /// The operand that it comes from: "a", "b", "a.hi".
    #[getter]
    fn operand(&self) -> &'static str {
        self.names.1
    }

    /// The source's bits.
    #[getter]
    fn source(&self) -> u64 {
        self.inner.source
    }

    /// The source as a number.
    #[getter]
    fn source_value(&self) -> f64 {
        self.inner.source_value().to_f64()
    }

    /// The result's bits.
    #[getter]
    fn result(&self) -> u64 {
        self.inner.result
    }

    /// The result as a number.
    #[getter]
    fn value(&self) -> f64 {
        self.inner.result_value().to_f64()
    }

    /// "exact", "rounded-up", "rounded-down", "saturated", "overflowed", "wrapped" or "nan".
    #[getter]
    fn outcome(&self) -> &'static str {
        self.inner.outcome.name()
    }

    /// Where something was rounded: the values just below and just above.
    #[getter]
    fn neighbours(&self) -> Option<(f64, f64)> {
        let value = |code| self.inner.result_format.decode(code).to_f64();
        self.inner.neighbours.map(|[below, above]| (value(below), value(above)))
    }

    /// A subnormal became zero.
    #[getter]
    fn flushed(&self) -> bool {
        self.inner.flushed
    }

    /// `.relu` made it +0.
    #[getter]
    fn relu(&self) -> bool {
        self.inner.relu
    }

    /// `.pzo` made −0 +0.
    #[getter]
    fn pzo(&self) -> bool {
        self.inner.pzo
    }

    /// The sign was dropped.
    #[getter]
    fn sign_dropped(&self) -> bool {
        self.inner.sign_dropped
    }

    /// The code of the scale that applied, or None.
    #[getter]
    fn scale(&self) -> Option<u8> {
        self.inner.scale
    }

    /// The random field that `.rs` added, and its width in bits, or None.
    #[getter]
    fn random(&self) -> Option<(u32, u32)> {
        self.inner.random.map(|random| (random.value, random.bits))
    }

    /// What became of a NaN, in words, or None.
    #[getter]
    fn nan_rule(&self) -> Option<&'static str> {
        match self.inner.outcome {
            Outcome::Nan(rule) => Some(rule.describe()),
            _ => None,
        }
    }

    /// What happened, a sentence a step.
    #[getter]
    fn steps(&self) -> Vec<String> {
        self.inner.steps()
    }

    fn __repr__(&self) -> String {
        let (part, operand) = self.names;
        let (value, source) = (self.inner.result_value(), self.inner.source_value());
        format!("<{part} = {value} from {operand} = {source}: {}>", self.inner.steps().join("; "))
    }
}

/// A conversion of numbers, its result, and what happened to each element; it prints as `ptxcvt eval` does, and draws
/// itself in a notebook.
///
/// >>> import ptxcvt
/// >>> e = ptxcvt.explain("cvt.rn.satfinite.e4m3x2.f32", 1.55, -999.0)
/// >>> print(e)
/// cvt.rn.satfinite.e4m3x2.f32
/// d = 0x3cfe (15614)
///   upper = 0x3c 1.5  from a = 0x3fc66666 1.5499999523162842
///           rounded down, between 0x3c 1.5 and 0x3d 1.625
///   lower = 0xfe -448  from b = 0xc479c000 -999
///           saturated to -448
/// >>> e.elements[0].neighbours
/// (1.5, 1.625)
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug)]
pub struct Explanation {
    form: ptxcvt::Form,
    inner: InnerExplanation,
}

#[pymethods]
impl Explanation {
    #[new]
    #[pyo3(signature = (opcode, /, *operands))]
    fn new(py: Python<'_>, opcode: &Bound<'_, PyAny>, operands: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let form = read_form(opcode)?;
        let Some((bits, count)) = read_operands(py, &form, operands)? else {
            return Err(plain("explain takes numbers, not arrays"));
        };
        let inner = form.explain(&bits[..count]).map_err(|e| error(Some(e.code()), e.to_string(), &[]))?;
        Ok(Explanation { form, inner })
    }

    /// The form.
    #[getter]
    fn form(&self) -> Form {
        Form(self.form)
    }

    /// The destination's bits.
    #[getter]
    fn result(&self) -> u64 {
        self.inner.result
    }

    /// The elements, the upper one first.
    #[getter]
    fn elements(&self) -> Vec<Element> {
        let elements = self.inner.elements().iter().enumerate();
        elements.map(|(lane, e)| Element { inner: *e, names: self.form.element_names(lane) }).collect()
    }

    /// The picture as an SVG document.
    fn svg(&self) -> String {
        ptxcvt_picture::svg(&self.form, &self.inner)
    }

    fn _repr_html_(&self) -> String {
        format!("<div>{}</div>", self.svg())
    }

    fn __str__(&self) -> String {
        Account::new(&self.form, &self.inner).to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Explanation of {}: {:#x}>", self.form, self.inner.result)
    }
}
