//! Integer arithmetic with the carry flag.
//!
//! PTX ISA section 9.7.2. Every operand counts as unsigned, since the bits of a sum are the same for signed ones; only the
//! upper half of a signed product differs. The flag is the carry of a sum and the borrow of a difference.

use ptxcvt::mask;

use super::call::Call;
use super::integer;

/// The bits of an exact result.
fn bits(c: &Call, exact: i128) -> u64 {
    exact as u64 & mask(c.width())
}

/// True if an exact result needs more bits than the type has, or is negative.
fn leaves(c: &Call, exact: i128) -> u64 {
    u64::from(exact >> c.width() != 0)
}

fn sum(c: &Call, carry: u64) -> i128 {
    i128::from(c.a()) + i128::from(c.b()) + i128::from(carry)
}

fn difference(c: &Call, borrow: u64) -> i128 {
    i128::from(c.a()) - i128::from(c.b()) - i128::from(borrow)
}

/// A half of the product, plus c.
fn product(c: &Call, carry: u64) -> i128 {
    i128::from(integer::mul(c) & mask(c.width())) + i128::from(c.c()) + i128::from(carry)
}

/// d = a + b
pub(crate) fn add(c: &Call) -> u64 {
    bits(c, sum(c, 0))
}

pub(crate) fn carry_of_add(c: &Call) -> u64 {
    leaves(c, sum(c, 0))
}

/// d = a + b + carry
pub(crate) fn addc(c: &Call) -> u64 {
    bits(c, sum(c, c.last()))
}

pub(crate) fn carry_of_addc(c: &Call) -> u64 {
    leaves(c, sum(c, c.last()))
}

/// d = a − b
pub(crate) fn sub(c: &Call) -> u64 {
    bits(c, difference(c, 0))
}

pub(crate) fn carry_of_sub(c: &Call) -> u64 {
    leaves(c, difference(c, 0))
}

/// d = a − b − borrow
pub(crate) fn subc(c: &Call) -> u64 {
    bits(c, difference(c, c.last()))
}

pub(crate) fn carry_of_subc(c: &Call) -> u64 {
    leaves(c, difference(c, c.last()))
}

/// d = half of a · b, plus c
pub(crate) fn mad(c: &Call) -> u64 {
    bits(c, product(c, 0))
}

pub(crate) fn carry_of_mad(c: &Call) -> u64 {
    leaves(c, product(c, 0))
}

/// d = half of a · b, plus c and the carry
pub(crate) fn madc(c: &Call) -> u64 {
    bits(c, product(c, c.last()))
}

pub(crate) fn carry_of_madc(c: &Call) -> u64 {
    leaves(c, product(c, c.last()))
}
