//! Arrays: bytes in memory order in, bytes out, without the interpreter's lock.

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use ptxcvt::Format;
use ptxcvt::forms::Role;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt_bulk::{BulkError, Chain, ChainArray, Column, ColumnMut, NonFinite, Plan, Spread, Stores};

use crate::error::{bulk, plain};
use crate::form::Form;

/// Below this number of bytes, releasing the interpreter's lock takes longer than the work.
const SHORT: usize = 1 << 14;

/// An extra operand (random bits, scale or c), or one of several operand columns.
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

/// Releases the interpreter's lock while `work` runs, if the work is long enough.
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

/// A chain of conversions, each of which reads the results of the previous one.
#[pyclass(frozen, module = "ptxcvt", name = "_Chain")]
#[derive(Debug)]
pub struct Chained {
    chain: Chain,
    /// The chain for results in newly allocated memory.
    fresh: Chain,
    /// True if the input is searched for NaN and infinity, because the chain would convert them to finite numbers.
    pub watched: bool,
    pub source: Format,
    /// For each conversion, whether it needs random bits.
    random: Vec<bool>,
}

#[pymethods]
impl Chained {
    #[new]
    fn new(forms: Vec<Form>) -> PyResult<Self> {
        let forms: Vec<_> = forms.into_iter().map(|form| form.0).collect();
        let Some(first) = forms.first() else { return Err(plain("no conversion")) };
        let watched = forms.iter().any(ptxcvt::Form::limits_infinity);
        let chain = Chain::new(&forms);
        let fresh = chain.clone().with_stores(Stores::Cached);
        let random = forms
            .iter()
            .map(|form| form.extra().is_some_and(|extra| extra.role == Role::RandomBits))
            .collect();
        Ok(Chained { chain, fresh, watched, source: first.source().format(), random })
    }

    /// Converts elements in memory order. Returns true if the chain is watched and the elements contain NaN or
    /// infinity. `spread`: whether 4-bit numbers of the source, and of the result, have a byte each. `fresh`: whether
    /// the result has just been allocated. `firsts` has the index of the first element of each row of the array.
    #[pyo3(signature = (elements, extras, result, fresh, spread, threads, firsts, /))]
    #[allow(clippy::too_many_arguments)] // The only callers are in Python; a class would be needed in both languages.
    fn run(
        &self,
        py: Python<'_>,
        elements: PyReadonlyArray1<'_, u8>,
        extras: Vec<Option<Operand<'_>>>,
        mut result: PyReadwriteArray1<'_, u8>,
        fresh: bool,
        spread: (bool, bool),
        threads: usize,
        firsts: Option<Vec<u64>>,
    ) -> PyResult<bool> {
        let columns = extras.iter().map(|extra| extra.as_ref().map(Operand::column).transpose());
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        let elements = slice(&elements)?;
        let result = result.as_slice_mut().map_err(|_| plain("expected a contiguous result"))?;
        let spread = Spread { source: spread.0, result: spread.1 };
        let array = ChainArray { elements, extras: &columns, result, spread, first: 0 };
        let outcome = unlocked(py, elements.len(), move || match firsts {
            None => self.convert_to(array, fresh, threads),
            Some(firsts) => self.each_row(if fresh { &self.fresh } else { &self.chain }, array, &firsts),
        });
        outcome.map_err(|e| bulk(&e))
    }
}

impl Chained {
    /// The random bits of each conversion. None if the seed is missing, or if there is a seed and no conversion needs
    /// it.
    pub fn random(&self, seed: Option<u64>) -> Option<Vec<Option<Column<'static>>>> {
        if self.random.contains(&true) != seed.is_some() {
            return None;
        }
        let Some(seed) = seed else { return Some(Vec::new()) };
        let column = |stage| Column::Random { seed: seed_of(seed, stage), first: 0 };
        Some(self.random.iter().enumerate().map(|(stage, random)| random.then(|| column(stage))).collect())
    }

    /// Converts an array. Returns true if the chain is watched and the elements contain NaN or infinity. `fresh`:
    /// whether the result has just been allocated.
    pub fn convert_to(&self, array: ChainArray<'_>, fresh: bool, threads: usize) -> Result<bool, BulkError> {
        self.convert(if fresh { &self.fresh } else { &self.chain }, array, threads)
    }

    fn convert(&self, chain: &Chain, array: ChainArray<'_>, threads: usize) -> Result<bool, BulkError> {
        if self.watched {
            chain.run_watched(array, threads)
        } else {
            chain.run_on(array, threads).map(|()| false)
        }
    }

    /// Converts rows that are not adjacent in the whole array.
    fn each_row(&self, chain: &Chain, array: ChainArray<'_>, firsts: &[u64]) -> Result<bool, BulkError> {
        let ChainArray { elements, extras, result, spread, .. } = array;
        assert!(!firsts.is_empty() || elements.is_empty(), "each row has an index");
        let count = firsts.len().max(1);
        assert!(elements.len() % count == 0 && result.len() % count == 0, "rows of one length");
        let sources = elements.chunks_exact((elements.len() / count).max(1));
        let results = result.chunks_exact_mut((result.len() / count).max(1));
        for ((elements, result), first) in sources.zip(results).zip(firsts) {
            chain.run(ChainArray { elements, extras, result, spread, first: *first })?;
        }
        Ok(self.watched && !NonFinite::count(self.source, elements, 0).is_empty())
    }
}

/// The numbers of NaN and infinities of an array in C order as text, and the index of the first. None if there are
/// none.
#[pyfunction]
#[pyo3(name = "_non_finite", signature = (format, elements, /))]
pub fn non_finite(format: &str, elements: PyReadonlyArray1<'_, u8>) -> PyResult<Option<(String, u64)>> {
    let format = format.parse::<Format>().map_err(|unknown| plain(unknown.to_string()))?;
    let found = NonFinite::count(format, slice(&elements)?, 0);
    Ok(found.first().map(|first| (found.to_string(), first)))
}

/// The seed of conversion `n` of a chain; the first one uses the seed itself.
#[pyfunction]
#[pyo3(name = "_seed_of")]
pub fn seed_of(seed: u64, stage: usize) -> u64 {
    ptxcvt_bulk::seed_of(seed, "", stage)
}
