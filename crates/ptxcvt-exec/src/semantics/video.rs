//! SIMD video instructions: `N` integers of 8 or 16 bits in each word.
//!
//! PTX ISA chapter 9.7, SIMD video instructions. Without selectors and masks, each part of `a` is combined with the
//! part of `b` at the same position, and `c` is ignored. With `.add`, the results are added to `c`.

use ptxcvt::{mask, sign_extend};

use super::call::Call;
use super::compare;
use crate::modifier::Modifier;
use crate::ty::Ty;

/// The width of each of `N` parts.
const fn width<const N: u32>() -> u32 {
    32 / N
}

/// Part `n` of a source whose type is `ty`.
fn part<const N: u32>(bits: u64, ty: Ty, n: u32) -> i64 {
    let part = bits >> (n * width::<N>()) & mask(width::<N>());
    if ty.is_signed() { sign_extend(part, width::<N>()) } else { part as i64 }
}

/// Combines the parts of `a` and `b`, which have these types, and packs the results or adds them to `c`.
fn each<const N: u32>(c: &Call, [a, b]: [Ty; 2], combine: impl Fn(i64, i64) -> i64) -> u64 {
    let results = (0..N).map(|n| combine(part::<N>(c.a(), a, n), part::<N>(c.b(), b, n)));
    if c.has(Modifier::Add) {
        return results.fold(c.c(), |sum, result| sum.wrapping_add(result as u64)) & mask(32);
    }
    let placed = |(n, result): (u32, i64)| (result as u64 & mask(width::<N>())) << (n * width::<N>());
    (0..).zip(results).map(placed).sum()
}

/// Arithmetic. The first type is the type of the result, which `.sat` limits.
fn arithmetic<const N: u32>(c: &Call, combine: impl Fn(i64, i64) -> i64) -> u64 {
    let [to, a, b] = c.types;
    let half = 1 << (width::<N>() - 1);
    let (least, greatest) = if to.is_signed() { (-half, half - 1) } else { (0, 2 * half - 1) };
    let limited = |result: i64| if c.has(Modifier::Sat) { result.clamp(least, greatest) } else { result };
    each::<N>(c, [a, b], |a, b| limited(combine(a, b)))
}

pub(crate) fn add<const N: u32>(c: &Call) -> u64 {
    arithmetic::<N>(c, |a, b| a + b)
}

pub(crate) fn sub<const N: u32>(c: &Call) -> u64 {
    arithmetic::<N>(c, |a, b| a - b)
}

/// The mean, halves away from zero.
pub(crate) fn average<const N: u32>(c: &Call) -> u64 {
    arithmetic::<N>(c, |a, b| (a + b + i64::from(a + b >= 0)) >> 1)
}

pub(crate) fn distance<const N: u32>(c: &Call) -> u64 {
    arithmetic::<N>(c, |a, b| (a - b).abs())
}

pub(crate) fn min<const N: u32>(c: &Call) -> u64 {
    arithmetic::<N>(c, |a, b| a.min(b))
}

pub(crate) fn max<const N: u32>(c: &Call) -> u64 {
    arithmetic::<N>(c, |a, b| a.max(b))
}

/// 1 for each part for which the comparison holds. The first two types are those of `a` and `b`.
pub(crate) fn set<const N: u32>(c: &Call) -> u64 {
    let [a, b, _] = c.types;
    each::<N>(c, [a, b], |a, b| compare::relates(c.modifiers, Some(a.cmp(&b))).into())
}
