//! One tensor through a recipe: the tensors that it becomes, and their bytes piece by piece.

use ::safetensors::Dtype;
use ptxcvt::Format;
use ptxcvt_blocks::{
    Global, Layout, Matrix, Options, Quantized, Ragged, Recipe, Report, from_swizzled, largest_magnitude,
    quantize, swizzled_len, to_swizzled,
};

use super::file::{Entry, File};
use super::tensor::Tensor;
use crate::convert::safetensors;
use crate::failure::Failure;
use crate::progress::Progress;

/// Along which axis blocks lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Axis {
    /// Along rows: the last axis
    Rows,
    /// Along columns; the output is the transposed matrix
    Columns,
    /// Both; the second as data_columns and scales_columns
    Both,
}

/// The names that a tensor's parts get.
#[derive(Clone, Debug)]
pub struct Names {
    pub data: String,
    pub scales: String,
    pub global: String,
}

impl Names {
    /// `data`, `scales`, `global_scale`, behind the tensor's own name where there are several.
    pub fn plain(prefix: Option<&str>, suffix: &str) -> Names {
        let name = |part: &str| match prefix {
            Some(prefix) => format!("{prefix}.{part}"),
            None => part.to_owned(),
        };
        Names {
            data: name(&format!("data{suffix}")),
            scales: name(&format!("scales{suffix}")),
            global: name("global_scale"),
        }
    }
}

/// What a file calls FP4 and scales: the format's own types, or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtypes {
    pub fp4_as_bytes: bool,
    pub ue8m0_as_bytes: bool,
    /// The shape of the global scale: none, or one element.
    pub global_has_axis: bool,
    /// The bytes of a block are an axis of their own.
    pub blocks_have_axis: bool,
}

/// How a tensor is quantised.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub recipe: &'a Recipe,
    pub tensor: &'a Tensor<'a>,
    pub transposed: bool,
    pub swizzled: bool,
    /// The largest magnitude, where the user gives it.
    pub amax: Option<f32>,
    pub seed: Option<u64>,
    pub threads: usize,
    /// Bytes that a piece of the input may take.
    pub memory: usize,
}

