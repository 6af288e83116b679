//! `convert`: the options that a cached conversion supports are read here; `_convert.py` does everything else.

use std::convert::Infallible;

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyInt};

use crate::quick::quick;

/// Converts an array element by element, in memory order, to one of the same shape.
///
/// ``conversion`` is an opcode, opcodes joined by `` then ``, or formats as in ``"f32->e4m3"``. For formats,
/// ``rounding``, ``saturate`` and ``relu`` choose the form; the default is the form with the fewest modifiers.
/// ``with_forms=True`` also returns the forms. In a packed form element 2i is the lower operand and 2i + 1 the upper.
/// The number of elements need not be even.
///
/// The result has the dtype of ``ml_dtypes`` for its format, the memory layout of ``x``, and is an array of the same
/// library as ``x``. With ``packed=True`` it has the bytes as PTX packs them, as unsigned integers: a byte has two FP4
/// elements that are neighbours along the last axis, the first in the low half; ``pad=True`` pads odd rows with a zero.
/// For FP4, an array of ``uint8`` as ``x`` has packed pairs, too, and one of ``int8`` a code in each byte, which is what
/// PyTorch gets without ``packed=True``. For other formats than integers, unsigned arrays have bits.
///
/// ``.rs`` needs ``seed`` (Philox4x32-10, instruction i uses word i) or ``rbits``, one number for all instructions or
/// one for each. Scaled forms need ``scale``: a power of two, a code, or an array of codes. ``threads=0`` uses every
/// core; the result does not depend on it. ``out`` receives the result.
///
/// >>> import numpy as np, ptxcvt
/// >>> x = np.linspace(-1, 1, 5, dtype=np.float32)
/// >>> y = ptxcvt.convert("f32->e2m1", x)
/// >>> y.dtype.name, y.tolist()
/// ('float4_e2m1fn', [-1.0, -0.5, 0.0, 0.5, 1.0])
/// >>> ptxcvt.convert("f32->e2m1", x[1:], packed=True).tolist()
/// [9, 33]
/// >>> y, forms = ptxcvt.convert("f32->bf16", 1.01, rounding="rz", with_forms=True)
/// >>> float(y), forms
/// (1.0078125, [Form('cvt.rz.bf16.f32')])
#[pyfunction]
#[pyo3(
    signature = (
        conversion, x, /, *, rounding=None, saturate=Given(None), relu=Given(None), rbits=None, seed=None, scale=None,
        packed=Given(None), pad=Given(None), out=None, threads=Given(None), with_forms=Given(None)
    ),
    text_signature = "(conversion, x, /, *, rounding=None, saturate=False, relu=False, rbits=None, seed=None, scale=None, \
                      packed=False, pad=False, out=None, threads=1, with_forms=False)"
)]
#[allow(clippy::too_many_arguments)] // They are those of the Python function.
pub fn convert<'py>(
    conversion: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    rounding: Option<&Bound<'py, PyAny>>,
    saturate: Given<'py>,
    relu: Given<'py>,
    rbits: Option<&Bound<'py, PyAny>>,
    seed: Option<&Bound<'py, PyAny>>,
    scale: Option<&Bound<'py, PyAny>>,
    packed: Given<'py>,
    pad: Given<'py>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Given<'py>,
    with_forms: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let threads = threads.0.as_ref();
    // A cached conversion has no padding: rows that need it take the general path.
    let flags = (saturate.flag(), relu.flag(), packed.flag(), pad.flag(), with_forms.flag());
    let others = rbits.is_none() && scale.is_none() && is_number(seed) && is_number(threads);
    let key = match flags {
        (Some(saturates), Some(clamps), Some(packs), Some(_), Some(false)) if others => {
            Some(key(conversion, rounding, saturates, clamps, packs)?)
        }
        _ => None,
    };
    if let Some(key) = &key {
        if let Some(made) = quick(key, x, out, seed, threads)? {
            return Ok(made);
        }
    }
    let options = PyDict::new(py);
    for (name, value) in [
        ("rounding", rounding),
        ("saturate", saturate.0.as_ref()),
        ("relu", relu.0.as_ref()),
        ("rbits", rbits),
        ("seed", seed),
        ("scale", scale),
        ("packed", packed.0.as_ref()),
        ("pad", pad.0.as_ref()),
        ("out", out),
        ("threads", threads),
        ("with_forms", with_forms.0.as_ref()),
    ] {
        if let Some(value) = value {
            options.set_item(name, value)?;
        }
    }
    let general = GENERAL.get(py).expect("the package is imported before its functions are called");
    general.bind(py).call((key, conversion, x), Some(&options))
}

/// The function that converts what is not cached.
static GENERAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Sets the function that converts what is not cached: that of `_convert.py`, which imports this part.
#[pyfunction]
#[pyo3(name = "_set_convert", signature = (general, /))]
pub fn set_convert(py: Python<'_>, general: Py<PyAny>) {
    // A second import of the package gives an equal function.
    let _ = GENERAL.set(py, general);
}

/// An argument, or nothing if the call has none. `None` is not the default of these arguments, and is an error.
pub struct Given<'py>(Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = Infallible;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Given(Some(given.to_owned())))
    }
}

impl Given<'_> {
    /// The flag, which is false by default. None if the argument is something else.
    fn flag(&self) -> Option<bool> {
        self.0
            .as_ref()
            .map_or(Some(false), |given| given.cast_exact::<PyBool>().ok().map(|flag| flag.is_true()))
    }
}

/// True if there is no argument, or it is a plain integer.
fn is_number(given: Option<&Bound<'_, PyAny>>) -> bool {
    given.is_none_or(|given| given.is_exact_instance_of::<PyInt>())
}

/// What a conversion with these options is cached as.
fn key<'py>(
    conversion: &Bound<'py, PyAny>,
    rounding: Option<&Bound<'py, PyAny>>,
    saturate: bool,
    relu: bool,
    packed: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if rounding.is_none() && !saturate && !relu && !packed {
        return Ok(conversion.clone());
    }
    (conversion, rounding, saturate, relu, packed).into_bound_py_any(conversion.py())
}
