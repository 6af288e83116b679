//! Block quantisation of arrays with recipes.

use numpy::{
    Element, PyArray1, PyArrayDescr, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use ptxcvt::literal::Reader;
use ptxcvt::{Format, counted, one_of};
use ptxcvt_blocks::{
    BlockError, Global, Input, Matrices, Matrix, Options, Parts, Recipe as Inner, from_swizzled,
    swizzled_len, to_swizzled,
};

use crate::arrays::unlocked;
use crate::error::{Number, Real, named, plain};
use crate::memory::{self, Fresh};
use crate::recipe::{Recipe, along, failed_for};

/// The bytes of a NumPy array in C order.
fn bytes<'a>(array: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    memory::bytes(array.cast::<PyUntypedArray>()?).ok_or_else(|| plain("expected a contiguous array"))
}

/// The numbers of an array of `format`.
fn matrix<'a>(
    numbers: &'a Bound<'_, PyAny>,
    format: &str,
    (rows, columns): (usize, usize),
) -> PyResult<Matrix<'a>> {
    Matrix::bytes(input(format)?, bytes(numbers)?, rows, columns).map_err(|e| failed_for("x", &e))
}

/// The input type for a format, or `None` if it cannot be quantised.
fn known(format: &str) -> Option<Input> {
    Format::from_name(format).and_then(Input::of)
}

fn unsupported(what: &str, format: &str) -> PyErr {
    plain(format!("cannot {what} {format}: expected {}", one_of(Input::ALL)))
}

fn input(format: &str) -> PyResult<Input> {
    known(format).ok_or_else(|| unsupported("quantise", format))
}

fn options(
    amax: Option<f32>,
    scale: Option<f32>,
    seed: Option<u64>,
    first: usize,
    threads: usize,
) -> Options {
    let global = match (amax, scale) {
        (_, Some(scale)) => Global::Scale(scale),
        // The user's values are checked in Python; Dask passes the measured magnitude, which may be NaN.
        (Some(amax), None) => Global::Measured(amax),
        (None, None) => Global::FromData,
    };
    Options { global, seed, first, threads, ..Options::default() }
}

type Made<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, bool);

/// The global scales that Python passes: none, a number, or an array of f32 with one for each row.
fn globals(given: &Bound<'_, PyAny>, of_rows: bool) -> PyResult<Vec<f32>> {
    if of_rows {
        let rows = given.cast::<PyArrayDyn<f32>>()?;
        return rows.to_vec().map_err(|_| plain("expected contiguous arrays"));
    }
    let global_scale: Option<Real> = given.extract()?;
    named!(global_scale);
    Ok(global_scale.into_iter().collect())
}

