//! Quantising and dequantising whole matrices.

use ptxcvt::Form;
use ptxcvt::bulk::{Stores, philox4x32};

use crate::error::BlockError;
use crate::fast;
use crate::input::{Input, Matrix};
use crate::layout;
use crate::recipe::{BlockShape, Ragged, Recipe};
use crate::reference::{self, Worked};

/// Where the global scale of a recipe that has one comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Global {
    /// From the largest magnitude of the array.
    #[default]
    FromData,
    /// From this largest magnitude, for arrays that are parts of something larger.
    Amax(f32),
    /// This is the global scale as the recipe stores it.
    Scale(f32),
}

/// How to quantise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The global scale.
    pub global: Global,
    /// The seed of random bits.
    pub seed: Option<u64>,
    /// Where the matrix is a part of an array: the index of its first element there. Random bits go by it.
    pub first: usize,
    /// Threads; 0 is one for each core. The result does not depend on it.
    pub threads: usize,
    /// How elements are stored: around the caches where they are many, or as told.
    pub stores: Stores,
}

/// A quantised matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// The elements, in the recipe's layout.
    pub data: Vec<u8>,
    /// The scales row by row, in their format, little-endian; empty where they lie among the elements.
    pub scales: Vec<u8>,
    /// The global scale as the recipe stores it.
    pub global: Option<f32>,
    /// Rows and columns of the matrix, in elements.
    pub shape: (usize, usize),
}

/// Checks that the matrix goes with the recipe.
pub(crate) fn check(
    recipe: &Recipe,
    rows: usize,
    columns: usize,
    options: &Options,
) -> Result<(), BlockError> {
    let block = recipe.block();
    let whole = rows % block.rows == 0 && columns % block.columns == 0;
    if !whole && recipe.ragged() == Ragged::Refused {
        return Err(BlockError::Ragged { recipe: recipe.name().into(), block, rows, columns });
    }
    if let Some(group) = recipe.layout().group().filter(|group| columns % group.elements != 0) {
        let block = BlockShape { rows: 1, columns: group.elements };
        return Err(BlockError::Ragged { recipe: recipe.name().into(), block, rows, columns });
    }
    if recipe.element().storage() == 4 && columns % 2 != 0 {
        return Err(BlockError::OddColumns { columns });
    }
    if recipe.is_random() != options.seed.is_some() {
        return Err(BlockError::Seed { recipe: recipe.name().into(), needed: recipe.is_random() });
    }
    if !recipe.has_global_scale() && options.global != Global::FromData {
        return Err(BlockError::Global { recipe: recipe.name().into(), needed: false });
    }
    Ok(())
}

/// Quantises by the reference: exact, readable, slow.
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
/// Fails if the matrix is no whole number of blocks and the recipe needs that, or if a seed or a global scale is
/// missing or unwanted.
pub fn quantize_reference(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    options: &Options,
) -> Result<Quantized, BlockError> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    check(recipe, rows, columns, options)?;
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let global = global(recipe, matrix, options, || reference_amax(recipe, matrix));
    let mut codes = vec![0_u8; rows * columns];
    let mut scales = vec![0_u32; scale_rows * scale_columns];
    for (at, scale) in scales.iter_mut().enumerate() {
        let (worked, places) =
            work(recipe, matrix, (at / scale_columns, at % scale_columns), global, options);
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
    Ok(Quantized { data, scales, global: global.map(f32::from_bits), shape: (rows, columns) })
}

/// Works one block of a matrix through, line by line; `block` is its row and column among the scales.
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
/// As [`quantize_reference`].
///
/// # Panics
///
/// Panics if there is no such block.
pub fn work_block(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    block: (usize, usize),
    options: &Options,
) -> Result<Worked, BlockError> {
    check(recipe, matrix.rows(), matrix.columns(), options)?;
    let (rows, columns) = recipe.scale_shape(matrix.rows(), matrix.columns());
    assert!(block.0 < rows && block.1 < columns, "there are {rows} rows and {columns} columns of blocks");
    let global =
        global(recipe, matrix, options, || fast::tensor_amax(recipe, matrix, threads(options.threads)));
    Ok(work(recipe, matrix, block, global, options).0)
}

/// A block worked through, and the row and column of each of its elements.
fn work(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    (row, column): (usize, usize),
    global: Option<u32>,
    options: &Options,
) -> (Worked, Vec<(usize, usize)>) {
    let (rows, columns, block) = (matrix.rows(), matrix.columns(), recipe.block());
    let (r0, c0) = (row * block.rows, column * block.columns);
    let places: Vec<(usize, usize)> = (r0..rows.min(r0 + block.rows))
        .flat_map(|r| (c0..columns.min(c0 + block.columns)).map(move |c| (r, c)))
        .collect();
    let elements: Vec<u32> = places.iter().map(|(r, c)| matrix.get(*r, *c)).collect();
    let random = |i: usize, form: &Form, x: f32| {
        let (r, c) = places[i];
        stochastic(form, options.seed.unwrap_or(0), options.first + r * columns + c, x)
    };
    (reference::block(recipe, matrix.input(), global, &elements, random), places)
}

