//! Floating-point arithmetic, exact and then rounded once.
//!
//! PTX ISA sections 9.7.3 (f32, f64), 9.7.4 (half precision) and 9.7.5 (mixed precision). Where the manual does not
//! define the NaN, the result is that of the hardware: f32 returns 0x7fffffff, f16 and bf16 return 0x7fff, and f64
//! returns the last NaN operand, quieted (stated by NVIDIA, not measured here).

use std::cmp::Ordering;

use ptxcvt::{Exact, Format, Rounding, Value, mask};

use super::call::Call;
use super::exact::{Wide, quotient, square_root};
use crate::modifier::Modifier;
use crate::ty::Ty;

impl Call {
    /// The result's format; only floating-point instructions call this.
    fn format(&self) -> Format {
        self.ty().format().expect("only floating-point instructions get here")
    }

    /// The value of source `n` of type `ty`. With `.ftz` a subnormal number is zero.
    pub(super) fn value(&self, n: usize, ty: Ty) -> Value {
        let format = ty.format().expect("only floating-point operands get here");
        let bits = self.flushed(n, format);
        format.decode(bits)
    }

    /// The bits of source `n`, after `.ftz`.
    fn flushed(&self, n: usize, format: Format) -> u64 {
        let bits = self.sources[n];
        let subnormal = matches!(format.decode(bits), Value::Finite(x) if is_tiny(format, x));
        if self.has(Modifier::Ftz) && subnormal { bits & format.sign_bit() } else { bits }
    }

    fn rounding(&self) -> Rounding {
        self.modifiers.rounding()
    }
}

/// The exponent of the smallest normal number.
fn least_exponent(format: Format) -> i32 {
    match format.parameters().kind {
        ptxcvt::formats::Kind::Float { bias, .. } => 1 - bias,
        ref other => unreachable!("arithmetic is on floats, not {other:?}"),
    }
}

/// True for numbers below the smallest normal one, zero among them.
fn is_tiny(format: Format, x: Exact) -> bool {
    let top = x.exponent + 63 - x.significand.leading_zeros() as i32;
    x.significand == 0 || top < least_exponent(format)
}

/// The canonical NaN of a format: every bit but the sign.
fn canonical_nan(format: Format) -> u64 {
    mask(format.bits() - 1)
}

/// The NaN that an operation returns for operands with these bits.
fn nan(c: &Call, operands: &[(usize, Ty)]) -> u64 {
    let format = c.format();
    if c.has(Modifier::Sat) {
        return 0;
    }
    if format != Format::F64 {
        return canonical_nan(format);
    }
    const QUIET: u64 = 1 << 51;
    let is_nan = |n: usize| Format::F64.decode(c.sources[n]).is_nan();
    let last = operands.iter().rev().find(|(n, _)| is_nan(*n));
    // No operand: ∞ − ∞, 0 · ∞, 0 / 0, √−1.
    last.map_or(0xfff8_0000_0000_0000, |(n, _)| c.sources[*n] | QUIET)
}

/// Rounds, flushes, saturates.
pub(super) fn finish(c: &Call, value: Value) -> u64 {
    let format = c.format();
    let bits = match value {
        // Hardware flushes arithmetic results that are tiny before rounding.
        Value::Finite(x) if c.has(Modifier::Ftz) && is_tiny(format, x) => {
            if x.negative {
                format.sign_bit()
            } else {
                0
            }
        }
        Value::Finite(_) => format.encode(value, c.rounding()),
        Value::Infinity { negative } => {
            format.infinity().expect("f16, bf16, f32 and f64 have infinity")
                | if negative { format.sign_bit() } else { 0 }
        }
        Value::Nan { .. } => return nan(c, &[]),
    };
    let negative = bits & format.sign_bit() != 0;
    if c.has(Modifier::Sat) {
        // To [+0, 1]: the codes of positive numbers have their order.
        let one = format.encode(1.0, Rounding::Rn);
        return if negative { 0 } else { bits.min(one) };
    }
    if negative && c.has(Modifier::Relu) { 0 } else { bits }
}

/// x + y, either of which may be a product.
fn total(c: &Call, x: Wide, y: Wide) -> u64 {
    let sum = x.sum(y).narrow();
    if sum.significand != 0 {
        return finish(c, Value::Finite(sum));
    }
    // Two zeros of one sign keep it. Numbers that cancel give +0, or −0 when rounding down.
    let both_zero = x.significand == 0 && y.significand == 0;
    let negative = match both_zero && x.negative == y.negative {
        true => x.negative,
        false => c.rounding() == Rounding::Rm,
    };
    finish(c, Value::Finite(Exact { negative, significand: 0, exponent: 0 }))
}

/// a ± b
fn add_or_subtract(c: &Call, subtract: bool) -> u64 {
    // In the mixed forms the first source has the narrow type.
    let operands = [(0, c.types[1]), (1, c.types[0])];
    let [a, b] = operands.map(|(n, ty)| c.value(n, ty));
    let b = if subtract { negated(b) } else { b };
    match (a, b) {
        _ if a.is_nan() || b.is_nan() => nan(c, &operands),
        (Value::Finite(a), Value::Finite(b)) => total(c, a.into(), b.into()),
        (Value::Infinity { negative: x }, Value::Infinity { negative: y }) if x != y => nan(c, &operands),
        (Value::Infinity { .. }, _) => finish(c, a),
        _ => finish(c, b),
    }
}

fn negated(value: Value) -> Value {
    match value {
        Value::Finite(x) => Value::Finite(Exact { negative: !x.negative, ..x }),
        Value::Infinity { negative } => Value::Infinity { negative: !negative },
        nan => nan,
    }
}

/// d = a + b
pub(crate) fn add(c: &Call) -> u64 {
    add_or_subtract(c, false)
}

