//! The common call: a conversion that has been read before, of a plain NumPy array, into a new one.
//!
//! For a small array, reading the conversion, choosing kernels and describing arrays take longer than converting. So what a
//! conversion needs is kept by the conversion's text, and NumPy's own functions read and make arrays.

use numpy::{PyArrayDescr, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use ptxcvt_bulk::{ChainArray, Spread};

use crate::arrays::{Chained, unlocked};
use crate::error::bulk;
use crate::memory::{self, Fresh};

/// What is known of a conversion: its kernels and the dtypes of its elements and results.
#[pyclass(frozen, module = "ptxcvt", name = "_Quick")]
#[derive(Debug)]
pub struct Quick {
    chain: Py<Chained>,
    source: Py<PyArrayDescr>,
    result: Py<PyArrayDescr>,
    /// The function that warns of NaN and infinity: of a format's name and the array's bytes.
    warn: Py<PyAny>,
}

/// By the conversion's text, or by a tuple of it and its options.
static KNOWN: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
/// How many conversions are kept.
const KEPT: usize = 1024;

/// Keeps a conversion from arrays of one dtype to another, whose items are one element each, without other operands.
#[pyfunction]
#[pyo3(name = "_keep", signature = (conversion, chain, source, result, warn, /))]
pub fn keep(
    py: Python<'_>,
    conversion: &Bound<'_, PyAny>,
    chain: Py<Chained>,
    source: Py<PyArrayDescr>,
    result: Py<PyArrayDescr>,
    warn: Py<PyAny>,
) -> PyResult<()> {
    let known = KNOWN.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    if known.len() >= KEPT {
        known.clear();
    }
    known.set_item(conversion, Py::new(py, Quick { chain, source, result, warn })?)
}

/// Converts an array; None if the conversion is not known, or the array is not a contiguous one of its dtype.
#[pyfunction]
#[pyo3(name = "_quick", signature = (conversion, x, /))]
pub fn quick<'py>(
    conversion: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let Ok(x) = x.cast_exact::<PyUntypedArray>() else { return Ok(None) };
    // What cannot be a key is not a known conversion either.
    let Some(Ok(Some(known))) = KNOWN.get(py).map(|known| known.bind(py).get_item(conversion)) else {
        return Ok(None);
    };
    let known = known.cast::<Quick>()?.get();
    let Some(elements) = memory::bytes(x).filter(|_| memory::is_of(x, &known.source)) else {
        return Ok(None);
    };
    let mut made = Fresh::like(x, known.result.bind(py))?;
    let chain = known.chain.get();
    let spread = Spread { source: true, result: true };
    let array = ChainArray { elements, extras: &[], result: made.bytes_mut(), spread, first: 0 };
    if unlocked(py, elements.len(), || chain.convert_fresh(array)).map_err(|e| bulk(&e))? {
        let bytes = x.call_method1("reshape", (-1,))?.call_method1("view", ("u1",))?;
        known.warn.call1(py, (chain.source.name(), bytes))?;
    }
    Ok(Some(made.array()))
}
