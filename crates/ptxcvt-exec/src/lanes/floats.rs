//! Loops of floating-point arithmetic, inlined into [`super::kernel`].
//!
//! Intermediate results are rounded to odd: an inexact one gets an odd last bit. Rounding such a number again, to at least
//! two bits fewer, gives the same as rounding the exact result.

use super::lane::{Source, map1, map2, map3};

/// An operation that the CPU computes as IEEE 754 prescribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rcp,
    Sqrt,
    Fma,
}

/// An f32 operation, rounded to nearest by the CPU.
#[inline(always)]
pub(super) fn single(op: FloatOp, d: &mut [u8], sources: [Source<'_>; 3]) {
    let [a, b, _] = sources;
    let f = f32::from_bits;
    // GPUs return the same NaN for all operands.
    let bits = |x: f32| if x.is_nan() { 0x7fff_ffff } else { x.to_bits() };
    match op {
        FloatOp::Add => map2(d, a, b, |a: u32, b: u32| bits(f(a) + f(b))),
        FloatOp::Sub => map2(d, a, b, |a: u32, b: u32| bits(f(a) - f(b))),
        FloatOp::Mul => map2(d, a, b, |a: u32, b: u32| bits(f(a) * f(b))),
        FloatOp::Div => map2(d, a, b, |a: u32, b: u32| bits(f(a) / f(b))),
        FloatOp::Rcp => map1(d, a, |a: u32| bits(1.0 / f(a))),
        FloatOp::Sqrt => map1(d, a, |a: u32| bits(f(a).sqrt())),
        FloatOp::Fma => map3(d, sources, |a: u32, b: u32, c: u32| bits(f(a).mul_add(f(b), f(c)))),
    }
}

/// An f64 operation, rounded to nearest by the CPU. The caller replaces NaN.
#[inline(always)]
pub(super) fn double(op: FloatOp, d: &mut [u8], sources: [Source<'_>; 3]) {
    let [a, b, _] = sources;
    let f = f64::from_bits;
    match op {
        FloatOp::Add => map2(d, a, b, |a: u64, b: u64| (f(a) + f(b)).to_bits()),
        FloatOp::Sub => map2(d, a, b, |a: u64, b: u64| (f(a) - f(b)).to_bits()),
        FloatOp::Mul => map2(d, a, b, |a: u64, b: u64| (f(a) * f(b)).to_bits()),
        FloatOp::Div => map2(d, a, b, |a: u64, b: u64| (f(a) / f(b)).to_bits()),
        FloatOp::Rcp => map1(d, a, |a: u64| (1.0 / f(a)).to_bits()),
        FloatOp::Sqrt => map1(d, a, |a: u64| f(a).sqrt().to_bits()),
        FloatOp::Fma => map3(d, sources, |a: u64, b: u64, c: u64| f(a).mul_add(f(b), f(c)).to_bits()),
    }
}

/// a · b + c for f32 operands that are f16 numbers, whose products are exact; rounded to odd.
#[inline(always)]
pub(super) fn fused_odd(d: &mut [u8], sources: [Source<'_>; 3]) {
    map3(d, sources, |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(f32::from_bits);
        let product = a * b;
        let sum = product + c;
        let part = sum - product;
        let error = (product - (sum - part)) + (c - part);
        let bits = sum.to_bits();
        // The neighbour on the side of the error, unless the last bit is odd already.
        let away = (error > 0.0) == (sum > 0.0);
        let inexact = (error > 0.0) | (error < 0.0);
        let moved = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        if inexact & (bits & 1 == 0) { moved } else { bits }
    });
}

/// a · b + c for bf16, in f64, where products are exact. The sum keeps twelve fraction bits, rounded to odd, so that f32
/// holds it. That fails only below half of the smallest bf16, where rounding gives zero anyway.
#[inline(always)]
pub(super) fn fused_odd_bf16(d: &mut [u8], sources: [Source<'_>; 3]) {
    const LAST: u64 = 1 << 40;
    map3(d, sources, |a: u16, b: u16, c: u16| {
        let [a, b, c] = [a, b, c].map(|bits| f64::from(f32::from_bits(u32::from(bits) << 16)));
        let bits = odd_sum(a * b, c);
        let rest = if bits & (LAST - 1) == 0 { 0 } else { LAST };
        (f64::from_bits(bits & !(LAST - 1) | rest) as f32).to_bits()
    });
}

/// An operation on f32 with an f64 result, rounded to odd. With `down`, numbers that cancel give −0.
#[inline(always)]
pub(super) fn odd(op: FloatOp, down: bool, d: &mut [u8], sources: [Source<'_>; 3]) {
    let [a, b, _] = sources;
    let f = |bits: u32| f64::from(f32::from_bits(bits));
    // When rounding down, the negative of the sum of the negatives gives −0 for numbers that cancel.
    let sum = |x: f64, y: f64| {
        if down { odd_sum(-x, -y) ^ 1 << 63 } else { odd_sum(x, y) }
    };
    match op {
        FloatOp::Add => map2(d, a, b, |a: u32, b: u32| sum(f(a), f(b))),
        FloatOp::Sub => map2(d, a, b, |a: u32, b: u32| sum(f(a), -f(b))),
        FloatOp::Fma => map3(d, sources, |a: u32, b: u32, c: u32| sum(f(a) * f(b), f(c))),
        // Products of f32 are exact in f64.
        FloatOp::Mul => map2(d, a, b, |a: u32, b: u32| (f(a) * f(b)).to_bits()),
        FloatOp::Div | FloatOp::Rcp | FloatOp::Sqrt => unreachable!("{op:?} is not rounded by way of f64"),
    }
}

/// a + b, rounded to odd.
#[inline(always)]
fn odd_sum(a: f64, b: f64) -> u64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let bits = sum.to_bits();
    let away = (error > 0.0) == (sum > 0.0);
    let inexact = (error > 0.0) | (error < 0.0);
    let moved = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    if inexact & (bits & 1 == 0) { moved } else { bits }
}
