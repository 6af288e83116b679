//! The comparison behind `conform`, for functions of arrays: `_conform.py` calls the function block by block.

use std::sync::Mutex;

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use ptxcvt_conform::judge::{Comparison as Inner, Judge, Tally};

use crate::arrays::unlocked;
use crate::error::{Text, named, plain, refused};

/// A comparison of a codec with every policy, or with one form.
#[pyclass(frozen, module = "ptxcvt", name = "_Comparison")]
#[derive(Debug)]
pub struct Comparison {
    inner: Inner,
    formats: (&'static str, &'static str),
    tally: Mutex<Tally>,
}

#[pymethods]
impl Comparison {
    #[new]
    #[pyo3(signature = (conversion, form, random, seed, quick, /))]
    fn new(
        conversion: Option<Text>,
        form: Option<Text>,
        random: usize,
        seed: u64,
        quick: bool,
    ) -> PyResult<Self> {
        named!(conversion, form);
        // `conversion` may also be an opcode: names of formats do not begin with `cvt`.
        let (conversion, form) = match (conversion, form) {
            (Some(opcode), None) if opcode.trim_start().starts_with("cvt") => (None, Some(opcode)),
            given => given,
        };
        let form: Option<ptxcvt::Form> =
            form.as_deref().map(str::parse).transpose().map_err(|refusal| refused(&refusal))?;
        let judge = Judge::named(conversion.as_deref(), form.as_ref()).map_err(|e| plain(e.to_string()))?;
        let judge = judge.ok_or_else(|| plain("a conversion is needed, such as \"f32->e4m3\""))?;
        let judge = if quick { judge.quick() } else { judge };
        let formats = judge.formats();
        let inner = Inner::new(&judge.random(random, seed));
        let tally = Mutex::new(inner.tally());
        Ok(Comparison { inner, formats: (formats.0.name(), formats.1.name()), tally })
    }

    /// The names of the source and the destination format.
    #[getter]
    fn formats(&self) -> (&'static str, &'static str) {
        self.formats
    }

    /// The number of inputs.
    #[getter]
    fn count(&self) -> u64 {
        self.inner.inputs().count()
    }

    /// Writes the inputs from number `first` on.
    fn fill(&self, py: Python<'_>, first: u64, mut inputs: PyReadwriteArray1<'_, u8>) -> PyResult<()> {
        let inputs = inputs.as_slice_mut().map_err(|_| plain("a contiguous array is needed"))?;
        unlocked(py, inputs.len(), || self.inner.fill(first, inputs));
        Ok(())
    }

    /// Counts the results of the inputs from number `first` on.
    fn take(&self, py: Python<'_>, first: u64, results: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let results = results.as_slice().map_err(|_| plain("contiguous results are needed"))?;
        unlocked(py, results.len(), || {
            let mut tally = self.tally.lock().expect("no thread panicked");
            self.inner.take(&mut tally, first, results);
        });
        Ok(())
    }

    /// The verdict as JSON, and as text.
    fn verdict(&self) -> (String, String) {
        let mut tally = self.tally.lock().expect("no thread panicked");
        let verdict = self.inner.verdict(std::mem::replace(&mut tally, self.inner.tally()));
        let json = serde_json::to_string(&verdict).expect("numbers and text are JSON");
        (json, verdict.to_string())
    }
}
