//! Comparison and selection.
//!
//! PTX ISA sections 9.3 (comparison operators), 9.7.6 and 9.7.7.

use std::cmp::Ordering;

use ptxcvt::{Format, Rounding, Value, mask, sign_extend};

use super::call::Call;
use crate::modifier::{Modifier, Modifiers};
use crate::ty::{Class, Ty};

/// The order of a and b; `None` if one is NaN. Zeros of either sign are equal.
fn compare(c: &Call, ty: Ty) -> Option<Ordering> {
    match ty.class() {
        Class::Float(_) => {
            let [a, b] = [0, 1].map(|n| c.value(n, ty));
            a.to_f64().partial_cmp(&b.to_f64())
        }
        Class::Signed => {
            let [a, b] = [c.a(), c.b()].map(|bits| sign_extend(bits, ty.width()));
            Some(a.cmp(&b))
        }
        _ => Some(c.a().cmp(&c.b())),
    }
}

/// True if the comparison holds.
fn holds(c: &Call, ty: Ty) -> bool {
    relates(c.modifiers, compare(c, ty))
}

/// True if the comparison among the modifiers holds for this order, which is `None` with a NaN.
pub(super) fn relates(modifiers: Modifiers, order: Option<Ordering>) -> bool {
    let orders = modifiers.iter().find_map(Modifier::comparison);
    orders.expect("the rows of comparisons require one of them").contains(&order)
}

/// The comparison, combined with the predicate c if the instruction has one.
fn combined(c: &Call, holds: bool) -> bool {
    let other = c.c() & 1 != 0;
    match () {
        () if c.has(Modifier::And) => holds && other,
        () if c.has(Modifier::Or) => holds || other,
        () if c.has(Modifier::Xor) => holds != other,
        () => holds,
    }
}

/// p = a ⋈ b. [`setp_complement`] computes the second predicate of `p|q`.
pub(crate) fn setp(c: &Call) -> u64 {
    combined(c, holds(c, c.ty())).into()
}

/// q of `p|q`: the opposite of the comparison, then combined.
pub(crate) fn setp_complement(c: &Call) -> u64 {
    combined(c, !holds(c, c.ty())).into()
}

/// All ones if the comparison holds, or 1.0 in floating-point types; otherwise zero.
pub(crate) fn set(c: &Call) -> u64 {
    let truth = match c.ty().class() {
        Class::Float(format) => format.encode(1.0, Rounding::Rn),
        _ => mask(c.width()),
    };
    if combined(c, holds(c, c.types[1])) { truth } else { 0 }
}

/// p: the number a is of this class. Zeros are normal.
pub(crate) fn testp(c: &Call) -> u64 {
    let format = c.ty().format().expect("`testp` is for floats");
    let magnitude = c.a() & !format.sign_bit();
    let infinity = format.infinity().expect("f32 and f64 have infinity");
    let subnormal = magnitude != 0 && magnitude < format.min_normal();
    let holds = match () {
        () if c.has(Modifier::Finite) => magnitude < infinity,
        () if c.has(Modifier::Infinite) => magnitude == infinity,
        () if c.has(Modifier::Number) => magnitude <= infinity,
        () if c.has(Modifier::Notanumber) => magnitude > infinity,
        () if c.has(Modifier::Normal) => magnitude < infinity && !subnormal,
        () if c.has(Modifier::Subnormal) => subnormal,
        () => unreachable!("the row of `testp` requires one of these classes"),
    };
    holds.into()
}

/// d = c ? a : b
pub(crate) fn selp(c: &Call) -> u64 {
    if c.c() & 1 != 0 { c.a() } else { c.b() }
}

/// d = (c ≥ 0) ? a : b. −0 counts as ≥ 0, NaN does not.
pub(crate) fn slct(c: &Call) -> u64 {
    let first = match c.types[1].class() {
        Class::Float(Format::F32) => match c.value(2, c.types[1]) {
            Value::Nan { .. } => false,
            value => value.to_f64() >= 0.0,
        },
        _ => sign_extend(c.c(), 32) >= 0,
    };
    if first { c.a() } else { c.b() }
}
