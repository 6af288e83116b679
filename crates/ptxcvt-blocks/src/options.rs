//! The options and the result of quantising.

use ptxcvt::Outcome;
use ptxcvt::literal::Parsed;
use ptxcvt_bulk::{NonFinite, Stores};

use crate::error::{AmaxError, BlockError};
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
            Global::Amax(given) => positive(given).map(drop).map_err(|why| BlockError::Amax { given, why }),
            Global::Scale(given) if given.is_nan() || given < 0.0 => Err(BlockError::Scale { given }),
            _ => Ok(()),
        }
    }

    /// Returns a number given by the user, which was read as an f32, as a largest magnitude.
    ///
    /// ```
    /// use ptxcvt::{Format, literal::Reader};
    /// use ptxcvt_blocks::{AmaxError, Global};
    /// let amax = |text: &str| Global::read_amax(&Reader::number(Format::F32).read(text).unwrap());
    /// assert_eq!(amax("3.5"), Ok(3.5));
    /// assert_eq!(amax("1e39"), Err(AmaxError::TooLarge));
    /// assert_eq!(amax("1e-60").unwrap_err().to_string(), "f32 rounds it to 0");
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the number is not positive, infinite or NaN, or if it became 0 or infinity when it was read.
    pub fn read_amax(read: &Parsed) -> Result<f32, AmaxError> {
        let number = f32::from_bits(read.bits as u32);
        match read.outcome {
            Outcome::Overflowed if number > 0.0 => Err(AmaxError::TooLarge),
            _ if number == 0.0 && number.is_sign_positive() && !read.is_exact() => {
                Err(AmaxError::RoundsToZero)
            }
            _ => positive(number),
        }
    }
}

/// A largest magnitude, which is positive and finite.
fn positive(number: f32) -> Result<f32, AmaxError> {
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err(AmaxError::NotPositive) }
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
    /// Checks the lengths of the parts of `matrices` matrices of this shape, and that no global scale is negative.
    /// NaN is not refused: quantising NaN can make it.
    pub(crate) fn check(&self, recipe: &Recipe, matrices: usize) -> Result<(), BlockError> {
        let (rows, columns) = self.shape;
        recipe.check_layout(rows, columns)?;
        let (data, scales) = recipe.part_lens(self.shape);
        check_length("the element data", matrices.saturating_mul(data), self.data.len())?;
        check_length("the scales", matrices.saturating_mul(scales), self.scales.len())?;
        // Matrices share the one global scale.
        let globals =
            if recipe.is_row_scaled() { matrices.saturating_mul(rows) } else { recipe.globals(rows) };
        match (globals, self.global.len()) {
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

#[cfg(test)]
mod tests {
    use ptxcvt::Format;
    use ptxcvt::literal::Reader;

    use super::*;

    /// A text, an f64 and an f32 give the same largest magnitude, or the same reason.
    #[test]
    fn a_magnitude_is_refused_with_its_reason() {
        use AmaxError::{NotPositive, RoundsToZero, TooLarge};
        let reader = Reader::number(Format::F32);
        for (text, expected) in [
            ("3.5", Ok(3.5)),
            ("1e-45", Ok(f32::from_bits(1))),
            ("3.4028235e38", Ok(f32::MAX)),
            ("0x1p-150", Err(RoundsToZero)),
            ("1e-60", Err(RoundsToZero)),
            ("1e-999", Err(RoundsToZero)),
            ("1e39", Err(TooLarge)),
            ("1e999", Err(TooLarge)),
            ("0", Err(NotPositive)),
            ("-0.0", Err(NotPositive)),
            ("-3", Err(NotPositive)),
            ("-1e-60", Err(NotPositive)),
            ("-1e39", Err(NotPositive)),
            ("inf", Err(NotPositive)),
            ("nan", Err(NotPositive)),
        ] {
            let read = reader.read(text).unwrap();
            assert_eq!(Global::read_amax(&read), expected, "{text}");
            if let Ok(number) = text.parse::<f64>() {
                // An f64 has already become 0 or infinity where the text has not.
                let same = (number == 0.0) == matches!(text, "0" | "-0.0")
                    && number.is_infinite() == (text == "inf");
                let found = Global::read_amax(&reader.read_f64(number).unwrap());
                assert!(!same || found == expected, "{text}");
            }
            let given = f32::from_bits(read.bits as u32);
            let checked = Global::Amax(given).check();
            assert_eq!(checked.is_ok(), expected.is_ok(), "{text}");
            if let Err(error) = checked {
                assert!(error.to_string().ends_with(&format!(": {NotPositive}")), "{error}");
            }
        }
    }
}
