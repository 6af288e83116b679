//! Compares arithmetic with two other implementations: the host's f32 and f64, and LLVM's apfloat for every format and
//! rounding.

use ptxcvt::Format;
use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt_exec::{Block, Op, Opcode};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

fn block(opcode: &str) -> Block {
    let Ok(Opcode::Op(op)) = opcode.parse::<Opcode>() else { panic!("{opcode}") };
    let three = opcode.starts_with("fma") || opcode.starts_with("mad");
    let op: Op = op;
    let block = Block::of_op(op, 0);
    assert!(!three || block.inputs().len() == 3);
    block
}

/// Operands: edges next to each other, sums that nearly cancel, random bits.
fn operands(format: Format, count: usize) -> impl Iterator<Item = [u64; 3]> {
    let codes: Vec<u64> = edges(format).collect();
    let mask = u64::MAX >> (64 - format.bits());
    let mut random = SplitMix64::new(3);
    (0..count).map(move |n| {
        let mut one = |n: u64| match n % 3 {
            0 => codes[random.next_u64() as usize % codes.len()],
            _ => random.next_u64() & mask,
        };
        let [a, b, c] = [one(n as u64), one(n as u64 / 3), one(n as u64 / 9)];
        match n % 4 {
            0 => [a, a ^ format.sign_bit() ^ (b & 3), c],
            _ => [a, b, c],
        }
    })
}

const ROUNDINGS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];

/// Every operation and rounding that the type has, against apfloat; NaN by the rules of the crate.
fn against_apfloat<F: Float>(format: Format, ty: &str, roundings: &[(&str, Round)], count: usize) {
    let width = format.bits() as usize;
    let nan = |bits: u64| F::from_bits(bits.into()).is_nan();
    for (name, rounding) in roundings {
        let opcodes = ["add", "sub", "mul", "fma", "div", "sqrt"].map(|op| format!("{op}.{name}.{ty}"));
        for (at, opcode) in opcodes.iter().enumerate() {
            // apfloat has no square root: the host's is compared below. Halves have no division.
            if at == 5 || (at == 4 && width == 16) {
                continue;
            }
            let block = block(opcode);
            let inputs = block.inputs().len();
            for bits in operands(format, count) {
                let [a, b, c] = bits.map(|x| F::from_bits(x.into()));
                let expected = match at {
                    0 => a.add_r(b, *rounding).value,
                    1 => a.sub_r(b, *rounding).value,
                    2 => a.mul_r(b, *rounding).value,
                    3 => a.mul_add_r(b, c, *rounding).value,
                    _ => a.div_r(b, *rounding).value,
                };
                let found = block.eval(&bits[..inputs]).unwrap()[0];
                match expected.is_nan() {
                    true if format == Format::F64 => assert!(nan(found), "{opcode} {bits:x?}: {found:x}"),
                    true => assert_eq!(found, u64::MAX >> (65 - width), "{opcode} {bits:x?}"),
                    false => assert_eq!(u128::from(found), expected.to_bits(), "{opcode} {bits:x?}"),
                }
            }
        }
    }
}

#[test]
fn f32_as_apfloat() {
    against_apfloat::<Single>(Format::F32, "f32", &ROUNDINGS, 40_000);
}

#[test]
fn f64_as_apfloat() {
    against_apfloat::<Double>(Format::F64, "f64", &ROUNDINGS, 40_000);
}

#[test]
fn halves_as_apfloat() {
    against_apfloat::<Half>(Format::F16, "f16", &ROUNDINGS[..1], 100_000);
    against_apfloat::<BFloat>(Format::Bf16, "bf16", &ROUNDINGS[..1], 100_000);
}

