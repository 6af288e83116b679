//! Instructions with one operand of f16 or bf16, on every value, against LLVM's apfloat; `ex2` and `tanh` are those
//! of the host in f64, rounded once.

use ptxcvt_exec::{Block, Op};
use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert};

/// The format of the numbers, and whether subnormals are flushed.
#[derive(Clone, Copy)]
struct Oracle {
    is_bf16: bool,
    flushes: bool,
}

impl Oracle {
    /// A subnormal number becomes a zero of its sign.
    fn flushed(self, bits: u16) -> u16 {
        let tiny = match self.is_bf16 {
            true => BFloat::from_bits(bits.into()).is_denormal(),
            false => Half::from_bits(bits.into()).is_denormal(),
        };
        if tiny && self.flushes { bits & 0x8000 } else { bits }
    }

    fn to_f64(self, bits: u16) -> f64 {
        let exact: Double = match self.is_bf16 {
            true => BFloat::from_bits(bits.into()).convert(&mut false).value,
            false => Half::from_bits(bits.into()).convert(&mut false).value,
        };
        f64::from_bits(exact.to_bits() as u64)
    }

    /// The nearest number; the one NaN that hardware returns.
    fn rounded(self, x: f64) -> u16 {
        let exact = Double::from_bits(x.to_bits().into());
        let bits = match self.is_bf16 {
            true => FloatConvert::<BFloat>::convert(exact, &mut false).value.to_bits(),
            false => FloatConvert::<Half>::convert(exact, &mut false).value.to_bits(),
        };
        if x.is_nan() { 0x7fff } else { bits as u16 }
    }

    fn sign(self, bits: u16, negate: bool) -> u16 {
        let one = |x: u128| x as u16;
        match (self.is_bf16, negate) {
            (true, true) => one((-BFloat::from_bits(bits.into())).to_bits()),
            (true, false) => one(BFloat::from_bits(bits.into()).abs().to_bits()),
            (false, true) => one((-Half::from_bits(bits.into())).to_bits()),
            (false, false) => one(Half::from_bits(bits.into()).abs().to_bits()),
        }
    }

    fn result(self, op: &str, bits: u16) -> u16 {
        let x = self.flushed(bits);
        let value = self.to_f64(x);
        let result = match op {
            "abs" => self.sign(x, false),
            "neg" => self.sign(x, true),
            "ex2" => self.rounded(value.exp2()),
            "tanh" => self.rounded(value.tanh()),
            other => panic!("no oracle for {other}"),
        };
        self.flushed(result)
    }
}

#[test]
fn every_value_of_every_instruction_with_one_operand() {
    let mut names = Vec::new();
    for op in Op::all() {
        let block = Block::of_op(op, 0);
        let name = op.to_string();
        let halves = name.ends_with("f16") || name.ends_with("f16x2");
        if block.inputs().len() != 1 || !halves || op.name() == "mov" || op.name() == "cvt" {
            continue;
        }
        let oracle = Oracle { is_bf16: name.contains(".bf16"), flushes: name.contains(".ftz") };
        for bits in 0..=u16::MAX {
            let result = |bits: u16| u64::from(oracle.result(op.name(), bits));
            // The other half takes on every value, too, in another order.
            let other = bits.wrapping_mul(0x6255).wrapping_add(77);
            let (input, wanted) = match name.ends_with("x2") {
                true => (u64::from(other) << 16 | u64::from(bits), result(other) << 16 | result(bits)),
                false => (u64::from(bits), result(bits)),
            };
            let found = block.eval(&[input]).unwrap()[0];
            assert_eq!(found, wanted, "{name} {input:#x}: {found:#x}, not {wanted:#x}");
        }
        names.push(name);
    }
    // abs and neg of four types, some with .ftz; ex2 and tanh, which need `--approximate`.
    assert!(names.len() >= 14, "{names:?}");
}
