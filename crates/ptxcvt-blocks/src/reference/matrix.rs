//! The reference implementation for whole matrices.

use ptxcvt::{Form, little_endian, mask};
use ptxcvt_bulk::{NonFinite, philox4x32};

use super::{State, Worked, block, value};
use crate::error::BlockError;
use crate::input::{Input, Matrix};
use crate::layout;
use crate::magnitude::amax;
use crate::options::{Global, Options, Parts, Quantized};
use crate::recipe::{Recipe, given};

/// Quantises with the reference: exact, readable, slow.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Options, Recipe, quantize_reference};
/// let recipe = Recipe::named("mx-rceil/e4m3")?;
/// let numbers: Vec<f32> = (0..32).map(|i| i as f32).collect();
/// let quantized = quantize_reference(&recipe, &Matrix::f32(&numbers, 1, 32)?, &Options::default())?;
/// assert_eq!(quantized.scales, [124]); // 2^-3: 31 / 448 rounded up
/// assert_eq!(quantized.data[16], 0x70); // 16 * 8 = 128
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix is not a whole number of blocks and the recipe requires that, or if the options do not
/// fit the recipe: a seed or a global scale is missing, not accepted, or invalid.
pub fn quantize_reference(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    options: &Options,
) -> Result<Quantized, BlockError> {
    let shape @ (rows, columns) = (matrix.rows(), matrix.columns());
    recipe.check_shape(rows, columns)?;
    recipe.check_input(matrix.input().format())?;
    options.check(recipe)?;
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let of_row = |r: usize| (0..columns).map(move |c| matrix.get(r, c));
    let elements = || (0..rows).flat_map(of_row);
    let largest = |wanted| match wanted {
        Rows::Together => vec![amax(recipe.amax_nan(), elements())],
        Rows::Apart => (0..rows).map(|r| amax(recipe.amax_nan(), of_row(r))).collect(),
    };
    let global = globals(recipe, matrix.input(), options, largest)?;
    let mut codes = vec![0_u8; rows * columns];
    let mut scales = vec![0_u32; scale_rows * scale_columns];
    for (at, scale) in scales.iter_mut().enumerate() {
        let (worked, places) =
            work(recipe, matrix, (at / scale_columns, at % scale_columns), &global, options);
        *scale = worked.scale;
        for ((r, c), code) in places.into_iter().zip(worked.codes) {
            codes[r * columns + c] = code;
        }
    }
    let scale_bytes = recipe.scale().storage() as usize / 8;
    let scales: Vec<u8> = scales.iter().flat_map(|s| s.to_le_bytes()[..scale_bytes].to_vec()).collect();
    let mut data = vec![0; rows * recipe.row_bytes(columns)];
    let inline = recipe.layout().group().is_some();
    for row in 0..rows {
        let out = row * recipe.row_bytes(columns)..(row + 1) * recipe.row_bytes(columns);
        let scales = if inline { &scales[row * scale_columns..(row + 1) * scale_columns] } else { &[] };
        layout::store_row(
            recipe.layout(),
            recipe.element().storage(),
            &codes[row * columns..(row + 1) * columns],
            scales,
            &mut data[out],
        );
    }
    let scales = if inline { Vec::new() } else { scales };
    let mut non_finite = NonFinite::default();
    elements().enumerate().for_each(|(at, bits)| non_finite.add(bits, (options.first + at) as u64));
    Ok(Quantized { data, scales, global, shape, non_finite })
}

/// Computes a block, and returns also the row and column of each element. `row` and `column` are the block's,
/// among blocks.
pub(crate) fn work(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    (row, column): (usize, usize),
    globals: &[f32],
    options: &Options,
) -> (Worked, Vec<(usize, usize)>) {
    let (rows, columns, shape) = (matrix.rows(), matrix.columns(), recipe.block());
    let (r0, c0) = (row * shape.rows, column * shape.columns);
    let places: Vec<(usize, usize)> = (r0..rows.min(r0 + shape.rows))
        .flat_map(|r| (c0..columns.min(c0 + shape.columns)).map(move |c| (r, c)))
        .collect();
    let elements: Vec<u32> = places.iter().map(|(r, c)| matrix.get(*r, *c)).collect();
    let random = |i: usize, form: &Form, x: f32| {
        let seed = options.seed.expect("the options of a recipe with random bits have a seed");
        let (r, c) = places[i];
        stochastic(form, seed, options.first + r * columns + c, x)
    };
    let global = (!globals.is_empty()).then(|| recipe.global_of(globals, row));
    (block(recipe, matrix.input(), global, &elements, random), places)
}