/// Reciprocals with every rounding, compared with quotients of apfloat.
#[test]
fn reciprocals_as_apfloat() {
    fn check<F: Float>(format: Format, ty: &str, one: u128) {
        for (name, rounding) in ROUNDINGS {
            let opcode = format!("rcp.{name}.{ty}");
            let block = block(&opcode);
            for [bits, ..] in operands(format, 20_000) {
                let expected = F::from_bits(one).div_r(F::from_bits(bits.into()), rounding).value;
                let found = block.eval(&[bits]).unwrap()[0];
                if !expected.is_nan() {
                    assert_eq!(u128::from(found), expected.to_bits(), "{opcode} {bits:x}");
                }
            }
        }
    }
    check::<Single>(Format::F32, "f32", 0x3f80_0000);
    check::<Double>(Format::F64, "f64", 0x3ff0_0000_0000_0000);
}

/// `fma`, `add` and `sub` of f32 with a narrow type: the narrow operands are f32 exactly.
#[test]
fn mixed_precision_as_apfloat() {
    fn check<F: Float + FloatConvert<Single>>(format: Format) {
        for (name, rounding) in ROUNDINGS {
            let blocks = ["fma", "add", "sub"].map(|op| block(&format!("{op}.{name}.f32.{format}")));
            let wide = operands(Format::F32, 20_000);
            for ([a, b, _], [c, ..]) in operands(format, 20_000).zip(wide) {
                let [x, y] = [a, b].map(|bits| F::from_bits(bits.into()).convert(&mut false).value);
                let z = Single::from_bits(c.into());
                let expected = [
                    x.mul_add_r(y, z, rounding).value,
                    x.add_r(z, rounding).value,
                    x.sub_r(z, rounding).value,
                ];
                for ((block, inputs), expected) in
                    blocks.iter().zip([&[a, b, c][..], &[a, c], &[a, c]]).zip(expected)
                {
                    let expected = if expected.is_nan() { 0x7fff_ffff } else { expected.to_bits() };
                    assert_eq!(u128::from(block.eval(inputs).unwrap()[0]), expected, "{block} {inputs:x?}");
                }
            }
        }
    }
    check::<Half>(Format::F16);
    check::<BFloat>(Format::Bf16);
}

/// Square roots. Rounded down, the root is the largest number whose square is at most the operand; rounded up, it is
/// the smallest number whose square is at least the operand. `.rn` returns the nearer of the two. Squares are exact in
/// twice the width.
#[test]
fn roots_by_their_squares() {
    fn check<F, W>(format: Format, ty: &str)
    where
        F: Float + FloatConvert<W>,
        W: Float,
    {
        let [rn, rz, rm, rp] =
            ["rn", "rz", "rm", "rp"].map(|rounding| block(&format!("sqrt.{rounding}.{ty}")));
        let wide = |bits: u64| F::from_bits(bits.into()).convert(&mut false).value;
        let square = |bits: u64| (wide(bits) * wide(bits)).value;
        for [bits, ..] in operands(format, 20_000) {
            let x = bits & !format.sign_bit();
            if !F::from_bits(x.into()).is_finite() || x == 0 {
                continue;
            }
            let [near, zero, down, up] = [&rn, &rz, &rm, &rp].map(|block| block.eval(&[x]).unwrap()[0]);
            assert_eq!(zero, down, "{ty} {x:x}");
            assert!(square(down) <= wide(x) && square(up) >= wide(x), "{ty} {x:x}: {down:x} {up:x}");
            assert!(up == down + u64::from(square(down) != wide(x)), "{ty} {x:x}: {down:x} {up:x}");
            assert!(near == down || near == up, "{ty} {x:x}: {near:x}");
        }
    }
    check::<Single, Double>(Format::F32, "f32");
    check::<Double, Quad>(Format::F64, "f64");
}

