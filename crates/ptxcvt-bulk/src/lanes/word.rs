//! Codes of at most 8 bits as f16 and bf16, computed with integers, for the tables of hand-written kernels.

use super::{FloatRow, float, match_const, row};
use ptxcvt::formats::{Format, Specials};
use ptxcvt::mask;

/// A code of at most 8 bits as f16 or bf16 (`D`), which hold it exactly. Every NaN becomes `D`'s canonical
/// NaN.
#[inline(always)]
pub(crate) const fn word_of<const S: usize, const D: usize>(code: u8) -> u16 {
    let ((fraction, bias), (wide, wide_bias)) = (float::<S>(), float::<D>());
    let bits = const { row::<S>().bits - Format::ALL[S].is_signed() as u32 };
    let code = code as u16;
    let magnitude = code & mask(bits) as u16;
    let sign = if bits < row::<S>().bits { (code >> bits & 1) << 15 } else { 0 };
    let up = wide - fraction;
    let rebias = ((wide_bias - bias) as u16) << wide;
    let normal = (magnitude << up) + rebias;
    // Each power of two of subnormal numbers is handled separately.
    const { assert!(FloatRow::of::<S>().fraction <= 3, "subnormal numbers have at most three bits") };
    let unit = ((wide_bias + 1 - bias - fraction as i32) as u16) << wide;
    let small = match magnitude {
        _ if bias == wide_bias => normal,
        0 => 0,
        1 => unit,
        2..4 => unit + (1 << wide) + ((magnitude & 1) << (wide - 1)),
        // From 8 on, numbers are normal, and this is unused.
        4.. => unit + (2 << wide) + ((magnitude & 3) << (wide - 2)),
    };
    let finite = if magnitude < 1 << fraction { small } else { normal };
    let infinity = const { FloatRow::of::<S>().exponent as u16 };
    let (nan, is_infinity) = match_const!(FloatRow::of::<S>().specials, {
        Specials::Ieee => (magnitude > infinity, magnitude == infinity),
        Specials::NanOnly => (magnitude == mask(bits) as u16, false),
        Specials::None => (false, false),
    });
    let finite = if is_infinity { const { FloatRow::of::<D>().exponent as u16 } } else { finite };
    if nan { 0x7fff } else { finite | sign }
}
