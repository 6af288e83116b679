//! The errors of a quantised tensor, the differences of two recipes on it, and the steps of one block.

use ptxcvt::{Format, Value};
use ptxcvt_blocks::{Comparison, Counts, Recipe, Report, Step};
use serde::Serialize;

use crate::Bits;
use crate::bits::as_text;

/// Errors and scales of one quantised tensor.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TensorReport {
    /// The tensor's name; empty for a file of one array.
    pub tensor: String,
    /// The recipe's name.
    pub recipe: String,
    /// The tensor's shape.
    pub shape: Vec<u64>,
    /// How many elements the tensor has.
    pub elements: u64,
    /// The mean of the squared errors; NaN (`null` in JSON) if there are no elements, or if one is or became NaN or
    /// infinity.
    pub mean_square_error: f64,
    /// The largest magnitude of an error; NaN (`null` in JSON) where the mean is.
    pub largest_error: f64,
    /// The ratio of signal to noise; `None` if nothing was lost, or if the errors are undefined.
    pub snr_db: Option<f64>,
    /// How many blocks the tensor has.
    pub blocks: u64,
    /// The number of blocks that were restored without any error; `None` if there are no blocks, or if every block has
    /// NaN or infinity.
    pub exact_blocks: Option<u64>,
    /// Elements beyond the range of their block and limited to its end, including infinities.
    pub saturated: u64,
    /// Nonzero elements that became zero.
    pub became_zero: u64,
    /// `became_zero` under its older name. It is not the count of `convert --stats`, which is of numbers that `.ftz`
    /// flushed.
    pub flushed: u64,
    /// Elements that were NaN.
    pub nan_inputs: u64,
    /// Numbers that became NaN or infinity.
    pub became_nan: u64,
    /// How many blocks have each scale.
    pub scales: Vec<ScaleCount>,
}

/// How many blocks have one scale.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ScaleCount {
    /// The scale, or the power of two at or below an f32 scale; `None` for NaN and infinity.
    pub value: Option<f64>,
    /// True for infinity.
    pub infinite: bool,
    /// The scale's code; for f32 scales the exponent field, which is 0 for zero and for all subnormal numbers.
    pub code: u32,
    /// The number of blocks.
    pub count: u64,
}

impl TensorReport {
    /// Reports on the tensor of this name and shape.
    pub fn new(tensor: &str, shape: &[u64], recipe: &Recipe, report: &Report) -> Self {
        let scale = |(code, count): (&u32, &u64)| {
            let value = Report::scale_value(recipe, *code);
            let code = if recipe.scale() == Format::F32 { code >> 23 } else { *code };
            let infinite = value.is_infinite();
            ScaleCount { value: value.is_finite().then_some(value), infinite, code, count: *count }
        };
        let errors = report.losses.errors();
        TensorReport {
            tensor: tensor.to_owned(),
            recipe: recipe.name().to_owned(),
            shape: shape.to_vec(),
            elements: report.losses.elements(),
            mean_square_error: errors.map_or(f64::NAN, |errors| errors.mean_square),
            largest_error: errors.map_or(f64::NAN, |errors| errors.largest),
            snr_db: errors.map(|errors| errors.snr_db).filter(|snr| snr.is_finite()),
            blocks: report.blocks,
            exact_blocks: (report.finite_blocks > 0).then_some(report.exact_blocks),
            saturated: report.saturated,
            became_zero: report.became_zero,
            flushed: report.became_zero,
            nan_inputs: report.non_finite.nan,
            became_nan: report.losses.lost(),
            scales: report.scales.iter().map(scale).collect(),
        }
    }
}

/// The differences of two recipes on one tensor.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ComparisonReport {
    /// How many scales, codes and bytes differ.
    #[serde(flatten)]
    pub counts: Counts,
    /// Row and column of the first block that differs.
    pub first_block: Option<(usize, usize)>,
    /// Row and column of the first element in that block that differs.
    pub first_element: Option<(usize, usize)>,
    /// The first pair of stored global scales that differ.
    pub global_scales: Option<[Option<f32>; 2]>,
}

impl From<Comparison> for ComparisonReport {
    fn from(Comparison { counts, first, global_scales }: Comparison) -> Self {
        ComparisonReport {
            counts,
            first_block: first.map(|first| first.block),
            first_element: first.and_then(|first| first.element),
            global_scales,
        }
    }
}

/// One line of a recipe and its result, or a named value such as a scale.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StepReport {
    /// The line, or the value's name.
    pub text: String,
    /// The bits of the result.
    pub bits: Bits,
    /// The result as a number.
    #[serde(serialize_with = "as_text")]
    pub value: Value,
}

impl StepReport {
    /// Reports one step of a worked block.
    pub fn new(step: &Step) -> StepReport {
        StepReport::named(&step.text, step.bits, step.format.unwrap_or(Format::F32))
    }

    /// Reports a value that has a name instead of a line.
    pub fn named(name: &str, bits: u32, format: Format) -> StepReport {
        StepReport {
            text: name.to_owned(),
            bits: Bits::new(bits.into(), format.storage()),
            value: format.decode(bits.into()),
        }
    }
}
