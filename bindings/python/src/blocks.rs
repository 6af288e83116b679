//! Quantisation in blocks: recipes, and matrices through them.

use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use ptxcvt::Format;
use ptxcvt_blocks::{BlockError, Global, Input, Matrix, Options, Quantized, Recipe as Inner};

use crate::arrays::unlocked;
use crate::error::{error, plain};

/// How a library quantises in blocks, byte for byte.
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
        Inner::named(name).map(Recipe).map_err(|e| plain(e.to_string()))
    }

    fn __str__(&self) -> &str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("Recipe('{}')", self.0.name())
    }

    fn __getnewargs__(&self) -> (&str,) {
        (self.0.name(),)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// A line about it.
    #[getter]
    fn about(&self) -> &str {
        self.0.about()
    }

    /// The library that does so.
    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    /// What has confirmed it.
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

    /// It has a scale of the whole tensor.
    #[getter]
    fn global_scale(&self) -> bool {
        self.0.has_global_scale()
    }

    /// It rounds with random bits, and needs a seed.
    #[getter]
    fn random(&self) -> bool {
        self.0.is_random()
    }

    /// Scales lie among the elements.
    #[getter]
    fn inline_scales(&self) -> bool {
        self.0.scale_bytes() == 0
    }

    /// Its operations, in order.
    #[getter]
    fn lines(&self) -> Vec<String> {
        self.0.quantize_lines().map(str::to_owned).collect()
    }

    /// The operations back.
    #[getter]
    fn back(&self) -> Vec<String> {
        self.0.dequantize_lines().map(str::to_owned).collect()
    }

    /// Bytes of a row of so many elements.
    fn row_bytes(&self, columns: usize) -> usize {
        self.0.row_bytes(columns)
    }

    /// Rows and columns of the scales of a matrix.
    fn scale_shape(&self, rows: usize, columns: usize) -> (usize, usize) {
        self.0.scale_shape(rows, columns)
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
    let bytes = bytes.as_slice().map_err(|_| plain("a contiguous array of bytes is needed"))?;
    Matrix::bytes(input, bytes, rows, columns).map_err(|e| failed(&e))
}

fn input(format: &str) -> PyResult<Input> {
    Format::from_name(format)
        .and_then(Input::of)
        .ok_or_else(|| plain(format!("{format} numbers are not quantised: they must be f32, bf16 or f16")))
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
        (Some(amax), None) => Global::Amax(amax),
        (None, None) => Global::FromData,
    };
    Options { global, seed, first, threads, ..Options::default() }
}

type Made<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u8>>, Option<f32>);

/// The bytes of the elements, those of the scales, and the global scale.
#[pyfunction]
#[pyo3(name = "_quantize")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn quantize<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    bytes: PyReadonlyArray1<'py, u8>,
    format: &str,
    shape: (usize, usize),
    amax: Option<f32>,
    scale: Option<f32>,
    seed: Option<u64>,
    first: usize,
    threads: usize,
    transposed: bool,
) -> PyResult<Made<'py>> {
    let matrix = matrix(&bytes, format, shape)?;
    let matrix = if transposed { matrix.transposed() } else { matrix };
    let options = options(amax, scale, seed, first, threads);
    let recipe = &recipe.0;
    let made = unlocked(py, shape.0 * shape.1, || ptxcvt_blocks::quantize(recipe, &matrix, &options));
    let made = made.map_err(|e| failed(&e))?;
    Ok((PyArray1::from_vec(py, made.data), PyArray1::from_vec(py, made.scales), made.global))
}

/// The largest magnitude of a matrix, by the recipe's rule for NaN.
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

/// What quantised bytes stand for, in a result of the caller's.
#[pyfunction]
#[pyo3(name = "_dequantize")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn dequantize(
    py: Python<'_>,
    recipe: &Recipe,
    data: PyReadonlyArray1<'_, u8>,
    scales: PyReadonlyArray1<'_, u8>,
    global: Option<f32>,
    shape: (usize, usize),
    mut result: PyReadwriteArray1<'_, u8>,
    format: &str,
    threads: usize,
) -> PyResult<()> {
    let contiguous = |_| plain("contiguous arrays are needed");
    let (data, scales) =
        (data.as_slice().map_err(contiguous)?.to_vec(), scales.as_slice().map_err(contiguous)?.to_vec());
    let output = input(format)?;
    let result = result.as_slice_mut().map_err(contiguous)?;
    let quantized = Quantized { data, scales, global, shape };
    let options = Options { threads, ..Options::default() };
    let recipe = &recipe.0;
    let outcome = unlocked(py, shape.0 * shape.1, || {
        ptxcvt_blocks::dequantize_into(recipe, &quantized, output, &options, result)
    });
    outcome.map_err(|e| failed(&e))
}

/// How the bytes of two recipes differ on a matrix, the first of whose elements is element `first` of an array.
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
) -> PyResult<std::collections::BTreeMap<&'static str, Py<PyAny>>> {
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
    let any = |object: Bound<'py, PyAny>| object.unbind();
    let mut answer = std::collections::BTreeMap::new();
    let numbers = [
        ("scales", found.scales),
        ("scales_differ", found.scales_differ),
        ("codes", found.codes),
        ("codes_differ", found.codes_differ),
        ("zero_signs", found.zero_signs),
        ("bytes", found.bytes),
        ("bytes_differ", found.bytes_differ),
    ];
    for (name, number) in numbers {
        answer.insert(name, any(number.into_pyobject(py)?.into_any()));
    }
    answer.insert("equal", any(found.is_equal().into_pyobject(py)?.to_owned().into_any()));
    let place = found.first.map(|first| (first.block, first.element));
    answer.insert("first", any(place.into_pyobject(py)?.into_any()));
    Ok(answer)
}