/// d = a − b
pub(crate) fn sub(c: &Call) -> u64 {
    add_or_subtract(c, true)
}

/// d = a · b
pub(crate) fn mul(c: &Call) -> u64 {
    let operands = [(0, c.ty()), (1, c.ty())];
    let [a, b] = operands.map(|(n, ty)| c.value(n, ty));
    match (a.finite(), b.finite()) {
        _ if a.is_nan() || b.is_nan() => nan(c, &operands),
        (Some(a), Some(b)) => finish(c, Value::Finite(Wide::product(a, b).narrow())),
        (Some(zero), None) | (None, Some(zero)) if zero.is_zero() => nan(c, &operands),
        _ => finish(c, Value::Infinity { negative: a.is_negative() != b.is_negative() }),
    }
}

/// d = a · b + c, rounded once.
pub(crate) fn fma(c: &Call) -> u64 {
    let operands = [(0, c.types[1]), (1, c.types[1]), (2, c.types[0])];
    let [a, b, addend] = operands.map(|(n, ty)| c.value(n, ty));
    let negative = a.is_negative() != b.is_negative();
    match (a.finite(), b.finite(), addend) {
        _ if a.is_nan() || b.is_nan() || addend.is_nan() => nan(c, &operands),
        (Some(zero), None, _) | (None, Some(zero), _) if zero.is_zero() => nan(c, &operands),
        (Some(a), Some(b), Value::Finite(addend)) => total(c, Wide::product(a, b), addend.into()),
        (Some(_), Some(_), infinity) => finish(c, infinity),
        (_, _, Value::Infinity { negative: other }) if other != negative => nan(c, &operands),
        _ => finish(c, Value::Infinity { negative }),
    }
}

/// a / b
fn divide(c: &Call, a: Value, b: Value, operands: &[(usize, Ty)]) -> u64 {
    let negative = a.is_negative() != b.is_negative();
    match (a.finite(), b.finite()) {
        _ if a.is_nan() || b.is_nan() => nan(c, operands),
        (None, None) => nan(c, operands),
        (Some(a), Some(b)) if a.is_zero() && b.is_zero() => nan(c, operands),
        (None, _) => finish(c, Value::Infinity { negative }),
        (_, None) => finish(c, Value::Finite(Exact { negative, significand: 0, exponent: 0 })),
        (_, Some(b)) if b.is_zero() => finish(c, Value::Infinity { negative }),
        (Some(a), Some(b)) => finish(c, Value::Finite(quotient(a, b))),
    }
}

/// d = a / b
pub(crate) fn div(c: &Call) -> u64 {
    let operands = [(0, c.ty()), (1, c.ty())];
    let [a, b] = operands.map(|(n, ty)| c.value(n, ty));
    divide(c, a, b, &operands)
}

/// d = 1 / a
pub(crate) fn rcp(c: &Call) -> u64 {
    let one = Value::Finite(Exact { negative: false, significand: 1, exponent: 0 });
    divide(c, one, c.value(0, c.ty()), &[(0, c.ty())])
}

/// d = √a; √−0 is −0.
pub(crate) fn sqrt(c: &Call) -> u64 {
    let operands = [(0, c.ty())];
    match c.value(0, c.ty()) {
        Value::Nan { .. } | Value::Infinity { negative: true } => nan(c, &operands),
        Value::Finite(x) if x.negative && !x.is_zero() => nan(c, &operands),
        Value::Finite(x) => finish(c, Value::Finite(square_root(x))),
        infinity => finish(c, infinity),
    }
}

/// A key with the order of the numbers, −0 below +0.
pub(super) fn order(a: Value, b: Value) -> Ordering {
    let zeros = b.is_negative().cmp(&a.is_negative());
    a.to_f64().partial_cmp(&b.to_f64()).expect("numbers, no NaN").then(zeros)
}

/// The smallest or largest of the sources. Without `.NaN` a number wins over a NaN; two NaNs give the canonical one.
fn extreme(c: &Call, wanted: Ordering) -> u64 {
    let format = c.format();
    let sign_bit = format.sign_bit();
    let keep = if c.has(Modifier::Abs) { !sign_bit } else { u64::MAX };
    let sources: Vec<u64> = (0..c.count).map(|n| c.flushed(n, format) & keep).collect();
    let number = |bits: &u64| !format.decode(*bits).is_nan();
    if !sources.iter().any(number) || (c.has(Modifier::NaN) && !sources.iter().all(number)) {
        return canonical_nan(format);
    }
    let better = |best: u64, next: u64| {
        if order(format.decode(next), format.decode(best)) == wanted { next } else { best }
    };
    let found = sources.into_iter().filter(number).reduce(better).expect("one of the sources is a number");
    let signs = (0..c.count).fold(0, |signs, n| signs ^ c.sources[n]) & sign_bit;
    if c.has(Modifier::Xorsign) { found | signs } else { found }
}

/// The smallest of the sources.
pub(crate) fn min(c: &Call) -> u64 {
    extreme(c, Ordering::Less)
}

/// The largest of the sources.
pub(crate) fn max(c: &Call) -> u64 {
    extreme(c, Ordering::Greater)
}

/// a without its sign.
pub(crate) fn abs(c: &Call) -> u64 {
    c.flushed(0, c.format()) & !c.format().sign_bit()
}

/// a with the other sign.
pub(crate) fn neg(c: &Call) -> u64 {
    c.flushed(0, c.format()) ^ c.format().sign_bit()
}

/// The magnitude of b with the sign of a.
pub(crate) fn copysign(c: &Call) -> u64 {
    let sign_bit = c.format().sign_bit();
    c.a() & sign_bit | c.b() & !sign_bit
}
