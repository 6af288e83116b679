//! The constants of the hand-written kernels from f32 to FP8, FP6 and FP4 on every processor.
//!
//! The kernels round by additions, which [`lanes`](crate::lanes) explains. In the comments here,
//!
//! - m is the magnitude of a number;
//! - c is the power of two at or below m, but at least the destination's least normal number;
//! - `drop` is the number of fraction bits that f32 has and the destination lacks;
//! - a quantum is the difference of neighbouring numbers of the destination at m.
//!
//! The sum m + c · 2^`drop` rounds m, because its last place is a quantum. Its exponent is the binade, and its last places
//! count the quanta; both together are the code.

use crate::lanes::{float, row};
use ptxcvt::formats::Format;
use ptxcvt::mask;

/// The constants of a format. Those without another meaning are the bits of f32 numbers.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // `.rs` has no kernel elsewhere
pub struct Small {
    /// The bits of a code, and of its fraction.
    pub bits: u32,
    pub fraction: u32,
    /// The largest finite number, and the number whose code NaN gets.
    pub largest: u32,
    pub nan: u32,
    /// The least normal number.
    pub least: u32,
    /// Makes c · 2^`drop` of c, when added to its bits. The last places contain a correction: what the exponent of the sum
    /// adds to the code of a subnormal number, with the other sign, modulo the range of codes. The correction is an even
    /// number of quanta, so that ties are unchanged.
    pub quanta: u32,
    /// The factors of both words of a sum: the sum of the two products has the binade next to the count of quanta. The code
    /// begins at bit 7 − `fraction`.
    pub join: u32,
    /// For rounding towards zero: a mask that truncates m at the last place of a normal number.
    pub cut: u32,
    /// Nearly half a quantum of subnormal numbers. Subtracted from a truncated m before the sum, it turns rounding to
    /// nearest into rounding towards zero.
    pub half: u32,
    /// Under `.rs`: makes c · 2^(`drop` − 16) of c, when added to its bits. The last place of the sum is 2^-16 quanta.
    pub random_quanta: u32,
    /// Under `.rs`: a mask that truncates m, if it is normal, to multiples of 2^-16 quanta.
    pub cut_below_random: u32,
    /// Under `.rs`, for processors whose additions always round to nearest: the factor 1.5 · 2^(`drop` − 17). The
    /// last place of m + c · 1.5 · 2^(`drop` − 17) is 2^-17 quanta. Because of the 1.5, the sum is never in the
    /// binade below, even after `half_counted` has been subtracted from m.
    pub counting: u32,
    /// The number that this factor adds to a code.
    pub counted_excess: u32,
    /// Half the last place of such a sum, if m is subnormal.
    pub half_counted: u32,
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
            quanta: (drop << 23)
                + ((((least >> 23) + drop) << fraction).wrapping_neg() & mask(magnitude) as u32),
            join: 1 << 16 | 1 << (7 - fraction),
            cut: 0x7fff_ffff >> drop << drop,
            // 15/16 of 2^-1 quanta.
            half: least - ((fraction + 2) << 23) + 0x0070_0000,
            random_quanta: (drop - 16) << 23,
            cut_below_random: 0x7fff_ffff >> (drop - 16) << (drop - 16),
            counting: ((127 + drop - 17) << 23) + (1 << 22),
            counted_excess: ((least >> 23) + drop - 17) << fraction,
            half_counted: least - ((24 - (drop - 17)) << 23),
        }
    }
}
