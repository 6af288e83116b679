//! The options and the result of quantising.

use ptxcvt_bulk::{NonFinite, Stores};

use crate::error::BlockError;
use crate::recipe::Recipe;

/// The source of a recipe's global scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Global {
    /// The largest magnitude of the array.
    #[default]
    FromData,
    /// This largest magnitude, which must be positive and finite.
    Amax(f32),
    /// This largest magnitude, returned by [`largest_magnitude`](crate::largest_magnitude) for an array that
    /// is quantised in parts. It can be infinite or NaN, if the data are.
    Measured(f32),
    /// This global scale, as the recipe stores it. It must not be negative or NaN.
    Scale(f32),
}

impl Global {
    /// Checks a number given by the user; the check does not depend on the recipe.
    ///
    /// # Errors
    ///
    /// Fails if a largest magnitude is not positive or not finite, or a scale negative or NaN.
    pub fn check(&self) -> Result<(), BlockError> {
        match *self {
            Global::Amax(given) if given.is_nan() || given <= 0.0 || given.is_infinite() => {
                Err(BlockError::Amax { given })
            }
            Global::Scale(given) if given.is_nan() || given < 0.0 => Err(BlockError::Scale { given }),
            _ => Ok(()),
        }
    }
}

/// The options of quantising.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The global scale.
    pub global: Global,
    /// The seed of random bits.
    pub seed: Option<u64>,
    /// If the matrix is a part of an array, the index of its first element there. It determines the random
    /// bits of each element.
    pub first: usize,
    /// The number of threads; 0 means one for each core. The result does not depend on it.
    pub threads: usize,
    /// Store policy: non-temporal for large arrays unless overridden.
    pub stores: Stores,
}

impl Options {
    /// Checks that the options fit the recipe.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<(), BlockError> {
        if recipe.is_random() != self.seed.is_some() {
            return Err(BlockError::Seed { recipe: recipe.name().into(), needed: recipe.is_random() });
        }
        if self.global != Global::FromData {
            if recipe.is_row_scaled() {
                return Err(BlockError::RowScaled { recipe: recipe.name().into() });
            }
            if !recipe.has_global_scale() {
                return Err(BlockError::Global { recipe: recipe.name().into(), needed: false });
            }
        }
        self.global.check()
    }

    /// The actual number of threads.
    pub(crate) fn threads(&self) -> usize {
        ptxcvt_parallel::thread_count(self.threads)
    }
}

/// The parts of a quantised matrix, as in [`Quantized`], in the caller's buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts<'q> {
    /// The elements, in the recipe's layout.
    pub data: &'q [u8],
    /// The scales row by row.
    pub scales: &'q [u8],
    /// The global scales as the recipe stores them: none, one, or one for each row.
    pub global: &'q [f32],
    /// The rows and columns of the matrix, in elements.
    pub shape: (usize, usize),
}

impl<'q> From<&'q Quantized> for Parts<'q> {
    fn from(whole: &'q Quantized) -> Parts<'q> {
        Parts { data: &whole.data, scales: &whole.scales, global: &whole.global, shape: whole.shape }
    }
}

/// A quantised matrix.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quantized {
    /// The elements, in the recipe's layout.
    pub data: Vec<u8>,
    /// The scales row by row, in their format, little-endian; empty if they are stored among the elements.
    pub scales: Vec<u8>,
    /// The global scales as the recipe stores them: none, one, or one for each row.
    pub global: Vec<f32>,
    /// The rows and columns of the matrix, in elements.
    pub shape: (usize, usize),
    /// NaN and infinity in the input.
    pub non_finite: NonFinite,
}

impl Quantized {
    /// A quantised matrix to dequantise, from its parts. [`dequantize`](crate::dequantize) checks that they
    /// fit.
    pub fn new(data: Vec<u8>, scales: Vec<u8>, global: Vec<f32>, shape: (usize, usize)) -> Quantized {
        Quantized { data, scales, global, shape, non_finite: NonFinite::default() }
    }
}

impl Parts<'_> {
    /// Checks the lengths, and that no global scale is negative. NaN is not refused: quantising NaN can make it.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<(), BlockError> {
        let (rows, columns) = self.shape;
        recipe.check_layout(rows, columns)?;
        let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
        check_length("the element data", rows * recipe.row_bytes(columns), self.data.len())?;
        check_length("the scales", scale_rows * scale_columns * recipe.scale_bytes(), self.scales.len())?;
        match (recipe.globals(rows), self.global.len()) {
            (expected, given) if expected == given => match self.global.iter().find(|scale| **scale < 0.0) {
                Some(given) => Err(BlockError::Scale { given: *given }),
                None => Ok(()),
            },
            (expected, given) if recipe.is_row_scaled() || given > 1 => {
                Err(BlockError::Globals { recipe: recipe.name().into(), expected, given })
            }
            (expected, _) => Err(BlockError::Global { recipe: recipe.name().into(), needed: expected == 1 }),
        }
    }
}

/// Checks the length of a buffer.
pub(crate) fn check_length(what: &'static str, expected: usize, given: usize) -> Result<(), BlockError> {
    if expected == given { Ok(()) } else { Err(BlockError::Length { what, expected, given }) }
}
