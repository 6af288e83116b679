//! Recipes: the rules that decide the bytes of a block-quantised array, as data.

mod check;
mod definition;
mod lines;
#[cfg(feature = "toml")]
mod named;
mod operand;
mod program;
mod rows;
mod sequences;
#[cfg(feature = "toml")]
mod text;

use core::any::Any;
use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ptxcvt::{Format, names};

pub(crate) use definition::Group;
pub use definition::{AmaxNan, BlockShape, BlockShapeError, Definition, Layout, Ragged};
use definition::{Row, complete, scale_kind};
pub(crate) use program::{
    Bits, Classes, Condition, Instruction, Kind, Level, OfInput, One, Op, Operand, Program, Two, ZeroSign,
    given,
};

/// The table. A row that lacks what a recipe needs does not compile.
const ROWS: &[Row] = complete(rows::ROWS);

/// A recipe, checked and ready to run.
///
/// ```
/// use ptxcvt_blocks::Recipe;
/// let recipe = Recipe::named("nvfp4-te-16x16")?;
/// assert_eq!(recipe.block().to_string(), "16x16");
/// assert!(recipe.has_global_scale());
/// assert!(Recipe::all().count() > 30);
/// # Ok::<(), ptxcvt_blocks::RecipeError>(())
/// ```
#[derive(Clone)]
pub struct Recipe {
    definition: Definition,
    pub(crate) quantize: Program,
    pub(crate) dequantize: Program,
    /// Whether each row has a global scale.
    row_scaled: bool,
    made: Arc<Mutex<BTreeMap<Place, Made>>>,
}

/// A key for kernels and tables: quantising or dequantising, and the type of numbers.
pub(crate) type Place = (u8, u8);

/// Kernels and tables of the fast implementation. Their type is private to that module, which this one does
/// not import.
type Made = Arc<dyn Any + Send + Sync>;

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipe").field(&self.definition).finish()
    }
}

impl Definition {
    /// The parts of an existing recipe, as a start for a new one.
    pub fn of(recipe: &Recipe) -> Definition {
        recipe.definition.clone()
    }
}

/// The names that are most like this one: those that begin like it, with their first part or with a later one.
fn similar(name: &str) -> Vec<&'static str> {
    const MOST: usize = 4;
    const LEAST: usize = 2;
    let alike =
        |part: &str| part.bytes().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let likeness = |row: &Row| {
        let parts = std::iter::successors(Some(row.name), |part| part.split_once('-').map(|(_, rest)| rest));
        parts.map(alike).max()
    };
    let names = ROWS.iter().filter_map(|row| Some((likeness(row)?, row.name)));
    let mut names: Vec<_> = names.filter(|(likeness, _)| *likeness >= LEAST).collect();
    ptxcvt::order_by(&mut names, |(likeness, _)| u64::MAX - *likeness as u64);
    names.truncate(MOST);
    names.into_iter().map(|(_, name)| name).collect()
}

/// The two parts of a recipe's name: `mx-rceil/e4m3`. A row with one element format has no second part.
fn family(name: &str) -> (&str, Option<&str>) {
    name.split_once('/').map_or((name, None), |(family, element)| (family, Some(element)))
}

impl Recipe {
    /// The name of the row: `mx-rceil` of `mx-rceil/e4m3`. The recipes of a family differ in the element format alone.
    pub fn family(&self) -> &str {
        family(self.name()).0
    }

    /// Finds a recipe by name: `nvfp4-te-1x16`, or, if a row has several element formats, `mx-rceil/e4m3`.
    ///
    /// # Errors
    ///
    /// Fails if no recipe has the name; the error lists similar names.
    pub fn named(name: &str) -> Result<Recipe, RecipeError> {
        let (family, element) = family(name);
        let row = |name: &str| ROWS.iter().find(|row| row.name == name);
        let row = names::read("recipe", family, row, ROWS.iter().map(|row| row.name));
        let row = row.map_err(|_| match &similar(family)[..] {
            [] => RecipeError(format!("no recipe `{}`", ptxcvt::clip(name))),
            names => {
                let names = names.join(" ");
                RecipeError(format!("no recipe `{}`; similar names are {names}", ptxcvt::clip(name)))
            }
        })?;
        let formats = || row.elements.iter().map(|f| f.name()).collect::<Vec<_>>().join(" ");
        let chosen = match (element, row.elements) {
            (None, [one]) => *one,
            (None, all) => {
                return Err(RecipeError(format!(
                    "`{name}` needs an element format, such as {name}/{}; its formats are {}",
                    all[0],
                    formats()
                )));
            }
            (Some(element), all) => {
                let chosen = element.parse().ok().filter(|format| all.contains(format));
                chosen.ok_or_else(|| {
                    RecipeError(format!(
                        "`{family}` has no elements of `{}`; its formats are {}",
                        ptxcvt::clip(element),
                        formats()
                    ))
                })?
            }
        };
        Ok(Self::of_row(row, chosen))
    }

