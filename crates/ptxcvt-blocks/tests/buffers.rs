//! Both directions write every byte of their buffers, so callers need not clear them first.

use ptxcvt_blocks::{
    Definition, Input, Matrix, Options, Parts, Ragged, Recipe, dequantize_into, quantize_into,
};

/// The recipes of the table, and those of its layouts that may cut the last block short.
fn recipes() -> Vec<Recipe> {
    let partial = |recipe: &Recipe| {
        let definition = Definition { ragged: Ragged::Partial, ..Definition::of(recipe) };
        Recipe::new(definition).ok()
    };
    Recipe::all().flat_map(|recipe| [partial(&recipe), Some(recipe)]).flatten().collect()
}

#[test]
fn every_byte_is_written() {
    let mut tried = 0;
    for recipe in recipes() {
        for shape @ (rows, columns) in
            [(1, 128), (3, 33), (5, 1), (130, 257), (128, 256), (2, 20_000), (0, 64), (4, 0)]
        {
            let numbers: Vec<f32> = (0..rows * columns).map(|i| (i % 251) as f32 - 100.0).collect();
            let matrix = Matrix::f32(&numbers, rows, columns).unwrap();
            let options = Options { seed: recipe.is_random().then_some(1), threads: 1, ..Options::default() };
            let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
            let sizes = [rows * recipe.row_bytes(columns), scale_rows * scale_columns * recipe.scale_bytes()];
            let made = [0x00, 0xff].map(|before| {
                let [mut data, mut scales] = sizes.map(|size| vec![before; size]);
                let (global, _) = quantize_into(&recipe, &matrix, &options, &mut data, &mut scales).ok()?;
                let mut back = vec![before; 4 * rows * columns];
                let parts = Parts { data: &data, scales: &scales, global: &global, shape };
                dequantize_into(&recipe, parts, Input::F32, &options, &mut back).unwrap();
                Some((data, scales, back))
            });
            assert_eq!(made[0], made[1], "{} {shape:?}", recipe.name());
            tried += usize::from(made[0].is_some());
        }
    }
    assert!(tried > 400, "{tried}");
}
