//! Recipes: what decides the bytes of a block-quantised array, as data.

mod definition;
mod lines;
mod program;
mod rows;
#[cfg(feature = "toml")]
mod toml;

use core::any::Any;
use core::fmt;
use std::sync::{Arc, OnceLock};

use ptxcvt::Format;
use ptxcvt::formats::Kind as FormatKind;

pub(crate) use definition::Group;
use definition::Row;
pub use definition::{AmaxNan, BlockShape, Definition, Layout, Ragged};
pub(crate) use program::{Classes, Instruction, Kind, Level, Op, Operand, Program};
use rows::ROWS;

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
    made: Arc<[OnceLock<Made>; 6]>,
}

/// What the fast rail has chosen for a recipe.
type Made = Arc<dyn Any + Send + Sync>;

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipe").field(&self.definition).finish()
    }
}

/// The registers that the quantising program is given, in order.
pub(crate) mod given {
    pub const AMAX: usize = 0;
    pub const X: usize = 1;
    pub const TENSOR_AMAX: usize = 2;
    /// Of the dequantising program.
    pub const Q: usize = 0;
    pub const S: usize = 1;
    pub const G: usize = 2;
}

impl Recipe {
    /// The recipe of that name: `nvfp4-te-1x16`, or, where a row has several element formats, `mx-rceil/e4m3`.
    ///
    /// # Errors
    ///
    /// Fails if there is none, and says which come near.
    pub fn named(name: &str) -> Result<Recipe, RecipeError> {
        let (family, element) = name.split_once('/').map_or((name, None), |(f, e)| (f, Some(e)));
        let row = ROWS.iter().find(|row| row.name == family).ok_or_else(|| {
            let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
            RecipeError(format!("no recipe `{name}`; there are {}", names.join(" ")))
        })?;
        let formats = || row.elements.iter().map(|f| f.name()).collect::<Vec<_>>().join(" ");
        let chosen = match (element, row.elements) {
            (None, [one]) => Some(*one),
            (None, _) => {
                return Err(RecipeError(format!(
                    "`{name}` needs an element format: {name}/{}; there are {}",
                    row.elements[0],
                    formats()
                )));
            }
            (Some(element), all) => all.iter().copied().find(|f| f.name() == element),
        };
        let chosen = chosen.ok_or_else(|| {
            RecipeError(format!(
                "`{family}` has no elements of `{}`; it has {}",
                element.unwrap_or(""),
                formats()
            ))
        })?;
        Self::new(Definition::of_row(row, chosen))
    }

    /// Every recipe of the table, in its order.
    pub fn all() -> impl Iterator<Item = Recipe> {
        let rows = ROWS.iter().flat_map(|row| row.elements.iter().map(move |e| Definition::of_row(row, *e)));
        // A test holds that every row is valid.
        rows.filter_map(|definition| Self::new(definition).ok())
    }

    /// A recipe of one's own.
    ///
    /// # Errors
    ///
    /// Fails, naming the line, if a line cannot be read, if `s`, `q` or `v` are not made or are not what they
    /// must be, or if the layout cannot hold the elements.
    pub fn new(definition: Definition) -> Result<Recipe, RecipeError> {
        let fail = |what: String| RecipeError(format!("recipe `{}`: {what}", definition.name));
        let element = definition.element;
        let small = matches!(element.parameters().kind, FormatKind::Float { signed: true, .. })
            && element.storage() <= 8;
        if !small {
            return Err(fail(format!("elements of {element}: FP8, FP6 or FP4 are needed")));
        }
        if definition.name.trim().is_empty() {
            return Err(RecipeError("a recipe needs a name".into()));
        }
        let BlockShape { rows, columns } = definition.block;
        if ![rows, columns].iter().all(|n| (1..=1 << 24).contains(n)) {
            return Err(fail("a block must have rows and columns, at most 2^24 of each".into()));
        }
        let scale_kind = match definition.scale {
            Format::F32 => Kind::Number,
            Format::Ue8m0 | Format::E4m3 | Format::Ue5m3 | Format::E5m2 => Kind::Code(definition.scale),
            other => return Err(fail(format!("scales of {other}; there are ue8m0, e4m3, ue5m3, e5m2, f32"))),
        };
        let names = lines::Names { element };
        let inputs = [
            ("amax", Kind::Number, Level::Block),
            ("x", Kind::Number, Level::Element),
            ("tensor_amax", Kind::Number, Level::Tensor),
        ];
        let quantize =
            lines::read(&inputs, definition.quantize.iter().map(String::as_str), &names).map_err(fail)?;
        let inputs = [
            ("q", Kind::Code(element), Level::Element),
            ("s", scale_kind, Level::Block),
            ("G", Kind::Number, Level::Tensor),
        ];
        let dequantize =
            lines::read(&inputs, definition.dequantize.iter().map(String::as_str), &names).map_err(fail)?;
        let recipe = Recipe { definition, quantize, dequantize, made: Arc::default() };
        recipe
            .check(scale_kind)
            .map_err(|what| RecipeError(format!("recipe `{}`: {what}", recipe.name())))?;
        Ok(recipe)
    }

    /// The same recipe with blocks along columns instead of rows, elements staying where they are: what
    /// TransformerEngine calls column-wise data of MXFP8. Where the transposed matrix is wanted, as for FP4, whose
    /// pairs must lie along the blocks, quantise [`Matrix::transposed`](crate::Matrix::transposed) instead.
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
    /// Fails if the recipe's layout has scales among the elements.
    pub fn column_wise(&self) -> Result<Recipe, RecipeError> {
        let mut definition = self.definition.clone();
        let BlockShape { rows, columns } = definition.block;
        definition.block = BlockShape { rows: columns, columns: rows };
        definition.name += " (column-wise)";
        Self::new(definition)
    }

