//! Compares each scale rule with its formula in exact integer arithmetic, which shares no code with either
//! implementation. Inputs are every positive bf16 number as largest magnitude, and random f32 numbers, also
//! near the places where rules differ. The complete run (10 million of these for each rule) is `cargo test
//! --release -p ptxcvt-blocks --test scale_rules -- --ignored`.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{Global, Matrix, Options, Recipe, quantize};

/// A positive number m · 2^e.
#[derive(Clone, Copy)]
struct Number(u128, i32);

fn number(x: f32) -> Number {
    let (field, low) = ((x.to_bits() >> 23) as i32, u128::from(x.to_bits() & 0x7f_ffff));
    if field == 0 { Number(low, -149) } else { Number(low | 1 << 23, field - 150) }
}

/// Rounds m · 2^e to `bits` significant bits and the least exponent `least`, nearest even; returns (m, e).
/// `sticky` means that the exact number is slightly larger.
fn nearest(Number(m, e): Number, sticky: bool, bits: u32, least: i32) -> Number {
    // One more place represents `sticky`.
    let (m, e) = (m << 1 | u128::from(sticky), e - 1);
    let top = 128 - m.leading_zeros() as i32 + e;
    let quantum = (top - bits as i32).max(least);
    if m == 0 || quantum <= e {
        return Number(m, e);
    }
    let shift = (quantum - e) as u32;
    if shift > 126 {
        return Number(0, quantum);
    }
    let (floor, rest, half) = (m >> shift, m & ((1 << shift) - 1), 1_u128 << (shift - 1));
    Number(floor + u128::from(rest > half || rest == half && floor & 1 == 1), quantum)
}

/// The nearest f32.
fn f32_of(x: Number, sticky: bool) -> f32 {
    let Number(m, e) = nearest(x, sticky, 24, -149);
    if m == 0 {
        return 0.0;
    }
    let zeros = m.trailing_zeros();
    let (m, e) = (m >> zeros, e + zeros as i32);
    if 128 - m.leading_zeros() as i32 + e > 128 {
        return f32::INFINITY;
    }
    // Exact: m has at most 24 bits and the product is an f32.
    (m as f64 * f64::from(e).exp2()) as f32
}

fn mul(a: f32, b: f32) -> f32 {
    if a.is_infinite() || b.is_infinite() {
        return f32::INFINITY;
    }
    let (a, b) = (number(a), number(b));
    f32_of(Number(a.0 * b.0, a.1 + b.1), false)
}

fn div(a: f32, b: f32) -> f32 {
    if a.is_infinite() || b == 0.0 {
        return f32::INFINITY;
    }
    if b.is_infinite() {
        return 0.0;
    }
    let (a, b) = (number(a), number(b));
    let wide = a.0 << 80;
    f32_of(Number(wide / b.0, a.1 - b.1 - 80), wide % b.0 != 0)
}

/// The code of the least ue8m0 number at or above `x`, or of 2^127 for larger numbers.
fn up(x: f32) -> u8 {
    if x.is_infinite() {
        return 254;
    }
    let Number(m, e) = number(x);
    if m == 0 {
        return 0;
    }
    let floor = 127 - m.leading_zeros() as i32 + e;
    let ceiling = floor + i32::from(!m.is_power_of_two());
    (ceiling + 127).clamp(0, 254) as u8
}

fn power(code: u8) -> f32 {
    (f64::from(code) - 127.0).exp2() as f32
}

/// The code nearest to a positive `x`, at most `last`, of a float of 8 bits with 3 fraction bits.
fn float8(x: f32, bias: i32, last: u8) -> u8 {
    if x.is_infinite() {
        return last;
    }
    let Number(m, e) = nearest(number(x), false, 4, -2 - bias);
    let found = m as f64 * f64::from(e).exp2();
    let value = |code: u8| {
        let (field, low) = (i32::from(code >> 3), f64::from(code & 7));
        let (whole, field) = if field == 0 { (low, 1) } else { (8.0 + low, field) };
        whole * f64::from(field - bias - 3).exp2()
    };
    // The codes are in the order of their values.
    (0..=last).rev().find(|code| value(*code) <= found).unwrap()
}

fn e4m3(x: f32) -> u8 {
    float8(x, 7, 0x7e)
}

