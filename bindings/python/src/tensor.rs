//! The fast path for PyTorch: a conversion that was parsed before, applied to a contiguous tensor on the CPU.
//!
//! Results are stored in NumPy arrays, which reuse memory if they are large, and become tensors by `torch.from_numpy`.

use numpy::PyArrayDescr;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use ptxcvt_bulk::{ChainArray, Spread};

use crate::arrays::{Chained, unlocked};
use crate::error::bulk;
use crate::memory::{self, Fresh};
use crate::quick::{Kept, count_of};

/// A parsed conversion for tensors of one dtype.
#[pyclass(frozen, module = "ptxcvt", name = "_QuickTensor")]
#[derive(Debug)]
struct Quick {
    chain: Py<Chained>,
    /// PyTorch's dtype of the elements.
    source: Py<PyAny>,
    /// The dtype of the result's NumPy array, which PyTorch can read.
    array: Py<PyArrayDescr>,
    /// PyTorch's dtype of the results, if it differs from that of `array`.
    result: Option<Py<PyAny>>,
    /// The function that warns of NaN and infinity. It takes the format's name and the tensor.
    warn: Py<PyAny>,
}

static KNOWN: Kept = Kept::new();

/// The objects of PyTorch that a call uses.
struct Torch {
    tensor: Py<PyAny>,
    parameter: Py<PyAny>,
    from_numpy: Py<PyAny>,
    is_tracing: Py<PyAny>,
    count_modes: Py<PyAny>,
}

static TORCH: PyOnceLock<Torch> = PyOnceLock::new();

impl Torch {
    fn load(py: Python<'_>) -> PyResult<Self> {
        let torch = py.import("torch")?;
        let native = torch.getattr("_C")?;
        Ok(Torch {
            tensor: torch.getattr("Tensor")?.unbind(),
            parameter: torch.getattr("nn")?.getattr("Parameter")?.unbind(),
            from_numpy: torch.getattr("from_numpy")?.unbind(),
            is_tracing: native.getattr("_is_tracing")?.unbind(),
            count_modes: native.getattr("_len_torch_dispatch_stack")?.unbind(),
        })
    }

    /// True if `x` is a plain tensor or parameter, and PyTorch neither traces operators nor replaces them.
    fn is_plain(&self, x: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = x.py();
        let class = x.get_type();
        Ok((class.is(&self.tensor) || class.is(&self.parameter))
            && !self.is_tracing.call0(py)?.is_truthy(py)?
            && self.count_modes.call0(py)?.extract::<usize>(py)? == 0)
    }
}

/// Caches a conversion from one dtype of tensors to another, with one element per item and no other operands.
#[pyfunction]
#[pyo3(name = "_keep_tensor", signature = (conversion, chain, source, array, result, warn, /))]
pub fn keep_tensor(
    conversion: &Bound<'_, PyAny>,
    chain: Py<Chained>,
    source: Py<PyAny>,
    array: Py<PyArrayDescr>,
    result: Option<Py<PyAny>>,
    warn: Py<PyAny>,
) -> PyResult<()> {
    let py = conversion.py();
    TORCH.get_or_try_init(py, || Torch::load(py))?;
    KNOWN.keep(conversion, Py::new(py, Quick { chain, source, array, result, warn })?)
}

/// Converts a tensor. Returns None if the conversion is not cached, or the tensor needs preparation.
#[pyfunction]
#[pyo3(name = "_quick_tensor", signature = (conversion, x, threads, /))]
pub fn quick_tensor<'py>(
    conversion: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    threads: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let Some(torch) = TORCH.get(py) else { return Ok(None) };
    if !torch.is_plain(x)? {
        return Ok(None);
    }
    let Some(known) = KNOWN.get(conversion) else { return Ok(None) };
    let known = known.cast::<Quick>()?.get();
    let chain = known.chain.get();
    let (Some(threads), Some(extras)) = (count_of(threads), chain.random(None)) else { return Ok(None) };
    // Tensors of `torch.func`, tensors without memory and nested tensors fail here and take the general path.
    let (Ok(Some(elements)), Ok(shape)) = (elements(x, known), shape(x)) else { return Ok(None) };
    let mut made = Fresh::new(&shape, known.array.bind(py))?;
    let spread = Spread { source: true, result: true };
    let array = ChainArray { elements, extras: &extras, result: made.bytes_mut(), spread, first: 0 };
    if unlocked(py, elements.len(), || chain.convert_to(array, true, threads)).map_err(|e| bulk(&e))? {
        known.warn.call1(py, (chain.source.name(), x))?;
    }
    let made = torch.from_numpy.bind(py).call1((made.array(),))?;
    let made = match &known.result {
        Some(result) => made.call_method1(intern!(py, "view"), (result,))?,
        None => made,
    };
    Ok(Some(made))
}

/// True for a contiguous tensor in the CPU's memory, of PyTorch's own class, while PyTorch neither traces
/// operators nor replaces them.
#[pyfunction]
#[pyo3(name = "_is_plain_tensor", signature = (x, /))]
pub fn is_plain_tensor(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = x.py();
    let torch = TORCH.get_or_try_init(py, || Torch::load(py))?;
    // As in `quick_tensor`, other kinds of tensors fail in one of these calls.
    let is_plain = || -> PyResult<bool> {
        Ok(!x.call_method0(intern!(py, "is_neg"))?.is_truthy()?
            && memory::tensor_bytes(x)?.is_some()
            && shape(x).is_ok())
    };
    Ok(torch.is_plain(x)? && is_plain().unwrap_or(false))
}

/// The lengths of a tensor's axes. Nested tensors have none.
fn shape(x: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    x.getattr(intern!(x.py(), "shape"))?.extract()
}

/// The bytes of a contiguous tensor of the expected dtype. `None` for other tensors and for lazy negations (`is_neg`).
fn elements<'a>(x: &'a Bound<'_, PyAny>, known: &Quick) -> PyResult<Option<&'a [u8]>> {
    let py = x.py();
    let plain = x.getattr(intern!(py, "dtype"))?.is(&known.source)
        && !x.call_method0(intern!(py, "is_neg"))?.is_truthy()?;
    if plain { memory::tensor_bytes(x) } else { Ok(None) }
}
