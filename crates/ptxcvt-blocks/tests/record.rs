//! Compares a million blocks of each recipe with digests of what libraries returned
//! (`conformance/records/blocks.tsv`, made by `conformance/blocks/compare.py`). The ordinary run tests every
//! eighth recipe, `-- --ignored` all of them.

use ptxcvt_blocks::{Matrix, Options, Recipe, quantize};
use sha2::{Digest, Sha256};

const RECORD: &str = include_str!("../../../conformance/records/blocks.tsv");
const ROWS: usize = 2048;
const COLUMNS: usize = 1024;
const ARRAYS: u64 = 16;

/// SplitMix64's output function on a counter.
fn mix(x: u64) -> u64 {
    let z = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// 2^e, for exponents of normal f32 numbers.
fn power(e: i32) -> f32 {
    f32::from_bits(((e + 127) as u32) << 23)
}

/// The bf16 bits of one array, generated as in `compare.py`.
fn numbers(array: u64, spread: u64) -> Vec<u16> {
    const STEPS: [f32; 16] = [0., 1., 2., 3., 4., 6., 8., 12., 448., 416., 5., 7., 10., 14., 28., 15.];
    (0..(ROWS * COLUMNS) as u64)
        .map(|i| {
            let index = i + ((array + 1) << 32);
            let r = mix(index);
            let block = mix((index >> 5) + (1 << 60));
            let exponent = ((block >> 8) % (2 * spread + 1)) as i32 - spread as i32;
            let small = (r >> 8) % 97;
            let wide = ((r >> 8) % 256) as f32 * power(-(((r >> 40) % 12) as i32));
            let value = match block % 6 {
                0 => small as f32,
                1 => wide,
                2 => STEPS[(r >> 8 & 15) as usize],
                3 if (r >> 8) % 8 == 0 => small as f32,
                3 => 0.0,
                _ => wide * 0.75,
            };
            ((value * power(exponent)).to_bits() >> 16) as u16 | ((r & 1) << 15) as u16
        })
        .collect()
}

/// JAX on a CPU flushes subnormal numbers. In blocks of zeros the least scale therefore becomes 0, and 0 / 0
/// NaN. Its formula, and this library, return 0.
const EXCUSED: &[(&str, &str)] = &[("jax-mxfp8/e4m3", "82752"), ("jax-mxfp8/e5m2", "82752")];

fn check(step: usize) {
    let mut seen = 0;
    for line in RECORD.lines().filter(|line| !line.starts_with('#')).step_by(step) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, library, spread, _, _, differ, digest] = fields[..] else { panic!("{line}") };
        if EXCUSED.contains(&(name, differ)) {
            seen += 1;
            continue;
        }
        assert_eq!(differ, "0", "{name} differs from {library}");
        let recipe = Recipe::named(name).unwrap();
        let mut hash = Sha256::new();
        for array in 0..ARRAYS {
            let bits = numbers(array, spread.parse().unwrap());
            let matrix = Matrix::bf16(&bits, ROWS, COLUMNS).unwrap();
            let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
            hash.update(&quantized.scales);
            hash.update(&quantized.data);
        }
        let found = format!("{:x}", hash.finalize());
        assert_eq!(found, digest, "{name} by {library}");
        seen += 1;
    }
    assert!(seen * step >= 28, "{seen}");
}

#[test]
fn a_million_blocks_of_some_recipes() {
    check(8);
}

#[test]
#[ignore = "a million blocks of every recipe: a minute"]
fn a_million_blocks_of_every_recipe() {
    check(1);
}

/// Parts of libraries whose whole needs a GPU or a compiler (`conformance/blocks/references.py`). Their scales and
/// codes are those of the recipes, except for the sign of 0 in TransformerEngine's reference, which turns -0 into +0.
#[test]
fn references_agree() {
    let record = include_str!("../../../conformance/records/references.tsv");
    let mut seen = 0;
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, library, scales, scales_differ, codes, codes_differ, rest] = fields[..] else {
            panic!("{line}")
        };
        Recipe::named(name).unwrap();
        assert!(scales.parse::<u32>().unwrap() > 30_000, "{line}");
        assert!(scales_differ == "0" && ["0", ""].contains(&codes_differ), "{line}");
        let (has_codes, sign_differs) = (!codes.is_empty(), rest != "0");
        assert_eq!(has_codes && sign_differs, library == "reference_nvfp4.py", "{line}");
        seen += 1;
    }
    assert_eq!(seen, 13);
}