/// The global scale's bits; `amax` finds the largest magnitude of the matrix.
fn global(recipe: &Recipe, matrix: &Matrix<'_>, options: &Options, amax: impl Fn() -> u32) -> Option<u32> {
    let amax = match options.global {
        _ if !recipe.has_global_scale() => return None,
        Global::Scale(scale) => return Some(scale.to_bits()),
        Global::Amax(amax) => amax.to_bits(),
        Global::FromData => amax(),
    };
    reference::global(recipe, matrix.input(), amax)
}

/// The largest magnitude of a matrix, by the recipe's rule for NaN: what [`Global::Amax`] takes, for arrays that are
/// quantised in parts.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Recipe, largest_magnitude};
/// let recipe = Recipe::named("nvfp4-te-1x16")?;
/// assert_eq!(largest_magnitude(&recipe, &Matrix::f32(&[1.0, -7.0, f32::NAN], 1, 3)?), 7.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_magnitude(recipe: &Recipe, matrix: &Matrix<'_>) -> f32 {
    f32::from_bits(fast::tensor_amax(recipe, matrix, threads(0)))
}

/// The largest magnitude of a matrix, by the reference.
fn reference_amax(recipe: &Recipe, matrix: &Matrix<'_>) -> u32 {
    let all = (0..matrix.rows()).flat_map(|r| (0..matrix.columns()).map(move |c| matrix.get(r, c)));
    reference::amax(recipe.amax_nan(), all)
}

/// What element `at` of the array becomes under `.rs`: the instruction that holds it takes the word of its
/// place in the stream of `seed`.
fn stochastic(form: &Form, seed: u64, at: usize, x: f32) -> u32 {
    let lanes = form.lanes() as usize;
    let instruction = at / lanes;
    let word = philox4x32(seed, instruction as u64 / 4)[instruction % 4];
    // Operands are a, b, e, f and then rbits; the first is the uppermost element.
    let mut operands = [0_u64; 5];
    let place = at % lanes;
    operands[lanes - 1 - place] = x.to_bits().into();
    operands[lanes] = word.into();
    let bits = form.eval(&operands[..=lanes]).unwrap_or(0);
    let storage = form.destination().format().storage();
    (bits >> (storage * place as u32) & ((1 << storage) - 1)) as u32
}

/// Quantises at memory speed, with the reference's bytes.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Options, Recipe, dequantize, quantize};
/// let recipe = Recipe::named("nvfp4-te-1x16")?;
/// let numbers: Vec<f32> = (0..64).map(|i| i as f32 - 20.0).collect();
/// let quantized = quantize(&recipe, &Matrix::f32(&numbers, 2, 32)?, &Options::default())?;
/// assert_eq!(quantized.global, Some(43.0)); // of this recipe: the largest magnitude
/// assert_eq!((quantized.data.len(), quantized.scales.len()), (32, 4));
/// assert_eq!(dequantize(&recipe, &quantized, 0)?[0], -19.964285); // -4 times 4.991
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`quantize_reference`].
pub fn quantize(recipe: &Recipe, matrix: &Matrix<'_>, options: &Options) -> Result<Quantized, BlockError> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let mut data = vec![0; rows * recipe.row_bytes(columns)];
    let mut scales = vec![0; scale_rows * scale_columns * recipe.scale_bytes()];
    let global = quantize_into(recipe, matrix, options, &mut data, &mut scales)?;
    Ok(Quantized { data, scales, global, shape: (rows, columns) })
}

/// Quantises along rows and along columns, as training does for an operand that is multiplied from both sides: the
/// second is that of the transposed matrix.
///
/// # Errors
///
/// As [`quantize_reference`], for either.
pub fn quantize_both(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    options: &Options,
) -> Result<(Quantized, Quantized), BlockError> {
    let rows = quantize(recipe, matrix, options)?;
    // The largest magnitude is the same; it need not be looked for again.
    let global = rows.global.map_or(Global::FromData, Global::Scale);
    let columns = quantize(recipe, &matrix.transposed(), &Options { global, ..*options })?;
    Ok((rows, columns))
}