    fn check(&self, scale: Kind) -> Result<(), String> {
        let made = |program: &Program, name: &str, kind: Kind, most: Level| {
            let register = program.find(name).ok_or_else(|| format!("no line makes `{name}`"))?;
            let register = &program.registers[register];
            if register.kind != kind {
                let article = match kind {
                    Kind::Number => "a number".to_owned(),
                    Kind::Code(format) => format!("a code of {format}"),
                };
                return Err(format!("`{name}` must be {article}"));
            }
            if register.level > most {
                return Err(format!("`{name}` depends on `x`, so it is not one for the block"));
            }
            Ok(())
        };
        made(&self.quantize, "s", scale, Level::Block)?;
        made(&self.quantize, "q", Kind::Code(self.element()), Level::Element)?;
        made(&self.dequantize, "v", Kind::Number, Level::Element)?;
        if self.has_global_scale() {
            made(&self.quantize, "G", Kind::Number, Level::Tensor)?;
        } else if self
            .quantize
            .instructions
            .iter()
            .any(|i| [Some(i.a), i.b].contains(&Some(Operand::Register(given::TENSOR_AMAX))))
        {
            return Err("`tensor_amax` is read, but no line makes `G`".into());
        }
        let last = self.quantize.instructions.last();
        if last.is_none_or(|i| {
            self.quantize.registers[i.to].name != "q" || !matches!(i.op, Op::Convert(_) | Op::Nearest(..))
        }) {
            return Err("the last line must make `q` by a conversion".into());
        }
        for (program, last) in [(&self.quantize, "q"), (&self.dequantize, "v")] {
            for Instruction { to, op, text, .. } in &program.instructions {
                let register = &program.registers[*to];
                let Kind::Code(format) = register.kind else { continue };
                let middle = register.level == Level::Element && register.name != last;
                if middle && !matches!(op, Op::Convert(_))
                    || register.level < Level::Element && format.storage() < 8
                {
                    return Err(format!(
                        "`{text}`: a code of elements is made by a conversion, and only it may be FP6 or FP4"
                    ));
                }
                if middle && format != self.element() {
                    return Err(format!("`{text}`: elements are of {}", self.element()));
                }
            }
        }
        let block = self.block();
        let Some(group) = self.layout().group() else { return Ok(()) };
        let width = group.elements / group.blocks;
        if self.element() != Format::E2m1
            || (block.rows, block.columns) != (1, width)
            || scale == Kind::Number
        {
            return Err(format!(
                "this layout takes blocks of 1x{width} FP4 elements with a scale of one byte"
            ));
        }
        if self.definition.ragged == Ragged::Partial {
            return Err("this layout has whole blocks only".into());
        }
        Ok(())
    }

    /// What `make` makes, kept from the first call on; each place has one type.
    pub(crate) fn made<T: Any + Send + Sync>(&self, place: usize, make: impl Fn() -> Arc<T>) -> Arc<T> {
        let kept = self.made[place].get_or_init(|| make());
        Arc::clone(kept).downcast().unwrap_or_else(|_| make())
    }

    /// Its name.
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

    /// Where the bytes lie.
    pub fn layout(&self) -> Layout {
        self.definition.layout
    }

    /// What NaN does to a block's largest magnitude.
    pub fn amax_nan(&self) -> AmaxNan {
        self.definition.amax
    }

    /// What becomes of arrays that are no whole number of blocks.
    pub fn ragged(&self) -> Ragged {
        self.definition.ragged
    }

    /// True where the whole array has a scale, too.
    pub fn has_global_scale(&self) -> bool {
        self.quantize.find("G").is_some()
    }

    /// True where elements are rounded with random bits.
    pub fn is_random(&self) -> bool {
        self.quantize.instructions.iter().any(|i| lines::is_random(i.op))
    }

    /// One line on what is special about it.
    pub fn about(&self) -> &str {
        &self.definition.about
    }

    /// Where the rule is written.
    pub fn source(&self) -> &str {
        &self.definition.source
    }

    /// What confirmed its bytes.
    pub fn confirmed(&self) -> &str {
        &self.definition.confirmed
    }

    /// The lines that quantise, with formats' names filled in.
    pub fn quantize_lines(&self) -> impl Iterator<Item = &str> {
        self.quantize.instructions.iter().map(|i| i.text.as_str())
    }

    /// The lines that dequantise.
    pub fn dequantize_lines(&self) -> impl Iterator<Item = &str> {
        self.dequantize.instructions.iter().map(|i| i.text.as_str())
    }

    /// Rows and columns of the scales of an array.
    pub fn scale_shape(&self, rows: usize, columns: usize) -> (usize, usize) {
        (rows.div_ceil(self.block().rows), columns.div_ceil(self.block().columns))
    }

    /// Bytes of the elements of one row (in GGUF, with the scales).
    pub fn row_bytes(&self, columns: usize) -> usize {
        match self.layout().group() {
            Some(group) => columns / group.elements * group.bytes,
            None => (columns * self.element().storage() as usize).div_ceil(8),
        }
    }

    /// Columns whose elements take so many bytes: the reverse of [`row_bytes`](Self::row_bytes).
    pub fn row_columns(&self, bytes: usize) -> usize {
        match self.layout().group() {
            Some(group) => bytes / group.bytes * group.elements,
            None => bytes * 8 / self.element().storage() as usize,
        }
    }

    /// Bytes of one scale; 0 where they lie among the elements.
    pub fn scale_bytes(&self) -> usize {
        match self.layout().group() {
            Some(_) => 0,
            None => self.scale().storage() as usize / 8,
        }
    }
}

/// A recipe that does not exist or cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError(pub(crate) String);

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for RecipeError {}
