//! The user's own recipes. Recipes with random lines from every operation give the same bytes in both
//! implementations or are refused. Invalid definitions are refused with a reason.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{
    BlocksAlong, Definition, Global, Matrix, Options, Ragged, Recipe, dequantize, dequantize_reference,
    quantize, quantize_reference,
};

/// A recipe with random lines, and a frame that computes `s` and `q`.
fn random_recipe(random: &mut SplitMix64) -> Definition {
    let mut definition = Definition::of(&Recipe::named("mx-rceil/e4m3").unwrap());
    let mut pick = |items: &[&str]| items[(random.next_u64() % items.len() as u64) as usize].to_owned();
    let mut lines = Vec::new();
    for i in 0..6 {
        let a = pick(&["amax", "x", "x", "0.5", "max", "input_max", "nan", "inf", "2^-6", "t0", "t1", "t2"]);
        let b = pick(&["amax", "x", "3", "0x7fffffff", "half", "t0", "t1", "t3"]);
        let class = pick(&["zero", "nan", "inf or negative", "0x00"]);
        let function = pick(&["log2", "floor", "ceil", "input", "sum", "sum", "code", "ue8m0"]);
        let sign = pick(&["*", "/", "+", "-"]);
        let two = pick(&["min", "max", "min.NaN", "max.NaN", "add.u32", "and.b32"]);
        let convert = pick(&["cvt.rn.satfinite.e4m3x2.f32", "cvt.rp.satfinite.ue8m0x2.f32", "argmin.e2m1"]);
        let text = match pick(&["sign", "two", "function", "function", "where", "convert", "move"]).as_str() {
            "sign" => format!("{a} {sign} {b}"),
            "two" => format!("{two}({a}, {b})"),
            "function" => format!("{function}({a})"),
            "where" => format!("{a} where {b} is {class}"),
            "convert" => format!("{convert}({a})"),
            _ => a,
        };
        lines.push(format!("t{} = {text}", pick(&["0", "1", "2", "3"]).parse::<u32>().unwrap() % (i + 1)));
    }
    let scale = pick(&["amax", "t0", "t1"]);
    lines.push(format!("s = cvt.rp.satfinite.ue8m0x2.f32({scale})"));
    lines.push(format!("y = {} * {}", pick(&["x", "t0", "t1"]), pick(&["x", "s", "t0"])));
    lines.push("q = cvt.rn.satfinite.elementx2.f32(y)".into());
    definition.quantize = lines;
    definition.dequantize = vec![format!("v = {}", pick(&["q * s", "s * 2", "q + 1"]))];
    definition.ragged = Ragged::Partial;
    definition.block.rows = 1 + (random.next_u64() % 2) as usize;
    definition.block.columns = [3, 16, 32][(random.next_u64() % 3) as usize];
    definition
}

#[test]
fn a_name_may_contain_the_word_element() {
    let mut definition = Definition::of(&Recipe::named("mx-rceil/e4m3").unwrap());
    definition.quantize = vec![
        "element_t = amax * 0.5".into(),
        "element = element_t * 2".into(),
        "s = cvt.rp.satfinite.ue8m0x2.f32(element)".into(),
        "q = cvt.rn.satfinite.elementx2.f32(x)".into(),
    ];
    let recipe = Recipe::new(definition).unwrap();
    assert!(recipe.to_toml().contains("cvt.rn.satfinite.e4m3x2.f32(x)"), "{}", recipe.to_toml());
}

