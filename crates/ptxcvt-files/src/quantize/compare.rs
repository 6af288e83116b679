//! Compares two recipes on one tensor: the bytes that differ, and the steps of the first such block.

use ptxcvt_blocks::{BlockError, NonFinite, Worked, compare as compare_matrix, work_block};
use ptxcvt_report::quantize::{ComparisonReport, TensorReport};

use super::file::choose;
use super::options::Options;
use super::work::Work;
use crate::array::Input;
use crate::error::FileError;

/// Two recipes on one tensor.
#[derive(Debug, serde::Serialize)]
pub struct Compared {
    /// The tensor's name; empty for an array without one.
    pub tensor: String,
    /// The names of the recipes.
    pub recipes: [String; 2],
    /// The numbers of scales, codes and bytes that differ, and the places of the first ones.
    #[serde(flatten)]
    pub comparison: ComparisonReport,
    /// NaN and infinities in the tensor.
    #[serde(skip)]
    pub special: NonFinite,
    /// The first block that differs, if any.
    #[serde(skip)]
    pub first: Option<FirstBlock>,
}

/// What `ptxcvt quantize --json` prints.
#[derive(Debug, serde::Serialize)]
pub struct Outcome {
    /// Two recipes on each chosen tensor, if they are compared.
    pub comparisons: Vec<Compared>,
    /// The errors of each chosen tensor, if they are measured.
    pub tensors: Vec<TensorReport>,
}

/// The first block that differs, with the steps of both recipes.
#[derive(Debug)]
pub struct FirstBlock {
    /// The steps of each recipe.
    pub worked: [Worked; 2],
    /// The index in the block of the first element that differs; 0 if only the scales do.
    pub element: usize,
    /// The value of that element, if one differs.
    pub value: Option<f32>,
}

/// Compares the recipe of `options` with `other`, which has a different recipe only, on every chosen tensor.
///
/// # Errors
///
/// Fails if no tensor is chosen, if a tensor does not fit a recipe, or if reading fails.
pub fn compare(options: &Options, other: &Options, input: &Input) -> Result<Vec<Compared>, FileError> {
    let (chosen, _) = choose(options, input)?;
    let (transposed, _) = options.passes()[0];
    chosen
        .iter()
        .map(|tensor| Compared::new([options.work(tensor, transposed)?, other.work(tensor, transposed)?]))
        .collect()
}

impl Compared {
    fn new(works: [Work<'_>; 2]) -> Result<Compared, FileError> {
        let (recipes, tensor) = (works.map(|work| work.recipe), works[0].tensor);
        let fail = |e: BlockError| tensor.fail(&e);
        if works.iter().any(|work| work.matrices.count > 1) {
            return Err(FileError::new(format!("{}: only one matrix can be compared", tensor.place())));
        }
        let options = [works[0].whole_options()?, works[1].whole_options()?];
        let mut compared = None;
        let mut special = NonFinite::default();
        tensor.each(
            works[0].matrices,
            works[0].transposed,
            usize::MAX,
            Some(&mut special),
            |matrix, _, _| {
                let found = compare_matrix(recipes, matrix, [&options[0], &options[1]]).map_err(fail)?;
                let mut first_block = None;
                if let Some(first) = found.first {
                    let element = first.element.map_or(0, |at| recipes[0].place(matrix.columns(), at).1);
                    let work =
                        |at: usize| work_block(recipes[at], matrix, first.block, &options[at]).map_err(fail);
                    let value = first.element.map(|(r, c)| matrix.value(r, c));
                    first_block = Some(FirstBlock { worked: [work(0)?, work(1)?], element, value });
                }
                compared = Some((found, first_block));
                Ok(())
            },
        )?;
        let (comparison, first) =
            compared.ok_or_else(|| FileError::new(format!("{}: is empty", tensor.place())))?;
        let comparison = comparison.into();
        let recipes = recipes.map(|r| r.name().to_owned());
        Ok(Compared { tensor: tensor.name.clone(), recipes, comparison, special, first })
    }

    /// True if both recipes give the same bytes.
    pub fn is_equal(&self) -> bool {
        self.comparison.counts.is_equal()
    }
}
