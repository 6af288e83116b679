//! One tensor and one recipe: the tensors of the result, and their bytes piece by piece.

use ::safetensors::Dtype;
use ptxcvt::{Form, Format};
use ptxcvt_blocks::{
    BlockError, BlocksAlong, Global, Input, Layout, Matrices, Matrix, NonFinite, Options, Quantized, Recipe,
    Report, from_swizzled, largest_magnitude, non_finite_result, quantize, swizzled_len, swizzled_shape,
    to_swizzled,
};

use super::output::{Entry, File};
use super::tensor::Tensor;
use crate::error::FileError;
use crate::progress::Progress;
use crate::safetensors;

/// The axis along which blocks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Axis {
    /// Along rows: the last axis
    Rows,
    /// Along columns; the output is the transposed matrix
    Columns,
    /// Both; the second as data_columns and scales_columns
    Both,
}

/// The names of a quantised tensor's parts.
#[derive(Clone, Debug)]
pub struct Names {
    pub data: String,
    pub scales: String,
    pub global: String,
}

impl Names {
    /// `data`, `scales` and `global_scale`, after the tensor's own name if the file has several.
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

/// The types and shapes of a quantised tensor's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtypes {
    pub fp4_as_bytes: bool,
    pub ue8m0_as_bytes: bool,
    /// Whether the global scale has an axis of one element.
    pub global_has_axis: bool,
    /// Whether the scales of rows have no axis for their one column.
    pub scales_flat: bool,
    /// Whether scales of f32, whose values the input's type can represent, are stored in that type.
    pub scales_as_input: bool,
    /// Whether the scales have an axis of one element after each of their axes, and no axes if there is one scale.
    pub scales_of_squares: bool,
    /// Whether the bytes of a block are a separate axis.
    pub blocks_have_axis: bool,
}

/// What decides the global scale of tensors that share it.
#[derive(Clone, Copy, Debug)]
pub struct SharedScale {
    /// The largest magnitude of all.
    pub amax: f32,
    /// The global scale, if it does not follow from `amax` for each of them alike.
    pub global: Option<f32>,
}

/// NaN and infinities of a tensor.
#[derive(Default)]
pub struct Found {
    /// NaN and infinities in the input.
    pub input: NonFinite,
    /// NaN and infinities among the numbers that the quantised parts represent. Counted only if the input has none.
    pub output: NonFinite,
}

/// How a tensor is quantised.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub recipe: &'a Recipe,
    pub tensor: &'a Tensor<'a>,
    /// The tensor's matrices, before any transposition.
    pub matrices: Matrices,
    pub transposed: bool,
    pub swizzled: bool,
    /// The largest magnitude, if the user gives it.
    pub amax: Option<f32>,
    /// What it shares with other tensors, if others have the same global scale.
    pub shared: Option<SharedScale>,
    pub seed: Option<u64>,
    pub threads: usize,
    /// The largest size in bytes of a piece of the input.
    pub memory: usize,
}

