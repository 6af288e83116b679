//! Speed of the recipes beside a copy kernel that moves the same bytes, in one process, in and out of cache.
//!
//! `cargo bench -p ptxcvt-blocks -- [RECIPE…]`. Times are the least of several repetitions in which the contenders
//! take turns, so that a busy machine disturbs them alike; one thread; ratios are copy time over time.

#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Instant;

use ptxcvt_blocks::{Global, Input, Matrix, Options, Recipe, dequantize_into, quantize_into};

/// Name, rows and columns, repetitions.
const SIZES: &[(&str, usize, usize, usize)] =
    &[("in cache", 128, 512, 400), ("out of cache", 4096, 8192, 11)];
const RECIPES: &[&str] = &[
    "mx-rceil/e4m3",
    "mx-rceil-te/e4m3",
    "mx-floor/e4m3",
    "mx-even/e2m1",
    "mx-rceil/e2m1",
    "mx-rceil/e3m2",
    "mx-rceil-te-32x32/e4m3",
    "mxfp8-modelopt",
    "deepseek-1x128",
    "deepseek-128x128",
    "nvfp4-te-1x16",
    "nvfp4-te-16x16",
    "nvfp4-te-rs-1x16",
    "nvfp4-modelopt",
    "nvfp4-compressed-tensors",
    "gguf-mxfp4",
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    for (name, rows, columns, rounds) in SIZES {
        println!(
            "\n{name}: {rows} x {columns} bf16 numbers, one thread; ns an element (ratio to the copy)\n"
        );
        table(*rows, *columns, *rounds, &wanted);
    }
}

fn table(rows: usize, columns: usize, rounds: usize, wanted: &[String]) {
    let numbers: Vec<u16> = (0..rows * columns)
        .map(|i| {
            let r = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            (((r as i32 as f32) / 1e9).to_bits() >> 16) as u16
        })
        .collect();
    let elements = (rows * columns) as f64;
    println!(
        "{} x {} bf16 numbers, one thread; ns an element (ratio to the copy of the same bytes)\n",
        rows, columns
    );
    println!("| recipe | copy | quantise | copy back | dequantise to bf16 |");
    println!("|---|---:|---:|---:|---:|");
    for name in
        RECIPES.iter().filter(|name| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())))
    {
        let recipe = Recipe::named(name).expect("a recipe of the table");
        let matrix = Matrix::bf16(&numbers, rows, columns).expect("a whole matrix");
        let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
        let mut data = vec![1_u8; rows * recipe.row_bytes(columns)];
        let mut scales = vec![1_u8; scale_rows * scale_columns * recipe.scale_bytes()];
        let mut back = vec![1_u8; numbers.len() * 2];
        // The pass for the largest magnitude of the tensor is not the quantiser's.
        let global = if recipe.has_global_scale() { Global::Amax(2.2) } else { Global::FromData };
        let seed = recipe.is_random().then_some(1);
        let options = Options { global, seed, threads: 1, ..Options::default() };
        let mut best = [f64::INFINITY; 4];
        for _ in 0..rounds {
            let time = |work: &mut dyn FnMut()| {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64()
            };
            let narrow = if data.len() < numbers.len() { narrow::<4> } else { narrow::<2> };
            best[0] = best[0].min(time(&mut || narrow(black_box(&numbers), black_box(&mut data))));
            let mut stored = None;
            best[1] = best[1].min(time(&mut || {
                let made = quantize_into(&recipe, black_box(&matrix), &options, &mut data, &mut scales);
                stored = made.expect("a whole matrix");
            }));
            let widen = if data.len() < numbers.len() { widen::<4> } else { widen::<2> };
            best[2] = best[2].min(time(&mut || widen(black_box(&data), black_box(&mut back))));
            let quantized = ptxcvt_blocks::Quantized {
                data: std::mem::take(&mut data),
                scales: std::mem::take(&mut scales),
                global: stored,
                shape: (rows, columns),
            };
            best[3] = best[3].min(time(&mut || {
                dequantize_into(&recipe, black_box(&quantized), Input::Bf16, 1, &mut back)
                    .expect("lengths fit");
            }));
            (data, scales) = (quantized.data, quantized.scales);
        }
        let ns = best.map(|seconds| seconds / elements * 1e9);
        println!(
            "| {name} | {:.3} | {:.3} ({:.2}) | {:.3} | {:.3} ({:.2}) |",
            ns[0],
            ns[1],
            ns[0] / ns[1],
            ns[2],
            ns[3],
            ns[2] / ns[3]
        );
    }
}

/// Reads everything and writes one byte of `N / 2` elements.
fn narrow<const N: usize>(from: &[u16], to: &mut [u8]) {
    for (from, to) in from.chunks_exact(N / 2).zip(to) {
        *to = from.iter().fold(0, |sum, x| sum | *x as u8);
    }
}

/// Reads everything and writes `N` bytes of each.
fn widen<const N: usize>(from: &[u8], to: &mut [u8]) {
    for (from, to) in from.iter().zip(to.chunks_exact_mut(N)) {
        to.fill(*from);
    }
}