    /// Every recipe of the table, in its order.
    pub fn all() -> impl Iterator<Item = Recipe> {
        ROWS.iter().flat_map(|row| row.elements.iter().map(move |element| Self::of_row(row, *element)))
    }

    /// A row of the table for one of its element formats.
    fn of_row(row: &Row, element: Format) -> Recipe {
        let recipe = Self::new(Definition::of_row(row, element));
        recipe.unwrap_or_else(|e| panic!("a test holds that every row of the table is valid: {e}"))
    }

    /// Makes a recipe from a definition.
    ///
    /// # Errors
    /// Fails, naming the line, if a line cannot be parsed, if `s`, `q` or `v` is missing or has the wrong
    /// kind, or if the layout does not support the elements.
    pub fn new(definition: Definition) -> Result<Recipe, RecipeError> {
        if definition.name.trim().is_empty() {
            return Err(RecipeError("a recipe needs a name".into()));
        }
        let name = definition.name.clone();
        Self::checked(definition).map_err(|what| RecipeError(format!("recipe `{name}`: {what}")))
    }

    /// Checks a definition with a name.
    fn checked(definition: Definition) -> Result<Recipe, String> {
        check::definition(&definition)?;
        let element = definition.element;
        let scale = scale_kind(definition.scale).unwrap_or_else(|| unreachable!("the definition is checked"));
        let inputs = [
            ("amax", Kind::Number, Level::Block),
            ("x", Kind::Number, Level::Element),
            ("tensor_amax", Kind::Number, Level::Tensor),
            ("row_amax", Kind::Number, Level::Tensor),
        ];
        let quantize = lines::parse(&inputs, definition.quantize.iter().map(String::as_str), element)?;
        let inputs = [
            ("q", Kind::Code(element), Level::Element),
            ("s", scale, Level::Block),
            ("G", Kind::Number, Level::Tensor),
        ];
        let dequantize = lines::parse(&inputs, definition.dequantize.iter().map(String::as_str), element)?;
        let row_scaled = quantize.reads(given::ROW_AMAX);
        let recipe = Recipe { definition, quantize, dequantize, row_scaled, made: Arc::default() };
        check::programs(&recipe.definition, &recipe.quantize, &recipe.dequantize)?;
        Ok(recipe)
    }

    /// This recipe with blocks along columns instead of rows, and elements in the same places.
    /// TransformerEngine calls this column-wise data of MXFP8. If you need the transposed matrix (as for FP4,
    /// whose pairs must be along the blocks), quantise [`Matrix::transposed`](crate::Matrix::transposed)
    /// instead.
    ///
    /// ```
    /// use ptxcvt_blocks::{Matrix, Options, Recipe, quantize};
    /// let columns = Recipe::named("mx-rceil-te/e4m3")?.column_wise()?;
    /// assert_eq!(columns.block().to_string(), "32x1");
    /// let numbers = vec![1.0_f32; 64 * 48];
    /// let quantized = quantize(&columns, &Matrix::f32(&numbers, 64, 48)?, &Options::default())?;
    /// assert_eq!(quantized.scales.len(), 2 * 48);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the recipe's layout stores scales among the elements.
    pub fn column_wise(&self) -> Result<Recipe, RecipeError> {
        let mut definition = self.definition.clone();
        let BlockShape { rows, columns } = definition.block;
        definition.block = BlockShape { rows: columns, columns: rows };
        definition.name += " (column-wise)";
        Self::new(definition)
    }

    /// The result of `make`, cached after the first call. Each place always has the same type.
    pub(crate) fn made<T: Any + Send + Sync>(&self, place: Place, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Arc::clone(made.entry(place).or_insert_with(|| make()));
        drop(made);
        kept.downcast().unwrap_or_else(|_| unreachable!("place {place:?} always has the same type"))
    }

    /// The recipe's name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The element format.
    pub fn element(&self) -> Format {
        self.definition.element
    }