impl Work<'_> {
    /// Matrices, and rows and columns of each as they are quantised.
    fn shape(&self) -> (usize, usize, usize) {
        let Tensor { matrices, rows, columns, .. } = *self.tensor;
        if self.transposed { (matrices, columns, rows) } else { (matrices, rows, columns) }
    }

    /// The axes before the matrix, then rows and columns; a matrix made of many axes has them again.
    fn axes(&self, rows: usize, columns: usize) -> Vec<usize> {
        let shape: Vec<usize> = self.tensor.shape.iter().map(|n| *n as usize).collect();
        let split_rows = self.recipe.block().rows == 1 && !self.transposed;
        match shape.as_slice() {
            [_] if !self.transposed => vec![columns],
            [before @ .., _] if split_rows => [before, &[columns]].concat(),
            [before @ .., _, _] if self.tensor.matrices > 1 || self.tensor.turned => {
                [before, &[rows, columns]].concat()
            }
            _ => vec![rows, columns],
        }
    }

    /// The tensors that come of it, in `names` and `dtypes`: elements, scales, global scale.
    pub fn entries(&self, names: &Names, dtypes: Dtypes) -> Result<Vec<Entry>, Failure> {
        let (matrices, rows, columns) = self.shape();
        let recipe = self.recipe;
        let fail = |what: String| Failure::new(format!("{}: {what}", self.tensor.place()));
        let element = recipe.element();
        let (data_dtype, data_columns) = match (recipe.layout(), element.storage()) {
            (Layout::Gguf | Layout::GgufNvfp4, _) => (Dtype::U8, recipe.row_bytes(columns)),
            (_, 4) if dtypes.fp4_as_bytes => (Dtype::U8, columns / 2),
            (_, 4) => (Dtype::F4, columns),
            _ => (safetensors::dtype(element), columns),
        };
        let mut data_shape = self.axes(rows, data_columns);
        if let (true, Some(last)) = (dtypes.blocks_have_axis, data_shape.last_mut()) {
            let bytes = recipe.row_bytes(recipe.block().columns);
            *last /= bytes;
            data_shape.push(bytes);
        }
        let mut entries = vec![Entry { name: names.data.clone(), dtype: data_dtype, shape: data_shape }];
        let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
        if recipe.scale_bytes() > 0 {
            let dtype = match recipe.scale() {
                Format::Ue8m0 if dtypes.ue8m0_as_bytes => Dtype::U8,
                scale => safetensors::dtype(scale),
            };
            let shape = if self.swizzled {
                if recipe.scale_bytes() != 1 || matrices != 1 {
                    return Err(fail("the swizzle is of one matrix of scales of one byte each".into()));
                }
                vec![scale_rows.next_multiple_of(128), scale_columns.next_multiple_of(4)]
            } else {
                self.axes(scale_rows, scale_columns)
            };
            entries.push(Entry { name: names.scales.clone(), dtype, shape });
        }
        if recipe.has_global_scale() {
            let shape = if dtypes.global_has_axis { vec![1] } else { Vec::new() };
            entries.push(Entry { name: names.global.clone(), dtype: Dtype::F32, shape });
        }
        Ok(entries)
    }

    /// Fails where the tensor is no whole number of blocks, and the recipe needs that.
    pub fn check(&self) -> Result<(), Failure> {
        let (_, rows, columns) = self.shape();
        let block = self.recipe.block();
        let whole = rows % block.rows == 0 && columns % block.columns == 0;
        if !whole && self.recipe.ragged() == Ragged::Refused {
            return Err(Failure::new(format!(
                "{}: {rows} rows of {columns} columns are no whole number of blocks of {block}, which `{}` needs",
                self.tensor.place(),
                self.recipe.name()
            )));
        }
        Ok(())
    }

    /// The largest magnitude that the global scale comes from.
    pub fn largest(&self) -> Result<Option<f32>, Failure> {
        if !self.recipe.has_global_scale() {
            return Ok(None);
        }
        if self.amax.is_some() {
            return Ok(self.amax);
        }
        let mut most = 0.0_f32;
        self.tensor.each(false, self.step(self.tensor.columns), |matrix, _, _| {
            let amax = largest_magnitude(self.recipe, matrix);
            most = if most.is_nan() || amax.is_nan() { f32::NAN } else { most.max(amax) };
            Ok(())
        })?;
        Ok(Some(most))
    }

    /// How many rows of so many columns are a piece: whole blocks.
    fn step(&self, columns: usize) -> usize {
        let block = self.recipe.block().rows;
        let row_bytes = (columns * self.tensor.input.bytes()).max(1);
        (self.memory / row_bytes / block).max(1) * block
    }

    /// What to quantise a piece with; `first` is its first element's place.
    fn options(&self, largest: Option<f32>, first: usize) -> Options {
        let global = largest.map_or(Global::FromData, Global::Amax);
        Options { global, seed: self.seed, first, threads: self.threads, ..Options::default() }
    }

    /// What to quantise the whole with.
    pub fn whole_options(&self) -> Result<Options, Failure> {
        Ok(self.options(self.largest()?, 0))
    }

    /// Hands every piece, quantised, to `take`: the matrix of the piece, its place (matrix, first row), and what came
    /// of it.
    pub fn each_piece(
        &self,
        mut take: impl FnMut(&Matrix<'_>, (usize, usize), Quantized) -> Result<(), Failure>,
    ) -> Result<Option<f32>, Failure> {
        let (_, rows, columns) = self.shape();
        let fail = |e: ptxcvt_blocks::BlockError| Failure::new(format!("{}: {e}", self.tensor.place()));
        let largest = self.largest()?;
        let mut global = None;
        self.tensor.each(self.transposed, self.step(columns), |part, number, first| {
            let options = self.options(largest, (number * rows + first) * columns);
            let quantized = quantize(self.recipe, part, &options).map_err(fail)?;
            global = quantized.global;
            take(part, (number, first), quantized)
        })?;
        Ok(global)
    }

    /// Quantises everything into `file`; measures where a report is wanted.
    pub fn write(
        &self,
        names: &Names,
        file: &mut File,
        report: Option<&mut Report>,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let (matrices, rows, columns) = self.shape();
        let recipe = self.recipe;
        let row_bytes = recipe.row_bytes(columns);
        let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
        let mut scales = Vec::with_capacity(matrices * scale_rows * scale_columns * recipe.scale_bytes());
        let mut measured = Report::default();
        let measures = report.is_some();
        let global = self.each_piece(|matrix, (number, first), quantized| {
            file.write(&names.data, (number * rows + first) * row_bytes, &quantized.data)?;
            scales.extend_from_slice(&quantized.scales);
            if measures {
                measured +=
                    Report::measure(recipe, matrix, &quantized).map_err(|e| Failure::new(e.to_string()))?;
            }
            progress.advance((matrix.rows() * matrix.columns() * matrix.input().bytes()) as u64);
            Ok(())
        })?;
        if self.swizzled && recipe.scale_bytes() == 1 {
            scales = to_swizzled(&scales, scale_rows, scale_columns);
        }
        if recipe.scale_bytes() > 0 {
            file.write(&names.scales, 0, &scales)?;
        }
        if let Some(global) = global {
            file.write(&names.global, 0, &global.to_le_bytes())?;
        }
        if let Some(report) = report {
            *report += measured;
        }
        Ok(())
    }
}

/// One-byte scales in row order, of a file that says whether they are swizzled.
pub fn plain_scales(bytes: &[u8], swizzled: bool, shape: (usize, usize)) -> Result<Vec<u8>, Failure> {
    if !swizzled {
        return Ok(bytes.to_vec());
    }
    let expected = swizzled_len(shape.0, shape.1);
    if bytes.len() != expected {
        return Err(Failure::new(format!("the swizzled scales take {expected} bytes, not {}", bytes.len())));
    }
    Ok(from_swizzled(bytes, shape.0, shape.1))
}
