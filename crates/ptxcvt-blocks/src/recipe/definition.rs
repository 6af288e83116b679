//! The parts of a recipe: a row of the table, or one of the user's own.

use core::fmt;

use ptxcvt::Format;

use super::Recipe;

/// Rows and columns that share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Rows.
    pub rows: usize,
    /// Columns: neighbours in memory.
    pub columns: usize,
}

impl fmt::Display for BlockShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// What a NaN does to the largest magnitude of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmaxNan {
    /// It is the largest: NaN.
    Propagates,
    /// It does not count, as in PTX's `max.f32`.
    Ignored,
}

/// What becomes of an array that is no whole number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ragged {
    /// An error.
    Refused,
    /// The blocks at the edges are smaller.
    Partial,
}

/// How elements and scales lie in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Elements in row order, a byte each, FP4 two to a byte, the first in the low nibble. Scales in an array
    /// of their own.
    Rows,
    /// As `Rows`, but of two FP4 the first is in the high nibble.
    RowsHighFirst,
    /// Blocks of GGUF: the scale's byte, then 16 bytes that hold element j low and element j + 16 high.
    Gguf,
    /// Blocks of GGUF's NVFP4: the scales of four blocks of 16 elements, then for each of them 8 bytes that hold element j
    /// low and element j + 8 high.
    GgufNvfp4,
}

impl Layout {
    /// Elements and bytes of a group that holds its scales itself, the elements of its blocks, and their number.
    pub(crate) fn group(self) -> Option<Group> {
        match self {
            Layout::Rows | Layout::RowsHighFirst => None,
            Layout::Gguf => Some(Group { elements: 32, bytes: 17, blocks: 1 }),
            Layout::GgufNvfp4 => Some(Group { elements: 64, bytes: 36, blocks: 4 }),
        }
    }
}

/// Elements with their scales among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub elements: usize,
    pub bytes: usize,
    pub blocks: usize,
}

/// One row of the table: a recipe for one or several element formats.
#[derive(Debug)]
pub(crate) struct Row {
    pub name: &'static str,
    pub elements: &'static [Format],
    pub block: BlockShape,
    pub scale: Format,
    pub amax: AmaxNan,
    pub ragged: Ragged,
    pub layout: Layout,
    pub quantize: &'static [&'static str],
    pub dequantize: &'static [&'static str],
    /// What a reader must know of the choice, in one line.
    pub about: &'static str,
    /// Where the rule is written.
    pub source: &'static str,
    /// What has shown that the bytes are right.
    pub confirmed: &'static str,
}

/// A recipe of one's own, as the parts that a row of the table has.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt_blocks::{Definition, Recipe};
///
/// let mut own = Definition::of(&Recipe::named("mx-floor/e4m3")?);
/// own.name = "sixteen".into();
/// own.block.columns = 16;
/// let recipe = Recipe::new(own)?;
/// assert_eq!(recipe.scale_shape(2, 64), (2, 4));
/// # Ok::<(), ptxcvt_blocks::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Definition {
    /// What to call it.
    pub name: String,
    /// The element format: an FP8, FP6 or FP4 format.
    pub element: Format,
    /// The block.
    pub block: BlockShape,
    /// The format of `s`: `ue8m0`, `e4m3`, `ue5m3`, `f32`.
    pub scale: Format,
    /// NaN in a block.
    pub amax: AmaxNan,
    /// Arrays that are no whole number of blocks.
    pub ragged: Ragged,
    /// Where the bytes lie.
    pub layout: Layout,
    /// The lines that make `s` (a scale) and `q` (an element) and, where there is one, `G` (the global scale)
    /// of `amax`, `x` and `tensor_amax`.
    pub quantize: Vec<String>,
    /// The lines that make `v` of `q`, `s` and `G`.
    pub dequantize: Vec<String>,
    /// One line for the reader.
    pub about: String,
    /// Where the rule is written.
    pub source: String,
    /// What confirmed it.
    pub confirmed: String,
}

impl Definition {
    /// The parts of a recipe, to begin with.
    pub fn of(recipe: &Recipe) -> Definition {
        recipe.definition.clone()
    }

    pub(super) fn of_row(row: &Row, element: Format) -> Definition {
        let lines = |lines: &[&str]| lines.iter().map(|&l| l.to_owned()).collect();
        let name = match row.elements {
            [_] => row.name.to_owned(),
            _ => format!("{}/{element}", row.name),
        };
        Definition {
            name,
            element,
            block: row.block,
            scale: row.scale,
            amax: row.amax,
            ragged: row.ragged,
            layout: row.layout,
            quantize: lines(row.quantize),
            dequantize: lines(row.dequantize),
            about: row.about.into(),
            source: row.source.into(),
            confirmed: row.confirmed.into(),
        }
    }
}
