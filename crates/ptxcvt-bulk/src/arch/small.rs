//! The constants of the hand-written kernels for FP8, FP6 and FP4 on every processor.

use crate::lanes::{float, row};
use ptxcvt::formats::Format;
use ptxcvt::mask;

/// The constants of a kernel from f32 to a float of at most 8 bits: f32 bit patterns, and corrections of results.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // `.rs` has no kernel elsewhere
pub struct Small {
    pub bits: u32,
    pub fraction: u32,
    /// The largest finite number, and the number whose code NaN gets.
    pub largest: u32,
    pub nan: u32,
    /// The least normal number.
    pub least: u32,
    /// Under `.rs`: the exponent increase for a sum whose last place is 2^-16 quanta.
    pub random_quanta: u32,
    /// Factor 1.5 · 2^(6 − F), which makes the last place of a sum 2^-17 quanta. Because of the 1.5, no sum is below
    /// the power of two.
    pub counting: u32,
    /// What that factor adds to a code.
    pub counted_excess: u32,
    /// Half the last place of such a sum of subnormal numbers.
    pub half_counted: u32,
    /// Mask that truncates the magnitudes of normal numbers to 2^-16 quanta.
    pub cut_below_random: u32,
    /// Multiplies c by 2^(F − P). Its last places correct codes of `bits` for the exponent of the sum, by an even
    /// number of quanta, so that ties are unchanged.
    pub quanta: u32,
    /// Joins both halves of a sum by a product of words; the code begins at bit 7 − `fraction`.
    pub join: u32,
    /// For rounding towards zero: a mask that truncates normal magnitudes at the last place, and nearly half the
    /// subnormals' quantum. Subtracting that turns rounding to nearest into rounding towards zero.
    pub cut: u32,
    pub half: u32,
}

impl Small {
    pub const fn new<const D: usize>() -> Small {
        let (fraction, bias) = float::<D>();
        let (row, drop) = (row::<D>(), 23 - fraction);
        // Without the sign bit, if there is one.
        let magnitude = row.bits - Format::ALL[D].is_signed() as u32;
        let least = ((128 - bias) as u32) << 23;
        // A normal number's code as f32: the fields are shifted and the bias changes.
        let rebias = ((127 - bias) as u32) << 23;
        let largest = (Format::ALL[D].max_finite() as u32) << drop;
        let all = (mask(magnitude) as u32) << drop;
        Small {
            bits: row.bits,
            fraction,
            largest: largest + rebias,
            nan: all + rebias,
            least,
            random_quanta: (drop - 16) << 23,
            counting: ((127 + drop - 17) << 23) + (1 << 22),
            counted_excess: ((least >> 23) + drop - 17) << fraction,
            half_counted: least - ((24 - (drop - 17)) << 23),
            cut_below_random: 0x7fff_ffff >> (drop - 16) << (drop - 16),
            quanta: (drop << 23)
                + ((((least >> 23) + drop) << fraction).wrapping_neg() & mask(magnitude) as u32),
            join: 1 << 16 | 1 << (7 - fraction),
            cut: 0x7fff_ffff >> drop << drop,
            // 15/16 of 2^-1 quanta.
            half: least - ((fraction + 2) << 23) + 0x0070_0000,
        }
    }
}
