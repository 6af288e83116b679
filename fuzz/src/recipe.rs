//! Recipes as TOML: one that parses quantises and dequantises without panicking, with the bytes of the reference.

use ptxcvt_blocks::{
    Matrix, Options, Recipe, dequantize, dequantize_reference, quantize, quantize_reference,
};

/// A valid recipe.
pub const SEEDS: &[&str] = &[include_str!("../corpus/recipe/half-range.toml")];

/// Larger blocks are only parsed.
const MOST: usize = 1 << 11;

/// Numbers for which rules have special cases.
const SPECIAL: [u32; 12] = [
    0,
    0x8000_0000,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xc2f6_e979,
    0x7f7f_ffff,
    0xff80_0000,
    0x7f80_0001,
    0x7fff_ffff,
    0x4690_0000,
];

/// Parses the bytes as a recipe, and quantises a few blocks with it.
///
/// # Panics
///
/// Panics if the parser does, if its error is empty, or if the two implementations disagree.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let recipe = match Recipe::from_toml(&text) {
        Ok(recipe) => recipe,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let block = recipe.block();
    let Some(elements) = block.rows.checked_mul(block.columns).filter(|n| *n <= MOST) else { return };
    // Blocks of special numbers, of ordinary ones, of zeros, and with one special number among ordinary ones.
    let number = |n: usize| (n as f32 * 0.37 - 11.0) * ((n % 7) as f32).exp2();
    let special = |n: usize| f32::from_bits(SPECIAL[n % SPECIAL.len()]);
    let blocks: [&dyn Fn(usize) -> f32; 4] = [&special, &number, &|_| 0.0, &|n| match n {
        1 => special(bytes.len()),
        n => number(n) * 1e-40,
    }];
    let (rows, columns) = (2 * block.rows, 2 * block.columns);
    let at = |row: usize, column: usize| row / block.rows * 2 + column / block.columns;
    let numbers: Vec<f32> = (0..4 * elements)
        .map(|n| {
            let (row, column) = (n / columns, n % columns);
            blocks[at(row, column)](row % block.rows * block.columns + column % block.columns)
        })
        .collect();
    let matrix = Matrix::f32(&numbers, rows, columns).expect("the numbers fill the matrix");
    let options = Options { seed: recipe.is_random().then_some(7), threads: 1, ..Options::default() };
    let quantized = quantize(&recipe, &matrix, &options);
    let reference = quantize_reference(&recipe, &matrix, &options);
    let (Ok(quantized), Ok(reference)) = (&quantized, &reference) else {
        return assert!(quantized.is_err() && reference.is_err(), "{text}");
    };
    assert_eq!(quantized.data, reference.data, "{text}");
    assert_eq!(quantized.scales, reference.scales, "{text}");
    assert_eq!(quantized.non_finite, reference.non_finite, "{text}");
    let bits = |numbers: Vec<f32>| -> Vec<u32> {
        // NaN is NaN: what becomes of its payload is not part of a recipe.
        numbers.into_iter().map(|x| if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }).collect()
    };
    assert_eq!(bits(quantized.global.clone()), bits(reference.global.clone()), "{text}");
    let back = dequantize(&recipe, quantized, 1).map(bits);
    assert_eq!(back, dequantize_reference(&recipe, quantized).map(bits), "{text}");
}
