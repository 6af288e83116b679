//! The common call: a conversion that has been read before, of a plain NumPy array, into a new one.
//!
//! For a small array, reading the conversion, choosing kernels and describing arrays take longer than converting. So what a
//! conversion needs is kept by the conversion's text, and NumPy's own functions read and make arrays.
#![allow(unsafe_code)]

use numpy::npyffi::PY_ARRAY_API;
use numpy::npyffi::objects::{PyArray_Descr, PyArrayObject};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use ptxcvt_bulk::{ChainArray, Spread};

use crate::arrays::{Chained, unlocked};
use crate::error::bulk;

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
    // What cannot be a key is no known conversion either.
    let Some(Ok(Some(known))) = KNOWN.get(py).map(|known| known.bind(py).get_item(conversion)) else {
        return Ok(None);
    };
    let known = known.cast::<Quick>()?.get();
    // SAFETY: a live array has a descriptor and flags; no other thread changes them while this one has the lock.
    let descr = unsafe { (*x.as_array_ptr()).fields.descr };
    if descr.cast() != known.source.as_ptr() || !x.is_c_contiguous() {
        return Ok(None);
    }
    let result = new(x, known.result.bind(py))?;
    let Ok(made) = result.cast_exact::<PyUntypedArray>() else { return Ok(None) };
    let chain = known.chain.get();
    // SAFETY: both arrays are contiguous and live until this function returns. Nothing else refers to the result. As with
    // NumPy's own conversions, a thread that writes to `x` at the same time gets unspecified numbers.
    let (elements, into) = unsafe { (bytes(x), bytes_mut(made)) };
    let spread = Spread { source: true, result: true };
    let array = ChainArray { elements, extras: &[], result: into, spread, first: 0 };
    if unlocked(py, elements.len(), || chain.convert_fresh(array)).map_err(|e| bulk(&e))? {
        let bytes = x.call_method1("reshape", (-1,))?.call_method1("view", ("u1",))?;
        known.warn.call1(py, (chain.source.name(), bytes))?;
    }
    Ok(Some(result))
}

/// An array of the shape of `x`, in memory that NumPy allocates, with arbitrary contents.
fn new<'py>(x: &Bound<'py, PyUntypedArray>, dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let descr: *mut PyArray_Descr = dtype.clone().into_dtype_ptr();
    // SAFETY: the dimensions are those of a live array, and are only read; the function takes over the reference to the
    // dtype, and returns a new reference or null with an exception.
    unsafe {
        let array: *const PyArrayObject = x.as_array_ptr();
        let made = PY_ARRAY_API.PyArray_Empty(py, (*array).fields.nd, (*array).fields.dimensions, descr, 0);
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// The length of a contiguous array in bytes.
fn length(array: &Bound<'_, PyUntypedArray>) -> usize {
    array.shape().iter().product::<usize>() * array.dtype().itemsize()
}

/// The bytes of an array.
///
/// # Safety
///
/// The array is contiguous, and outlives the slice.
unsafe fn bytes<'a>(array: &Bound<'_, PyUntypedArray>) -> &'a [u8] {
    // SAFETY: the data of a contiguous array are that many bytes; those of an array without elements are not null either.
    unsafe { std::slice::from_raw_parts((*array.as_array_ptr()).fields.data.cast::<u8>(), length(array)) }
}

/// The bytes of an array, to write to.
///
/// # Safety
///
/// As for [`bytes`], and nothing else refers to them.
unsafe fn bytes_mut<'a>(array: &Bound<'_, PyUntypedArray>) -> &'a mut [u8] {
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut((*array.as_array_ptr()).fields.data.cast::<u8>(), length(array)) }
}
