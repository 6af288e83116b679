//! What cannot be quantised, and why.

use core::fmt;

use crate::recipe::BlockShape;

/// An array that does not go with its recipe, or buffers that do not go with the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// The slice has not as many elements as the shape.
    Elements {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
        /// Elements given.
        given: usize,
    },
    /// Strides lead outside the bytes.
    Outside {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
        /// Bytes given.
        bytes: usize,
    },
    /// The array is no whole number of blocks, and the recipe has no smaller ones.
    Ragged {
        /// The recipe.
        recipe: String,
        /// Its block.
        block: BlockShape,
        /// Rows of the array.
        rows: usize,
        /// Columns of the array.
        columns: usize,
    },
    /// A row of FP4 elements must end with a byte.
    OddColumns {
        /// Columns of the array.
        columns: usize,
    },
    /// A buffer has another length than the recipe needs.
    Length {
        /// Which buffer.
        what: &'static str,
        /// Bytes needed.
        expected: usize,
        /// Bytes given.
        given: usize,
    },
    /// The recipe rounds with random bits and no seed is given, or the other way round.
    Seed {
        /// The recipe.
        recipe: String,
        /// It needs one.
        needed: bool,
    },
    /// Two recipes whose bytes say nothing of each other.
    Incomparable {
        /// The recipes.
        recipes: [String; 2],
        /// In what they differ.
        what: &'static str,
    },
    /// A global scale is given to a recipe without one, or needed and not given.
    Global {
        /// The recipe.
        recipe: String,
        /// It needs one.
        needed: bool,
    },
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockError::Elements { rows, columns, given } => {
                write!(
                    f,
                    "{rows} rows of {columns} columns need {} elements, not {given}",
                    rows.saturating_mul(*columns)
                )
            }
            BlockError::Outside { rows, columns, bytes } => {
                write!(
                    f,
                    "{rows} rows of {columns} columns with these strides lie outside the {bytes} bytes given"
                )
            }
            BlockError::Ragged { recipe, block, rows, columns } => write!(
                f,
                "{rows} rows of {columns} columns are no whole number of blocks of {block}, which `{recipe}` needs"
            ),
            BlockError::OddColumns { columns } => {
                write!(f, "{columns} columns: two FP4 elements share a byte, so their number must be even")
            }
            BlockError::Length { what, expected, given } => {
                write!(f, "{what} takes {expected} bytes, not {given}")
            }
            BlockError::Seed { recipe, needed: true } => {
                write!(f, "`{recipe}` rounds with random bits and needs a seed")
            }
            BlockError::Seed { recipe, .. } => write!(f, "`{recipe}` takes no seed"),
            BlockError::Incomparable { recipes: [a, b], what } => {
                write!(f, "`{a}` and `{b}` have different {what}, so their bytes cannot be compared")
            }
            BlockError::Global { recipe, needed: true } => write!(f, "`{recipe}` needs its global scale"),
            BlockError::Global { recipe, .. } => write!(f, "`{recipe}` has no global scale"),
        }
    }
}

impl core::error::Error for BlockError {}
