//! The fast path: a conversion that was parsed before, applied to a plain NumPy array.
//!
//! For a small array, parsing the conversion, choosing kernels and describing arrays take longer than converting. So
//! parsed conversions are cached by their text, and NumPy's C functions read and make arrays.

use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use ptxcvt_bulk::{ChainArray, Spread};
use ptxcvt_parallel::MOST_THREADS;

use crate::arrays::{Chained, unlocked};
use crate::error::bulk;
use crate::memory::{self, Fresh};

/// A parsed conversion: its kernels, and the dtypes of its elements and results.
#[pyclass(frozen, module = "ptxcvt", name = "_Quick")]
#[derive(Debug)]
pub struct Quick {
    chain: Py<Chained>,
    /// The accepted dtypes: that of the elements, and that of their bits.
    sources: Vec<Py<PyArrayDescr>>,
    result: Py<PyArrayDescr>,
    /// True if a byte of the result has two elements.
    tight: bool,
    /// The function that warns of NaN and infinity. It takes the format's name and the array's bytes.
    warn: Py<PyAny>,
}

/// A cache whose keys are texts of conversions, or tuples of the text and options.
pub struct Kept(PyOnceLock<Py<PyDict>>);

impl Kept {
    /// An empty cache.
    pub const fn new() -> Self {
        Kept(PyOnceLock::new())
    }

    /// The value for a conversion. None if there is none, or if the argument is not hashable.
    pub fn get<'py>(&self, conversion: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        let py = conversion.py();
        self.0.get(py)?.bind(py).get_item(conversion).ok().flatten()
    }

    /// Adds a value. If there are too many values, removes all others.
    pub fn keep<'py>(&self, conversion: &Bound<'py, PyAny>, value: impl IntoPyObject<'py>) -> PyResult<()> {
        /// Limit on the number of values.
        const MOST: usize = 1024;
        let py = conversion.py();
        let known = self.0.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
        if known.len() >= MOST {
            known.clear();
        }
        known.set_item(conversion, value)
    }
}

static KNOWN: Kept = Kept::new();

/// Caches a conversion from arrays of some dtypes with one element per item. It must have no extra operands except
/// random bits. `tight`: whether a byte of the result has two elements.
#[pyfunction]
#[pyo3(name = "_keep", signature = (conversion, chain, sources, result, tight, warn, /))]
pub fn keep(
    conversion: &Bound<'_, PyAny>,
    chain: Py<Chained>,
    sources: Vec<Py<PyArrayDescr>>,
    result: Py<PyArrayDescr>,
    tight: bool,
    warn: Py<PyAny>,
) -> PyResult<()> {
    KNOWN.keep(conversion, Py::new(conversion.py(), Quick { chain, sources, result, tight, warn })?)
}

/// Converts an array, to `out` if it is given, and with one thread by default. Returns None if the conversion is not
/// cached, or if an argument needs preparation.
#[pyfunction]
#[pyo3(name = "_quick", signature = (conversion, x, out=None, seed=None, threads=None, /))]
pub fn quick<'py>(
    conversion: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    seed: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let Ok(x) = x.cast_exact::<PyUntypedArray>() else { return Ok(None) };
    let Some(known) = KNOWN.get(conversion) else { return Ok(None) };
    let known = known.cast::<Quick>()?.get();
    let chain = known.chain.get();
    if !known.sources.iter().any(|source| memory::is_of(x, source)) {
        return Ok(None);
    }
    let Some(threads) = threads.map_or(Some(1), count_of) else { return Ok(None) };
    let Ok(seed) = seed.map(PyAnyMethods::extract::<u64>).transpose() else { return Ok(None) };
    let Some(extras) = chain.random(seed) else { return Ok(None) };
    let copied;
    let x = if x.is_c_contiguous() || x.is_fortran_contiguous() && !x.strides().contains(&0) {
        x
    } else if in_c_order(x) {
        copied = x.call_method0(intern!(py, "copy"))?.cast_into_exact::<PyUntypedArray>()?;
        &copied
    } else {
        return Ok(None);
    };
    let Some(elements) = memory::bytes(x) else { return Ok(None) };
    let spread = Spread { source: true, result: !known.tight };
    let convert = |result: &mut [u8], fresh| {
        let array = ChainArray { elements, extras: &extras, result, spread, first: 0 };
        unlocked(py, elements.len(), || chain.convert_to(array, fresh, threads)).map_err(|e| bulk(&e))
    };
    let (made, warns) = match out {
        None if known.tight => {
            let Some(shape) = halved(x) else { return Ok(None) };
            let mut made = Fresh::new(&shape, known.result.bind(py))?;
            let warns = convert(made.bytes_mut(), true)?;
            (made.array(), warns)
        }
        None => {
            let mut made = Fresh::like(x, known.result.bind(py))?;
            let warns = convert(made.bytes_mut(), true)?;
            (made.array(), warns)
        }
        Some(out) => {
            let Ok(row) = out.cast_exact::<PyUntypedArray>() else { return Ok(None) };
            let fits = x.is_c_contiguous()
                && memory::is_of(row, &known.result)
                && if known.tight {
                    halved(x).as_deref() == Some(row.shape())
                } else {
                    x.shape() == row.shape()
                };
            if !fits {
                return Ok(None);
            }
            let Some(bytes) = memory::bytes_mut(row, elements) else { return Ok(None) };
            (out.clone(), convert(bytes, false)?)
        }
    };
    if warns {
        let bytes = x.call_method1("reshape", (-1,))?.call_method1("view", ("u1",))?;
        known.warn.call1(py, (chain.source.name(), bytes))?;
    }
    Ok(Some(made))
}

/// The number of threads, or None if it is invalid.
pub fn count_of(threads: &Bound<'_, PyAny>) -> Option<usize> {
    threads.extract().ok().filter(|threads| *threads <= MOST_THREADS)
}

/// Whether the results for an array that is not contiguous are in C order: strides do not increase from axis to axis,
/// or items are repeated. `_layout.py` handles other orders.
fn in_c_order(x: &Bound<'_, PyUntypedArray>) -> bool {
    let strides = x.strides();
    strides.contains(&0) || strides.is_sorted_by(|one, next| one.unsigned_abs() >= next.unsigned_abs())
}

/// The shape of an array in C order with two elements in each item. None if the last axis cannot be divided into pairs.
fn halved(x: &Bound<'_, PyUntypedArray>) -> Option<Vec<usize>> {
    let mut shape = x.shape().to_vec();
    let last = shape.last_mut().filter(|last| x.is_c_contiguous() && **last % 2 == 0)?;
    *last /= 2;
    Some(shape)
}
