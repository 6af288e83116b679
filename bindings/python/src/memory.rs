//! The memory of NumPy arrays and PyTorch tensors: bytes to read, and arrays to write.
//!
//! This module uses `unsafe` because NumPy's safe interface takes longer than the work on a small array.
#![allow(unsafe_code)]

use std::ffi::c_int;

use numpy::npyffi::npy_intp;
use numpy::npyffi::objects::{PyArray_Descr, PyArrayObject};
use numpy::npyffi::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS, NPY_ARRAY_WRITEABLE, PY_ARRAY_API};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::error::plain;

/// The bytes of an array in C or Fortran order, or None if the array is not contiguous.
///
/// If another thread writes to the array at the same time, the numbers are unspecified, as with NumPy's own functions
/// and with slices of the crate `numpy`.
pub fn bytes<'a>(array: &'a Bound<'_, PyUntypedArray>) -> Option<&'a [u8]> {
    if !array.is_c_contiguous() && !array.is_fortran_contiguous() {
        return None;
    }
    let length = length(array);
    // An empty array in foreign memory may have no address.
    if length == 0 {
        return Some(&[]);
    }
    // SAFETY: the data of a contiguous array are that many bytes, and live as long as the array.
    Some(unsafe { std::slice::from_raw_parts((*array.as_array_ptr()).fields.data.cast::<u8>(), length) })
}

/// The bytes of an array in C order to write to. None if they are read-only or not contiguous, or if they overlap
/// `read`.
///
/// The remark on other threads at [`bytes`] also applies here.
#[allow(clippy::mut_from_ref)] // An array refers to memory that is not part of it.
pub fn bytes_mut<'a>(array: &'a Bound<'_, PyUntypedArray>, read: &[u8]) -> Option<&'a mut [u8]> {
    let length = length(array);
    let object: *const PyArrayObject = array.as_array_ptr();
    // SAFETY: a live array has flags and an address.
    let (flags, data) = unsafe { ((*object).fields.flags, (*object).fields.data.cast::<u8>()) };
    let wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE;
    if flags & wanted != wanted {
        return None;
    }
    if length == 0 {
        return Some(&mut []);
    }
    let (start, other) = (data.addr(), read.as_ptr().addr());
    if start < other + read.len() && other < start + length {
        return None;
    }
    // SAFETY: the data of a contiguous array are that many bytes, and live as long as the array; it may be written to,
    // and no other slice refers to it.
    Some(unsafe { std::slice::from_raw_parts_mut(data, length) })
}

/// The bytes of a tensor in C order. None if it is on another device or not contiguous. PyTorch raises an error if it
/// has no memory.
///
/// The caller has checked that `tensor` is of PyTorch's own class. Attributes of a subclass could not be trusted.
pub fn tensor_bytes<'a>(tensor: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a [u8]>> {
    let py = tensor.py();
    if !tensor.getattr(intern!(py, "is_cpu"))?.is_truthy()?
        || !tensor.call_method0(intern!(py, "is_contiguous"))?.is_truthy()?
    {
        return Ok(None);
    }
    let length: usize = tensor.getattr(intern!(py, "nbytes"))?.extract()?;
    let address: usize = tensor.call_method0(intern!(py, "data_ptr"))?.extract()?;
    if length == 0 {
        return Ok(Some(&[]));
    }
    if address == 0 {
        return Ok(None);
    }
    // SAFETY: the data of a contiguous tensor in the CPU's memory are that many bytes at its address, and live as long
    // as the tensor: PyTorch's own functions rely on this, too, and no function but `resize_` of the storage itself can
    // break it. As for arrays, a thread that writes to it meanwhile gets unspecified numbers.
    Ok(Some(unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), length) }))
}

/// Whether an array has this dtype: NumPy has one object for each of its own dtypes.
pub fn is_of(array: &Bound<'_, PyUntypedArray>, dtype: &Py<PyArrayDescr>) -> bool {
    // SAFETY: a live array has a descriptor; no other thread changes it while this one has the interpreter.
    unsafe { (*array.as_array_ptr()).fields.descr.cast() == dtype.as_ptr() }
}

/// The length of a contiguous array in bytes.
fn length(array: &Bound<'_, PyUntypedArray>) -> usize {
    array.shape().iter().product::<usize>() * array.dtype().itemsize()
}

/// A new array in C or Fortran order with arbitrary contents, to which nothing else refers yet.
pub struct Fresh<'py>(Bound<'py, PyUntypedArray>);

impl<'py> Fresh<'py> {
    /// An array of this shape, in memory that NumPy allocates.
    pub fn new(shape: &[usize], dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Self> {
        /// The maximum number of axes of a NumPy array.
        const AXES: usize = 64;
        let mut axes = [0; AXES];
        if shape.len() > AXES {
            return Err(plain(format!("{} axes: NumPy has at most {AXES}", shape.len())));
        }
        let too_large = || plain(format!("shape {shape:?}: NumPy has no arrays of that size"));
        for (axis, size) in axes.iter_mut().zip(shape) {
            *axis = npy_intp::try_from(*size).map_err(|_| too_large())?;
        }
        // SAFETY: `axes` has at least `shape.len()` elements.
        let made = unsafe { Self::of_axes(axes.as_mut_ptr(), shape.len() as c_int, dtype, false) };
        made.map_err(|e| if e.is_instance_of::<PyValueError>(dtype.py()) { too_large() } else { e })
    }

    /// An array with the shape of another one; in Fortran order if the other is not in C order.
    pub fn like(x: &Bound<'py, PyUntypedArray>, dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Self> {
        let array: *const PyArrayObject = x.as_array_ptr();
        // SAFETY: the axes are those of a live array, and are only read.
        unsafe { Self::of_axes((*array).fields.dimensions, (*array).fields.nd, dtype, !x.is_c_contiguous()) }
    }

    /// # Safety
    ///
    /// There are `count` axes.
    unsafe fn of_axes(
        axes: *mut npy_intp,
        count: c_int,
        dtype: &Bound<'py, PyArrayDescr>,
        fortran: bool,
    ) -> PyResult<Self> {
        assert!(!dtype.has_object(), "arrays of objects have no bytes");
        let py = dtype.py();
        let descr: *mut PyArray_Descr = dtype.clone().into_dtype_ptr();
        // SAFETY: the axes are only read; the function takes over the reference to the dtype, and returns a new
        // reference or null with an exception. It is an array of NumPy's own type.
        unsafe {
            let made = PY_ARRAY_API.PyArray_Empty(py, count, axes, descr, c_int::from(fortran));
            Ok(Fresh(Bound::from_owned_ptr_or_err(py, made)?.cast_into_unchecked()))
        }
    }

    /// The bytes, to write to.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let length = length(&self.0);
        if length == 0 {
            return &mut [];
        }
        // SAFETY: a new array is contiguous and has that many bytes, and nothing else refers to them.
        unsafe {
            let array: *const PyArrayObject = self.0.as_array_ptr();
            let contiguous = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS;
            assert!((*array).fields.flags & contiguous != 0, "a new array is contiguous");
            std::slice::from_raw_parts_mut((*array).fields.data.cast::<u8>(), length)
        }
    }

    /// The array, whose bytes have been written.
    pub fn array(self) -> Bound<'py, PyAny> {
        self.0.into_any()
    }
}