/// The host's arithmetic, which is IEEE 754's: f32 and f64 rounded to nearest.
#[test]
fn as_the_host() {
    for bits in operands(Format::F32, 100_000) {
        let [a, b, c] = bits.map(|x| f32::from_bits(x as u32));
        for (opcode, expected) in [
            ("add.f32", a + b),
            ("mul.f32", a * b),
            ("fma.rn.f32", a.mul_add(b, c)),
            ("div.rn.f32", a / b),
            ("rcp.rn.f32", 1.0 / a),
            ("sqrt.rn.f32", a.sqrt()),
        ] {
            let block = block(opcode);
            let found = block.eval(&bits[..block.inputs().len()]).unwrap()[0];
            let expected = if expected.is_nan() { 0x7fff_ffff } else { expected.to_bits() };
            assert_eq!(found, u64::from(expected), "{opcode} {bits:x?}");
        }
    }
    for bits in operands(Format::F64, 100_000) {
        let [a, b, c] = bits.map(f64::from_bits);
        let results = [("fma.rn.f64", a.mul_add(b, c)), ("sqrt.rn.f64", a.sqrt()), ("rcp.rn.f64", 1.0 / a)];
        for (opcode, expected) in results.into_iter().filter(|(_, x)| !x.is_nan()) {
            let block = block(opcode);
            let found = block.eval(&bits[..block.inputs().len()]).unwrap()[0];
            assert_eq!(found, expected.to_bits(), "{opcode} {bits:x?}");
        }
    }
}

fn one(opcode: &str, inputs: &[u64]) -> u64 {
    block(opcode).eval(inputs).unwrap()[0]
}

/// Special values, as the manual states or GPUs return them; docs/run.md names the source of each.
#[test]
fn special_values() {
    // Flushed where tiny before rounding: 2^-126 − 2^-151 rounds up to the least normal number.
    let just_below = [0x3f7f_ffff, 0x0080_0000];
    assert_eq!(one("mul.f32", &just_below), 0x0080_0000);
    assert_eq!(one("mul.ftz.f32", &just_below), 0);
    assert_eq!(one("add.ftz.f32", &[0x8000_0001, 0]), 0);
    assert_eq!(one("add.ftz.f32", &[0x8000_0001, 0x8000_0002]), 0x8000_0000);
    assert_eq!(one("add.sat.f32", &[0x8000_0000, 0x8000_0000]), 0);
    assert_eq!(one("add.sat.f32", &[0x7fc0_0000, 0]), 0);
    assert_eq!(one("add.sat.f32", &[0x4000_0000, 0]), 0x3f80_0000);
    assert_eq!(one("fma.rn.relu.f16", &[0xbc00, 0x3c00, 0]), 0);
    assert_eq!(one("fma.rn.relu.f16", &[0xfe00, 0x3c00, 0]), 0x7fff);
    assert_eq!(one("add.rm.f32", &[0x3f80_0000, 0xbf80_0000]), 0x8000_0000);
    assert_eq!(one("min.f32", &[0x8000_0000, 0]), 0x8000_0000);
    assert_eq!(one("max.f32", &[0x8000_0000, 0]), 0);
    assert_eq!(one("max.f32", &[0x7fc0_0000, 0xbf80_0000]), 0xbf80_0000);
    assert_eq!(one("max.NaN.f16", &[0x7e00, 0]), 0x7fff);
    assert_eq!(one("max.xorsign.abs.bf16x2", &[0xbf80_3f80, 0x4000_c000]), 0xc000_c000);
    assert_eq!(one("add.f64", &[0x7ff8_0000_0000_0001, 0x7ff0_0000_0000_0002]), 0x7ff8_0000_0000_0002);
    assert_eq!(one("sub.f64", &[0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0000]), 0xfff8_0000_0000_0000);
    assert_eq!(one("fma.rn.f32.bf16", &[0x3f80, 0x4000, 0x3f80_0000]), 0x4040_0000);
    assert_eq!(one("mul.f32x2", &[0x4000_0000_3f80_0000, 0x4000_0000_4040_0000]), 0x4080_0000_4040_0000);
}

