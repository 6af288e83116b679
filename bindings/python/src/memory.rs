//! The memory of NumPy's arrays: bytes to read, and new arrays to write.
//!
//! Describing an array to NumPy's safe interface takes longer than the work on a small array.
#![allow(unsafe_code)]

use std::ffi::c_int;

use numpy::npyffi::npy_intp;
use numpy::npyffi::objects::{PyArray_Descr, PyArrayObject};
use numpy::npyffi::{NPY_ARRAY_C_CONTIGUOUS, PY_ARRAY_API};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::plain;

/// The bytes of an array in C order, or None if they are not next to each other.
///
/// As with NumPy's own functions, and with slices of the crate `numpy`, a thread that writes to the array at the same time
/// gets unspecified numbers.
pub fn bytes<'a>(array: &'a Bound<'_, PyUntypedArray>) -> Option<&'a [u8]> {
    if !array.is_c_contiguous() {
        return None;
    }
    let length = length(array);
    // An array of foreign memory without elements may have no address.
    if length == 0 {
        return Some(&[]);
    }
    // SAFETY: the data of a contiguous array are that many bytes, and live as long as the array.
    Some(unsafe { std::slice::from_raw_parts((*array.as_array_ptr()).fields.data.cast::<u8>(), length) })
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

/// A new array in C order with arbitrary contents, to which nothing else refers yet.
pub struct Fresh<'py>(Bound<'py, PyUntypedArray>);

impl<'py> Fresh<'py> {
    /// An array of this shape, in memory that NumPy allocates.
    pub fn new(shape: &[usize], dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Self> {
        /// The most axes of an array of NumPy.
        const AXES: usize = 64;
        let mut axes = [0; AXES];
        if shape.len() > AXES {
            return Err(plain(format!("{} axes: NumPy has at most {AXES}", shape.len())));
        }
        let too_large = || plain(format!("shape {shape:?}: NumPy has no arrays of that size"));
        for (axis, size) in axes.iter_mut().zip(shape) {
            *axis = npy_intp::try_from(*size).map_err(|_| too_large())?;
        }
        // SAFETY: the axes are as many as said.
        let made = unsafe { Self::of_axes(axes.as_mut_ptr(), shape.len() as c_int, dtype) };
        made.map_err(|e| if e.is_instance_of::<PyValueError>(dtype.py()) { too_large() } else { e })
    }

    /// An array of the shape of another.
    pub fn like(x: &Bound<'py, PyUntypedArray>, dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Self> {
        let array: *const PyArrayObject = x.as_array_ptr();
        // SAFETY: the axes are those of a live array, and are only read.
        unsafe { Self::of_axes((*array).fields.dimensions, (*array).fields.nd, dtype) }
    }

    /// # Safety
    ///
    /// There are `count` axes.
    unsafe fn of_axes(axes: *mut npy_intp, count: c_int, dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Self> {
        assert!(!dtype.has_object(), "arrays of objects have no bytes");
        let py = dtype.py();
        let descr: *mut PyArray_Descr = dtype.clone().into_dtype_ptr();
        // SAFETY: the axes are only read; the function takes over the reference to the dtype, and returns a new reference or
        // null with an exception. It is an array of NumPy's own type.
        unsafe {
            let made = PY_ARRAY_API.PyArray_Empty(py, count, axes, descr, 0);
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
            assert!((*array).fields.flags & NPY_ARRAY_C_CONTIGUOUS != 0, "a new array is contiguous");
            std::slice::from_raw_parts_mut((*array).fields.data.cast::<u8>(), length)
        }
    }

    /// The array, whose bytes have been written.
    pub fn array(self) -> Bound<'py, PyAny> {
        self.0.into_any()
    }
}
