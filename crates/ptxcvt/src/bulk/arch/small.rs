//! What the kernels written by hand for FP8, FP6 and FP4 share, whatever the processor.

use crate::bits::mask;
use crate::bulk::lanes::{float, row};
use crate::formats::Format;

/// What a kernel from f32 to a float of at most 8 bits works with: bits of f32 numbers, and
/// what is left to subtract from the low byte of a result.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // `.rs` has no kernel elsewhere
pub struct Small {
    pub bits: u32,
    pub fraction: u32,
    /// The largest finite number, and the number whose code NaN takes.
    pub largest: u32,
    pub nan: u32,
    /// The least normal number.
    pub least: u32,
    /// Under `.rs`: what the exponent grows by in a sum whose last place is 2^-16 quanta.
    pub random_quanta: u32,
    /// The same where it is 2^-17 quanta, as a factor that is half as large again, so that the sum never falls below the
    /// power; what exponents so grown make a code too large by; half of that
    /// last place, of subnormal numbers; and magnitudes without what lies below 2^-16 quanta of a normal number.
    pub counting: u32,
    pub counted_excess: u32,
    pub half_counted: u32,
    pub cut_below_random: u32,
    /// What makes c 2^(F − P) times as large and, in the last places, what makes up for the exponent of the sum in
    /// codes of `bits`: an even number of quanta, which changes no tie.
    pub quanta: u32,
    /// Both halves of a sum brought together by a product of words: the code from bit 7 − `fraction` on.
    pub join: u32,
    /// Magnitudes without what lies below the last place of a normal number, and nearly half the subnormals'
    /// quantum, which makes of rounding to nearest one towards zero.
    pub cut: u32,
    pub half: u32,
}

impl Small {
    pub const fn new<const D: usize>() -> Small {
        let (fraction, bias) = float::<D>();
        let (row, drop) = (row::<D>(), 23 - fraction);
        // Without the sign, where there is one.
        let magnitude = row.bits - Format::ALL[D].is_signed() as u32;
        let least = ((128 - bias) as u32) << 23;
        // The f32 of a normal number's code: the fields move, the bias changes.
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
