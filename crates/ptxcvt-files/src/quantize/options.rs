//! The user's options for a run of quantisation.

use ptxcvt::Format;
use ptxcvt_blocks::Recipe;
use wildmatch::WildMatch;

use super::fused::Fused;
use super::loader::Loader;
use super::tensor::{self, Tensor};
use super::work::{Axis, Names, Work};
use crate::array::Input;
use crate::error::FileError;

/// The choice of tensors, and how they are quantised.
#[derive(Clone, Debug)]
pub struct Options {
    /// The recipe.
    pub recipe: Recipe,
    /// Patterns of the tensors to quantise; all that fit if empty.
    pub tensors: Vec<String>,
    /// Patterns of the tensors to leave unchanged.
    pub exclude: Vec<String>,
    /// The library whose loader reads the output.
    pub loader: Option<Loader>,
    /// The format of the numbers in raw inputs, and of integers in `.npy`.
    pub dtype: Option<Format>,
    /// Whether raw inputs have the most significant byte first.
    pub big_endian: bool,
    /// The largest magnitude for the global scale, instead of the tensor's own.
    pub global_amax: Option<f32>,
    /// Tensors that share their global scale, besides those that the loader is known to join.
    pub fuse: Vec<Fused>,
    /// Whether every tensor has a separate global scale, unless `fuse` names it.
    pub no_fuse: bool,
    /// The seed of random bits.
    pub seed: Option<u64>,
    /// The axis along which blocks run.
    pub axis: Axis,
    /// Whether scales are stored in the 128x4 swizzle of cuBLAS.
    pub swizzle: bool,
    /// Whether to measure the errors of each tensor.
    pub report: bool,
    /// The number of threads; 0 means one for each core.
    pub threads: usize,
    /// How many bytes a piece of the input may take.
    pub memory: u64,
}

/// The tensors of a file that are quantised, and the indices of the arrays that are copied.
pub(super) type Chosen<'a> = (Vec<Tensor<'a>>, Vec<usize>);

impl Options {
    /// Checks that the options fit the recipe, whatever the input is.
    ///
    /// # Errors
    ///
    /// Fails if a seed is missing or unused, if the loader does not read the recipe's output, or if an option has no use.
    pub fn check(&self) -> Result<(), FileError> {
        let recipe = &self.recipe;
        if let Some(loader) = self.loader {
            loader.check(recipe)?;
            if self.axis != Axis::Rows || self.swizzle {
                return Err(FileError::new("--for names the parts of tensors along rows, with plain scales"));
            }
        }
        if self.swizzle {
            recipe
                .check_swizzle()
                .map_err(|e| FileError::new(e.to_string()).with_help("leave out --swizzle"))?;
        }
        match (recipe.is_random(), self.seed) {
            (true, None) => Err(FileError::new(format!("`{}` rounds with random bits", recipe.name()))
                .with_help("give --seed N")),
            (false, Some(_)) => Err(FileError::new(format!("`{}` accepts no seed", recipe.name()))),
            _ if recipe.has_global_scale() => Ok(()),
            _ => {
                let given =
                    [(!self.fuse.is_empty(), "--fuse"), (self.global_amax.is_some(), "--global-amax")];
                let Some((_, option)) = given.into_iter().find(|(given, _)| *given) else { return Ok(()) };
                let has = if recipe.is_row_scaled() {
                    "has a global scale for each row"
                } else {
                    "has no global scale"
                };
                Err(FileError::new(format!("`{}` {has}, so {option} has no use", recipe.name())))
            }
        }
    }

    /// For each pass over a tensor: whether the matrix is transposed, and the suffix of its parts' names.
    pub(super) fn passes(&self) -> &'static [(bool, &'static str)] {
        match self.axis {
            Axis::Rows => &[(false, "")],
            Axis::Columns => &[(true, "")],
            Axis::Both => &[(false, ""), (true, "_columns")],
        }
    }

    /// How one tensor is quantised in one pass.
    ///
    /// # Errors
    ///
    /// Fails if the tensor is not a whole number of blocks and the recipe needs that.
    pub(super) fn work<'a>(
        &'a self,
        tensor: &'a Tensor<'a>,
        transposed: bool,
    ) -> Result<Work<'a>, FileError> {
        let transposed = transposed || tensor.turned;
        Ok(Work {
            recipe: &self.recipe,
            tensor,
            matrices: tensor.matrices(&self.recipe, transposed)?,
            transposed,
            swizzled: self.swizzle,
            amax: self.global_amax,
            shared: None,
            seed: self.seed.filter(|_| self.recipe.is_random()),
            threads: self.threads,
            memory: self.memory as usize,
        })
    }

    /// Whether the user wants the tensor of this name to stay unchanged.
    pub(super) fn excludes(&self, name: &str) -> bool {
        self.exclude.iter().any(|pattern| matches(pattern, name))
    }

    /// Divides the tensors of a file into those to quantise and those to copy. With `alone`, only the file's
    /// one array can be quantised.
    pub(super) fn choose<'a>(&self, input: &'a Input, alone: bool) -> Result<Chosen<'a>, FileError> {
        let (mut chosen, mut copied) = (Vec::new(), Vec::new());
        for (at, array) in input.arrays.iter().enumerate() {
            let axes = array.shape.len();
            let wanted = match self.loader {
                _ if !self.tensors.is_empty() => {
                    self.tensors.iter().any(|pattern| matches(pattern, tensor::name(array)))
                }
                Some(loader) if !alone => loader.wants(tensor::name(array), axes),
                _ => alone || axes > 1,
            };
            let floats = tensor::input_type(array, self.dtype).is_some();
            if wanted && !self.excludes(tensor::name(array)) && (floats || alone || !self.tensors.is_empty())
            {
                let turned = self.loader.is_some_and(|loader| loader.turns(axes));
                chosen.push(Tensor::new(input, array, self.dtype, turned)?);
            } else {
                copied.push(at);
            }
        }
        Ok((chosen, copied))
    }

    /// The number of bytes to read for the tensors that are quantised.
    pub(super) fn read_bytes(&self, chosen: &[Tensor<'_>]) -> u64 {
        chosen.iter().map(Tensor::len).sum::<u64>() * self.passes().len() as u64
    }

    /// The names of a tensor's parts.
    pub(super) fn names(&self, input: &Input, tensor: &Tensor<'_>, suffix: &str) -> Result<Names, FileError> {
        match self.loader {
            Some(loader) => loader.names(&self.recipe, &tensor.name),
            None => {
                let several = input.arrays.len() > 1 || input.in_checkpoint;
                let mut names = Names::plain(several.then_some(tensor.name.as_str()), suffix);
                if self.recipe.is_row_scaled() {
                    // Rows and columns have other scales; the scale of an array is the same for both axes.
                    names.global += suffix;
                }
                Ok(names)
            }
        }
    }
}

/// Whether a name matches a pattern.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    WildMatch::new(pattern).matches(name)
}