impl Work<'_> {
    /// The number of matrices, and the rows and columns of each as they are quantised.
    fn shape(&self) -> (usize, usize, usize) {
        let (rows, columns) = self.matrices.quantized(self.along());
        (self.matrices.count, rows, columns)
    }

    /// The axis along which blocks run.
    fn along(&self) -> BlocksAlong {
        if self.transposed { BlocksAlong::Columns } else { BlocksAlong::Rows }
    }

    /// The shape of a part of the tensor, if each matrix of the part has these rows and columns.
    fn axes(&self, rows: usize, columns: usize) -> Vec<usize> {
        let shape: Vec<usize> = self.tensor.shape.iter().map(|n| *n as usize).collect();
        self.recipe.part_shape(&shape, self.along(), (rows, columns))
    }

    /// The tensors of the result: elements, scales, global scale.
    pub fn entries(&self, names: &Names, dtypes: Dtypes) -> Result<Vec<Entry>, FileError> {
        let (matrices, rows, columns) = self.shape();
        let recipe = self.recipe;
        let element = recipe.element();
        let (data_dtype, data_columns) = match (recipe.layout(), element.storage()) {
            (Layout::Packed | Layout::Gguf | Layout::GgufNvfp4, _) => (Dtype::U8, recipe.row_bytes(columns)),
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
                Format::F32 if dtypes.scales_as_input => safetensors::dtype(self.tensor.input.format()),
                scale => safetensors::dtype(scale),
            };
            let shape = if self.swizzled {
                if matrices != 1 {
                    let message =
                        format!("{}: --swizzle takes one matrix, not {matrices}", self.tensor.place());
                    return Err(FileError::new(message));
                }
                let (rows, columns) = swizzled_shape(scale_rows, scale_columns)
                    .ok_or_else(|| self.tensor.fail(&BlockError::TooLarge))?;
                vec![rows, columns]
            } else {
                self.axes(scale_rows, scale_columns)
            };
            let shape = match dtypes {
                Dtypes { scales_flat: true, .. } => shape[..shape.len() - 1].to_vec(),
                Dtypes { scales_of_squares: true, .. } if shape.iter().all(|n| *n == 1) => Vec::new(),
                Dtypes { scales_of_squares: true, .. } => shape.iter().flat_map(|n| [*n, 1]).collect(),
                _ => shape,
            };
            entries.push(Entry { name: names.scales.clone(), dtype, shape });
        }
        if recipe.has_global_scale() || recipe.is_row_scaled() {
            let mut shape = if dtypes.global_has_axis { vec![1] } else { Vec::new() };
            if recipe.is_row_scaled() {
                shape = self.axes(rows, 1);
                shape.pop();
            }
            entries.push(Entry { name: names.global.clone(), dtype: Dtype::F32, shape });
        }
        Ok(entries)
    }

    /// The largest magnitude, from which the global scale is computed; `None` if the recipe has none.
    pub fn largest(&self) -> Result<Option<f32>, FileError> {
        if !self.recipe.has_global_scale() {
            return Ok(None);
        }
        if let Some(known) = self.amax.or(self.shared.map(|shared| shared.amax)) {
            return Ok(Some(known));
        }
        let mut most = 0.0_f32;
        self.tensor.each(self.matrices, false, self.step(self.matrices.columns), None, |matrix, _, _| {
            most = larger(most, largest_magnitude(self.recipe, matrix));
            Ok(())
        })?;
        Ok(Some(most))
    }

    /// The rows of a piece: as many whole blocks as fit in the memory, at least one block.
    fn step(&self, columns: usize) -> usize {
        let block = self.recipe.block().rows;
        let row_bytes = (columns * self.tensor.input.bytes()).max(1);
        (self.memory / row_bytes / block).max(1) * block
    }

    /// The options for a piece whose first element has index `first`.
    fn options(&self, largest: Option<f32>, first: usize) -> Options {
        let shared = self.shared.and_then(|shared| shared.global);
        let global = match (self.amax, shared, largest) {
            (Some(amax), ..) => Global::Amax(amax),
            (None, Some(global), _) => Global::Scale(global),
            (None, None, Some(measured)) => Global::Measured(measured),
            (None, None, None) => Global::FromData,
        };
        Options { global, seed: self.seed, first, threads: self.threads, ..Options::default() }
    }

    /// The options for the whole tensor.
    pub fn whole_options(&self) -> Result<Options, FileError> {
        Ok(self.options(self.largest()?, 0))
    }

    /// Quantises every piece and passes it to `take`: the piece, its place (matrix, first row) and the result. Counts NaN
    /// and infinities in `found`. Returns the global scales.
    pub fn each_piece(
        &self,
        found: Option<&mut Found>,
        mut take: impl FnMut(&Matrix<'_>, (usize, usize), Quantized) -> Result<(), FileError>,
    ) -> Result<Vec<f32>, FileError> {
        let (_, rows, columns) = self.shape();
        let largest = self.largest()?;
        let mut global = Vec::new();
        let (input, mut output) = match found {
            Some(Found { input, output }) => (Some(input), Some(output)),
            None => (None, None),
        };
        self.tensor.each(
            self.matrices,
            self.transposed,
            self.step(columns),
            input,
            |part, number, first| {
                let options = self.options(largest, (number * rows + first) * columns);
                let quantized = quantize(self.recipe, part, &options).map_err(|e| self.tensor.fail(&e))?;
                if self.recipe.is_row_scaled() {
                    global.extend_from_slice(&quantized.global);
                } else {
                    global.clone_from(&quantized.global);
                }
                let finite = quantized.non_finite.is_empty() && largest.is_none_or(f32::is_finite);
                if let Some(output) = output.as_deref_mut().filter(|_| finite) {
                    let made =
                        non_finite_result(self.recipe, &quantized).map_err(|e| self.tensor.fail(&e))?;
                    let place = |at: u64| self.place(number, first * columns + at as usize);
                    *output += NonFinite {
                        first_nan: made.first_nan.map(place),
                        first_infinite: made.first_infinite.map(place),
                        ..made
                    };
                }
                take(part, (number, first), quantized)
            },
        )?;
        Ok(global)
    }

    /// The index in the tensor of element `at` of a matrix as it is quantised.
    fn place(&self, number: usize, at: usize) -> u64 {
        let (_, rows, columns) = self.shape();
        let at = if self.transposed { at % columns * rows + at / columns } else { at };
        (number * rows * columns + at) as u64
    }

    /// Quantises everything into `file`; measures if a report is wanted, and counts NaN and infinities in `found`.
    pub fn write(
        &self,
        names: &Names,
        dtypes: Dtypes,
        file: &mut File,
        report: Option<&mut Report>,
        found: Option<&mut Found>,
        progress: &dyn Progress,
    ) -> Result<(), FileError> {
        let (matrices, rows, columns) = self.shape();
        let recipe = self.recipe;
        let row_bytes = recipe.row_bytes(columns);
        let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
        let mut scales = Vec::with_capacity(matrices * scale_rows * scale_columns * recipe.scale_bytes());
        let mut measured = Report::default();
        let measures = report.is_some();
        let global = self.each_piece(found, |matrix, (number, first), quantized| {
            file.write(&names.data, (number * rows + first) * row_bytes, &quantized.data)?;
            scales.extend_from_slice(&quantized.scales);
            if measures {
                measured += Report::measure(recipe, matrix, &quantized).map_err(|e| self.tensor.fail(&e))?;
            }
            progress.advance((matrix.rows() * matrix.columns() * matrix.input().bytes()) as u64);
            Ok(())
        })?;
        if self.swizzled {
            scales = to_swizzled(&scales, scale_rows, scale_columns);
        }
        if dtypes.scales_as_input {
            scales = narrowed(&scales, self.tensor.input);
        }
        if recipe.scale_bytes() > 0 {
            file.write(&names.scales, 0, &scales)?;
        }
        if !global.is_empty() {
            let bytes: Vec<u8> = global.iter().flat_map(|global| global.to_le_bytes()).collect();
            file.write(&names.global, 0, &bytes)?;
        }
        if let Some(report) = report {
            *report += measured;
        }
        Ok(())
    }
}