/// Integers and bits in the edge cases that the manual defines.
#[test]
fn integers_and_bits() {
    assert_eq!(one("shl.b32", &[1, 32]), 0);
    assert_eq!(one("shr.s32", &[0x8000_0000, 99]), 0xffff_ffff);
    assert_eq!(one("shf.r.clamp.b32", &[1, 2, 40]), 2);
    assert_eq!(one("shf.l.wrap.b32", &[0x8000_0000, 2, 33]), 5);
    assert_eq!(one("bfe.s32", &[0x0000_00f0, 4, 4]), 0xffff_ffff);
    assert_eq!(one("bfe.u32", &[0xf000_0000, 28, 8]), 0xf);
    assert_eq!(one("bfe.s32", &[0x8000_0000, 40, 3]), 0xffff_ffff);
    assert_eq!(one("bfi.b32", &[0xff, 0, 28, 8]), 0xf000_0000);
    assert_eq!(one("bfind.s32", &[0xffff_ff0f]), 7);
    assert_eq!(one("bfind.u32", &[0]), 0xffff_ffff);
    assert_eq!(one("bfind.shiftamt.u32", &[1]), 31);
    assert_eq!(one("clz.b64", &[1]), 63);
    assert_eq!(one("brev.b32", &[1]), 0x8000_0000);
    assert_eq!(one("szext.wrap.s32", &[0x8, 4]), 0xffff_fff8);
    assert_eq!(one("szext.clamp.u32", &[0xffff_ffff, 32]), 0xffff_ffff);
    assert_eq!(one("bmsk.clamp.b32", &[28, 32]), 0xf000_0000);
    assert_eq!(one("bmsk.wrap.b32", &[4, 36]), 0xf0);
    assert_eq!(one("prmt.b32", &[0x8382_8180, 0x8786_8584, 0x7b40]), 0x87ff_8480);
    assert_eq!(one("prmt.f4e.b32", &[0x0302_0100, 0x0706_0504, 3]), 0x0605_0403);
    assert_eq!(one("prmt.b4e.b32", &[0x0302_0100, 0x0706_0504, 1]), 0x0607_0001);
    assert_eq!(one("prmt.ecl.b32", &[0x0302_0100, 0, 2]), 0x0302_0202);
    assert_eq!(one("prmt.ecr.b32", &[0x0302_0100, 0, 1]), 0x0101_0100);
    assert_eq!(one("prmt.rc16.b32", &[0x0302_0100, 0, 1]), 0x0302_0302);
    assert_eq!(one("mul.hi.u64", &[u64::MAX, u64::MAX]), u64::MAX - 1);
    assert_eq!(one("mad.hi.sat.s32", &[0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff]), 0x7fff_ffff);
    assert_eq!(one("sad.s16", &[0x8000, 0x7fff, 1]), 0);
    assert_eq!(one("abs.s32", &[0x8000_0000]), 0x8000_0000);
    assert_eq!(one("add.sat.s32", &[0x7fff_ffff, 1]), 0x7fff_ffff);
    assert_eq!(one("max.relu.s16x2", &[0xffff_0001, 0xfffe_0002]), 2);
    assert_eq!(
        one("dp4a.s32.u32", &[0x01ff_0280, 0x0203_04ff, 10]),
        (2 - 3 + 8 - 128 * 255 + 10_i32) as u32 as u64
    );
    assert_eq!(one("dp2a.hi.u32.u32", &[0x0002_0003, 0x0504_0000, 1]), 2 * 5 + 3 * 4 + 1);
    assert_eq!(one("set.lt.u32.f16x2", &[0x3c00_4000, 0x4000_3c00]), 0xffff_0000);
    assert_eq!(one("set.gtu.f16x2.f16x2", &[0x7e00_3c00, 0x3c00_4000]), 0x3c00_0000);
    assert_eq!(one("slct.b32.f32", &[1, 2, 0x8000_0000]), 1);
    assert_eq!(one("slct.b32.f32", &[1, 2, 0x7fc0_0000]), 2);
    assert_eq!(one("cnot.b16", &[0]), 1);
}
