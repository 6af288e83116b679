//! Codes of at most 8 bits as f16 and bf16, by integers alone: what the tables of the kernels written by hand are
//! made of.

use super::{exponent_mask, float, row};
use crate::bits::mask;
use crate::formats::{Kind, Specials};

/// A code of at most 8 bits as f16 or bf16 (`D`), which hold it exactly, by integers alone. Every NaN becomes
/// `D`'s canonical one.
#[inline(always)]
pub(in crate::bulk) const fn word_of<const S: usize, const D: usize>(code: u8) -> u16 {
    let ((fraction, bias), (wide, wide_bias)) = (float::<S>(), float::<D>());
    let bits = row::<S>().bits - row::<S>().is_signed();
    let code = code as u16;
    let magnitude = code & mask(bits) as u16;
    let sign = if row::<S>().is_signed() == 1 { (code >> bits & 1) << 15 } else { 0 };
    let up = wide - fraction;
    let rebias = ((wide_bias - bias) as u16) << wide;
    let normal = (magnitude << up) + rebias;
    // Subnormals of three fraction bits at most: counted, each power of two by itself.
    let unit = ((wide_bias + 1 - bias - fraction as i32) as u16) << wide;
    let small = match magnitude {
        _ if bias == wide_bias => normal,
        0 => 0,
        1 => unit,
        2..4 => unit + (1 << wide) + ((magnitude & 1) << (wide - 1)),
        _ => unit + (2 << wide) + ((magnitude & 3) << (wide - 2)),
    };
    let finite = if magnitude < 1 << fraction { small } else { normal };
    let infinity = exponent_mask::<S>() as u16;
    let nan = match row::<S>().kind {
        Kind::Float { specials: Specials::Ieee, .. } => magnitude > infinity,
        Kind::Float { specials: Specials::NanOnly, .. } => magnitude == mask(bits) as u16,
        _ => false,
    };
    let is_infinity =
        matches!(row::<S>().kind, Kind::Float { specials: Specials::Ieee, .. }) && magnitude == infinity;
    let finite = if is_infinity { exponent_mask::<D>() as u16 } else { finite };
    if nan { 0x7fff } else { finite | sign }
}
