//! An evaluation with an explanation of every element.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use ptxcvt::{Account, Explanation as InnerExplanation};
use ptxcvt_report::eval::{Element as Report, Evaluation};

use crate::error::{error, plain};
use crate::form::Form;
use crate::scalar::{read_form, read_operands};

/// The outcome for one element of a conversion.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug, Clone)]
pub struct Element(Report);

#[pymethods]
impl Element {
    /// The part of the destination: "upper", "lower", "d".
    #[getter]
    fn part(&self) -> &'static str {
        self.0.part
    }

    /// The source operand: "a", "b", "a.hi".
    #[getter]
    fn operand(&self) -> &'static str {
        self.0.operand
    }

    /// The source's bits.
    #[getter]
    fn source(&self) -> u64 {
        self.0.source.bits
    }

    /// The source as a number.
    #[getter]
    fn source_value(&self) -> f64 {
        self.0.source_value.to_f64()
    }

    /// The result's bits.
    #[getter]
    fn result(&self) -> u64 {
        self.0.result.bits
    }

    /// The result as a number.
    #[getter]
    fn value(&self) -> f64 {
        self.0.value.to_f64()
    }

    /// "exact", "rounded-up", "rounded-down", "saturated", "overflowed", "wrapped" or "nan".
    #[getter]
    fn outcome(&self) -> &'static str {
        self.0.outcome
    }

    /// The adjacent values below and above, if the result was rounded; otherwise None.
    #[getter]
    fn neighbours(&self) -> Option<(f64, f64)> {
        self.0.neighbours.map(|[below, above]| (below.value.to_f64(), above.value.to_f64()))
    }

    /// True if a subnormal became zero.
    #[getter]
    fn flushed(&self) -> bool {
        self.0.flushed
    }

    /// True if `.relu` changed the result to +0.
    #[getter]
    fn relu(&self) -> bool {
        self.0.relu
    }

    /// True if `.pzo` changed −0 to +0.
    #[getter]
    fn pzo(&self) -> bool {
        self.0.pzo
    }

    /// True if the sign was dropped.
    #[getter]
    fn sign_dropped(&self) -> bool {
        self.0.sign_dropped
    }

    /// The code of the scale, or None.
    #[getter]
    fn scale(&self) -> Option<u8> {
        self.0.account.scale
    }

    /// The random field that `.rs` added, and its width in bits, or None.
    #[getter]
    fn random(&self) -> Option<(u32, u32)> {
        self.0.account.random.map(|random| (random.value, random.bits))
    }

    /// The reason why the result is NaN, in words, or None.
    #[getter]
    fn nan_rule(&self) -> Option<&'static str> {
        self.0.nan_rule
    }

    /// The steps of the conversion, one sentence each.
    #[getter]
    fn steps(&self) -> Vec<String> {
        self.0.account.steps()
    }

    fn __repr__(&self) -> String {
        let Report { part, operand, value, source_value, account, .. } = &self.0;
        format!("<{part} = {value} from {operand} = {source_value}: {}>", account.steps().join("; "))
    }
}

/// The result of a conversion of numbers, with the steps for each element. It prints as `ptxcvt eval` does,
/// and shows a picture in a notebook.
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
    operands: Vec<u64>,
    inner: InnerExplanation,
}

#[pymethods]
impl Explanation {
    #[new]
    #[pyo3(signature = (opcode, /, *operands))]
    fn new(py: Python<'_>, opcode: &Bound<'_, PyAny>, operands: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let form = read_form("opcode", opcode)?;
        let Some((bits, count)) = read_operands(py, &form, operands)? else {
            return Err(plain("explain accepts numbers, not arrays"));
        };
        let operands = bits[..count].to_vec();
        let inner = form.explain(&operands).map_err(|e| error(Some(e.code()), e.to_string(), &[]))?;
        Ok(Explanation { form, operands, inner })
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
        let report = Evaluation::new(&self.form, &self.inner, Vec::new());
        report.elements.into_iter().map(Element).collect()
    }

    /// The picture as an SVG document.
    fn svg(&self) -> String {
        ptxcvt_picture::svg(&self.form, &self.operands).expect("they were explained")
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
