//! Arrays: bytes in memory order in, bytes out, without the interpreter's lock.

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use ptxcvt::Format;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt_bulk::{Array, BulkError, Column, ColumnMut, NonFinite, Plan};

use crate::error::{bulk, plain, refused};
use crate::form::Form;

/// With fewer bytes than this, releasing the interpreter's lock takes longer than the work.
const SHORT: usize = 1 << 14;

/// An operand besides the elements, or one of several operand columns.
#[derive(FromPyObject)]
pub enum Operand<'py> {
    /// One operand for every instruction.
    #[pyo3(transparent)]
    Value(u64),
    /// One operand for each instruction, as bytes.
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
    bytes.as_slice().map_err(|_| plain("expected a contiguous array of bytes"))
}

/// Runs without the interpreter lock if the work is long enough.
pub fn unlocked<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < SHORT { work() } else { py.detach(work) }
}

/// Runs one instruction for each element of the columns.
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
    let result = result.as_slice_mut().map_err(|_| plain("expected a contiguous result"))?;
    let plan = Plan::new(form.0);
    let outcome = unlocked(py, result.len(), move || plan.run(&given[..count], ColumnMut::Bytes(result)));
    outcome.map_err(|e| bulk(&e))
}

/// Converts elements in memory order with one form. Returns true if `watch` is set and NaN or infinity is among the
/// elements. With `rows`, the array consists of rows of that many
/// elements, and `firsts` has the index of each row's first element in the whole array.
#[pyfunction]
#[pyo3(name = "_elements", signature = (form, elements, extra, result, spread, threads, firsts, rows, watch, /))]
#[allow(clippy::too_many_arguments)] // The only caller is in Python; a class would be needed in both languages.
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
    watch: bool,
) -> PyResult<bool> {
    let extra = extra.as_ref().map(Operand::column).transpose()?;
    let elements = slice(&elements)?;
    let result = result.as_slice_mut().map_err(|_| plain("expected a contiguous result"))?;
    let plan = Plan::new(form.0);
    let outcome = unlocked(py, elements.len(), move || match rows {
        None => {
            let first = firsts.first().copied().unwrap_or(0);
            let array = Array { elements, extra, result, spread, first };
            if watch {
                watched(&plan, array, threads)
            } else {
                plan.run_array_on(array, threads).map(|()| false)
            }
        }
        Some(rows) => {
            each_row(&plan, elements, extra, result, (spread, rows), &firsts)?;
            Ok(watch && has_non_finite(&plan, elements, 1))
        }
    });
    outcome.map_err(|e| bulk(&e))
}

/// Converts an array, and returns whether NaN or infinity is among its elements.
fn watched(plan: &Plan, array: Array<'_>, threads: usize) -> Result<bool, BulkError> {
    /// Elements that are searched and then converted: few enough to stay in a core's cache in between.
    const PIECE: usize = 1 << 15;
    let width = plan.form().source().format().storage() as usize / 8;
    let Array { elements, extra, result, spread, first } = array;
    let count = elements.len().checked_div(width).unwrap_or(0);
    let in_bits = (result.len() * 8).checked_div(count).unwrap_or(0);
    let fits = count > PIECE && count * width == elements.len() && count * in_bits == result.len() * 8;
    if threads != 1 || !fits || matches!(extra, Some(Column::Bytes(_))) {
        let found = has_non_finite(plan, elements, threads);
        plan.run_array_on(Array { elements, extra, result, spread, first }, threads)?;
        return Ok(found);
    }
    let pieces = elements.chunks(PIECE * width).zip(result.chunks_mut(PIECE * in_bits / 8));
    pieces.enumerate().try_fold(false, |found, (number, (elements, result))| {
        let found = found || has_non_finite(plan, elements, 1);
        let first = first + (number * PIECE) as u64;
        plan.run_array(Array { elements, extra, result, spread, first })?;
        Ok(found)
    })
}

/// True if NaN or infinity is among the elements; searches on as many threads as the conversion uses.
fn has_non_finite(plan: &Plan, elements: &[u8], threads: usize) -> bool {
    /// The smallest part of a thread, so that starting the thread costs little in comparison.
    const LEAST: usize = 1 << 20;
    let format = plan.form().source().format();
    let found = |part: &[u8]| !NonFinite::count(format, part, 0).is_empty();
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let part = elements.len().div_ceil(threads).next_multiple_of(LEAST);
    if part >= elements.len() {
        return found(elements);
    }
    std::thread::scope(|scope| {
        let parts: Vec<_> = elements.chunks(part).map(|part| scope.spawn(move || found(part))).collect();
        let join = |part: std::thread::ScopedJoinHandle<'_, bool>| {
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parts.into_iter().map(join).fold(false, |any, one| any | one)
    })
}

/// The NaN and infinities of an array in C order, as text, and the index of the first; None if there are none.
#[pyfunction]
#[pyo3(name = "_non_finite", signature = (format, elements, /))]
pub fn non_finite(format: &str, elements: PyReadonlyArray1<'_, u8>) -> PyResult<Option<(String, u64)>> {
    let format = Format::read(format).map_err(|refusal| refused(&refusal))?;
    let found = NonFinite::count(format, slice(&elements)?, 0);
    Ok(found.first().map(|first| (found.to_string(), first)))
}

/// Converts rows that are not adjacent in the whole array.
fn each_row(
    plan: &Plan,
    elements: &[u8],
    extra: Option<Column<'_>>,
    result: &mut [u8],
    (spread, rows): (bool, usize),
    firsts: &[u64],
) -> Result<(), BulkError> {
    let count = firsts.len().max(1);
    assert_eq!(elements.len() % count, 0, "{rows} elements a row");
    let sources = elements.chunks_exact((elements.len() / count).max(1));
    let results = result.chunks_exact_mut((result.len() / count).max(1));
    for ((elements, result), first) in sources.zip(results).zip(firsts) {
        plan.run_array(Array { elements, extra, result, spread, first: *first })?;
    }
    Ok(())
}

/// The seed of conversion `n` of a chain; the first one uses the seed itself.
#[pyfunction]
#[pyo3(name = "_seed_of")]
pub fn seed_of(seed: u64, stage: usize) -> u64 {
    ptxcvt_bulk::seed_of(seed, "", stage)
}
