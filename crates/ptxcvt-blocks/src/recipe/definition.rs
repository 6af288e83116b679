//! The parts of a recipe, from a row of the table or from the user.

use core::fmt;

use ptxcvt::Format;
use ptxcvt::formats::Kind as FormatKind;

use super::program::Kind;

/// The rows and columns that share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(try_from = "Vec<usize>", into = "Vec<usize>"))]
pub struct BlockShape {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns, which are adjacent in memory.
    pub columns: usize,
}

impl fmt::Display for BlockShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |n: usize| if n == BlockShape::ALL { "all".to_owned() } else { n.to_string() };
        write!(f, "{}x{}", size(self.rows), size(self.columns))
    }
}

impl BlockShape {
    /// Rows or columns of a block that extends over all of them.
    pub const ALL: usize = 1 << 24;
}

/// A list of numbers that are not the rows and columns of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockShapeError {
    numbers: usize,
}

impl fmt::Display for BlockShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a block has rows and columns, such as [1, 32], not {} numbers", self.numbers)
    }
}

impl core::error::Error for BlockShapeError {}

impl TryFrom<Vec<usize>> for BlockShape {
    type Error = BlockShapeError;
    fn try_from(numbers: Vec<usize>) -> Result<Self, BlockShapeError> {
        match numbers[..] {
            [rows, columns] => Ok(BlockShape { rows, columns }),
            _ => Err(BlockShapeError { numbers: numbers.len() }),
        }
    }
}

impl From<BlockShape> for Vec<usize> {
    fn from(block: BlockShape) -> Self {
        vec![block.rows, block.columns]
    }
}

/// The effect of a NaN on the largest magnitude of its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
pub enum AmaxNan {
    /// The largest magnitude is NaN.
    #[default]
    Propagates,
    /// The NaN is ignored, as in PTX's `max.f32`.
    Ignored,
}

/// The treatment of an array that is not a whole number of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
pub enum Ragged {
    /// It is an error.
    #[default]
    Refused,
    /// The blocks at the edges are smaller.
    Partial,
}

/// How elements and scales are stored in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
pub enum Layout {
    /// Elements row by row, one byte each. Two FP4 elements share a byte, the first in the low nibble. Scales
    /// have a separate array.
    #[default]
    Rows,
    /// Like `Rows`, but the first of two FP4 is in the high nibble.
    RowsHighFirst,
    /// Like `Rows`, but FP6 is packed: four elements in three bytes, the first in the lowest bits.
    Packed,
    /// Blocks of GGUF: the scale's byte, then 16 bytes that hold element j in the low and element j + 16 in the high nibble.
    Gguf,
    /// Blocks of GGUF's NVFP4: the scales of four blocks of 16 elements; then, for each block, 8 bytes that hold
    /// element j in the low and element j + 8 in the high nibble.
    GgufNvfp4,
}

impl Layout {
    /// The bits that an element takes.
    pub(crate) fn element_bits(self, element: Format) -> usize {
        match self {
            Layout::Packed => element.bits() as usize,
            Layout::Rows | Layout::RowsHighFirst | Layout::Gguf | Layout::GgufNvfp4 => {
                element.storage() as usize
            }
        }
    }

    /// The group in which scales are stored among the elements, or `None` if scales have a separate array.
    pub(crate) fn group(self) -> Option<Group> {
        match self {
            Layout::Rows | Layout::RowsHighFirst | Layout::Packed => None,
            Layout::Gguf => Some(Group { elements: 32, bytes: 17, blocks: 1 }),
            Layout::GgufNvfp4 => Some(Group { elements: 64, bytes: 36, blocks: 4 }),
        }
    }
}

/// Elements stored together with their scales.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub elements: usize,
    pub bytes: usize,
    pub blocks: usize,
}

impl Group {
    /// The number of elements of a block.
    pub fn width(self) -> usize {
        self.elements / self.blocks
    }
}

/// True for element formats: signed floats of at most 8 bits.
pub(super) fn is_element(format: Format) -> bool {
    matches!(format.parameters().kind, FormatKind::Float { signed: true, .. }) && format.storage() <= 8
}

