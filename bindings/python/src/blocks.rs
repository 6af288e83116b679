//! Block quantisation: recipes, and matrices that are quantised with them.

use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use ptxcvt::{Format, counted};
use ptxcvt_blocks::{
    BlockError, BlocksAlong, Global, Input, Matrix, Options, Quantized, Recipe as Inner, from_swizzled,
    swizzled_len, to_swizzled,
};
use ptxcvt_report::quantize::Counts;
use ptxcvt_report::recipes::RecipeReport;

use crate::arrays::unlocked;
use crate::error::{Whole, error, plain};

/// A recipe: how a library quantises in blocks, byte for byte.
///
/// >>> from ptxcvt import Recipe
/// >>> recipe = Recipe("mx-rceil/e4m3")
/// >>> recipe.element, recipe.block, recipe.scale, recipe.lines[:2]
/// ('e4m3', (1, 32), 'ue8m0', ['t = amax / max', 's = cvt.rp.satfinite.ue8m0x2.f32(t)'])
#[pyclass(frozen, from_py_object, module = "ptxcvt")]
#[derive(Debug, Clone)]
pub struct Recipe(Inner);

#[pymethods]
impl Recipe {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        ptxcvt_files::quantize::recipe(name).map(Recipe).map_err(|e| {
            // The library's advice speaks of the command.
            error(
                None,
                e.to_string(),
                &["ptxcvt.recipes() lists them; a name ending in .toml is a file".to_owned()],
            )
        })
    }

    /// A recipe of your own, from TOML; docs/blocks.md has an example.
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Self> {
        Inner::from_toml(text).map(Recipe).map_err(|e| plain(e.to_string()))
    }

    /// The recipe as TOML.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// Recipes are equal if they have one name and make the same bytes. A recipe equals its name if the table has it.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(other) = other.cast::<Recipe>() {
            let other = &other.get().0;
            return self.0.name() == other.name() && self.0.digest() == other.digest();
        }
        let named = other.extract::<String>().is_ok_and(|name| name == self.0.name());
        named && Inner::named(self.0.name()).is_ok_and(|own| own.digest() == self.0.digest())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.0.name().into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Recipe>().getattr("from_toml")?, (self.0.to_toml(),)))
    }

    fn __str__(&self) -> &str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("Recipe('{}')", self.0.name())
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// A one-line description.
    #[getter]
    fn about(&self) -> &str {
        self.0.about()
    }

    /// The library that quantises like this.
    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    /// The evidence that its bytes match the library's.
    #[getter]
    fn confirmed(&self) -> &str {
        self.0.confirmed()
    }

    /// The elements' format.
    #[getter]
    fn element(&self) -> &'static str {
        self.0.element().name()
    }

    /// The scales' format.
    #[getter]
    fn scale(&self) -> &'static str {
        self.0.scale().name()
    }

    /// Rows and columns of a block.
    #[getter]
    fn block(&self) -> (usize, usize) {
        (self.0.block().rows, self.0.block().columns)
    }

    /// Whether the whole tensor has a scale in addition to its blocks.
    #[getter]
    fn global_scale(&self) -> bool {
        self.0.has_global_scale()
    }

    /// Whether it rounds with random bits and therefore needs a seed.
    #[getter]
    fn random(&self) -> bool {
        self.0.is_random()
    }

    /// Whether scales are stored among the elements.
    #[getter]
    fn inline_scales(&self) -> bool {
        self.0.scale_bytes() == 0
    }

    /// How elements and scales are stored: "rows", "rows-high-first", "packed", "gguf" or "gguf-nvfp4".
    #[getter]
    fn layout(&self) -> &'static str {
        RecipeReport::new(&self.0).layout
    }

    /// Its operations, in order.
    #[getter]
    fn lines(&self) -> Vec<String> {
        self.0.quantize_lines().map(str::to_owned).collect()
    }

    /// The operations of dequantising.
    #[getter]
    fn back(&self) -> Vec<String> {
        self.0.dequantize_lines().map(str::to_owned).collect()
    }

    /// The bytes of a row with this many elements.
    fn row_bytes(&self, columns: Whole) -> usize {
        self.0.row_bytes(columns.size())
    }

    /// The elements of a row of this many bytes.
    fn row_columns(&self, bytes: Whole) -> usize {
        self.0.row_columns(bytes.size())
    }

    /// The matrices of an array of this shape, which are quantised one by one: how many, their rows, their columns. Blocks
    /// lie along the last axis or, with `columns`, along the one before.
    fn matrices(&self, shape: Vec<Whole>, columns: bool) -> PyResult<(usize, usize, usize)> {
        let shape: Vec<usize> = shape.into_iter().map(Whole::size).collect();
        let along = if columns { BlocksAlong::Columns } else { BlocksAlong::Rows };
        let matrices = self.0.matrices(&shape, along).map_err(|e| failed(&e))?;
        Ok((matrices.count, matrices.rows, matrices.columns))
    }

    /// Rows and columns of the scales of a matrix.
    fn scale_shape(&self, rows: Whole, columns: Whole) -> (usize, usize) {
        self.0.scale_shape(rows.size(), columns.size())
    }
}

