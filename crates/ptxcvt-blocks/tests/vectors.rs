//! The results that libraries returned (`tests/blocks/*.tsv` in the root) are reproduced byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use ptxcvt_blocks::{
    Global, Matrix, Options, Recipe, dequantize, dequantize_reference, quantize, quantize_reference,
};

#[path = "../../../tests/blocks/vectors.rs"]
mod vectors;
use vectors::Vector;

/// Runs both implementations on one vector. An error names the first difference.
fn judge(vector: &Vector, recipe: &Recipe, matrix: &Matrix) -> Result<(), String> {
    let global = vector.global.map_or(Global::FromData, |bits| Global::Scale(f32::from_bits(bits)));
    let options = Options { global, ..Options::default() };
    let quantized = quantize_reference(recipe, matrix, &options).unwrap();
    if quantize(recipe, matrix, &options).unwrap() != quantized {
        return Err("the two implementations differ".into());
    }
    let first =
        |found: &[u8], wanted: &[u8], what: &str| match found.iter().zip(wanted).position(|(a, b)| a != b) {
            Some(at) => Err(format!("{what} byte {at}: {:#04x}, not {:#04x}", found[at], wanted[at])),
            None if found.len() == wanted.len() => Ok(()),
            None => Err(format!("{} {what} bytes, not {}", found.len(), wanted.len())),
        };
    // Scales among the elements are compared with them.
    if recipe.scale_bytes() > 0 {
        first(&quantized.scales, &vector.scales, "scale")?;
    }
    first(&quantized.data, &vector.data, "element")?;
    if let Some(back) = &vector.back {
        let bits = |numbers: Vec<f32>| numbers.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let found = [
            bits(dequantize_reference(recipe, &quantized).unwrap()),
            bits(dequantize(recipe, &quantized, 1).unwrap()),
        ];
        if let Some(wrong) = found.iter().find(|found| *found != back) {
            return Err(format!("dequantised to {wrong:x?}"));
        }
    }
    Ok(())
}

#[test]
fn every_result_of_the_libraries() {
    let all = vectors::all();
    let mut failures = Vec::new();
    let mut globals = BTreeMap::new();
    for vector in &all {
        let recipe = Recipe::named(&vector.recipe).unwrap_or_else(|e| panic!("{}: {e}", vector.place));
        let (rows, columns) = vector.shape;
        let matrix = Matrix::bf16(&vector.input, rows, columns).unwrap();
        if let Err(difference) = judge(vector, &recipe, &matrix) {
            failures.push(format!("{}: {}: {difference}", vector.place, vector.recipe));
        }
        // Without a given global scale it is computed from the data. Several lines can be parts of one array, so the
        // largest scale of all lines counts.
        if let Some(bits) = vector.global {
            let alone = quantize(&recipe, &matrix, &Options::default()).unwrap().global[0];
            let most = globals.entry((&vector.recipe, bits)).or_insert(0.0_f32);
            *most = most.max(alone);
        }
    }
    for ((name, bits), most) in globals {
        if most.to_bits() != bits {
            failures.push(format!("{name}: global scale {:#x}, not {bits:#x}", most.to_bits()));
        }
    }
    let seen: BTreeSet<_> = all.iter().map(|vector| (&vector.recipe, vector.shape)).collect();
    assert!(seen.len() >= 28, "{seen:?}");
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        all.len(),
        failures[..failures.len().min(60)].join("\n")
    );
}