/// True for formats whose codes can be scales: floats and powers of two with 8 bits.
pub(super) fn is_byte_float(format: Format) -> bool {
    let power = matches!(format.parameters().kind, FormatKind::PowerOfTwo { .. });
    (format.is_float() || power) && format.bits() == 8
}

/// The kind of a register with a scale of this format, or `None` if scales cannot have it.
pub(super) fn scale_kind(format: Format) -> Option<Kind> {
    match format {
        Format::F32 => Some(Kind::Number),
        byte => is_byte_float(byte).then_some(Kind::Code(byte)),
    }
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
    /// The types of numbers that it accepts; empty if it accepts all.
    pub inputs: &'static [Format],
    pub quantize: &'static [&'static str],
    pub dequantize: &'static [&'static str],
    /// A one-line description for choosing a recipe.
    pub about: &'static str,
    /// The place where the rule is defined.
    pub source: &'static str,
    /// The evidence that the bytes are right.
    pub confirmed: &'static str,
}

/// These rows, if every one has a name, elements, a block, lines for both directions, and says where its rule is from.
pub(super) const fn complete(rows: &'static [Row]) -> &'static [Row] {
    let mut at = 0;
    while at < rows.len() {
        let Row { name, elements, block, quantize, dequantize, about, source, confirmed, .. } = &rows[at];
        let texts = !name.is_empty() && !about.is_empty() && !source.is_empty() && !confirmed.is_empty();
        let lines = !quantize.is_empty() && !dequantize.is_empty();
        let shape = !elements.is_empty() && block.rows != 0 && block.columns != 0;
        assert!(texts && lines && shape, "every row has all that a recipe needs");
        at += 1;
    }
    rows
}

/// The parts of a recipe, for recipes of your own.
///
/// With the feature `toml`, a recipe file has these fields as keys; see [`Recipe::from_toml`](crate::Recipe::from_toml).
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
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(deny_unknown_fields))]
pub struct Definition {
    /// The recipe's name.
    pub name: String,
    /// The element format: an FP8, FP6 or FP4 format.
    #[cfg_attr(feature = "toml", serde(with = "super::named::format"))]
    pub element: Format,
    /// The block.
    pub block: BlockShape,
    /// The format of `s`: f32, or a float of 8 bits such as `ue8m0`, `e4m3` and `ue5m3`.
    #[cfg_attr(feature = "toml", serde(with = "super::named::format"))]
    pub scale: Format,
    /// The effect of a NaN on the largest magnitude of its block.
    #[cfg_attr(feature = "toml", serde(default, rename = "nan"))]
    pub amax: AmaxNan,
    /// The treatment of an array that is not a whole number of blocks.
    #[cfg_attr(feature = "toml", serde(default))]
    pub ragged: Ragged,
    /// How elements and scales are stored.
    #[cfg_attr(feature = "toml", serde(default))]
    pub layout: Layout,
    /// The types of numbers for which the recipe makes the library's bytes: of f32, bf16 and f16. All if it is empty.
    #[cfg_attr(
        feature = "toml",
        serde(default, with = "super::named::formats", skip_serializing_if = "Vec::is_empty")
    )]
    pub inputs: Vec<Format>,
    /// The lines that compute `s` (a scale), `q` (an element) and, if there is one, `G` (the global scale) from `amax`, `x`
    /// and `tensor_amax`.
    pub quantize: Vec<String>,
    /// The lines that compute `v` from `q`, `s` and `G`.
    pub dequantize: Vec<String>,
    /// A one-line description.
    #[cfg_attr(feature = "toml", serde(default))]
    pub about: String,
    /// The place where the rule is defined.
    #[cfg_attr(feature = "toml", serde(default))]
    pub source: String,
    /// The evidence that the bytes are right. Not part of a recipe file.
    #[cfg_attr(feature = "toml", serde(skip))]
    pub confirmed: String,
}

impl Definition {
    /// The parts of a row for one of its element formats.
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
            inputs: row.inputs.to_vec(),
            quantize: lines(row.quantize),
            dequantize: lines(row.dequantize),
            about: row.about.into(),
            source: row.source.into(),
            confirmed: row.confirmed.into(),
        }
    }
}