/// The rows whose largest magnitude is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// One number for all rows.
    Together,
    /// One number for each row.
    Apart,
}

/// The global scales: none, one, or one for each row. `largest` computes the bits of largest magnitudes of the matrix.
///
/// # Errors
///
/// Fails if a given largest magnitude is so small that the scale becomes 0, by which no number could be restored.
pub(crate) fn globals(
    recipe: &Recipe,
    input: Input,
    options: &Options,
    largest: impl Fn(Rows) -> Vec<u32>,
) -> Result<Vec<f32>, BlockError> {
    let (from, largest) = match options.global {
        _ if recipe.is_row_scaled() => (given::ROW_AMAX, largest(Rows::Apart)),
        _ if !recipe.has_global_scale() => return Ok(Vec::new()),
        Global::Scale(scale) => return Ok(vec![scale]),
        Global::Amax(amax) | Global::Measured(amax) => (given::TENSOR_AMAX, vec![amax.to_bits()]),
        Global::FromData => (given::TENSOR_AMAX, largest(Rows::Together)),
    };
    let mut state = State::new(&recipe.quantize, input);
    let global = |amax| f32::from_bits(state.global(from, amax));
    let scales: Vec<f32> = largest.into_iter().map(global).collect();
    match options.global {
        Global::Amax(given) if scales.contains(&0.0) => {
            Err(BlockError::ZeroScale { recipe: recipe.name().into(), given })
        }
        _ => Ok(scales),
    }
}

/// The code of element `at` of the array under `.rs`. Its instruction uses the word with the instruction's
/// index in the stream of `seed`.
fn stochastic(form: &Form, seed: u64, at: usize, x: f32) -> u32 {
    let lanes = form.lanes() as usize;
    let instruction = at / lanes;
    let word = philox4x32(seed, instruction as u64 / 4)[instruction % 4];
    // The operands are a, b, e, f and then rbits; the first is the uppermost element.
    let mut operands = [0_u64; 5];
    let place = at % lanes;
    operands[lanes - 1 - place] = x.to_bits().into();
    operands[lanes] = word.into();
    let bits = form.eval(&operands[..=lanes]).unwrap_or_else(|e| unreachable!("{form}: {e}"));
    let storage = form.destination().format().storage();
    (bits >> (storage * place as u32) & mask(storage)) as u32
}

/// Dequantises with the reference. Returns the bits of f32 numbers, row by row.
///
/// # Errors
///
/// Fails if the buffers do not have the lengths that the recipe needs for the shape, if a global scale is missing or
/// negative, or if one is given to a recipe without a global scale.
pub fn dequantize_reference(recipe: &Recipe, quantized: &Quantized) -> Result<Vec<f32>, BlockError> {
    let (rows, columns) = quantized.shape;
    Parts::from(quantized).check(recipe, 1)?;
    let shape = recipe.block();
    let (_, scale_columns) = recipe.scale_shape(rows, columns);
    let (row_bytes, scale_bytes) = (recipe.row_bytes(columns), recipe.scale_bytes());
    let mut numbers = Vec::with_capacity(rows * columns);
    let (mut codes, mut inline) = (vec![0; columns], vec![0; scale_columns]);
    for row in 0..rows {
        let bytes = &quantized.data[row * row_bytes..(row + 1) * row_bytes];
        layout::load_row(recipe.layout(), recipe.element().storage(), bytes, &mut codes, &mut inline);
        let global = recipe.global_of(&quantized.global, row);
        for (column, code) in codes.iter().enumerate() {
            let (r, c) = (row / shape.rows, column / shape.columns);
            let scale = match scale_bytes {
                0 => inline[c].into(),
                n => {
                    let at = (r * scale_columns + c) * n;
                    let bytes = &quantized.scales[at..at + n];
                    little_endian(bytes) as u32
                }
            };
            numbers.push(f32::from_bits(value(recipe, *code, scale, global)));
        }
    }
    Ok(numbers)
}
