//! Both implementations agree on every recipe, every input type, ragged and strided arrays, any number of
//! threads, and data with ties, subnormals, zeros, infinities and NaN.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{
    BlockShape, Definition, Global, Input, Matrix, Options, Quantized, Ragged, Recipe, dequantize,
    dequantize_into, dequantize_reference, quantize, quantize_reference,
};
use ptxcvt_bulk::{Stores, Tier};

/// The bits of numbers in rows of blocks; each block is one of several kinds.
fn numbers(input: Input, count: usize, seed: u64, special: bool) -> Vec<u32> {
    let mut random = SplitMix64::new(seed);
    let mut kind = 0;
    let mut exponent = 0;
    (0..count)
        .map(|i| {
            if i % 16 == 0 {
                kind = random.next_u64() % if special { 8 } else { 5 };
                exponent = (random.next_u64() % 240) as i32 - 120;
            }
            let r = random.next_u64();
            let sign = if r & 1 == 0 { 1.0 } else { -1.0 };
            let x = match kind {
                // Multiples of a quarter of a code, so that there are many ties.
                0 => f64::from((r >> 8) as u32 % 97) * 0.125 * f64::from(exponent / 8).exp2(),
                1 => f64::from((r >> 8) as u32) * f64::from(exponent - 26).exp2(),
                2 => 0.0,
                3 => f64::from((r >> 8) as u32 % 1000) * (-149_f64).exp2(),
                4 => (f64::from((r >> 8) as u32) / 4e9 - 0.5) * f64::from((r >> 40) as u32 % 16).exp2(),
                5 if r >> 60 == 0 => f64::INFINITY,
                6 if r >> 60 == 0 => f64::NAN,
                _ => f64::from((r >> 8) as u32) * 94_f64.exp2(),
            };
            let x = (sign * x) as f32;
            match input {
                Input::F32 => x.to_bits(),
                // Truncated rather than rounded, because any number of the type will do.
                Input::Bf16 if x.is_nan() => 0x7fc0,
                Input::Bf16 => x.to_bits() >> 16,
                Input::F16 => (r >> 13) as u32 & if special { 0xffff } else { 0xbbff },
            }
        })
        .collect()
}

fn bytes(input: Input, bits: &[u32]) -> Vec<u8> {
    bits.iter().flat_map(|b| b.to_le_bytes()[..input.bytes()].to_vec()).collect()
}

fn options(recipe: &Recipe, threads: usize) -> Options {
    Options { seed: recipe.is_random().then_some(11), threads, ..Options::default() }
}

/// The bits of numbers, so that NaN equals NaN.
fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn assert_same(recipe: &Recipe, fast: &Quantized, slow: &Quantized, what: &str) {
    assert_eq!(bits(&fast.global), bits(&slow.global), "{}: {what}: global scales", recipe.name());
    let first = |a: &[u8], b: &[u8]| a.iter().zip(b).position(|(a, b)| a != b);
    assert_eq!(first(&fast.scales, &slow.scales), None, "{}: {what}: scales", recipe.name());
    assert_eq!(first(&fast.data, &slow.data), None, "{}: {what}: elements", recipe.name());
    assert_eq!((fast.data.len(), fast.scales.len()), (slow.data.len(), slow.scales.len()));
}

