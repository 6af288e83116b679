//! Integer arithmetic.
//!
//! PTX ISA section 9.7.1. Results wrap around, except with `.sat`. 128 bits hold every intermediate result exactly.

use ptxcvt::{mask, sign_extend};

use super::call::Call;
use crate::modifier::Modifier;

/// A source as a signed or unsigned number, by its type.
fn number(c: &Call, bits: u64) -> i128 {
    if c.ty().is_signed() { sign_extend(bits, c.width()).into() } else { bits.into() }
}

/// Limits a value to the range of the type if the instruction has `.sat`.
fn limit(c: &Call, value: i128) -> u64 {
    let half = 1_i128 << (c.width() - 1);
    let (least, greatest) = if c.ty().is_signed() { (-half, half - 1) } else { (0, 2 * half - 1) };
    (if c.has(Modifier::Sat) { value.clamp(least, greatest) } else { value }) as u64
}

/// d = a + b
pub(crate) fn add(c: &Call) -> u64 {
    limit(c, number(c, c.a()) + number(c, c.b()))
}

/// d = a − b
pub(crate) fn sub(c: &Call) -> u64 {
    limit(c, number(c, c.a()) - number(c, c.b()))
}

/// The product, or its upper half.
fn product(c: &Call) -> i128 {
    let product = number(c, c.a()).wrapping_mul(number(c, c.b()));
    match c.has(Modifier::Hi) {
        // Unsigned 64-bit products fill all 128 bits.
        true if c.ty().is_signed() => product >> c.width(),
        true => (product as u128 >> c.width()) as i128,
        false => product,
    }
}

/// d = a · b, its lower or upper half, or all of it.
pub(crate) fn mul(c: &Call) -> u64 {
    product(c) as u64
}

/// d = a · b + c
pub(crate) fn mad(c: &Call) -> u64 {
    let wide = c.has(Modifier::Wide);
    let width = if wide { 2 * c.width() } else { c.width() };
    let addend = if c.ty().is_signed() { sign_extend(c.c(), width).into() } else { i128::from(c.c()) };
    limit(c, product(c).wrapping_add(addend))
}

/// Replaces a negative result by 0 if the instruction has `.relu`.
fn clamp_negative(c: &Call, value: i128) -> u64 {
    (if c.has(Modifier::Relu) { value.max(0) } else { value }) as u64
}

/// The smaller of a and b.
pub(crate) fn min(c: &Call) -> u64 {
    clamp_negative(c, number(c, c.a()).min(number(c, c.b())))
}

/// The larger of a and b.
pub(crate) fn max(c: &Call) -> u64 {
    clamp_negative(c, number(c, c.a()).max(number(c, c.b())))
}

/// |a|; the smallest number stays.
pub(crate) fn abs(c: &Call) -> u64 {
    number(c, c.a()).unsigned_abs() as u64
}

/// −a; the smallest number stays.
pub(crate) fn neg(c: &Call) -> u64 {
    c.a().wrapping_neg()
}

/// d = c + |a − b|
pub(crate) fn sad(c: &Call) -> u64 {
    let distance = number(c, c.a()).abs_diff(number(c, c.b()));
    c.c().wrapping_add(distance as u64)
}

/// The dot product of parts of `a` with bytes of `b`, added to `c`.
fn dot(c: &Call, parts: impl Iterator<Item = (u32, u32, u32)>) -> u64 {
    let pick = |bits: u64, at: u32, width: u32, signed: bool| {
        let part = bits >> at & mask(width);
        if signed { sign_extend(part, width) } else { part as i64 }
    };
    let [a_type, b_type, _] = c.types;
    let product = |(at, width, b_at)| {
        pick(c.a(), at, width, a_type.is_signed()) * pick(c.b(), b_at, 8, b_type.is_signed())
    };
    (c.c() as i64).wrapping_add(parts.map(product).sum::<i64>()) as u64
}

/// Four bytes with four bytes.
pub(crate) fn dp4a(c: &Call) -> u64 {
    dot(c, (0..4).map(|i| (8 * i, 8, 8 * i)))
}

/// Two halves with the lower or the upper two bytes.
pub(crate) fn dp2a(c: &Call) -> u64 {
    let first = if c.has(Modifier::Hi) { 16 } else { 0 };
    dot(c, (0..2).map(move |i| (16 * i, 16, first + 8 * i)))
}