/// Scales of f32 in the type of the input, which can represent them.
fn narrowed(scales: &[u8], input: Input) -> Vec<u8> {
    let form = match input {
        Input::F32 => return scales.to_vec(),
        Input::Bf16 => "cvt.rn.bf16.f32",
        Input::F16 => "cvt.rn.f16.f32",
    };
    let form: Form = form.parse().expect("the form is legal");
    let words = scales.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let narrow = |word: u32| form.eval(&[word.into()]).expect("the form has one operand") as u16;
    words.flat_map(|word| narrow(word).to_le_bytes()).collect()
}

/// Scales in the type of the input as f32.
pub fn widened(scales: &[u8], input: Input) -> Vec<u8> {
    let form = match input {
        Input::F32 => return scales.to_vec(),
        Input::Bf16 => "cvt.f32.bf16",
        Input::F16 => "cvt.f32.f16",
    };
    let form: Form = form.parse().expect("the form is legal");
    let halves = scales.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let wide = |half: u16| form.eval(&[half.into()]).expect("the form has one operand") as u32;
    halves.flat_map(|half| wide(half).to_le_bytes()).collect()
}

/// Scales in row order, restored from the swizzle if they have it.
///
/// # Errors
///
/// Fails if swizzled scales have another length, with the reason.
pub fn plain_scales(bytes: &[u8], swizzled: bool, shape: (usize, usize)) -> Result<Vec<u8>, String> {
    if !swizzled {
        return Ok(bytes.to_vec());
    }
    let expected = swizzled_len(shape.0, shape.1);
    if expected != Some(bytes.len()) {
        let expected = expected.map_or("more bytes than memory can address".to_owned(), |n| {
            ptxcvt::counted(n, "byte").to_string()
        });
        return Err(format!("the swizzled scales take {expected}, not {}", bytes.len()));
    }
    Ok(from_swizzled(bytes, shape.0, shape.1))
}

/// The global scale of an array of this type with this largest magnitude.
///
/// # Errors
///
/// Fails if the recipe does not accept the type.
pub(super) fn global_scale(recipe: &Recipe, input: Input, amax: f32) -> Result<f32, BlockError> {
    let block = recipe.block();
    let zeros = vec![0; block.rows * block.columns * input.bytes()];
    let matrix = Matrix::bytes(input, &zeros, block.rows, block.columns)?;
    let options = Options { global: Global::Measured(amax), threads: 1, ..Options::default() };
    Ok(quantize(recipe, &matrix, &options)?.global[0])
}

/// The larger of two magnitudes; NaN if one of them is.
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::NAN } else { a.max(b) }
}
