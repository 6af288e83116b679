//! Errors of quantising and dequantising.

use core::fmt;

use ptxcvt::{Format, counted};

use crate::recipe::BlockShape;

/// An array that does not fit its recipe, or buffers that do not fit the array.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BlockError {
    /// The slice does not have as many elements as the shape.
    Elements {
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        columns: usize,
        /// Elements of the slice.
        given: usize,
    },
    /// The strides lead outside the bytes.
    Outside {
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        columns: usize,
        /// Bytes of the slice.
        bytes: usize,
    },
    /// The shape has no axis: a single number.
    NoAxis,
    /// The bits of an array of this shape, with 1 in place of lengths of 0, exceed the address space.
    TooLarge,
    /// The array is not a whole number of blocks, and the recipe needs that.
    Ragged {
        /// The recipe.
        recipe: String,
        /// Its block, or the group of blocks that its layout stores together.
        block: BlockShape,
        /// Rows of the array.
        rows: usize,
        /// Columns of the array.
        columns: usize,
    },
    /// A row of FP4 elements must end with a whole byte.
    OddColumns {
        /// Columns of the array.
        columns: usize,
    },
    /// A buffer has a different length than the recipe needs.
    Length {
        /// The name of the buffer.
        what: &'static str,
        /// The number of bytes that the recipe needs.
        expected: usize,
        /// The number of bytes that were given.
        given: usize,
    },
    /// A seed is missing for a recipe with random bits, or given for one without.
    Seed {
        /// The recipe.
        recipe: String,
        /// True if the recipe needs a seed.
        needed: bool,
    },
    /// The bytes of the two recipes cannot be compared.
    Incomparable {
        /// The recipes.
        recipes: [String; 2],
        /// The property that differs.
        what: &'static str,
    },
    /// A recipe without a global scale is given one, or a recipe with one lacks it.
    Global {
        /// The recipe.
        recipe: String,
        /// True if the recipe has a global scale.
        needed: bool,
    },
    /// A global scale or a largest magnitude is given to a recipe that computes a global scale for each row.
    RowScaled {
        /// The recipe.
        recipe: String,
    },
    /// The number of global scales does not fit the matrix.
    Globals {
        /// The recipe.
        recipe: String,
        /// The number that the matrix has.
        expected: usize,
        /// The given number.
        given: usize,
    },
    /// Numbers of a type that the recipe does not accept.
    Input {
        /// The recipe.
        recipe: String,
        /// The type.
        given: Format,
    },
    /// Scales whose shape does not follow from that of the elements.
    ScalesShape {
        /// The shape that follows.
        expected: Vec<usize>,
        /// The given shape.
        given: Vec<usize>,
    },
    /// Bytes of elements whose shape does not follow from that of the elements.
    DataShape {
        /// The shape that follows.
        expected: Vec<usize>,
        /// The given shape.
        given: Vec<usize>,
    },
    /// A number that cannot be a largest magnitude.
    Amax {
        /// The given number.
        given: f32,
        /// What is wrong with it.
        why: AmaxError,
    },
    /// A given largest magnitude that is so small that the global scale becomes 0.
    ZeroScale {
        /// The recipe.
        recipe: String,
        /// The given number.
        given: f32,
    },
    /// A given global scale that is negative or, in quantising, NaN.
    Scale {
        /// The given number.
        given: f32,
    },
    /// The recipe's scales cannot be swizzled.
    Swizzle {
        /// The recipe.
        recipe: String,
        /// The reason.
        why: &'static str,
    },
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockError::Elements { rows, columns, given } => {
                write!(
                    f,
                    "an array of {} and {} needs {}, not {given}",
                    counted(*rows, "row"),
                    counted(*columns, "column"),
                    counted(rows.saturating_mul(*columns), "element")
                )
            }
            BlockError::Outside { rows, columns, bytes } => {
                write!(
                    f,
                    "an array of {} and {} with these strides is outside the given {}",
                    counted(*rows, "row"),
                    counted(*columns, "column"),
                    counted(*bytes, "byte")
                )
            }
            BlockError::NoAxis => f.write_str("cannot quantise a single number: expected an array"),
            BlockError::TooLarge => {
                f.write_str("an array of this shape would be larger than the address space")
            }
            BlockError::Ragged { recipe, block, rows, columns } => write!(
                f,
                "an array of {} and {} is not a whole number of blocks of {block}, which `{recipe}` needs",
                counted(*rows, "row"),
                counted(*columns, "column")
            ),
            BlockError::OddColumns { columns } => {
                let columns = counted(*columns, "column");
                write!(f, "{columns}: two FP4 elements share a byte, so their number must be even")
            }
            BlockError::Length { what, expected, given } => {
                write!(f, "{what}: expected {}, not {given}", counted(*expected, "byte"))
            }
            BlockError::Seed { recipe, needed: true } => {
                write!(f, "`{recipe}` rounds with random bits and needs a seed")
            }
            BlockError::Seed { recipe, .. } => {
                write!(f, "`{recipe}` does not round with random bits, so it accepts no seed")
            }
            BlockError::Incomparable { recipes: [a, b], what } => {
                write!(f, "`{a}` and `{b}` have different {what}, so their bytes cannot be compared")
            }
            BlockError::Global { recipe, needed: true } => write!(f, "`{recipe}` needs its global scale"),
            BlockError::Global { recipe, .. } => write!(f, "`{recipe}` has no global scale"),
            BlockError::RowScaled { recipe } => {
                write!(f, "`{recipe}` computes the global scale of each row from the row, so it accepts none")
            }
            BlockError::Globals { recipe, expected, given } => {
                write!(f, "{} for `{recipe}`: expected {expected}", counted(*given, "global scale"))
            }
            BlockError::Input { recipe, given } => {
                write!(f, "`{recipe}` does not accept {given}: the library's bytes for it are not known")
            }
            BlockError::ScalesShape { expected, given } => {
                write!(f, "the scales have shape {given:?}, not {expected:?}")
            }
            BlockError::DataShape { expected, given } => {
                write!(f, "the data has shape {given:?}, not {expected:?}")
            }
            BlockError::Amax { given, why } => write!(f, "largest magnitude {given}: {why}"),
            BlockError::ZeroScale { recipe, given } => {
                write!(f, "largest magnitude {given:e}: the global scale of `{recipe}` would be 0")
            }
            BlockError::Scale { given } => {
                write!(f, "global scale {given}: expected a number that is not negative")
            }
            BlockError::Swizzle { recipe, why } => {
                write!(f, "the scales of `{recipe}` cannot be swizzled: {why}")
            }
        }
    }
}

impl core::error::Error for BlockError {}

/// Why a number cannot be a largest magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AmaxError {
    /// It is zero, negative, infinite or NaN.
    NotPositive,
    /// It is positive, but became 0 as an f32.
    RoundsToZero,
    /// It is finite, but became infinity as an f32.
    TooLarge,
}

impl fmt::Display for AmaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AmaxError::NotPositive => "expected a positive finite number",
            AmaxError::RoundsToZero => "f32 rounds it to 0",
            AmaxError::TooLarge => "larger than every f32",
        })
    }
}

impl core::error::Error for AmaxError {}