/// Runs the other tests of this file on every tier of this machine. A process has one tier, so each tier
/// needs a process.
#[test]
fn on_every_tier() {
    if std::env::var_os("PTXCVT_TIER").is_some() {
        return;
    }
    for tier in Tier::available().filter(|tier| *tier != Tier::current()) {
        let mut this = std::process::Command::new(std::env::current_exe().unwrap());
        let output = this.env("PTXCVT_TIER", tier.name()).output().unwrap();
        assert!(output.status.success(), "{tier}:\n{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn every_recipe_and_input() {
    for (number, recipe) in Recipe::all().enumerate() {
        let block = recipe.block();
        for input in
            [Input::F32, Input::Bf16, Input::F16].into_iter().filter(|input| recipe.accepts(input.format()))
        {
            for special in [false, true] {
                let (rows, columns) = match (block.rows, recipe.ragged()) {
                    // More than one chunk per row.
                    (1, Ragged::Refused) => (3, 2048 + 128),
                    (1, _) => (3, 2048 + 67),
                    (128, _) => (131, 133),
                    (BlockShape::ALL, _) => (37, 133),
                    (n, _) => (2 * n, 18 * block.columns),
                };
                let data = bytes(input, &numbers(input, rows * columns, number as u64, special));
                let matrix = Matrix::bytes(input, &data, rows, columns).unwrap();
                let slow = quantize_reference(&recipe, &matrix, &options(&recipe, 1)).unwrap();
                for threads in [1, 2, 3] {
                    let fast = quantize(&recipe, &matrix, &options(&recipe, threads)).unwrap();
                    assert_same(
                        &recipe,
                        &fast,
                        &slow,
                        &format!("{input}, special {special}, {threads} threads"),
                    );
                }
                let back = dequantize_reference(&recipe, &slow).unwrap();
                for threads in [1, 2] {
                    let fast = dequantize(&recipe, &slow, threads).unwrap();
                    assert!(bits(&fast) == bits(&back), "{}: back from {input}", recipe.name());
                }
            }
        }
    }
}

/// Shapes with more than one chunk per row and per matrix, complete and incomplete; blocks wider than a
/// piece; empty arrays.
#[test]
fn chunks_of_every_size() {
    let shapes = [(1, 16384), (1, 16384 + 128), (5, 3392), (2, 12288 + 64), (0, 64), (4, 0)];
    let names = [
        "mx-floor/e4m3",
        "mx-rceil/e2m1",
        "nvfp4-compressed-tensors",
        "nvfp4-te-row-scaled-4over6-mae",
        "mxfp8-modelopt",
        "gguf-mxfp4",
        "gguf-nvfp4",
    ];
    let mut wide = Definition::of(&Recipe::named("mx-rceil/e4m3").unwrap());
    (wide.block.columns, wide.ragged) = (6001, Ragged::Partial);
    let recipes = names.map(|name| Recipe::named(name).unwrap());
    for recipe in recipes.into_iter().chain([Recipe::new(wide).unwrap()]) {
        for (rows, columns) in shapes {
            let data = bytes(Input::Bf16, &numbers(Input::Bf16, rows * columns, 21, true));
            let matrix = Matrix::bytes(Input::Bf16, &data, rows, columns).unwrap();
            let slow = quantize_reference(&recipe, &matrix, &options(&recipe, 1)).unwrap();
            for (threads, stores) in [(1, Stores::Cached), (3, Stores::Streamed)] {
                let options = Options { stores, ..options(&recipe, threads) };
                let fast = quantize(&recipe, &matrix, &options).unwrap();
                assert_same(&recipe, &fast, &slow, &format!("{rows} x {columns}"));
                let back = dequantize_reference(&recipe, &slow).unwrap();
                let mut out = vec![0; 4 * back.len()];
                dequantize_into(&recipe, &fast, Input::F32, &options, &mut out).unwrap();
                let back: Vec<u8> = back.iter().flat_map(|x| x.to_le_bytes()).collect();
                assert!(out == back, "{} back, {rows} x {columns}", recipe.name());
            }
        }
    }
}

#[test]
fn strides_and_transposes() {
    let names = [
        "mx-rceil/e4m3",
        "nvfp4-te-16x16",
        "nvfp4-te-row-scaled-1x16",
        "nvfp4-torchao",
        "deepseek-1x128",
        "gguf-mxfp4",
    ];
    for name in names {
        let recipe = Recipe::named(name).unwrap();
        for input in [Input::F32, Input::Bf16, Input::F16] {
            let (rows, columns) = (64, 160);
            let all = numbers(input, rows * columns, 5, false);
            let data = bytes(input, &all);
            let matrix = Matrix::bytes(input, &data, rows, columns).unwrap();
            // The transpose, as a view and as a copy.
            let copy: Vec<u32> = (0..columns)
                .flat_map(|c| (0..rows).map(move |r| (r, c)))
                .map(|(r, c)| all[r * columns + c])
                .collect();
            let copy = bytes(input, &copy);
            let copied = Matrix::bytes(input, &copy, columns, rows).unwrap();
            let view = quantize(&recipe, &matrix.transposed(), &options(&recipe, 2)).unwrap();
            let dense = quantize(&recipe, &copied, &options(&recipe, 1)).unwrap();
            assert_same(&recipe, &view, &dense, "transposed");
            // Every third row and second column of a larger array.
            let (wide, tall) = (2 * columns, 3 * rows);
            let mut large = vec![0xff_u8; wide * tall * input.bytes()];
            for (i, element) in data.chunks(input.bytes()).enumerate() {
                let at = (i / columns * 3 * wide + i % columns * 2) * input.bytes();
                large[at..at + input.bytes()].copy_from_slice(element);
            }
            let view = Matrix::strided(input, &large, (rows, columns), (3 * wide, 2)).unwrap();
            let strided = quantize(&recipe, &view, &options(&recipe, 2)).unwrap();
            let dense = quantize(&recipe, &matrix, &options(&recipe, 1)).unwrap();
            assert_same(&recipe, &strided, &dense, "strided");
        }
    }
}

#[test]
fn any_split_of_rows_gives_the_same_bytes() {
    // A block of all rows cannot be split.
    for recipe in Recipe::all().filter(|r| !r.is_random() && r.block().rows != BlockShape::ALL) {
        let block = recipe.block();
        let columns = if block.columns == BlockShape::ALL { 77 } else { 2 * block.columns.max(64) };
        let rows = 4 * block.rows;
        let input = Input::Bf16;
        let data = bytes(input, &numbers(input, rows * columns, 77, false));
        let matrix = Matrix::bytes(input, &data, rows, columns).unwrap();
        let whole = quantize(&recipe, &matrix, &options(&recipe, 1)).unwrap();
        let (mut joined, mut scales) = (Vec::new(), Vec::new());
        let (head, tail) = data.split_at(block.rows * columns * input.bytes());
        for (part, rows) in [(head, block.rows), (tail, 3 * block.rows)] {
            let part = Matrix::bytes(input, part, rows, columns).unwrap();
            // The global scale is that of the whole array, unless each row has one.
            let given = whole.global.first().filter(|_| recipe.has_global_scale());
            let global = given.map_or(Global::FromData, |scale| Global::Scale(*scale));
            let part = quantize(&recipe, &part, &Options { global, ..options(&recipe, 1) }).unwrap();
            joined.extend(part.data);
            scales.extend(part.scales);
        }
        assert!(joined == whole.data && scales == whole.scales, "{}", recipe.name());
    }
}

/// Dequantised numbers that are quantised again stay the same if the rule scales amax to the largest number
/// of a block. Only codes with equal values may replace each other.
#[test]
fn quantising_again_changes_nothing() {
    for name in ["mx-floor/e4m3", "mx-floor/e2m1", "mx-even/e5m2", "gguf-mxfp4", "mx-floor/e2m3"] {
        let recipe = Recipe::named(name).unwrap();
        let numbers: Vec<f32> = numbers(Input::F32, 64 * 64, 3, false)
            .into_iter()
            .map(f32::from_bits)
            .map(|x| if x.abs() < 1e-30 { 0.0 } else { x })
            .collect();
        let matrix = Matrix::f32(&numbers, 64, 64).unwrap();
        let once = quantize(&recipe, &matrix, &options(&recipe, 1)).unwrap();
        let back = dequantize(&recipe, &once, 1).unwrap();
        let again = quantize(&recipe, &Matrix::f32(&back, 64, 64).unwrap(), &options(&recipe, 1)).unwrap();
        assert!(bits(&dequantize(&recipe, &again, 1).unwrap()) == bits(&back), "{name}");
    }
}

#[test]
fn to_half_precision_rounds_once_more() {
    let recipe = Recipe::named("nvfp4-te-1x16").unwrap();
    let data = bytes(Input::Bf16, &numbers(Input::Bf16, 4 * 64, 9, false));
    let matrix = Matrix::bytes(Input::Bf16, &data, 4, 64).unwrap();
    let quantized = quantize(&recipe, &matrix, &options(&recipe, 1)).unwrap();
    let wide = dequantize_reference(&recipe, &quantized).unwrap();
    for (output, opcode) in [(Input::Bf16, "cvt.rn.bf16.f32"), (Input::F16, "cvt.rn.f16.f32")] {
        let form: ptxcvt::Form = opcode.parse().unwrap();
        let expected: Vec<u8> = wide
            .iter()
            .flat_map(|x| (form.eval(&[x.to_bits().into()]).unwrap() as u16).to_le_bytes())
            .collect();
        let mut out = vec![0; expected.len()];
        dequantize_into(&recipe, &quantized, output, &options(&recipe, 2), &mut out).unwrap();
        assert!(out == expected, "{opcode}");
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let recipe = |name: &str| Recipe::named(name).unwrap();
    let numbers = [1.0_f32; 96];
    let matrix = Matrix::f32(&numbers, 2, 48).unwrap();
    let run =
        |name: &str, options: Options| quantize(&recipe(name), &matrix, &options).unwrap_err().to_string();
    assert_eq!(
        run("mx-rceil/e4m3", Options::default()),
        "an array of 2 rows and 48 columns is not a whole number of blocks of 1x32, which `mx-rceil/e4m3` needs"
    );
    assert_eq!(
        run("nvfp4-te-rs-1x16", Options::default()),
        "`nvfp4-te-rs-1x16` rounds with random bits and needs a seed"
    );
    assert_eq!(
        run("nvfp4-te-1x16", Options { seed: Some(1), ..Options::default() }),
        "`nvfp4-te-1x16` does not round with random bits, so it accepts no seed"
    );
    let global = Options { global: Global::Amax(1.0), ..Options::default() };
    assert_eq!(run("deepseek-1x128", global), "`deepseek-1x128` has no global scale");
    for tiny in [1e-45, 1e-42] {
        let global = Options { global: Global::Amax(tiny), ..Options::default() };
        assert_eq!(
            run("nvfp4-modelopt", global),
            format!("largest magnitude {tiny:e}: the global scale of `nvfp4-modelopt` would be 0")
        );
        assert!(
            quantize(&recipe("nvfp4-compressed-tensors"), &matrix, &global).is_ok(),
            "it has a least scale"
        );
    }
    assert_eq!(
        Matrix::f32(&numbers, 2, 40).unwrap_err().to_string(),
        "an array of 2 rows and 40 columns needs 80 elements, not 96"
    );
    assert_eq!(
        Matrix::strided(Input::F32, &[0; 16], (2, 2), (3, 1)).unwrap_err().to_string(),
        "an array of 2 rows and 2 columns with these strides is outside the given 16 bytes"
    );
    let global = Options { global: Global::Scale(1.0), ..Options::default() };
    assert_eq!(
        run("nvfp4-te-row-scaled-1x16", global),
        "`nvfp4-te-row-scaled-1x16` computes the global scale of each row from the row, so it accepts none"
    );
    let mut rows = quantize(&recipe("nvfp4-te-row-scaled-1x16"), &matrix, &Options::default()).unwrap();
    rows.global.pop();
    assert_eq!(
        dequantize(&recipe("nvfp4-te-row-scaled-1x16"), &rows, 1).unwrap_err().to_string(),
        "1 global scale for `nvfp4-te-row-scaled-1x16`: expected 2"
    );
    // A file may hold any scale; NaN and infinity are scales of numbers that were quantised.
    for (name, count) in [("nvfp4-modelopt", 1), ("nvfp4-te-row-scaled-1x16", 2)] {
        let recipe = recipe(name);
        let made = quantize(&recipe, &matrix, &Options::default()).unwrap();
        assert_eq!(made.global.len(), count);
        for (scale, fits) in
            [(f32::NAN, true), (f32::INFINITY, true), (0.0, true), (-0.0, true), (-1.5, false)]
        {
            let mut given = made.clone();
            given.global[count - 1] = scale;
            for back in [dequantize(&recipe, &given, 1), dequantize_reference(&recipe, &given)] {
                let refused = back.err().map(|e| e.to_string());
                let expected = "global scale -1.5: expected a number that is not negative".to_owned();
                assert_eq!(refused, (!fits).then_some(expected), "{name}, {scale}");
            }
        }
    }
    let wrong = Quantized::new(vec![0; 3], Vec::new(), Vec::new(), (1, 32));
    assert_eq!(
        dequantize(&recipe("mx-rceil/e4m3"), &wrong, 1).unwrap_err().to_string(),
        "the element data: expected 32 bytes, not 3"
    );
}

#[test]
fn blocks_along_columns() {
    // In place: the transpose of the result for the transposed matrix.
    let recipe = Recipe::named("mx-rceil-te/e4m3").unwrap();
    let (rows, columns) = (96, 70);
    let data = bytes(Input::Bf16, &numbers(Input::Bf16, rows * columns, 31, true));
    let matrix = Matrix::bytes(Input::Bf16, &data, rows, columns).unwrap();
    let in_place = quantize(&recipe.column_wise().unwrap(), &matrix, &options(&recipe, 2)).unwrap();
    let slow = quantize_reference(&recipe.column_wise().unwrap(), &matrix, &options(&recipe, 1)).unwrap();
    assert_same(&recipe, &in_place, &slow, "column-wise");
    let turned = quantize(&recipe, &matrix.transposed(), &options(&recipe, 2)).unwrap();
    for row in 0..rows {
        for column in 0..columns {
            assert_eq!(in_place.data[row * columns + column], turned.data[column * rows + row]);
            assert_eq!(
                in_place.scales[row / 32 * columns + column],
                turned.scales[column * (rows / 32) + row / 32]
            );
        }
    }
    assert!(Recipe::named("gguf-mxfp4").unwrap().column_wise().is_err());
    let recipe = Recipe::named("nvfp4-te-1x16").unwrap();
    let matrix = Matrix::bytes(Input::Bf16, &data[..96 * 64 * 2], 96, 64).unwrap();
    let (by_rows, by_columns) = ptxcvt_blocks::quantize_both(&recipe, &matrix, &options(&recipe, 2)).unwrap();
    assert_eq!(by_rows, quantize(&recipe, &matrix, &options(&recipe, 1)).unwrap());
    assert_eq!(by_columns, quantize(&recipe, &matrix.transposed(), &options(&recipe, 1)).unwrap());
}

/// A recipe with a global scale for each row quantises a row as the recipe for whole arrays quantises that row alone.
#[test]
fn each_row_is_an_array_of_its_own() {
    for (rows_name, whole_name) in [
        ("nvfp4-te-row-scaled-1x16", "nvfp4-te-1x16"),
        ("nvfp4-te-row-scaled-4over6-mae", "nvfp4-te-4over6-mae"),
        ("nvfp4-te-row-scaled-4over6-mse", "nvfp4-te-4over6-mse"),
    ] {
        let (by_rows, alone) = (Recipe::named(rows_name).unwrap(), Recipe::named(whole_name).unwrap());
        assert!(by_rows.is_row_scaled() && !by_rows.has_global_scale() && !alone.is_row_scaled());
        let (rows, columns) = (40, 8192 + 64);
        for special in [false, true] {
            let data = bytes(Input::Bf16, &numbers(Input::Bf16, rows * columns, 3, special));
            let matrix = Matrix::bytes(Input::Bf16, &data, rows, columns).unwrap();
            let whole = quantize(&by_rows, &matrix, &options(&by_rows, 2)).unwrap();
            let back = dequantize(&by_rows, &whole, 2).unwrap();
            let (mut joined, mut numbers) = (Quantized::new(vec![], vec![], vec![], whole.shape), Vec::new());
            for row in 0..rows {
                let part = quantize(&alone, &matrix.part(row, row + 1), &options(&alone, 1)).unwrap();
                numbers.extend(dequantize(&alone, &part, 1).unwrap());
                joined.data.extend(part.data);
                joined.scales.extend(part.scales);
                joined.global.extend(part.global);
            }
            assert_same(&by_rows, &whole, &joined, "row by row");
            assert!(bits(&back) == bits(&numbers), "{rows_name} back");
        }
    }
}

#[test]
fn comparing_finds_the_first_difference() {
    let recipe = |name: &str| Recipe::named(name).unwrap();
    let mut numbers = vec![1.0_f32; 4 * 64];
    // These two recipes differ only for -0.
    numbers[2 * 64 + 40] = -0.0;
    let matrix = Matrix::f32(&numbers, 4, 64).unwrap();
    let (a, b) = (recipe("nvfp4-torchao"), recipe("nvfp4-modelopt"));
    let found = ptxcvt_blocks::compare([&a, &b], &matrix, [&Options::default(); 2]).unwrap();
    let counts = found.counts;
    assert_eq!((counts.scales, counts.scales_differ, counts.codes, counts.codes_differ), (16, 0, 256, 1));
    assert_eq!((counts.zero_signs, counts.bytes, counts.bytes_differ), (1, 128, 1));
    let first = found.first.unwrap();
    assert_eq!((first.block, first.element), ((2, 2), Some((2, 40))));
    assert_eq!(found.global_scales, None);
    // compressed-tensors stores the reciprocal of the scale.
    let reciprocal = recipe("nvfp4-compressed-tensors");
    let found = ptxcvt_blocks::compare([&b, &reciprocal], &matrix, [&Options::default(); 2]).unwrap();
    assert_eq!(found.global_scales, Some([Some(1.0 / 2688.0), Some(2688.0)]));
    let c = recipe("mx-rceil/e2m1");
    assert_eq!(
        ptxcvt_blocks::compare([&a, &c], &matrix, [&Options::default(); 2]).unwrap_err().to_string(),
        "`nvfp4-torchao` and `mx-rceil/e2m1` have different blocks, so their bytes cannot be compared"
    );
}

#[test]
fn parts_take_their_random_bits_by_position() {
    let recipe = Recipe::named("nvfp4-te-rs-1x16").unwrap();
    let data = bytes(Input::Bf16, &numbers(Input::Bf16, 6 * 48, 8, false));
    let matrix = Matrix::bytes(Input::Bf16, &data, 6, 48).unwrap();
    let whole = quantize(&recipe, &matrix, &options(&recipe, 1)).unwrap();
    let global = Global::Scale(whole.global[0]);
    let part = Options { global, first: 2 * 48, ..options(&recipe, 1) };
    for quantize in [quantize, quantize_reference] {
        assert!(quantize(&recipe, &matrix.part(2, 6), &part).unwrap().data == whole.data[48..]);
    }
}

#[test]
fn a_report_counts() {
    let recipe = Recipe::named("mx-floor/e4m3").unwrap();
    let mut numbers = vec![0.0_f32; 96];
    // An exact block; then 511, which saturates to 448, and a tiny number, which becomes 0; then NaN.
    numbers[0] = 448.0;
    (numbers[32], numbers[33]) = (511.0, 1e-6);
    numbers[64] = f32::NAN;
    numbers[65] = 1.0;
    let matrix = Matrix::f32(&numbers, 3, 32).unwrap();
    let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
    let report = ptxcvt_blocks::Report::measure(&recipe, &matrix, &quantized).unwrap();
    assert_eq!((report.losses.elements(), report.blocks), (96, 3));
    assert_eq!((report.finite_blocks, report.exact_blocks), (2, 1));
    assert_eq!((report.saturated, report.became_zero, report.losses.lost()), (1, 1, 31));
    assert_eq!((report.non_finite.nan, report.non_finite.first()), (1, Some(64)));
    assert_eq!(report.non_finite, quantized.non_finite);
    assert_eq!(report.scales, [(127, 2), (255, 1)].into());
    // Errors are undefined if there is a NaN, and defined for the first two rows.
    assert_eq!(report.losses.errors(), None);
    let part = matrix.part(0, 2);
    let quantized = quantize(&recipe, &part, &Options::default()).unwrap();
    let report = ptxcvt_blocks::Report::measure(&recipe, &part, &quantized).unwrap();
    let errors = report.losses.errors().unwrap();
    assert_eq!(errors.largest, 63.0);
    assert!((errors.mean_square - (63.0_f64 * 63.0 + 1e-12) / 64.0).abs() < 1e-9);
    // An array without elements has no errors, neither 0 nor others.
    assert_eq!(ptxcvt_blocks::Report::default().losses.errors(), None);
}

/// A report counts an element as saturated if the reference does, also if the element would be rounded to the largest
/// number.
#[test]
fn a_report_and_the_reference_agree_on_what_is_saturated() {
    let recipe = Recipe::named("mx-floor/e4m3").unwrap();
    let numbers: Vec<f32> = (0..32).map(|n| 433.0 + 2.0 * n as f32).collect();
    let matrix = Matrix::f32(&numbers, 1, 32).unwrap();
    let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
    assert_eq!(quantized.scales, [127]);
    let report = ptxcvt_blocks::Report::measure(&recipe, &matrix, &quantized).unwrap();
    let form: ptxcvt::Form = "cvt.rn.satfinite.e4m3x2.f32".parse().unwrap();
    let is_saturated = |x: &&f32| {
        let explained = form.explain(&[0, x.to_bits().into()]).unwrap();
        explained.elements()[1].outcome == ptxcvt::Outcome::Saturated
    };
    assert_eq!(report.saturated, numbers.iter().filter(is_saturated).count() as u64);
    assert_eq!(report.saturated, 24);
}

/// Scales of f32 are counted by powers of two: a subnormal one is not zero, and infinity is not NaN.
#[test]
fn a_report_tells_unusual_scales_apart() {
    let recipe = Recipe::named("fp8-tensor").unwrap();
    for (scale, value) in [(f32::from_bits(0x9f), 128.0 * 2.0_f64.powi(-149)), (0.0, 0.0), (3.0, 2.0)] {
        assert_eq!(scale_of(&recipe, scale), value);
    }
    assert_eq!(scale_of(&recipe, f32::INFINITY), f64::INFINITY);
    assert!(scale_of(&recipe, f32::NAN).is_nan());
}

/// The scale that a report has of a matrix that was quantised with this one.
fn scale_of(recipe: &Recipe, scale: f32) -> f64 {
    let matrix = Matrix::f32(&[0.0; 32], 1, 32).unwrap();
    let mut quantized = quantize(recipe, &matrix, &Options::default()).unwrap();
    quantized.scales = scale.to_bits().to_le_bytes().to_vec();
    let report = ptxcvt_blocks::Report::measure(recipe, &matrix, &quantized).unwrap();
    let (key, count) = report.scales.first_key_value().unwrap();
    assert_eq!(*count, 1);
    ptxcvt_blocks::Report::scale_value(recipe, *key)
}
