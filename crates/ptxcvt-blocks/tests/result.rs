//! NaN and infinities that finite numbers become are counted, in every recipe.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{
    Definition, Matrix, NonFinite, Options, Recipe, dequantize_reference, non_finite_result, quantize,
};

/// Numbers of one magnitude in each block of 128 columns: zeros, subnormals, ordinary and huge ones.
fn numbers(random: &mut SplitMix64, kinds: &[u64], count: usize) -> Vec<f32> {
    let mut kind = 0;
    let number = |at: usize| {
        if at % 128 == 0 {
            kind = kinds[random.next_u64() as usize % kinds.len()];
        }
        let r = random.next_u64();
        let fraction = 1.0 + f64::from(r as u32) / 4_294_967_296.0;
        let exponent = match kind {
            0 => return 0.0,
            1 => -149 + (r >> 40) as i32 % 24,
            2 => (r >> 40) as i32 % 8,
            _ => 127,
        };
        ((fraction * f64::from(exponent).exp2()) as f32).min(f32::MAX)
    };
    (0..count).map(number).collect()
}

/// The count without a look at the scales equals the count over the numbers of the reference.
fn counts_what_the_reference_returns(recipe: &Recipe, numbers: &[f32]) -> NonFinite {
    let matrix = Matrix::f32(numbers, 128, 128).unwrap();
    let options = Options { seed: recipe.is_random().then_some(1), threads: 1, ..Options::default() };
    let quantized = quantize(recipe, &matrix, &options).unwrap();
    assert!(quantized.non_finite.is_empty());
    let mut expected = NonFinite::default();
    let back = dequantize_reference(recipe, &quantized).unwrap();
    back.iter().enumerate().for_each(|(at, x)| expected.add(x.to_bits(), at as u64));
    assert_eq!(non_finite_result(recipe, &quantized).unwrap(), expected, "{}", recipe.name());
    expected
}

#[test]
fn every_recipe_counts_what_it_makes() {
    let mut random = SplitMix64::new(3);
    let mut of_zeros = Vec::new();
    let mut of_huge = 0;
    for recipe in Recipe::all() {
        let mut count = |kinds: &[u64]| {
            counts_what_the_reference_returns(&recipe, &numbers(&mut random, kinds, 128 * 128))
        };
        if !count(&[0]).is_empty() {
            of_zeros.push(recipe.name().to_owned());
        }
        assert!(count(&[0, 2]).is_empty(), "{}", recipe.name());
        count(&[0, 1]);
        of_huge += usize::from(!count(&[0, 1, 2, 3]).is_empty());
    }
    // Both libraries divide 0 by the global scale, which is 0.
    assert_eq!(of_zeros, ["nvfp4-torchao", "nvfp4-modelopt"]);
    assert!(of_huge > 10, "{of_huge}");
}

/// A recipe of one's own whose numbers are large where its scales are small.
#[test]
fn small_scales_can_make_infinities() {
    let row = Recipe::named("fp8-channel-modelopt").unwrap();
    let mut definition = Definition::of(&row);
    definition.name = "inverse".into();
    definition.quantize =
        ["t = amax / max", "t = 1 / t", "s = t", "y = x * s", "q = cvt.rn.satfinite.e4m3x2.f32(y)"]
            .map(str::to_owned)
            .to_vec();
    definition.dequantize = ["v = q / s"].map(str::to_owned).to_vec();
    let recipe = Recipe::new(definition).unwrap();
    let mut random = SplitMix64::new(5);
    // Elements that are 0 make infinities; the largest element does not show it.
    let mut divided = Definition::of(&row);
    divided.name = "divided".into();
    divided.dequantize = ["v = 1 / q"].map(str::to_owned).to_vec();
    let sparse: Vec<f32> = (0..128 * 128).map(|at| if at % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let found = counts_what_the_reference_returns(&Recipe::new(divided).unwrap(), &sparse);
    assert_eq!((found.nan, found.infinite), (0, 128 * 64));
    let found = counts_what_the_reference_returns(&recipe, &numbers(&mut random, &[0, 2, 3], 128 * 128));
    assert!(found.nan > 0, "{found}"); // Rows of zeros.
}
