//! Dequantising to bf16 and f16 equals dequantising to f32 with the reference and rounding. This is tested
//! for every recipe, every code with every scale, outputs at any alignment, ordinary and non-temporal stores.
//! Dequantised numbers that are quantised again are tested, too.

use ptxcvt::Form;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{
    BlockShape, Definition, Input, Layout, Matrix, Options, Quantized, Ragged, Recipe, dequantize,
    dequantize_into, dequantize_reference, quantize,
};
use ptxcvt_bulk::Stores;

/// An array of random codes and scales in which every byte occurs.
fn random(recipe: &Recipe, (rows, columns): (usize, usize), random: &mut SplitMix64) -> Quantized {
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let mut bytes = |count: usize, mask: u8| (0..count).map(|_| random.next_u64() as u8 & mask).collect();
    // FP6 has two zero bits in its bytes, unless it is packed.
    let mask = if recipe.element().bits() == 6 && recipe.layout() == Layout::Rows { 0x3f } else { 0xff };
    let data = bytes(rows * recipe.row_bytes(columns), mask);
    let mut scales: Vec<u8> = bytes(scale_rows * scale_columns * recipe.scale_bytes(), 0xff);
    if recipe.scale_bytes() == 4 {
        // Includes powers of two and similar numbers, NaN, infinity and zero.
        for (i, scale) in scales.chunks_exact_mut(4).enumerate() {
            let x = u32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
            let x = [x, x & 0x7f80_0000, 0x3f80_0000 + (x & 0x3ff), 0][i % 4];
            scale.copy_from_slice(&x.to_le_bytes());
        }
    }
    let global = (0..recipe.globals(rows)).map(|row| 3.7 + row as f32).collect();
    Quantized::new(data, scales, global, (rows, columns))
}

/// Rounds every number with the form.
fn rounded(numbers: &[f32], form: &Form) -> Vec<u8> {
    let round = |x: &f32| form.eval(&[x.to_bits().into()]).unwrap() as u16;
    numbers.iter().flat_map(|x| round(x).to_le_bytes()).collect()
}

#[test]
fn every_code_with_every_scale() {
    let forms: [(Input, Form); 2] =
        [(Input::Bf16, "cvt.rn.bf16.f32".parse().unwrap()), (Input::F16, "cvt.rn.f16.f32".parse().unwrap())];
    let mut bits = SplitMix64::new(4);
    // Blocks narrower and wider than the kernels' steps, and blocks that no kernel supports.
    let odd = [(8, "mx-floor/e4m3"), (64, "mx-rceil/e2m1"), (48, "mx-even/e3m2")].map(|(columns, name)| {
        let mut definition = Definition::of(&Recipe::named(name).unwrap());
        (definition.block.columns, definition.ragged) = (columns, Ragged::Partial);
        Recipe::new(definition).unwrap()
    });
    for recipe in Recipe::all().chain(odd) {
        let block = recipe.block();
        let shapes = match (block.rows, recipe.ragged()) {
            (1, Ragged::Refused) => vec![(3, 4096 + 192), (1, 64), (40, 64)],
            (1, _) => vec![(3, 4096 + 198), (1, 64), (2, 10)],
            (BlockShape::ALL, _) => vec![(5, 4096 + 198), (1, 3)],
            (n, Ragged::Refused) => vec![(2 * n, 6 * block.columns)],
            (n, _) => vec![(n + 5, 3 * block.columns + 70)],
        };
        for shape in shapes {
            let quantized = random(&recipe, shape, &mut bits);
            let wide = dequantize_reference(&recipe, &quantized).unwrap();
            for (output, form) in &forms {
                let expected = rounded(&wide, form);
                for (stores, at) in [
                    (Stores::Cached, 0),
                    (Stores::Streamed, 0),
                    (Stores::Streamed, 16),
                    (Stores::Streamed, 35),
                ] {
                    let options = Options { stores, threads: 1 + at % 3, ..Options::default() };
                    let mut room = vec![0x5a; expected.len() + 128];
                    let start = room.as_ptr().align_offset(64) + at;
                    let out = &mut room[start..start + expected.len()];
                    dequantize_into(&recipe, &quantized, *output, &options, out).unwrap();
                    let first = out.iter().zip(&expected).position(|(a, b)| a != b);
                    assert_eq!(first, None, "{} {shape:?} to {output}, {stores:?} at {at}", recipe.name());
                    let around = room[..start].iter().chain(&room[start + expected.len()..]);
                    assert!(around.copied().all(|byte| byte == 0x5a), "{}: stays within", recipe.name());
                }
            }
        }
    }
}