/// The same into buffers of the caller's: `data` of [`Recipe::row_bytes`] for each row, `scales` of
/// [`Recipe::scale_bytes`] for each block. Returns the global scale.
///
/// # Errors
///
/// As [`quantize_reference`], and if a buffer has another length.
pub fn quantize_into(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    options: &Options,
    data: &mut [u8],
    scales: &mut [u8],
) -> Result<Option<f32>, BlockError> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    check(recipe, rows, columns, options)?;
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let lengths = [
        ("the element data", rows * recipe.row_bytes(columns), data.len()),
        ("the scales", scale_rows * scale_columns * recipe.scale_bytes(), scales.len()),
    ];
    check_lengths(lengths)?;
    let amax = || fast::tensor_amax(recipe, matrix, threads(options.threads));
    let global = global(recipe, matrix, options, amax);
    let target = fast::Target { data, scales };
    fast::quantize(recipe, matrix, global, options, threads(options.threads), target);
    Ok(global.map(f32::from_bits))
}

/// What a quantised matrix stands for, row by row; `threads` as in [`Options`].
///
/// # Errors
///
/// As [`dequantize_reference`].
pub fn dequantize(recipe: &Recipe, quantized: &Quantized, threads: usize) -> Result<Vec<f32>, BlockError> {
    let mut numbers = vec![0.0_f32; quantized.shape.0 * quantized.shape.1];
    let options = Options { threads, ..Options::default() };
    dequantize_into(recipe, quantized, Input::F32, &options, bytemuck::cast_slice_mut(&mut numbers))?;
    Ok(numbers)
}

/// The same as little-endian numbers of any type into a buffer of the caller's; to bf16 and f16 the number is
/// rounded once more. Of the options, `threads` and `stores` count.
///
/// # Errors
///
/// As [`dequantize_reference`], and if the buffer has another length.
pub fn dequantize_into(
    recipe: &Recipe,
    quantized: &Quantized,
    output: Input,
    options: &Options,
    out: &mut [u8],
) -> Result<(), BlockError> {
    let global = check_quantized(recipe, quantized)?;
    let (rows, columns) = quantized.shape;
    check_lengths([("the output", rows * columns * output.bytes(), out.len())])?;
    let source =
        fast::Source { data: &quantized.data, scales: &quantized.scales, global, shape: quantized.shape };
    fast::dequantize(recipe, source, output, (threads(options.threads), options.stores), out);
    Ok(())
}

fn threads(wanted: usize) -> usize {
    match wanted {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

fn check_lengths<const N: usize>(lengths: [(&'static str, usize, usize); N]) -> Result<(), BlockError> {
    match lengths.into_iter().find(|(_, expected, given)| expected != given) {
        Some((what, expected, given)) => Err(BlockError::Length { what, expected, given }),
        None => Ok(()),
    }
}

/// What a quantised matrix stands for, by the reference: the bits of f32 numbers, row by row.
///
/// # Errors
///
/// Fails if the buffers have not the lengths that the recipe needs for the shape, or if a global scale is missing
/// or unwanted.
pub fn dequantize_reference(recipe: &Recipe, quantized: &Quantized) -> Result<Vec<f32>, BlockError> {
    let (rows, columns) = quantized.shape;
    let global = check_quantized(recipe, quantized)?;
    let block = recipe.block();
    let (_, scale_columns) = recipe.scale_shape(rows, columns);
    let (row_bytes, scale_bytes) = (recipe.row_bytes(columns), recipe.scale_bytes());
    let mut numbers = Vec::with_capacity(rows * columns);
    let (mut codes, mut inline) = (vec![0; columns], vec![0; scale_columns]);
    for row in 0..rows {
        let bytes = &quantized.data[row * row_bytes..(row + 1) * row_bytes];
        layout::load_row(recipe.layout(), recipe.element().storage(), bytes, &mut codes, &mut inline);
        for (column, code) in codes.iter().enumerate() {
            let (r, c) = (row / block.rows, column / block.columns);
            let scale = match scale_bytes {
                0 => inline[c].into(),
                n => {
                    let at = (r * scale_columns + c) * n;
                    quantized.scales[at..at + n]
                        .iter()
                        .rev()
                        .fold(0, |bits, byte| bits << 8 | u32::from(*byte))
                }
            };
            numbers.push(f32::from_bits(reference::value(recipe, *code, scale, global)));
        }
    }
    Ok(numbers)
}

/// Checks lengths; the global scale's bits, 0 where there is none.
fn check_quantized(recipe: &Recipe, quantized: &Quantized) -> Result<u32, BlockError> {
    let (rows, columns) = quantized.shape;
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let lengths = [
        ("the element data", rows * recipe.row_bytes(columns), quantized.data.len()),
        ("the scales", scale_rows * scale_columns * recipe.scale_bytes(), quantized.scales.len()),
    ];
    check_lengths(lengths)?;
    let needed = recipe.has_global_scale();
    match quantized.global {
        Some(scale) if needed => Ok(scale.to_bits()),
        None if !needed => Ok(0),
        _ => Err(BlockError::Global { recipe: recipe.name().into(), needed }),
    }
}
