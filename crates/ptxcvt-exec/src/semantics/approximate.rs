//! The `.approx` instructions, whose bits the manual does not define. They are computed in f64 and rounded to the type.
//! The result is correctly rounded, except for values that are closer to a tie than the error of f64.
//!
//! PTX ISA section 9.7.3. Special values follow the manual's tables.

use ptxcvt::Format;

use super::call::Call;
use super::float::{self, finish};

fn unary(c: &Call, function: fn(f64) -> f64) -> u64 {
    let x = c.value(0, c.ty()).to_f64();
    finish(c, Format::F64.decode(function(x).to_bits()))
}

/// 2^a
pub(crate) fn ex2(c: &Call) -> u64 {
    unary(c, f64::exp2)
}

/// The logarithm to base 2.
pub(crate) fn lg2(c: &Call) -> u64 {
    unary(c, f64::log2)
}

/// 1 / √a
pub(crate) fn rsqrt(c: &Call) -> u64 {
    unary(c, |x| if x == 0.0 { f64::INFINITY.copysign(x) } else { 1.0 / x.sqrt() })
}

/// The sine.
pub(crate) fn sin(c: &Call) -> u64 {
    unary(c, f64::sin)
}

/// The cosine.
pub(crate) fn cos(c: &Call) -> u64 {
    unary(c, f64::cos)
}

/// The hyperbolic tangent.
pub(crate) fn tanh(c: &Call) -> u64 {
    unary(c, f64::tanh)
}

/// 1 / a
pub(crate) fn rcp(c: &Call) -> u64 {
    float::rcp(c)
}

/// √a
pub(crate) fn sqrt(c: &Call) -> u64 {
    float::sqrt(c)
}

/// a / b
pub(crate) fn div(c: &Call) -> u64 {
    float::div(c)
}
