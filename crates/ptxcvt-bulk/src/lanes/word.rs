//! Codes of at most 8 bits as f16 and bf16, computed with integers, for the tables of hand-written kernels.

use super::{FloatRow, float, row};
use ptxcvt::formats::{Format, Kind, Specials};
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
    // Subnormals with at most three fraction bits: each power of two is handled separately.
    let unit = ((wide_bias + 1 - bias - fraction as i32) as u16) << wide;
    let small = match magnitude {
        _ if bias == wide_bias => normal,
        0 => 0,
        1 => unit,
        2..4 => unit + (1 << wide) + ((magnitude & 1) << (wide - 1)),
        _ => unit + (2 << wide) + ((magnitude & 3) << (wide - 2)),
    };
    let finite = if magnitude < 1 << fraction { small } else { normal };
    let infinity = const { FloatRow::of::<S>().exponent as u16 };
    let nan = match row::<S>().kind {
        Kind::Float { specials: Specials::Ieee, .. } => magnitude > infinity,
        Kind::Float { specials: Specials::NanOnly, .. } => magnitude == mask(bits) as u16,
        _ => false,
    };
    let is_infinity =
        matches!(row::<S>().kind, Kind::Float { specials: Specials::Ieee, .. }) && magnitude == infinity;
    let finite = if is_infinity { const { FloatRow::of::<D>().exponent as u16 } } else { finite };
    if nan { 0x7fff } else { finite | sign }
}
