//! The class of recipes.

use std::sync::{Arc, OnceLock};

use numpy::PyArrayDescr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use ptxcvt_blocks::{BlockError, BlocksAlong, Recipe as Inner};
use ptxcvt_report::recipes::RecipeReport;

use crate::error::{Name, Named, Text, Whole, error, named, plain, size};

/// A recipe: the block quantisation of a library, byte for byte.
///
/// >>> from ptxcvt import Recipe
/// >>> recipe = Recipe("mx-rceil/e4m3")
/// >>> recipe.element, recipe.block, recipe.scale, recipe.lines[:2]
/// ('e4m3', (1, 32), 'ue8m0', ['t = amax / max', 's = cvt.rp.satfinite.ue8m0x2.f32(t)'])
#[pyclass(frozen, from_py_object, module = "ptxcvt")]
#[derive(Debug, Clone)]
pub struct Recipe(pub Inner, OnceLock<Arc<PartTypes>>);

/// The package's function that returns a recipe's dtypes.
static PART_DTYPES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Sets the function that returns a recipe's dtypes. The package calls this once.
#[pyfunction]
#[pyo3(name = "_set_part_dtypes", signature = (function, /))]
pub fn set_part_dtypes(py: Python<'_>, function: Py<PyAny>) {
    let _ = PART_DTYPES.set(py, function);
}

/// The dtypes of a recipe's data and scales. Scales that are stored among the data have no dtype.
#[derive(Debug)]
pub struct PartTypes {
    pub data: Py<PyArrayDescr>,
    pub scales: Option<Py<PyArrayDescr>>,
}

impl From<Inner> for Recipe {
    fn from(recipe: Inner) -> Self {
        Recipe(recipe, OnceLock::new())
    }
}

impl Recipe {
    /// The dtypes of the recipe's parts, from Python's function.
    pub fn part_types(slf: &Bound<'_, Self>) -> PyResult<Arc<PartTypes>> {
        let (py, kept) = (slf.py(), &slf.get().1);
        if let Some(types) = kept.get() {
            return Ok(Arc::clone(types));
        }
        let dtypes = PART_DTYPES.get(py).expect("the package sets the function when it is imported");
        let types = dtypes.call1(py, (slf,))?.into_bound(py);
        let (data, scales) = types.extract()?;
        Ok(Arc::clone(kept.get_or_init(|| Arc::new(PartTypes { data, scales }))))
    }

    /// The recipe with this name, or the recipe in a file.
    fn named(name: &str) -> PyResult<Self> {
        ptxcvt_files::quantize::recipe(name).map(Recipe::from).map_err(|e| {
            // Replaces the library's advice, which is about the command.
            error(
                None,
                e.message,
                &["ptxcvt.recipes() lists them; a name ending in .toml is a file".to_owned()],
            )
        })
    }
}

#[pymethods]
impl Recipe {
    #[new]
    fn new(name: Name) -> PyResult<Self> {
        named!(name);
        Recipe::named(&name)
    }

    /// A recipe from TOML. docs/blocks.md has an example.
    #[staticmethod]
    fn from_toml(text: Text) -> PyResult<Self> {
        named!(text);
        Inner::from_toml(&text).map(Recipe::from).map_err(|e| plain(e.to_string()))
    }

    /// The recipe as TOML.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// Recipes are equal if they have the same name and produce the same bytes. A recipe from the table equals its
    /// name.
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

    /// Whether each row has a scale in addition to its blocks.
    #[getter]
    fn row_scaled(&self) -> bool {
        self.0.is_row_scaled()
    }

    /// True if the recipe rounds with random bits and therefore needs a seed.
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

    /// The operations of quantising, in order.
    #[getter]
    fn lines(&self) -> Vec<String> {
        self.0.quantize_lines().map(str::to_owned).collect()
    }

    /// The operations of dequantising, in order.
    #[getter]
    fn back(&self) -> Vec<String> {
        self.0.dequantize_lines().map(str::to_owned).collect()
    }

    /// The bytes of a row with this many elements.
    fn row_bytes(&self, columns: Whole) -> PyResult<usize> {
        named!(columns);
        Ok(self.0.row_bytes(size(columns)))
    }

    /// The elements of a row of this many bytes.
    fn row_columns(&self, bytes: Whole) -> PyResult<usize> {
        named!(bytes);
        Ok(self.0.row_columns(size(bytes)))
    }

    /// The matrices of an array of this shape, which are quantised separately: their number, rows and columns. Blocks
    /// run along the last axis or, with `columns`, along the one before.
    fn matrices(&self, shape: Vec<Whole>, columns: bool) -> PyResult<(usize, usize, usize)> {
        named!(shape);
        let shape: Vec<usize> = shape.into_iter().map(size).collect();
        let matrices = self.0.matrices(&shape, along(columns)).map_err(|e| failed(&e))?;
        Ok((matrices.count, matrices.rows, matrices.columns))
    }

    /// The shapes of the data, in bytes, and of the scales for an array of this shape, whose blocks are along its last
    /// axis or, with `columns`, along the one before.
    fn part_shapes(&self, shape: Vec<Whole>, columns: bool) -> PyResult<(Vec<usize>, Vec<usize>)> {
        named!(shape);
        let shape: Vec<usize> = shape.into_iter().map(size).collect();
        let along = along(columns);
        let (rows, columns) = self.0.matrices(&shape, along).map_err(|e| failed(&e))?.quantized(along);
        let data = self.0.part_shape(&shape, along, (rows, self.0.row_bytes(columns)));
        Ok((data, self.0.part_shape(&shape, along, self.0.scale_shape(rows, columns))))
    }

    /// Rows and columns of the scales of a matrix.
    fn scale_shape(&self, rows: Whole, columns: Whole) -> PyResult<(usize, usize)> {
        named!(rows, columns);
        Ok(self.0.scale_shape(size(rows), size(columns)))
    }
}

/// Every recipe.
#[pyfunction]
pub fn recipes() -> Vec<Recipe> {
    Inner::all().map(Recipe::from).collect()
}

/// Returns a recipe for a recipe, a name or a path. Recipes of the table are cached.
#[pyfunction]
#[pyo3(name = "_recipe_of")]
pub fn recipe_of<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Recipe>> {
    static KNOWN: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    if let Ok(recipe) = given.cast::<Recipe>() {
        return Ok(recipe.clone());
    }
    let py = given.py();
    let known = KNOWN.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    // An argument that is not hashable is not a name.
    if let Ok(Some(found)) = known.get_item(given) {
        return Ok(found.cast_into::<Recipe>()?);
    }
    let made = Bound::new(py, Recipe::named(&given.extract::<Name>()?.named("recipe")?)?)?;
    // Recipes from files are not cached, because a file may change.
    if Inner::named(made.get().0.name()).is_ok_and(|_| given.eq(made.get().0.name()).unwrap_or(false)) {
        known.set_item(given, &made)?;
    }
    Ok(made)
}

/// The axis along which blocks run: the last one, or the one before.
pub fn along(columns: bool) -> BlocksAlong {
    if columns { BlocksAlong::Columns } else { BlocksAlong::Rows }
}

/// The error for a call with one array.
pub fn failed(e: &BlockError) -> PyErr {
    plain(e.to_string())
}

/// The error with the name of the argument that it concerns, by default `array`.
pub fn failed_for(array: &str, e: &BlockError) -> PyErr {
    let argument = match e {
        BlockError::Seed { .. } => "seed",
        BlockError::Scale { .. } => "global_scale",
        _ => array,
    };
    plain(format!("{argument}: {e}"))
}