/// If a block's largest element has the format's largest exponent, rules that round amax down to a power of
/// two compute the same scale again. Then every code of a nonzero number is restored, byte for byte.
#[test]
fn quantised_again_byte_for_byte() {
    let mut bits = SplitMix64::new(9);
    let names =
        ["mx-floor/e4m3", "mx-floor/e5m2", "mx-floor/e2m3", "mx-floor/e3m2", "mx-floor/e2m1", "gguf-mxfp4"];
    let again = ["mx-rceil/e4m3", "mx-rceil-te/e5m2", "mx-ceil/e2m1", "mx-even/e2m1", "mxfp8-modelopt"];
    for name in names.into_iter().chain(again) {
        let recipe = Recipe::named(name).unwrap();
        let numbers: Vec<f32> = (0..64 * 128)
            .map(|i| {
                let r = bits.next_u64();
                (r as i32 as f32) * f32::from_bits((60 + (i as u32 / 32 * 7) % 100) << 23)
            })
            .collect();
        let options = Options::default();
        let once = quantize(&recipe, &Matrix::f32(&numbers, 64, 128).unwrap(), &options).unwrap();
        let back = dequantize(&recipe, &once, 1).unwrap();
        let twice = quantize(&recipe, &Matrix::f32(&back, 64, 128).unwrap(), &options).unwrap();
        if names.contains(&name) {
            assert!(twice == once, "{name}");
        }
        // Other rules may compute a smaller scale the second time; after that, numbers are stable.
        let back_again = dequantize(&recipe, &twice, 1).unwrap();
        assert!(back.iter().zip(&back_again).all(|(a, b)| a == b), "{name}");
        let thrice = quantize(&recipe, &Matrix::f32(&back_again, 64, 128).unwrap(), &options).unwrap();
        assert!(thrice == twice, "{name}");
    }
}

/// Rows may be split anywhere and have strides of any length: the bytes do not change.
#[test]
fn any_split_and_any_strides() {
    let mut bits = SplitMix64::new(12);
    // A block of all rows cannot be split.
    for recipe in Recipe::all().filter(|r| !r.is_random() && r.block().rows != BlockShape::ALL) {
        let block = recipe.block();
        let columns = if block.columns == BlockShape::ALL { 130 } else { (2 * block.columns).max(128) };
        let rows = 8 * block.rows;
        let numbers: Vec<u16> = (0..rows * columns).map(|_| (bits.next_u64() as u16) & 0xbfff).collect();
        let whole =
            quantize(&recipe, &Matrix::bf16(&numbers, rows, columns).unwrap(), &Options::default()).unwrap();
        let given = whole.global.first().filter(|_| recipe.has_global_scale());
        let global = given.map_or(Default::default(), |scale| ptxcvt_blocks::Global::Scale(*scale));
        let options = Options { global, threads: 2, ..Options::default() };
        // A part of a larger array, with gaps of any length between rows and between elements.
        let column_stride = 1 + (bits.next_u64() % 4) as usize;
        let row_stride = columns * column_stride + (bits.next_u64() % 9) as usize;
        let mut large = vec![0xffff_u16; rows * row_stride];
        for (i, x) in numbers.iter().enumerate() {
            large[i / columns * row_stride + i % columns * column_stride] = *x;
        }
        let bytes: Vec<u8> = large.iter().flat_map(|x| x.to_le_bytes()).collect();
        let strides = (row_stride, column_stride);
        let matrix = Matrix::strided(Input::Bf16, &bytes, (rows, columns), strides).unwrap();
        let (mut data, mut scales, mut first) = (Vec::new(), Vec::new(), 0);
        while first < rows {
            let more = block.rows * (1 + (bits.next_u64() % 3) as usize);
            let end = rows.min(first + more);
            let part = quantize(&recipe, &matrix.part(first, end), &options).unwrap();
            data.extend(part.data);
            scales.extend(part.scales);
            first = end;
        }
        assert!(data == whole.data && scales == whole.scales, "{} with strides {strides:?}", recipe.name());
    }
}