    /// The block that shares a scale.
    pub fn block(&self) -> BlockShape {
        self.definition.block
    }

    /// The format of the scales.
    pub fn scale(&self) -> Format {
        self.definition.scale
    }

    /// How elements and scales are stored.
    pub fn layout(&self) -> Layout {
        self.definition.layout
    }

    /// True if the recipe makes the library's bytes of numbers of this type.
    pub fn accepts(&self, input: Format) -> bool {
        self.definition.inputs.is_empty() || self.definition.inputs.contains(&input)
    }

    /// The effect of a NaN on the largest magnitude of its block.
    pub fn amax_nan(&self) -> AmaxNan {
        self.definition.amax
    }

    /// The treatment of arrays that are not a whole number of blocks.
    pub fn ragged(&self) -> Ragged {
        self.definition.ragged
    }

    /// True if the whole array has a scale in addition to its blocks.
    pub fn has_global_scale(&self) -> bool {
        !self.row_scaled && self.quantize.find("G").is_some()
    }

    /// True if each row has a scale in addition to its blocks: the global scale is computed from `row_amax`, the largest
    /// magnitude of the row.
    pub fn is_row_scaled(&self) -> bool {
        self.row_scaled
    }

    /// The number of global scales of a matrix with this many rows: none, one, or one for each row.
    pub fn globals(&self, rows: usize) -> usize {
        if self.row_scaled { rows } else { usize::from(self.has_global_scale()) }
    }

    /// The bits of the global scale of a row, 0 if there is none; `globals` are those of the matrix.
    pub(crate) fn global_of(&self, globals: &[f32], row: usize) -> u32 {
        let global = if self.row_scaled { Some(&globals[row]) } else { globals.first() };
        global.map_or(0, |global| global.to_bits())
    }

    /// True if elements are rounded with random bits.
    pub fn is_random(&self) -> bool {
        self.quantize.instructions.iter().any(Instruction::is_random)
    }

    /// True if the bytes of both recipes are read alike: elements, blocks, scales, layout and global scales are the same,
    /// and so are the lines that dequantise. The choice of scales may differ.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::named("nvfp4-modelopt")?;
    /// assert!(recipe.is_read_like(&Recipe::named("nvfp4-torchao")?));
    /// // Its global scale is the reciprocal.
    /// assert!(!recipe.is_read_like(&Recipe::named("nvfp4-compressed-tensors")?));
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    pub fn is_read_like(&self, other: &Recipe) -> bool {
        let stored = |recipe: &Recipe| {
            let Definition { element, block, scale, layout, .. } = recipe.definition;
            (element, block, scale, layout, recipe.has_global_scale(), recipe.row_scaled)
        };
        stored(self) == stored(other)
            && (self.ragged() == other.ragged() || self.ragged() == Ragged::Refused)
            && self.dequantize.computes_like(&other.dequantize, &["v"])
    }

    /// True if both recipes make the same bytes of any array that this recipe accepts.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::named("fp8-tensor")?;
    /// let renamed = recipe.to_toml().replace("\"fp8-tensor\"", "\"mine\"");
    /// assert!(Recipe::from_toml(&renamed)?.computes_like(&recipe));
    /// assert!(!Recipe::from_toml(&renamed.replace("x / s", "x * s"))?.computes_like(&recipe));
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    pub fn computes_like(&self, other: &Recipe) -> bool {
        self.is_read_like(other)
            && self.amax_nan() == other.amax_nan()
            && [Format::F32, Format::Bf16, Format::F16]
                .into_iter()
                .all(|f| !self.accepts(f) || other.accepts(f))
            && self.quantize.computes_like(&other.quantize, &["s", "q", "G"])
    }

    /// A one-line description.
    pub fn about(&self) -> &str {
        &self.definition.about
    }

    /// The place where the rule is defined.
    pub fn source(&self) -> &str {
        &self.definition.source
    }

    /// The evidence that the bytes are right.
    pub fn confirmed(&self) -> &str {
        &self.definition.confirmed
    }

    /// The quantising lines, with the names of formats filled in.
    pub fn quantize_lines(&self) -> impl Iterator<Item = &str> {
        self.quantize.instructions.iter().map(|i| i.text.as_str())
    }

    /// The dequantising lines.
    pub fn dequantize_lines(&self) -> impl Iterator<Item = &str> {
        self.dequantize.instructions.iter().map(|i| i.text.as_str())
    }
}

/// An unknown or invalid recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecipeError(pub(crate) String);

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for RecipeError {}
