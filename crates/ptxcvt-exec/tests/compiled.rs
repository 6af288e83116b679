//! Codecs that nvcc compiled: each returns what the same algorithm in Rust returns, a planted error is found, and `prove`
//! compares them with PTX's own conversions.

use ptxcvt::Format;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_exec::Block;
use ptxcvt_exec::prove::{Options, Verdict, prove};
use ptxcvt_exec::read::{self, Interface};

fn text(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/compiled");
    std::fs::read_to_string(format!("{folder}/{name}.ptx")).unwrap()
}

fn compiled(name: &str) -> Block {
    let interface = Interface { function: Some(name.to_owned()), ..Interface::default() };
    read::block(&text(name), &interface).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The function with one piece of its text replaced.
fn planted(name: &str, from: &str, to: &str) -> Block {
    let text = text(name);
    assert_eq!(text.matches(from).count(), 1, "{name}: {from}");
    read::block(&text.replace(from, to), &Interface::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Every code of `bits` bits.
fn every(bits: u32) -> impl Iterator<Item = u64> {
    0..1 << bits
}

/// Floats: neighbours of every power of two and of every midpoint of codes, special values, and random bits.
fn floats() -> impl Iterator<Item = u64> {
    let mut random = SplitMix64::new(7);
    let edges = (0..1_u64 << 16).flat_map(|upper| {
        let bits = upper << 16;
        [bits.wrapping_sub(1) & 0xffff_ffff, bits, bits + 1]
    });
    edges.chain((0..100_000).map(move |_| random.next_u64() >> 32))
}

/// The first input on which the function and the algorithm differ.
fn difference(
    block: &Block,
    mut inputs: impl Iterator<Item = u64>,
    algorithm: impl Fn(u64) -> u64,
) -> Option<u64> {
    inputs.find(|x| block.eval(&[*x]).unwrap() != [algorithm(*x)])
}

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// An f32 result; a NaN that arithmetic makes is canonical.
fn bits(x: f32) -> u64 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits().into() }
}

fn c10_e4m3_from_f32(x: u64) -> u64 {
    let sign = x & 0x8000_0000;
    let magnitude = x ^ sign;
    let magic = 141_u64 << 23;
    let code = if magnitude >= 1087 << 20 {
        0x7f
    } else if magnitude < 121 << 23 {
        bits(f(magnitude) + f(magic)) - magic
    } else {
        (magnitude + 0x7ffff + (magnitude >> 20 & 1) - (120 << 23)) >> 20
    };
    code & 0xff | sign >> 24
}

fn c10_e5m2_from_f32(x: u64) -> u64 {
    let sign = x & 0x8000_0000;
    let magnitude = x ^ sign;
    let magic = 134_u64 << 23;
    let code = if magnitude >= 143 << 23 {
        if magnitude > 255 << 23 { 0x7f } else { 0x7c }
    } else if magnitude < 113 << 23 {
        bits(f(magnitude) + f(magic)) - magic
    } else {
        (magnitude + 0xfffff + (magnitude >> 21 & 1) - (112 << 23)) >> 21
    };
    code & 0xff | sign >> 24
}

fn e2m1_thresholds(x: u64) -> u64 {
    let a = f(x).abs();
    let above = [0.25, 1.25, 2.5, 5.0].map(|t| u64::from(a > t));
    let from = [0.75, 1.75, 3.5].map(|t| u64::from(a >= t));
    above.iter().chain(&from).sum::<u64>() | x >> 28 & 8
}

/// The levels as QLoRA publishes them.
#[allow(clippy::excessive_precision)]
const NF4: [f32; 16] = [
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
];

/// A number's value by the library, as f32.
fn decoded(format: Format, code: u64) -> u64 {
    let value = format.decode(code);
    bits(value.to_f64() as f32)
}

#[test]
fn from_f32() {
    assert_eq!(difference(&compiled("c10_e4m3_from_f32"), floats(), c10_e4m3_from_f32), None);
    assert_eq!(difference(&compiled("c10_e5m2_from_f32"), floats(), c10_e5m2_from_f32), None);
    assert_eq!(difference(&compiled("e2m1_thresholds"), floats(), e2m1_thresholds), None);
    let bf16 = |x: u64| match f(x).is_nan() {
        true => 0x7fff,
        false => (x + 0x7fff + (x >> 16 & 1)) >> 16,
    };
    assert_eq!(difference(&compiled("f32_to_bf16"), floats(), bf16), None);
}

#[test]
fn to_f32() {
    let e4m3 = |code: u64| match code & 0x7f {
        0x7f => (code & 0x80) << 24 | 0x7ff0_0000,
        _ => decoded(Format::E4m3, code),
    };
    assert_eq!(difference(&compiled("c10_e4m3_to_f32"), every(8), e4m3), None);
    // The multiplication makes NaN canonical; its sign is added afterwards.
    let e5m2 = |code: u64| decoded(Format::E5m2, code) | (code & 0x80) << 24;
    assert_eq!(difference(&compiled("c10_e5m2_to_f32"), every(8), e5m2), None);
    let nf4 = |code: u64| u64::from(NF4[code as usize & 15].to_bits());
    assert_eq!(difference(&compiled("nf4_decode"), every(8), nf4), None);
    let ue8m0 = |code: u64| decoded(Format::Ue8m0, code);
    assert_eq!(difference(&compiled("ue8m0_to_f32"), every(8), ue8m0), None);
    let half = |code: u64| decoded(Format::F16, code);
    assert_eq!(difference(&compiled("half_to_f32"), every(16), half), None);
}

#[test]
fn packed() {
    let twice = |code: u64| (2.0 * Format::E2m1.decode(code).to_f64()) as i8 as u8;
    let mut random = SplitMix64::new(3);
    let (mxfp4, marlin) = (compiled("mxfp4_word"), compiled("marlin_e4m3"));
    for _ in 0..1 << 16 {
        let word = random.next_u64() >> 32;
        let bytes =
            |first: u32| (0..4).map(move |n| u64::from(twice(word >> (8 * n + first) & 15)) << (8 * n));
        assert_eq!(mxfp4.eval(&[word]).unwrap(), [bytes(0).sum::<u64>(), bytes(4).sum()], "{word:#x}");
        // The codes are 2^8 too small in a half.
        let halves = marlin.eval(&[word]).unwrap();
        for (n, half) in
            [halves[1] & 0xffff, halves[0] & 0xffff, halves[1] >> 16, halves[0] >> 16].iter().enumerate()
        {
            let code = word >> (8 * n) & 0xff;
            if code & 0x7f != 0x7f {
                let value = Format::F16.decode(*half).to_f64() * 256.0;
                assert_eq!(value, Format::E4m3.decode(code).to_f64(), "{code:#x}");
            }
        }
    }
    let fp6 = compiled("fp6_shift");
    for codes in every(16) {
        let half = |code: u64| Format::F16.encode(Format::E3m2.decode(code & 0x3f), ptxcvt::Rounding::Rn);
        assert_eq!(fp6.eval(&[codes]).unwrap(), [half(codes >> 8) << 16 | half(codes & 0xff)], "{codes:#x}");
    }
}

/// nvcc makes `add.cc` of sums of `unsigned __int128`, and CUDA's intrinsics for bytes contain `vabsdiff4`.
#[test]
fn carries_and_bytes() {
    let (sum, bytes) = (compiled("add128"), compiled("byte_intrinsics"));
    let mut random = SplitMix64::new(13);
    for n in 0..10_000 {
        // Every other sum has a carry.
        let a = random.next_u64() | (n & 1) << 63;
        let b = random.next_u64() | (n & 1) << 63;
        let exact = u128::from(a) + u128::from(b);
        assert_eq!(sum.eval(&[a, b]).unwrap(), [exact as u64, (exact >> 64) as u64], "{a:#x} {b:#x}");
        let (x, y) = (a as u32, b as u32 & [0xffff_ffff, 0x00ff_00ff][n as usize % 2] | a as u32 & 0x7f00);
        let each = |f: fn(u8, u8) -> u8| {
            u32::from_le_bytes(std::array::from_fn(|at| f(x.to_le_bytes()[at], y.to_le_bytes()[at])))
        };
        let distances: u32 = each(u8::abs_diff).to_le_bytes().iter().map(|d| u32::from(*d)).sum();
        let expected = each(u8::wrapping_add)
            ^ each(u8::abs_diff)
            ^ each(|x, y| if x == y { 0xff } else { 0 })
            ^ distances
            ^ each(|x, y| (x as i8).max(y as i8) as u8)
            ^ each(|x, y| (u16::from(x) + u16::from(y)).div_ceil(2) as u8);
        assert_eq!(bytes.eval(&[x.into(), y.into()]).unwrap(), [u64::from(expected)], "{x:#x} {y:#x}");
    }
}

#[test]
fn a_scale_is_an_operand() {
    let block = compiled("te_scaled_e4m3");
    let form = Block::of_element("cvt.rn.satfinite.e4m3x2.f32".parse().unwrap()).unwrap();
    let mut random = SplitMix64::new(11);
    for x in floats().step_by(7) {
        let scale = f(0x3000_0000 + (random.next_u64() & 0x1fff_ffff));
        let expected = form.eval(&[bits(f(x) * scale)]).unwrap();
        assert_eq!(block.eval(&[x, bits(scale)]).unwrap(), expected, "{x:#x} {scale}");
    }
}

#[test]
fn planted_errors_are_found() {
    // A constant that rounds ties up, a bound, and a branch that is never taken.
    for (from, to) in [("67633151", "67633152"), ("1139802111", "1138753536")] {
        let block = planted("c10_e4m3_from_f32", from, to);
        assert!(difference(&block, floats(), c10_e4m3_from_f32).is_some(), "{from}");
    }
    let exact = compiled("nf4_decode");
    let text = text("nf4_decode");
    let branches: Vec<&str> =
        text.lines().filter(|line| line.contains("bra") && line.contains('@')).collect();
    assert!(branches.len() >= 5, "{branches:?}");
    for branch in branches {
        let other = text.replace(branch, &branch.replace('@', "@!"));
        let other = read::block(&other, &Interface::default()).unwrap();
        let answer = prove(&exact, &other, &Options::default(), &|_| {}).unwrap();
        assert_eq!(answer.verdict(), Verdict::Different, "{branch}");
    }
}

#[test]
fn verdicts() {
    let verdict = |name: &str, other: Block, up_to_nan: bool| {
        let options = Options { up_to_nan, ..Options::default() };
        prove(&compiled(name), &other, &options, &|_| {}).unwrap().verdict()
    };
    let block = |text: &str, constraints: &str| {
        read::block(text, &Interface::constraints(constraints).unwrap()).unwrap()
    };
    let unpack = |form: &str| {
        block(
            &format!(
                "{{ .reg .b32 t; .reg .b16 l, h; {form} t, %1; mov.b32 {{l, h}}, t; cvt.f32.f16 %0, l; }}"
            ),
            "=f,h",
        )
    };
    assert_eq!(verdict("c10_e4m3_to_f32", unpack("cvt.rn.f16x2.e4m3x2"), true), Verdict::Proven);
    assert_eq!(verdict("c10_e5m2_to_f32", unpack("cvt.rn.f16x2.e5m2x2"), true), Verdict::Proven);
    assert_eq!(verdict("c10_e4m3_to_f32", unpack("cvt.rn.f16x2.e4m3x2"), false), Verdict::Different);
    let fp6 = Block::of_form("cvt.rn.f16x2.e3m2x2".parse().unwrap());
    assert_eq!(verdict("fp6_shift", fp6, false), Verdict::Proven);
    let half = Block::of_form("cvt.f32.f16".parse().unwrap());
    assert_eq!(verdict("half_to_f32", half, false), Verdict::Proven);
    // A function that returns f32 is compared with the widened element of a form.
    for (name, form) in [
        ("c10_e4m3_to_f32", "cvt.rn.f16x2.e4m3x2"),
        ("c10_e5m2_to_f32", "cvt.rn.f16x2.e5m2x2"),
        ("ue8m0_to_f32", "cvt.rn.bf16x2.ue8m0x2"),
    ] {
        let widened = Block::of_element_like(form.parse().unwrap(), &compiled(name)).unwrap();
        assert_eq!(verdict(name, widened, true), Verdict::Proven, "{name}");
    }
}

/// An f32 and an f16 are different numbers, although the register of a function may be wider than its result.
#[test]
fn floats_of_different_widths_are_not_compared() {
    let half = Block::of_element("cvt.rn.f16x2.e4m3x2".parse().unwrap()).unwrap();
    let error = prove(&compiled("c10_e4m3_to_f32"), &half, &Options::default(), &|_| {}).unwrap_err();
    assert_eq!(error.to_string(), "output 0: .f32 in the first, .f16 in the second");
}
