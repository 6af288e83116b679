//! The quantised tensors of a file: checks their shapes, and decodes them.

use std::fmt;

use ::safetensors::Dtype;
use ptxcvt_blocks::{
    BlocksAlong, Input as Output, Matrices, Options as BlockOptions, Parts, Recipe, dequantize_array_into,
};

use super::parts::{Part, find};
use super::shapes::{exchanged, squeezed};
use crate::array::{Array, Container, FileType, Input};
use crate::error::FileError;
use crate::quantize::loader::Loader;
use crate::quantize::metadata::Description;
use crate::quantize::tensor;
use crate::quantize::work::{plain_scales, widened};

/// How files are dequantised.
#[derive(Clone, Debug)]
pub struct Options {
    /// The recipe or its file, unless the input file has it.
    pub recipe: Option<String>,
    /// The type of the numbers.
    pub output: Output,
    /// The library whose naming the tensors follow, unless the file has it.
    pub loader: Option<Loader>,
    /// The number of threads; 0 means one for each core.
    pub threads: usize,
}

/// The quantised tensors of a file, and how they are read.
pub struct Quantised<'a> {
    pub recipe: Recipe,
    pub loader: Option<Loader>,
    pub input: &'a Input,
    pub output: Output,
    swizzled: bool,
    transposed: bool,
    threads: usize,
    pub parts: Vec<Part<'a>>,
    pub copied: Vec<&'a Array>,
}

impl<'a> Quantised<'a> {
    pub fn new(options: &Options, input: &'a Input) -> Result<Self, FileError> {
        let path = &input.source.name;
        if input.container != Container::Safetensors {
            return Err(FileError::new(format!(
                "{path}: quantised tensors are read from a .safetensors file"
            )));
        }
        let description =
            Description::read(path, &input.metadata, options.recipe.as_deref(), options.loader)?;
        if description.swizzled {
            description.recipe.check_swizzle().map_err(|e| FileError::new(format!("{path}: {e}")))?;
        }
        let (parts, copied) = find(input, &description)?;
        if parts.is_empty() && options.loader.is_none() && !description.by_quantize {
            return Err(FileError::new(format!(
                "{path}: holds no tensor `data`, so nothing that `quantize` made"
            ))
            .with_help("name the library of a checkpoint: --for LOADER"));
        }
        Ok(Quantised {
            recipe: description.recipe,
            loader: description.loader,
            input,
            output: options.output,
            swizzled: description.swizzled,
            transposed: description.transposed,
            threads: options.threads,
            parts,
            copied,
        })
    }

    /// How many bytes of quantised tensors are read.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().filter_map(|p| p.data.len).sum()
    }

    /// An error about the elements of a tensor, or about what belongs to them.
    fn fail(&self, part: &Part<'_>, what: impl fmt::Display) -> FileError {
        FileError::new(format!("{}: {what}", part.data.label(&self.input.source.name)))
    }

    /// Refuses scales and a list of shapes that do not fit the elements, whose shape is `shape`.
    fn check_shapes(&self, part: &Part<'_>, shape: &[u64]) -> Result<(), FileError> {
        let fail = |what: String| self.fail(part, what);
        let restored = if self.turns(shape) { exchanged(shape) } else { shape.to_vec() };
        if let Some(stated) = part.shape.as_ref().filter(|stated| squeezed(stated) != squeezed(&restored)) {
            let message =
                format!("its elements are those of shape {restored:?}, and its metadata say {stated:?}");
            return Err(fail(message));
        }
        let Some(scales) = part.scales.filter(|_| !self.swizzled) else { return Ok(()) };
        let sizes = |shape: &[u64]| shape.iter().map(|n| *n as usize).collect::<Vec<_>>();
        let fits = self.recipe.check_scales(&sizes(shape), &sizes(&scales.shape));
        fits.map_err(|e| fail(e.to_string()))
    }

    /// The shape in elements.
    pub fn shape(&self, part: &Part<'_>) -> Result<Vec<u64>, FileError> {
        let mut shape = part.data.shape.clone();
        let merged = self.loader.map(|loader| loader.dtypes(&self.recipe)).transpose()?;
        if merged.is_some_and(|dtypes| dtypes.blocks_have_axis) {
            let bytes = shape.pop().unwrap_or(1);
            shape.last_mut().into_iter().for_each(|n| *n = n.saturating_mul(bytes));
        }
        let Some(last) = shape.last_mut() else {
            return Err(self.fail(part, "is a single number"));
        };
        let counted = matches!(part.data.dtype, FileType::Safetensors(Dtype::F4));
        if !counted {
            *last = self.recipe.row_columns(*last as usize) as u64;
        }
        self.check_shapes(part, &shape)?;
        Ok(shape)
    }

    /// Whether scales are stored in the type of the input.
    fn scales_as_input(&self) -> bool {
        let dtypes =
            self.loader.map(|loader| loader.dtypes(&self.recipe).expect("read when the parts were found"));
        dtypes.is_some_and(|dtypes| dtypes.scales_as_input)
    }

    /// Whether the last two axes of a tensor of this shape are swapped.
    pub fn turns<T>(&self, shape: &[T]) -> bool {
        self.transposed || self.loader.is_some_and(|loader| loader.turns(shape.len()))
    }

    /// The numbers, as bytes.
    pub fn decode(&self, part: &Part<'_>) -> Result<(Vec<u64>, Vec<u8>), FileError> {
        let fail = |what: String| self.fail(part, what);
        let shape = self.shape(part)?;
        let dims: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        // Transposed tensors are stored transposed, with blocks along rows.
        let matrices = self.recipe.matrices(&dims, BlocksAlong::Rows).map_err(|e| fail(e.to_string()))?;
        let Matrices { count, rows, columns } = matrices;
        let data = tensor::bytes(self.input, part.data)?;
        let scales = part.scales.map(|s| tensor::bytes(self.input, s)).transpose()?.unwrap_or_default();
        let scale_shape = self.recipe.scale_shape(rows, columns);
        let scales = plain_scales(&scales, self.swizzled, scale_shape).map_err(fail)?;
        let narrow = part.scales.and_then(|s| tensor::input_type(s, None)).filter(|_| self.scales_as_input());
        let scales = narrow.map_or(scales.clone(), |input| widened(&scales, input));
        let mut out = vec![0; count * rows * columns * self.output.bytes()];
        let options = BlockOptions { threads: self.threads, ..BlockOptions::default() };
        let parts = Parts { data: &data, scales: &scales, global: &part.global, shape: (rows, columns) };
        dequantize_array_into(&self.recipe, parts, count, self.output, &options, &mut out)
            .map_err(|e| fail(e.to_string()))?;
        Ok((shape, out))
    }
}