#[test]
fn both_implementations_of_any_lines_agree() {
    let mut random = SplitMix64::new(8);
    let mut ran = 0;
    for _ in 0..8000 {
        let Ok(recipe) = Recipe::new(random_recipe(&mut random)) else { continue };
        ran += 1;
        let (rows, columns) = (1 + random.next_u64() as usize % 3, 1 + random.next_u64() as usize % 70);
        let numbers: Vec<f32> =
            (0..rows * columns).map(|_| f32::from_bits(random.next_u64() as u32)).collect();
        let matrix = Matrix::f32(&numbers, rows, columns).unwrap();
        let slow = quantize_reference(&recipe, &matrix, &Options::default()).unwrap();
        let fast = quantize(&recipe, &matrix, &Options::default()).unwrap();
        assert!(fast == slow, "{recipe:?}");
        let bits = |x: Vec<f32>| x.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let back = bits(dequantize_reference(&recipe, &slow).unwrap());
        assert!(bits(dequantize(&recipe, &slow, 1).unwrap()) == back, "{recipe:?}");
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn a_sum_of_the_elements_themselves() {
    let mut definition = Definition::of(&Recipe::named("mx-rceil/e4m3").unwrap());
    definition.quantize[0] = "t = sum(x)".into();
    let recipe = Recipe::new(definition.clone()).unwrap();
    let numbers = [3.0_f32; 32];
    let quantized = quantize(&recipe, &Matrix::f32(&numbers, 1, 32).unwrap(), &Options::default()).unwrap();
    assert_eq!(quantized.scales, [134]); // 2^7: 96 rounded up
    definition.quantize[0] = "t = sum(x) / max".into();
    let wrong = Recipe::new(definition).unwrap_err().to_string();
    assert!(wrong.contains("a line has one operation; move `/ max` to the next line"), "{wrong}");
}

#[test]
fn what_cannot_be_is_refused() {
    let text = Recipe::named("mx-rceil/e4m3").unwrap().to_toml();
    let wrong =
        Recipe::from_toml(&text.replace("[\n    1,\n    32,\n]", "[1, 16, 9]")).unwrap_err().to_string();
    assert!(wrong.contains("a block has rows and columns, such as [1, 32], not 3 numbers"), "{wrong}");
    let recipe = Recipe::named("nvfp4-te-1x16").unwrap();
    let numbers = [1.0_f32; 16];
    let matrix = Matrix::f32(&numbers, 1, 16).unwrap();
    for amax in [-3.0, f32::NAN, f32::INFINITY] {
        let options = Options { global: Global::Amax(amax), ..Options::default() };
        let wrong = quantize(&recipe, &matrix, &options).unwrap_err().to_string();
        assert!(wrong.contains("expected a positive finite number"), "{wrong}");
    }
    let wrong = Recipe::named("gguf-nvfp4").unwrap().check_swizzle().unwrap_err().to_string();
    assert!(wrong.ends_with("they are stored among the elements"), "{wrong}");
    assert!(recipe.matrices(&[], BlocksAlong::Rows).is_err());
    // The library's results for f16 are not known.
    let (jax, zeros) = (Recipe::named("jax-mxfp8/e4m3").unwrap(), [0_u16; 32]);
    let halves = Matrix::f16(&zeros, 1, 32).unwrap();
    let wrong = quantize(&jax, &halves, &Options::default()).unwrap_err().to_string();
    assert!(wrong.starts_with("`jax-mxfp8/e4m3` does not accept f16"), "{wrong}");
    assert!(Recipe::from_toml(&jax.to_toml()).unwrap().to_toml().contains("inputs = ["));
}

#[test]
fn the_largest_magnitude_of_a_row_is_for_the_global_scale() {
    let base = Definition::of(&Recipe::named("nvfp4-te-row-scaled-1x16").unwrap());
    let refused = |change: fn(&mut Definition)| {
        let mut own = base.clone();
        change(&mut own);
        Recipe::new(own).unwrap_err().to_string()
    };
    let wrong = refused(|d| d.block.rows = 16);
    assert!(wrong.ends_with("`row_amax` needs blocks of one row"), "{wrong}");
    let wrong = refused(|d| d.quantize.insert(1, "G = max(G, tensor_amax)".into()));
    assert!(wrong.contains("depends on both `tensor_amax` and `row_amax`"), "{wrong}");
    let wrong = refused(|d| d.quantize.insert(1, "H = row_amax".into()));
    assert!(wrong.contains("only lines that compute `G` may read `row_amax`"), "{wrong}");
}

#[test]
fn text_and_digest_identify_a_recipe() {
    for recipe in Recipe::all() {
        let again = Recipe::from_toml(&recipe.to_toml()).unwrap();
        assert_eq!(again.digest(), recipe.digest(), "{}", recipe.name());
    }
    let floor = Recipe::named("mx-floor/e4m3").unwrap();
    assert_ne!(floor.digest(), Recipe::named("mx-ceil/e4m3").unwrap().digest());
}

/// The recipe that docs/blocks.md shows runs.
#[test]
fn the_recipe_of_the_page() {
    let page = include_str!("../../../docs/blocks.md");
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let recipe = Recipe::from_toml(text).unwrap();
    let numbers = [6.0_f32; 16];
    let quantized = quantize(&recipe, &Matrix::f32(&numbers, 1, 16).unwrap(), &Options::default()).unwrap();
    assert_eq!(dequantize(&recipe, &quantized, 1).unwrap(), numbers);
}