/// Every recipe.
#[pyfunction]
pub fn recipes() -> Vec<Recipe> {
    Inner::all().map(Recipe).collect()
}

fn failed(e: &BlockError) -> PyErr {
    error(None, e.to_string(), &[])
}

fn matrix<'a>(
    bytes: &'a PyReadonlyArray1<'_, u8>,
    format: &str,
    (rows, columns): (usize, usize),
) -> PyResult<Matrix<'a>> {
    let input = input(format)?;
    let bytes = bytes.as_slice().map_err(|_| plain("expected a contiguous array of bytes"))?;
    Matrix::bytes(input, bytes, rows, columns).map_err(|e| failed(&e))
}

fn input(format: &str) -> PyResult<Input> {
    Format::from_name(format)
        .and_then(Input::of)
        .ok_or_else(|| plain(format!("cannot quantise {format}: expected f32, bf16 or f16")))
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

type Made<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u8>>, Option<f32>, bool);

/// Returns the bytes of the elements, those of the scales, the global scale, and whether NaN or infinity is in the input.
#[pyfunction]
#[pyo3(name = "_quantize")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn quantize<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    bytes: PyReadonlyArray1<'py, u8>,
    format: &str,
    matrices: (usize, usize, usize),
    amax: Option<f32>,
    scale: Option<f32>,
    seed: Option<u64>,
    first: usize,
    threads: usize,
    transposed: bool,
) -> PyResult<Made<'py>> {
    let (count, rows, columns) = matrices;
    let all = matrix(&bytes, format, (count * rows, columns))?;
    let (recipe, mut options) = (&recipe.0, options(amax, scale, seed, first, threads));
    let made = unlocked(py, count * rows * columns, || {
        // The scale of the whole tensor is that of all its matrices.
        if count != 1 && recipe.has_global_scale() && options.global == Global::FromData {
            options.global = Global::Measured(ptxcvt_blocks::largest_magnitude(recipe, &all));
        }
        let (mut data, mut scales, mut global, mut found) = (Vec::new(), Vec::new(), None, false);
        // An array without matrices has a global scale, too.
        for number in 0..count.max(1) {
            let part = all.part(number * rows, all.rows().min((number + 1) * rows));
            let part = if transposed { part.transposed() } else { part };
            let options = Options { first: first + number * rows * columns, ..options };
            let made = ptxcvt_blocks::quantize(recipe, &part, &options)?;
            found |= !made.non_finite.is_empty();
            global = made.global;
            if count == 1 {
                (data, scales) = (made.data, made.scales);
            } else {
                data.extend(made.data);
                scales.extend(made.scales);
            }
        }
        Ok((data, scales, global, found))
    });
    let (data, scales, global, found) = made.map_err(|e: BlockError| failed(&e))?;
    Ok((PyArray1::from_vec(py, data), PyArray1::from_vec(py, scales), global, found))
}

/// Checks a largest magnitude given by the user.
#[pyfunction]
#[pyo3(name = "_check_amax")]
pub fn check_amax(amax: f32) -> PyResult<()> {
    Global::Amax(amax).check().map_err(|e| failed(&e))
}

/// Returns the largest magnitude of a matrix by the recipe's rule for NaN.
#[pyfunction]
#[pyo3(name = "_largest_magnitude")]
pub fn largest_magnitude(
    py: Python<'_>,
    recipe: &Recipe,
    bytes: PyReadonlyArray1<'_, u8>,
    format: &str,
    shape: (usize, usize),
) -> PyResult<f32> {
    let matrix = matrix(&bytes, format, shape)?;
    let recipe = &recipe.0;
    Ok(unlocked(py, shape.0 * shape.1, || ptxcvt_blocks::largest_magnitude(recipe, &matrix)))
}

