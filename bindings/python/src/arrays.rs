//! Arrays: bytes in memory order in, bytes out, without the interpreter's lock.

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use ptxcvt::bulk::{Array, BulkError, Column, ColumnMut, Plan};
use ptxcvt::inputs::MAX_OPERANDS;

use crate::error::{bulk, plain};
use crate::form::Form;

/// Work on fewer bytes than this is done before another thread could take over.
const SHORT: usize = 1 << 14;

/// An operand beside or instead of elements.
#[derive(FromPyObject)]
pub enum Operand<'py> {
    /// The same for every instruction.
    #[pyo3(transparent)]
    Value(u64),
    /// One each, as bytes.
    #[pyo3(transparent)]
    Each(PyReadonlyArray1<'py, u8>),
    /// The seed of random bits, and the index of the first instruction.
    #[pyo3(transparent)]
    Seed((u64, u64)),
}

impl Operand<'_> {
    fn column(&self) -> PyResult<Column<'_>> {
        Ok(match self {
            Operand::Value(value) => Column::Value(*value),
            Operand::Each(bytes) => Column::Bytes(slice(bytes)?),
            Operand::Seed((seed, first)) => Column::Random { seed: *seed, first: *first },
        })
    }
}

fn slice<'a>(bytes: &'a PyReadonlyArray1<'_, u8>) -> PyResult<&'a [u8]> {
    bytes.as_slice().map_err(|_| plain("a contiguous array of bytes is needed"))
}

/// Runs without the lock where that is worth it.
pub fn unlocked<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < SHORT { work() } else { py.detach(work) }
}

/// One instruction for each element of the columns.
#[pyfunction]
#[pyo3(name = "_columns", signature = (form, operands, result, /))]
pub fn columns(
    py: Python<'_>,
    form: Form,
    operands: Vec<Operand<'_>>,
    mut result: PyReadwriteArray1<'_, u8>,
) -> PyResult<()> {
    let mut given = [Column::Value(0); MAX_OPERANDS];
    let count = operands.len().min(MAX_OPERANDS);
    for (column, operand) in given.iter_mut().zip(&operands) {
        *column = operand.column()?;
    }
    let result = result.as_slice_mut().map_err(|_| plain("a contiguous result is needed"))?;
    let plan = Plan::new(form.0);
    let outcome = unlocked(py, result.len(), move || plan.run(&given[..count], ColumnMut::Bytes(result)));
    outcome.map_err(|e| bulk(&e))
}

/// Elements in memory order through one form. Where `rows` is given, the array is rows of that many elements each,
/// and `firsts` has the index of every row's first element in the array of which this is a part.
#[pyfunction]
#[pyo3(name = "_elements", signature = (form, elements, extra, result, spread, threads, firsts, rows, /))]
#[allow(clippy::too_many_arguments)] // One caller, in Python; a class for it would be written twice.
pub fn elements(
    py: Python<'_>,
    form: Form,
    elements: PyReadonlyArray1<'_, u8>,
    extra: Option<Operand<'_>>,
    mut result: PyReadwriteArray1<'_, u8>,
    spread: bool,
    threads: usize,
    firsts: Vec<u64>,
    rows: Option<usize>,
) -> PyResult<()> {
    let extra = extra.as_ref().map(Operand::column).transpose()?;
    let elements = slice(&elements)?;
    let result = result.as_slice_mut().map_err(|_| plain("a contiguous result is needed"))?;
    let plan = Plan::new(form.0);
    let outcome = unlocked(py, elements.len(), move || match rows {
        None => {
            let first = firsts.first().copied().unwrap_or(0);
            plan.run_array_on(Array { elements, extra, result, spread, first }, threads)
        }
        Some(rows) => each_row(&plan, elements, extra, result, (spread, rows), &firsts),
    });
    outcome.map_err(|e| bulk(&e))
}

/// Rows that lie apart in the array that they are parts of.
fn each_row(
    plan: &Plan,
    elements: &[u8],
    extra: Option<Column<'_>>,
    result: &mut [u8],
    (spread, rows): (bool, usize),
    firsts: &[u64],
) -> Result<(), BulkError> {
    let count = firsts.len().max(1);
    debug_assert_eq!(elements.len() % count, 0, "{rows} elements a row");
    let sources = elements.chunks_exact((elements.len() / count).max(1));
    let results = result.chunks_exact_mut((result.len() / count).max(1));
    for ((elements, result), first) in sources.zip(results).zip(firsts) {
        plan.run_array(Array { elements, extra, result, spread, first: *first })?;
    }
    Ok(())
}

/// The seed of a conversion's own random bits: those of the first of a chain are the seed's.
#[pyfunction]
#[pyo3(name = "_seed_of")]
pub fn seed_of(seed: u64, stage: usize) -> u64 {
    ptxcvt::bulk::seed_of(seed, "", stage)
}