/// The exponent field.
fn field(x: f32) -> i32 {
    (x.to_bits() >> 23) as i32
}

/// The integer to which `round` maps the f32 nearest to log2 of t.
fn log2(t: f32, ceil: bool) -> i32 {
    let Number(m, e) = number(t);
    let floor = 127 - m.leading_zeros() as i32 + e;
    // log2 t = floor + log2(1 + f), or 1 + log2((1 + f) / 2) near the upper end; both are accurate.
    let f = (t as f64) / f64::from(floor).exp2() - 1.0;
    let above = f.ln_1p() / std::f64::consts::LN_2;
    let below = ((f - 1.0) / 2.0).ln_1p() / std::f64::consts::LN_2;
    let half_ulp = |k: i32, toward_zero: bool| {
        if k == 0 {
            return 0.0; // near 0 every difference is an f32
        }
        let exponent = (f64::from(k.abs())).log2().floor();
        let power = f64::from(k.abs()).log2().fract() == 0.0;
        (exponent - 24.0 - f64::from(u8::from(toward_zero && power))).exp2()
    };
    let is_floor = above <= half_ulp(floor, floor < 0);
    let is_next = -below <= half_ulp(floor + 1, floor + 1 > 0);
    match (is_floor, is_next, ceil) {
        (true, ..) => floor,
        (_, true, _) => floor + 1,
        (.., true) => floor + 1,
        _ => floor,
    }
}

/// The rule of a recipe: the bytes of the scale for a largest magnitude, given the global scale as stored.
type Rule = fn(max: f32, emax: i32, half: u32, amax: f32, global: f32) -> Vec<u8>;

fn word(x: f32) -> Vec<u8> {
    x.to_le_bytes().to_vec()
}

const RULES: &[(&str, Rule)] = &[
    ("mx-rceil", |max, _, _, a, _| vec![up(div(a, max))]),
    ("mx-rceil-te", |max, _, _, a, _| vec![up(mul(a, div(1.0, max)))]),
    ("mx-floor", |_, emax, _, a, _| vec![(field(a) - emax).max(0) as u8]),
    ("mx-ceil", |_, emax, _, a, _| {
        vec![(field(a) + i32::from(a.to_bits() & 0x7f_ffff != 0) - emax).max(0) as u8]
    }),
    ("mx-even", |_, emax, half, a, _| vec![(((a.to_bits() + half) >> 23) as i32 - emax).max(0) as u8]),
    ("mxfp8-modelopt", |max, _, _, a, _| {
        let t = div(a, max);
        vec![if t == 0.0 { 0 } else { (log2(t, true).clamp(-127, 127) + 127) as u8 }]
    }),
    ("gguf-mxfp4", |_, _, _, a, _| vec![(log2(a, false) + 125) as u8]),
    ("jax-mxfp8", |max, _, _, a, _| {
        let t = div(a, max);
        vec![if t.is_infinite() { 255 } else { up(t) }]
    }),
    ("nvfp4-te-1x16", |_, _, _, a, g| {
        let s = div(2688.0, g).min(f32::MAX);
        let s = if s == 0.0 { 1.0 } else { s };
        vec![e4m3(mul(a, mul(s, div(1.0, 6.0))))]
    }),
    ("nvfp4-torchao", |_, _, _, a, g| vec![e4m3(div(div(a, 6.0), g).max(0.015625))]),
    ("nvfp4-torchao-single", |_, _, _, a, _| vec![e4m3(div(a, 6.0).max(0.015625))]),
    ("nvfp4-modelopt", |_, _, _, a, g| {
        let t = div(a, mul(6.0, g));
        vec![e4m3(if t == 0.0 { 1.0 } else { t }.max(0.001953125))]
    }),
    ("nvfp4-compressed-tensors", |_, _, _, a, g| {
        let code = e4m3(mul(g, div(a, 6.0)));
        vec![if code == 0 { 0x20 } else { code }]
    }),
    ("deepseek-1x128", |max, _, _, a, _| word(div(a.max(1e-4), max))),
    ("deepseek-1x128-ue8m0", |max, _, _, a, _| word(power(up(div(a.max(1e-4), max))))),
    ("deepseek-1x128-ue8m0-bytes", |max, _, _, a, _| vec![up(div(a.max(1e-4), max))]),
    ("te-blockwise-1x128", |max, _, _, a, _| {
        let f = div(max, a).min(f32::MAX);
        word(div(1.0, f32::from_bits(f.to_bits() & 0x7f80_0000)))
    }),
];