/// Returns (elements, scales, global scales, has_non_finite). Elements and scales have the shapes and dtypes of the
/// parts of `Quantized`.
#[pyfunction]
#[pyo3(name = "_quantize", signature = (
    recipe, numbers, format, transposed, global_amax, global_scale, seed, first, threads, /
))]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn quantize<'py>(
    py: Python<'py>,
    recipe: &Bound<'py, Recipe>,
    numbers: &Bound<'py, PyUntypedArray>,
    format: &str,
    transposed: bool,
    global_amax: Option<Real>,
    global_scale: Option<Real>,
    seed: Option<u64>,
    first: usize,
    threads: usize,
) -> PyResult<Made<'py>> {
    named!(global_amax, global_scale);
    let types = Recipe::part_types(recipe)?;
    let (recipe, along, shape) = (&recipe.get().0, along(transposed), numbers.shape());
    let matrices = recipe.matrices(shape, along).map_err(|e| failed_for("x", &e))?;
    let Matrices { count, rows, columns } = matrices;
    let all = matrix(numbers, format, (count * rows, columns))?;
    let (made_rows, made_columns) = matrices.quantized(along);
    let data_shape = recipe.part_shape(shape, along, (made_rows, recipe.row_bytes(made_columns)));
    let mut data = Fresh::new(&data_shape, types.data.bind(py))?;
    let mut scales = match &types.scales {
        // The layout stores scales among the elements.
        None => Fresh::new(&[0], &u8::get_dtype(py))?,
        Some(dtype) => {
            let scale_shape = recipe.scale_shape(made_rows, made_columns);
            Fresh::new(&recipe.part_shape(shape, along, scale_shape), dtype.bind(py))?
        }
    };
    let named = [(global_amax.is_some(), "global_amax"), (global_scale.is_some(), "global_scale")];
    let options = options(global_amax, global_scale, seed, first, threads);
    let made = {
        let (data, scales) = (data.bytes_mut(), scales.bytes_mut());
        unlocked(py, count * rows * columns, || {
            ptxcvt_blocks::quantize_array_into(recipe, &all, matrices, along, &options, data, scales)
        })
    };
    let (global, found) = made.map_err(|e: BlockError| {
        let of_global = matches!(
            e,
            BlockError::Global { .. } | BlockError::RowScaled { .. } | BlockError::ZeroScale { .. }
        );
        let given = named.iter().find(|(given, _)| *given && of_global);
        failed_for(given.map_or("x", |(_, name)| name), &e)
    })?;
    let global = match recipe.is_row_scaled() {
        false => global.first().into_bound_py_any(py)?,
        true => {
            let mut axes = recipe.part_shape(shape, along, (made_rows, 1));
            axes.pop();
            PyArray1::from_vec(py, global).reshape(axes)?.into_any()
        }
    };
    Ok((data.array(), scales.array(), global, found))
}

/// Checks a largest magnitude given by the user.
#[pyfunction]
#[pyo3(name = "_check_amax")]
pub fn check_amax(global_amax: Number) -> PyResult<()> {
    named!(global_amax);
    let read = Reader::number(Format::F32).read_f64(global_amax).expect("f32 has a code for every f64");
    let checked = Global::read_amax(&read).map(drop);
    checked.map_err(|why| plain(format!("global_amax={global_amax:?}: {why}")))
}

/// Returns the largest magnitude of a matrix; the recipe says what NaN does to it.
#[pyfunction]
#[pyo3(name = "_largest_magnitude")]
pub fn largest_magnitude(
    py: Python<'_>,
    recipe: &Recipe,
    numbers: &Bound<'_, PyAny>,
    format: &str,
    shape: (usize, usize),
) -> PyResult<f32> {
    let matrix = matrix(numbers, format, shape)?;
    let recipe = &recipe.0;
    Ok(unlocked(py, shape.0 * shape.1, || ptxcvt_blocks::largest_magnitude(recipe, &matrix)))
}

/// Dequantises bytes into a new array of `dtype`, which holds numbers of `format`. It has the shape of the array that
/// was quantised, with the last two axes swapped if that was transposed.
#[pyfunction]
#[pyo3(name = "_dequantize", signature = (recipe, data, scales, global_, shape, transposed, dtype, format, threads, /))]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn dequantize<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    data: &Bound<'py, PyUntypedArray>,
    scales: &Bound<'py, PyUntypedArray>,
    global_: &Bound<'py, PyAny>,
    shape: Vec<usize>,
    transposed: bool,
    dtype: &Bound<'py, PyArrayDescr>,
    format: &str,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (data_shape, scales_shape) = (data.shape(), scales.shape());
    let (data, scales) = (bytes(data)?, bytes(scales)?);
    let output = known(format).ok_or_else(|| unsupported("dequantise to", format))?;
    let (options, recipe, along) = (Options { threads, ..Options::default() }, &recipe.0, along(transposed));
    let failed = |e: BlockError| failed_for("quantized", &e);
    let matrices = recipe.matrices(&shape, along).map_err(failed)?;
    let (count, shape_of_one) = (matrices.count, matrices.quantized(along));
    let mut elements_shape = shape;
    if let (true, [.., rows, columns]) = (transposed, elements_shape.as_mut_slice()) {
        (*rows, *columns) = shape_of_one;
    }
    recipe.check_data(&elements_shape, data_shape).map_err(failed)?;
    // A list of scales is in the order of the elements.
    if scales_shape.len() != 1 {
        recipe.check_scales(&elements_shape, scales_shape).map_err(failed)?;
    }
    let global = globals(global_, recipe.is_row_scaled())?;
    let mut made = Fresh::new(&elements_shape, dtype)?;
    let result = made.bytes_mut();
    let outcome = unlocked(py, count * matrices.rows * matrices.columns, || {
        let parts = Parts { data, scales, global: &global, shape: shape_of_one };
        ptxcvt_blocks::dequantize_array_into(recipe, parts, count, output, &options, result)
    });
    outcome.map_err(failed)?;
    Ok(made.array())
}

