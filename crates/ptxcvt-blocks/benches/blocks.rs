//! Measures the recipes and a copy kernel for the same number of bytes, in one process, in and out of cache.
//!
//! `cargo bench -p ptxcvt-blocks -- [--in-cache] [--out-of-cache] [RECIPE…]`. Times are the least of several
//! repetitions on one thread. The contenders take turns, so that a busy machine disturbs all of them alike.
//! Ratios are the time of the copy divided by the time of the recipe. The copy is that of the bulk engine's
//! benchmark, with ordinary or non-temporal stores, whichever is faster.

#![allow(missing_docs)]

// Only the copies are used here.
#[allow(dead_code, unsafe_code)]
#[path = "../../ptxcvt-bulk/benches/convert/copy.rs"]
mod copy;

use std::hint::black_box;
use std::time::Instant;

use ptxcvt_blocks::{Global, Input, Matrix, Options, Quantized, Recipe, dequantize_into, quantize_into};
use ptxcvt_bulk::Stores;

/// Name, parts, rows and columns of each, repetitions. The least time of each part counts, so that
/// interruptions by other programs matter less. Between two runs of one part, the others replace the contents
/// of the caches.
const SIZES: &[(&str, usize, usize, usize, usize)] =
    &[("in cache", 1, 128, 512, 400), ("out of cache", 32, 128, 8192, 15)];
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
    let only = |flag: &str| std::env::args().any(|a| a == flag);
    for (name, parts, rows, columns, rounds) in SIZES {
        let skipped = if *name == "in cache" { "--out-of-cache" } else { "--in-cache" };
        if only(skipped) {
            continue;
        }
        println!(
            "\n{name}: {parts} times {rows} x {columns} bf16 numbers, one thread; ns an element (ratio to the copy)\n"
        );
        println!("| recipe | copy | quantise | copy back | dequantise to bf16 |");
        println!("|---|---:|---:|---:|---:|");
        let numbers: Vec<Vec<u16>> = (0..*parts).map(|part| numbers(part, rows * columns)).collect();
        for name in RECIPES.iter().filter(|name| wanted.is_empty() || wanted.iter().any(|w| name.contains(w)))
        {
            let recipe = Recipe::named(name).expect("a recipe of the table");
            let ns = measure(&recipe, &numbers, (*rows, *columns), *rounds);
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
}

/// bf16 numbers up to 2.2.
fn numbers(part: usize, count: usize) -> Vec<u16> {
    let number = |i: usize| {
        let r = ((part << 32 | i) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (((r as i32 as f32) / 1e9).to_bits() >> 16) as u16
    };
    (0..count).map(number).collect()
}

/// Nanoseconds per element of a copy, of quantising, of a copy back and of dequantising.
fn measure(
    recipe: &Recipe,
    numbers: &[Vec<u16>],
    (rows, columns): (usize, usize),
    rounds: usize,
) -> [f64; 4] {
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    // The tensor's largest magnitude is computed in a separate pass, which is not measured.
    let global = if recipe.has_global_scale() { Global::Amax(2.2) } else { Global::FromData };
    // The parts belong to a larger array.
    let stores = if numbers.len() > 1 { Stores::Streamed } else { Stores::Cached };
    // In cache, non-temporal stores would evict the data of the next measurement.
    let copies: &[bool] = if numbers.len() > 1 { &[false, true] } else { &[false] };
    let seed = recipe.is_random().then_some(1);
    let options = Options { global, seed, threads: 1, stores, ..Options::default() };
    let mut made: Vec<Quantized> = numbers
        .iter()
        .map(|_| {
            let data = vec![1_u8; rows * recipe.row_bytes(columns)];
            let scales = vec![1_u8; scale_rows * scale_columns * recipe.scale_bytes()];
            Quantized::new(data, scales, Vec::new(), (rows, columns))
        })
        .collect();
    let mut back = vec![vec![1_u8; 2 * rows * columns]; numbers.len()];
    // Half bytes per element.
    let small = if recipe.element().storage() == 4 { 1 } else { 2 };
    let mut best = vec![[f64::INFINITY; 4]; numbers.len()];
    let time = |best: &mut f64, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        *best = best.min(start.elapsed().as_secs_f64());
    };
    for _ in 0..rounds {
        for &streamed in copies {
            for ((numbers, made), best) in numbers.iter().zip(&mut made).zip(&mut best) {
                let (from, to) = (bytemuck::cast_slice(numbers), &mut made.data[..numbers.len() * small / 2]);
                time(&mut best[0], &mut || copy::copy(4, small, streamed, black_box(from), black_box(to)));
            }
        }
        for ((numbers, made), best) in numbers.iter().zip(&mut made).zip(&mut best) {
            let matrix = Matrix::bf16(numbers, rows, columns).expect("a whole matrix");
            time(&mut best[1], &mut || {
                let Quantized { data, scales, global, .. } = &mut *made;
                (*global, _) =
                    quantize_into(recipe, black_box(&matrix), &options, data, scales).expect("whole blocks");
            });
        }
        for &streamed in copies {
            for ((back, made), best) in back.iter_mut().zip(&made).zip(&mut best) {
                let from = &made.data[..back.len() / 2 * small / 2];
                time(&mut best[2], &mut || copy::copy(small, 4, streamed, black_box(from), black_box(back)));
            }
        }
        for ((back, made), best) in back.iter_mut().zip(&made).zip(&mut best) {
            time(&mut best[3], &mut || {
                dequantize_into(recipe, black_box(made), Input::Bf16, &options, back).expect("lengths fit");
            });
        }
    }
    let elements = (numbers.len() * rows * columns) as f64;
    core::array::from_fn(|i| best.iter().map(|best| best[i]).sum::<f64>() / elements * 1e9)
}
