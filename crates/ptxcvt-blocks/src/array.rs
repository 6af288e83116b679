//! Arrays of several matrices, which are quantised one by one and stored one after the other.

use crate::error::BlockError;
use crate::geometry::{BlocksAlong, Matrices};
use crate::input::{Input, Matrix};
use crate::options::{Global, Options, Parts, check_length};
use crate::recipe::Recipe;
use crate::run::{dequantize_into, largest_magnitude, quantize_into};

/// Like [`quantize_into`], for an array of [several matrices](Recipe::matrices): `array` has the rows of all of them,
/// before any transposition. All matrices share one global scale, unless the recipe has one for each row. Returns the
/// global scales, and true if the input has NaN or infinities.
///
/// ```
/// use ptxcvt_blocks::{BlocksAlong, Matrix, Options, Recipe, quantize_array_into};
/// let recipe = Recipe::named("nvfp4-te-16x16")?;
/// let numbers: Vec<f32> = (0..2 * 16 * 32).map(|i| i as f32).collect();
/// let matrices = recipe.matrices(&[2, 16, 32], BlocksAlong::Rows)?;
/// let array = Matrix::f32(&numbers, 2 * 16, 32)?;
/// let (mut data, mut scales) = (vec![0; 2 * 16 * 16], vec![0; 2 * 2]);
/// let along = BlocksAlong::Rows;
/// let options = Options::default();
/// let made = quantize_array_into(&recipe, &array, matrices, along, &options, &mut data, &mut scales)?;
/// assert_eq!(made, (vec![1023.0], false)); // In this recipe: the largest magnitude.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails like [`quantize_into`]. The buffers have the length of the parts of all matrices.
///
/// # Panics
///
/// Panics if the array does not have the rows and columns of the matrices.
pub fn quantize_array_into(
    recipe: &Recipe,
    array: &Matrix<'_>,
    matrices: Matrices,
    along: BlocksAlong,
    options: &Options,
    data: &mut [u8],
    scales: &mut [u8],
) -> Result<(Vec<f32>, bool), BlockError> {
    let Matrices { count, rows, columns } = matrices;
    assert_eq!(
        (array.rows(), array.columns()),
        (count * rows, columns),
        "the array consists of the matrices"
    );
    let (data_len, scales_len) = recipe.part_lens(matrices.quantized(along));
    check_length("the element data", count * data_len, data.len())?;
    check_length("the scales", count * scales_len, scales.len())?;
    let mut options = *options;
    if count != 1 && recipe.has_global_scale() && options.global == Global::FromData {
        options.global = Global::Measured(largest_magnitude(recipe, array));
    }
    if count == 0 {
        // An array without matrices has a global scale, too.
        let (global, _) = quantize_into(recipe, &as_quantized(*array, along), &options, data, scales)?;
        return Ok((if recipe.is_row_scaled() { Vec::new() } else { global }, false));
    }
    let (mut global, mut found) = (Vec::new(), false);
    for number in 0..count {
        let part = as_quantized(array.part(number * rows, (number + 1) * rows), along);
        let options = Options { first: options.first + number * rows * columns, ..options };
        let data = &mut data[number * data_len..(number + 1) * data_len];
        let scales = &mut scales[number * scales_len..(number + 1) * scales_len];
        let (own, special) = quantize_into(recipe, &part, &options, data, scales)?;
        found |= !special.is_empty();
        if recipe.is_row_scaled() {
            global.extend(own);
        } else {
            global = own;
        }
    }
    Ok((global, found))
}

/// Like [`dequantize_into`], for an array of [several matrices](Recipe::matrices). The parts are those of the whole array,
/// except for the shape, which is that of each matrix as it is quantised.
///
/// # Errors
///
/// Fails like [`dequantize_into`]. The parts and the output have the length of those of all matrices, and a recipe with a
/// global scale for each row has one for each row of the array.
pub fn dequantize_array_into(
    recipe: &Recipe,
    parts: Parts<'_>,
    count: usize,
    output: Input,
    options: &Options,
    out: &mut [u8],
) -> Result<(), BlockError> {
    let Parts { data, scales, global, shape } = parts;
    parts.check(recipe, count)?;
    let (data_len, scales_len) = recipe.part_lens(shape);
    let out_len = shape.0 * shape.1 * output.bytes();
    check_length("the output", count * out_len, out.len())?;
    for number in 0..count {
        let part = Parts {
            data: &data[number * data_len..(number + 1) * data_len],
            scales: &scales[number * scales_len..(number + 1) * scales_len],
            global: if recipe.is_row_scaled() {
                &global[number * shape.0..(number + 1) * shape.0]
            } else {
                global
            },
            shape,
        };
        dequantize_into(recipe, part, output, options, &mut out[number * out_len..(number + 1) * out_len])?;
    }
    Ok(())
}

/// A matrix with blocks along its rows.
fn as_quantized(matrix: Matrix<'_>, along: BlocksAlong) -> Matrix<'_> {
    match along {
        BlocksAlong::Rows => matrix,
        BlocksAlong::Columns => matrix.transposed(),
    }
}