/// Largest magnitudes: random ones, and neighbours of n · 2^k for the numbers at which rules change.
fn f32_magnitudes(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    let steps = [1.0_f32, 448.0, 6.0, 57344.0, 28.0, 7.5, 1.75, 1.5, 480.0];
    (0..count)
        .map(|_| {
            let r = random.next_u64();
            let bits = (r as u32) % 0x7f7f_ffff + 1;
            if r >> 62 != 0 {
                return f32::from_bits(bits);
            }
            let step = steps[(r >> 32) as usize % steps.len()].to_bits() & 0x7f_ffff;
            let exponent = (r >> 40) as u32 % 254 + 1;
            f32::from_bits(
                ((exponent << 23 | step) + (r >> 52) as u32 % 17).saturating_sub(8).clamp(1, 0x7f7f_ffff),
            )
        })
        .collect()
}

fn check(recipe: &Recipe, rule: Rule, magnitudes: &[f32], bf16: bool, global: f32) {
    let width = recipe.block().columns;
    let max = recipe.element().decode(recipe.element().max_finite()).to_f64() as f32;
    let fraction = match recipe.element().parameters().kind {
        ptxcvt::formats::Kind::Float { fraction, .. } => fraction,
        _ => unreachable!(),
    };
    let emax = field(max) - 127;
    let options = Options {
        global: if recipe.has_global_scale() { Global::Scale(global) } else { Global::FromData },
        threads: 1,
        ..Options::default()
    };
    for chunk in magnitudes.chunks(1 << 12) {
        let mut numbers = vec![0.0_f32; chunk.len() * width];
        for (i, a) in chunk.iter().enumerate() {
            // At any place of the block, with either sign.
            numbers[i * width + i % width] = if i % 3 == 0 { -a } else { *a };
        }
        let halves: Vec<u16> = numbers.iter().map(|x| (x.to_bits() >> 16) as u16).collect();
        let matrix = if bf16 {
            Matrix::bf16(&halves, chunk.len(), width)
        } else {
            Matrix::f32(&numbers, chunk.len(), width)
        };
        let quantized = quantize(recipe, &matrix.unwrap(), &options).unwrap();
        let scales = |i: usize| match recipe.scale_bytes() {
            0 => vec![quantized.data[17 * i]],
            n => quantized.scales[n * i..n * (i + 1)].to_vec(),
        };
        for (i, a) in chunk.iter().enumerate() {
            let expected = rule(max, emax, 1 << (22 - fraction), *a, global);
            assert_eq!(
                scales(i),
                expected,
                "{}: amax {:#010x}, global {global:e}",
                recipe.name(),
                a.to_bits()
            );
        }
    }
}

/// `globals`: the number of global scales.
fn check_all(count: usize, globals: usize) {
    let bf16: Vec<f32> = (1..0x7f80_u32).map(|b| f32::from_bits(b << 16)).collect();
    for (family, rule) in RULES {
        let recipes: Vec<Recipe> =
            Recipe::all().filter(|r| r.name().split('/').next() == Some(family)).collect();
        assert!(!recipes.is_empty(), "{family}");
        for (i, recipe) in recipes.iter().enumerate() {
            let globals = if recipe.has_global_scale() {
                &[3.7e-4, 1.0, 0.00390625, 21.33, 7e30][..globals]
            } else {
                &[1.0]
            };
            let count = count / recipes.len() / globals.len();
            for (j, global) in globals.iter().enumerate() {
                // JAX rounds to bf16 there; the rule above is for f32.
                if *family != "jax-mxfp8" {
                    check(recipe, *rule, &bf16, true, *global);
                }
                check(recipe, *rule, &f32_magnitudes(count, (100 * i + j) as u64), false, *global);
            }
        }
    }
}

#[test]
fn scale_rules_on_all_bf16_and_some_f32() {
    check_all(40_000, 2);
}

#[test]
#[ignore = "ten million numbers for each rule: half a minute with --release"]
fn scale_rules_complete() {
    check_all(10_000_000, 5);
}
