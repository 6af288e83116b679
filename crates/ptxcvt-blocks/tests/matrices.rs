//! An array of several matrices is the matrices one after the other, with one global scale for all unless each row has one.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{
    BlockError, BlocksAlong, Global, Input, Matrix, Options, Parts, Recipe, dequantize_array_into,
    dequantize_into, largest_magnitude, quantize, quantize_array_into,
};

const RECIPES: [&str; 5] =
    ["mx-rceil/e4m3", "nvfp4-te-16x16", "nvfp4-te-1x16", "nvfp4-te-row-scaled-1x16", "gguf-nvfp4"];
const SHAPE: [usize; 3] = [3, 64, 128];

fn numbers() -> Vec<f32> {
    let mut random = SplitMix64::new(5);
    (0..SHAPE.iter().product()).map(|_| (random.next_u64() % 2001) as f32 - 1000.0).collect()
}

/// The elements, scales and global scales of the array as one.
fn whole(recipe: &Recipe, numbers: &[f32], along: BlocksAlong) -> (Vec<u8>, Vec<u8>, Vec<f32>) {
    let matrices = recipe.matrices(&SHAPE, along).unwrap();
    let array = Matrix::f32(numbers, matrices.count * matrices.rows, matrices.columns).unwrap();
    let (rows, columns) = matrices.quantized(along);
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let mut data = vec![0; matrices.count * rows * recipe.row_bytes(columns)];
    let mut scales = vec![0; matrices.count * scale_rows * scale_columns * recipe.scale_bytes()];
    let options = Options::default();
    let made = quantize_array_into(recipe, &array, matrices, along, &options, &mut data, &mut scales);
    let (global, found) = made.unwrap();
    assert!(!found);
    (data, scales, global)
}

#[test]
fn the_parts_of_an_array_are_those_of_its_matrices() {
    let numbers = numbers();
    for name in RECIPES {
        let recipe = Recipe::named(name).unwrap();
        for along in [BlocksAlong::Rows, BlocksAlong::Columns] {
            let matrices = recipe.matrices(&SHAPE, along).unwrap();
            let (data, scales, global) = whole(&recipe, &numbers, along);
            let array = Matrix::f32(&numbers, matrices.count * matrices.rows, matrices.columns).unwrap();
            let shared = match recipe.has_global_scale() && !recipe.is_row_scaled() {
                true => Global::Measured(largest_magnitude(&recipe, &array)),
                false => Global::FromData,
            };
            let options = Options { global: shared, ..Options::default() };
            let (mut own_data, mut own_scales, mut own_global) = (Vec::new(), Vec::new(), Vec::new());
            let mut back = Vec::new();
            for number in 0..matrices.count {
                let part = array.part(number * matrices.rows, (number + 1) * matrices.rows);
                let part = if along == BlocksAlong::Columns { part.transposed() } else { part };
                let one = quantize(&recipe, &part, &options).unwrap();
                let mut numbers = vec![0; 4 * one.shape.0 * one.shape.1];
                dequantize_into(&recipe, &one, Input::F32, &Options::default(), &mut numbers).unwrap();
                back.extend(numbers);
                own_data.extend(one.data);
                own_scales.extend(one.scales);
                if recipe.is_row_scaled() {
                    own_global.extend(one.global);
                } else {
                    own_global = one.global;
                }
            }
            assert_eq!((&data, &scales, &global), (&own_data, &own_scales, &own_global), "{name} {along:?}");
            let shape = matrices.quantized(along);
            let parts = Parts { data: &data, scales: &scales, global: &global, shape };
            let mut out = vec![0; 4 * numbers.len()];
            let options = Options::default();
            dequantize_array_into(&recipe, parts, matrices.count, Input::F32, &options, &mut out).unwrap();
            assert_eq!(out, back, "{name} {along:?}");
        }
    }
}

/// Parts that do not divide evenly are an error: nothing is left over or cut off.
#[test]
fn a_length_that_does_not_fit_is_an_error() {
    let numbers = numbers();
    for name in RECIPES {
        let recipe = Recipe::named(name).unwrap();
        let along = BlocksAlong::Columns;
        let matrices = recipe.matrices(&SHAPE, along).unwrap();
        let (data, scales, global) = whole(&recipe, &numbers, along);
        let shape = matrices.quantized(along);
        let mut out = vec![0; 4 * numbers.len()];
        let whole = Parts { data: &data, scales: &scales, global: &global, shape };
        let mut fails = |parts: Parts<'_>, what: &str| {
            let made = dequantize_array_into(
                &recipe,
                parts,
                matrices.count,
                Input::F32,
                &Options::default(),
                &mut out,
            );
            let text = made.unwrap_err().to_string();
            assert!(text.contains(what), "{name}: {text}");
        };
        fails(Parts { data: &data[1..], ..whole }, "the element data: expected");
        fails(Parts { data: &data[data.len() / matrices.count..], ..whole }, "the element data: expected");
        if !scales.is_empty() {
            fails(Parts { scales: &scales[1..], ..whole }, "the scales: expected");
        }
        if recipe.is_row_scaled() {
            fails(Parts { global: &global[1..], ..whole }, "expected 384");
        }
        let array = Matrix::f32(&numbers, matrices.count * matrices.rows, matrices.columns).unwrap();
        let (mut data, mut scales) = (vec![0; data.len() + 1], scales.clone());
        let options = Options::default();
        let made = quantize_array_into(&recipe, &array, matrices, along, &options, &mut data, &mut scales);
        assert!(matches!(made, Err(BlockError::Length { what: "the element data", .. })), "{name}: {made:?}");
    }
}

/// An array without matrices has a global scale if the recipe has one for all.
#[test]
fn an_array_without_matrices() {
    for name in RECIPES {
        let recipe = Recipe::named(name).unwrap();
        let matrices = recipe.matrices(&[0, 64, 128], BlocksAlong::Columns).unwrap();
        let array = Matrix::f32(&[], 0, 128).unwrap();
        let options = Options::default();
        let along = BlocksAlong::Columns;
        let (global, found) =
            quantize_array_into(&recipe, &array, matrices, along, &options, &mut [], &mut []).unwrap();
        assert_eq!(global.len(), usize::from(recipe.has_global_scale()), "{name}");
        assert!(!found);
        let parts = Parts { data: &[], scales: &[], global: &global, shape: matrices.quantized(along) };
        dequantize_array_into(&recipe, parts, 0, Input::F32, &options, &mut []).unwrap();
    }
}
