//! Quantising and dequantising whole matrices at memory speed.

use ptxcvt_bulk::NonFinite;

use crate::error::BlockError;
use crate::fast;
use crate::input::{Input, Matrix};
use crate::options::{Global, Options, Parts, Quantized, check_length};
use crate::recipe::Recipe;
use crate::reference::{self, Rows, Worked};

/// Quantises at memory speed, with the same bytes as [`quantize_reference`](crate::quantize_reference).
///
/// ```
/// use ptxcvt_blocks::{Matrix, Options, Recipe, dequantize, quantize};
/// let recipe = Recipe::named("nvfp4-te-1x16")?;
/// let numbers: Vec<f32> = (0..64).map(|i| i as f32 - 20.0).collect();
/// let quantized = quantize(&recipe, &Matrix::f32(&numbers, 2, 32)?, &Options::default())?;
/// assert_eq!(quantized.global, [43.0]); // In this recipe: the largest magnitude.
/// assert_eq!((quantized.data.len(), quantized.scales.len()), (32, 4));
/// assert_eq!(dequantize(&recipe, &quantized, 0)?[0], -19.964285); // -4 times 4.991
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails like [`quantize_reference`](crate::quantize_reference).
pub fn quantize(recipe: &Recipe, matrix: &Matrix<'_>, options: &Options) -> Result<Quantized, BlockError> {
    let shape @ (rows, columns) = (matrix.rows(), matrix.columns());
    recipe.check_shape(rows, columns)?;
    let (data, scales) = recipe.part_lens(shape);
    let (mut data, mut scales) = (vec![0; data], vec![0; scales]);
    let (global, non_finite) = quantize_into(recipe, matrix, options, &mut data, &mut scales)?;
    Ok(Quantized { data, scales, global, shape, non_finite })
}

/// Quantises along rows and along columns, as training does for an operand of two products. The second result
/// is that of the transposed matrix.
///
/// # Errors
///
/// Fails like [`quantize_reference`](crate::quantize_reference), for either.
pub fn quantize_both(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    options: &Options,
) -> Result<(Quantized, Quantized), BlockError> {
    // Both have the same largest magnitude, so it is computed once.
    let global = match options.global {
        Global::FromData if recipe.has_global_scale() => Global::Measured(largest_magnitude(recipe, matrix)),
        given => given,
    };
    let options = Options { global, ..*options };
    Ok((quantize(recipe, matrix, &options)?, quantize(recipe, &matrix.transposed(), &options)?))
}

/// Like [`quantize`], but writes into `data` ([`Recipe::row_bytes`] for each row) and `scales`
/// ([`Recipe::scale_bytes`] for each block). Returns the global scales, and the NaN and infinities in the input.
///
/// # Errors
///
/// Fails like [`quantize_reference`](crate::quantize_reference), and if a buffer has the wrong length.
pub fn quantize_into(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    options: &Options,
    data: &mut [u8],
    scales: &mut [u8],
) -> Result<(Vec<f32>, NonFinite), BlockError> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    recipe.check_shape(rows, columns)?;
    recipe.check_input(matrix.input().format())?;
    options.check(recipe)?;
    let (data_len, scales_len) = recipe.part_lens((rows, columns));
    check_length("the element data", data_len, data.len())?;
    check_length("the scales", scales_len, scales.len())?;
    let largest = |rows| fast::largest(recipe, matrix, rows, options);
    let global = reference::globals(recipe, matrix.input(), options, largest)?;
    let non_finite = fast::quantize(recipe, matrix, &global, options, fast::Target { data, scales });
    Ok((global, non_finite))
}

/// Dequantises row by row; `threads` is as in [`Options`].
///
/// # Errors
///
/// Fails like [`dequantize_reference`](crate::dequantize_reference).
pub fn dequantize(recipe: &Recipe, quantized: &Quantized, threads: usize) -> Result<Vec<f32>, BlockError> {
    let mut numbers = vec![0.0_f32; quantized.shape.0 * quantized.shape.1];
    let options = Options { threads, ..Options::default() };
    dequantize_into(recipe, quantized, Input::F32, &options, bytemuck::cast_slice_mut(&mut numbers))?;
    if cfg!(target_endian = "big") {
        numbers.iter_mut().for_each(|x| *x = f32::from_bits(x.to_bits().swap_bytes()));
    }
    Ok(numbers)
}

/// Like [`dequantize`], but writes little-endian numbers of any type into `out`. bf16 and f16 numbers are
/// rounded once more. Of the options, only `threads` and `stores` are used.
///
/// # Errors
///
/// Fails like [`dequantize_reference`](crate::dequantize_reference), and if the buffer has the wrong length.
pub fn dequantize_into<'q>(
    recipe: &Recipe,
    quantized: impl Into<Parts<'q>>,
    output: Input,
    options: &Options,
    out: &mut [u8],
) -> Result<(), BlockError> {
    let Parts { data, scales, global, shape } = quantized.into();
    Parts { data, scales, global, shape }.check(recipe, 1)?;
    check_length("the output", shape.0 * shape.1 * output.bytes(), out.len())?;
    let source = fast::Source { data, scales, global, shape };
    fast::dequantize(recipe, source, output, options, out);
    Ok(())
}

/// The largest magnitude of a matrix by the recipe's rule for NaN, for use as [`Global::Measured`] if an
/// array is quantised in parts.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Recipe, largest_magnitude};
/// let recipe = Recipe::named("nvfp4-te-1x16")?;
/// assert_eq!(largest_magnitude(&recipe, &Matrix::f32(&[1.0, -7.0, f32::NAN], 1, 3)?), 7.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_magnitude(recipe: &Recipe, matrix: &Matrix<'_>) -> f32 {
    f32::from_bits(fast::largest(recipe, matrix, Rows::Together, &Options::default())[0])
}

/// Computes one block of a matrix line by line; `block` is its row and column among blocks.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Options, Recipe, work_block};
/// let recipe = Recipe::named("mx-rceil/e4m3")?;
/// let numbers = [1.5_f32; 32];
/// let worked = work_block(&recipe, &Matrix::f32(&numbers, 1, 32)?, (0, 0), &Options::default())?;
/// assert_eq!(worked.block[0].text, "t = amax / max");
/// assert_eq!(worked.block[0].value().to_string(), "0.0033482143189758062");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails like [`quantize_reference`](crate::quantize_reference).
///
/// # Panics
///
/// Panics if the matrix does not have this block.
pub fn work_block(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    block: (usize, usize),
    options: &Options,
) -> Result<Worked, BlockError> {
    recipe.check_shape(matrix.rows(), matrix.columns())?;
    recipe.check_input(matrix.input().format())?;
    options.check(recipe)?;
    let (rows, columns) = recipe.scale_shape(matrix.rows(), matrix.columns());
    assert!(block.0 < rows && block.1 < columns, "there are {rows} rows and {columns} columns of blocks");
    let largest = |rows| fast::largest(recipe, matrix, rows, options);
    let global = reference::globals(recipe, matrix.input(), options, largest)?;
    Ok(reference::work(recipe, matrix, block, &global, options).0)
}