/// Writes the values of quantised bytes into the caller's array.
#[pyfunction]
#[pyo3(name = "_dequantize")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn dequantize(
    py: Python<'_>,
    recipe: &Recipe,
    data: PyReadonlyArray1<'_, u8>,
    scales: PyReadonlyArray1<'_, u8>,
    global: Option<f32>,
    matrices: (usize, usize, usize),
    elements_shape: Vec<usize>,
    scales_shape: Vec<usize>,
    mut result: PyReadwriteArray1<'_, u8>,
    format: &str,
    threads: usize,
) -> PyResult<()> {
    let contiguous = |_| plain("expected contiguous arrays");
    let (data, scales) = (data.as_slice().map_err(contiguous)?, scales.as_slice().map_err(contiguous)?);
    let output = input(format)?;
    let result = result.as_slice_mut().map_err(contiguous)?;
    let (options, recipe) = (Options { threads, ..Options::default() }, &recipe.0);
    let (count, rows, columns) = matrices;
    recipe.check_scales(&elements_shape, &scales_shape).map_err(|e| failed(&e))?;
    if data.len() % count.max(1) != 0 || scales.len() % count.max(1) != 0 {
        return Err(plain(format!("data and scales are not those of {count} matrices of equal size")));
    }
    let outcome = unlocked(py, count * rows * columns, || {
        let parts =
            [data.len(), scales.len(), result.len()].map(|length| length.checked_div(count).unwrap_or(0));
        (0..count).try_for_each(|n| {
            let part = |bytes: &[u8], length: usize| bytes[n * length..(n + 1) * length].to_vec();
            let (data, scales) = (part(data, parts[0]), part(scales, parts[1]));
            let quantized = Quantized::new(data, scales, global, (rows, columns));
            let result = &mut result[n * parts[2]..(n + 1) * parts[2]];
            ptxcvt_blocks::dequantize_into(recipe, &quantized, output, &options, result)
        })
    });
    outcome.map_err(|e| failed(&e))
}

/// Scales of one byte, row by row, in the 128x4 order that tensor cores read; `back` is the opposite.
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
    let expected = if back { swizzled_len(rows, columns) } else { rows * columns };
    if scales.len() != expected {
        let message = format!(
            "{} for a shape of {rows} by {columns}: expected {expected}",
            counted(scales.len(), "scale")
        );
        return Err(plain(message));
    }
    let made = if back { from_swizzled(scales, rows, columns) } else { to_swizzled(scales, rows, columns) };
    Ok(PyArray1::from_vec(py, made))
}

/// Compares the bytes of two recipes on a matrix whose first element has the index `first` in the whole
/// array.
#[pyfunction]
#[pyo3(name = "_compare")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn compare<'py>(
    py: Python<'py>,
    recipes: (Recipe, Recipe),
    bytes: PyReadonlyArray1<'py, u8>,
    format: &str,
    shape: (usize, usize),
    amaxes: (Option<f32>, Option<f32>),
    seed: Option<u64>,
    first: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = matrix(&bytes, format, shape)?;
    let (a, b) = (&recipes.0.0, &recipes.1.0);
    let own = |recipe: &Inner, amax: Option<f32>| {
        let amax = amax.filter(|_| recipe.has_global_scale());
        options(amax, None, seed.filter(|_| recipe.is_random()), first, threads)
    };
    let own = [own(a, amaxes.0), own(b, amaxes.1)];
    let found =
        unlocked(py, shape.0 * shape.1, || ptxcvt_blocks::compare([a, b], &matrix, [&own[0], &own[1]]));
    let found = found.map_err(|e| failed(&e))?;
    let counts = Counts::from(&found);
    let answer = PyDict::new(py);
    for (name, number) in [
        ("scales", counts.scales),
        ("scales_differ", counts.scales_differ),
        ("codes", counts.codes),
        ("codes_differ", counts.codes_differ),
        ("zero_signs", counts.zero_signs),
        ("bytes", counts.bytes),
        ("bytes_differ", counts.bytes_differ),
    ] {
        answer.set_item(name, number)?;
    }
    answer.set_item("equal", found.is_equal())?;
    answer.set_item("first", counts.first_block.map(|block| (block, counts.first_element)))?;
    Ok(answer)
}