/// Reorders one-byte scales from rows to the 128x4 order that tensor cores read, or `back` to rows.
#[pyfunction]
#[pyo3(name = "_swizzle")]
pub fn swizzle<'py>(
    py: Python<'py>,
    scales: PyReadonlyArray1<'py, u8>,
    rows: usize,
    columns: usize,
    back: bool,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let scales = scales.as_slice().map_err(|_| plain("expected contiguous arrays"))?;
    let expected = if back { swizzled_len(rows, columns) } else { rows.checked_mul(columns) };
    if expected != Some(scales.len()) {
        let expected =
            expected.map_or("more than memory can address".to_owned(), |expected| expected.to_string());
        let message = format!(
            "{} for a shape of {rows} by {columns}: expected {expected}",
            counted(scales.len(), "scale")
        );
        return Err(plain(message));
    }
    let made = if back { from_swizzled(scales, rows, columns) } else { to_swizzled(scales, rows, columns) };
    Ok(PyArray1::from_vec(py, made))
}

/// The number of scales in the swizzled order, padding included. Fails if it is more than memory can address.
#[pyfunction]
#[pyo3(name = "_swizzled_len")]
pub fn swizzled_size(rows: usize, columns: usize) -> PyResult<usize> {
    swizzled_len(rows, columns).ok_or_else(|| plain("more scales than memory can address"))
}

/// The codes of stored elements, one byte each.
#[pyfunction]
#[pyo3(name = "_codes")]
pub fn codes<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    data: PyReadonlyArray1<'py, u8>,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let data = data.as_slice().map_err(|_| plain("expected contiguous arrays"))?;
    let codes = recipe.0.codes(data).map_err(|e| failed_for("data", &e))?;
    Ok(PyArray1::from_vec(py, codes))
}

/// Compares the bytes of two recipes on a matrix whose first element has the index `first` in the whole
/// array.
#[pyfunction]
#[pyo3(name = "_compare")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn compare<'py>(
    py: Python<'py>,
    recipes: (Recipe, Recipe),
    numbers: &Bound<'py, PyAny>,
    format: &str,
    shape: (usize, usize),
    amaxes: (Option<f32>, Option<f32>),
    seed: Option<u64>,
    first: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = matrix(numbers, format, shape)?;
    let (a, b) = (&recipes.0.0, &recipes.1.0);
    let own = |recipe: &Inner, amax: Option<f32>| {
        let amax = amax.filter(|_| recipe.has_global_scale());
        options(amax, None, seed.filter(|_| recipe.is_random()), first, threads)
    };
    let own = [own(a, amaxes.0), own(b, amaxes.1)];
    let found =
        unlocked(py, shape.0 * shape.1, || ptxcvt_blocks::compare([a, b], &matrix, [&own[0], &own[1]]));
    let found = found.map_err(|e| failed_for("x", &e))?;
    let answer = PyDict::new(py);
    let counts = serde_json::to_value(found.counts).expect("numbers by name");
    for (name, number) in counts.as_object().expect("a struct") {
        answer.set_item(name, number.as_u64().expect("a number of things"))?;
    }
    answer.set_item("equal", found.counts.is_equal())?;
    answer.set_item("first", found.first.map(|first| (first.block, first.element)))?;
    Ok(answer)
}
