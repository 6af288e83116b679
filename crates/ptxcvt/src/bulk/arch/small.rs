//! What the kernels written by hand for FP8, FP6 and FP4 share, whatever the processor.

use core::marker::PhantomData;

use crate::bits::mask;
use crate::bulk::lanes::{float, row};
use crate::bulk::stage::{Kernel, Span};
use crate::formats::Format;

/// What a kernel from f32 to a float of at most 8 bits with `.satfinite` works with: bits of f32 numbers, and
/// what is left to subtract from the low byte of a result.
#[derive(Clone, Copy)]
pub struct Small {
    pub bits: u32,
    pub fraction: u32,
    /// The largest finite number, and the number whose code NaN takes.
    pub largest: u32,
    pub nan: u32,
    /// The least normal number, and the power of two whose last place is 2^-16 of the subnormals' quantum.
    pub least: u32,
    pub one: u32,
    /// What codes under `.rs` are too large by, where the exponent was not taken off.
    pub stochastic_excess: u32,
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
        let least = ((128 - bias) as u32) << 23;
        // The f32 of a normal number's code: the fields move, the bias changes.
        let rebias = ((127 - bias) as u32) << 23;
        let largest = (Format::ALL[D].max_finite() as u32) << drop;
        let all = (mask(row.bits - 1) as u32) << drop;
        Small {
            bits: row.bits,
            fraction,
            largest: largest + rebias,
            nan: all + rebias,
            least,
            one: least + ((drop - 16) << 23),
            stochastic_excess: ((least >> 23) - 1) << fraction,
            quanta: (drop << 23)
                + ((((least >> 23) + drop) << fraction).wrapping_neg() & mask(row.bits - 1) as u32),
            join: 1 << 16 | 1 << (7 - fraction),
            cut: 0x7fff_ffff >> drop << drop,
            // 15/16 of 2^-1 quanta.
            half: least - ((fraction + 2) << 23) + 0x0070_0000,
        }
    }
}

/// Fewer than 64 FP4 elements, two to a byte: what the kernel `K`, a code to a byte, leaves of a vector.
pub struct TwoToAByte<K>(PhantomData<K>);

impl<K: Kernel> Kernel for TwoToAByte<K> {
    #[inline(always)]
    fn run(span: Span<'_>) {
        let mut codes = [0; 64];
        let codes = &mut codes[..2 * span.result.len()];
        K::run(Span { result: codes, ..span });
        for (byte, pair) in span.result.iter_mut().zip(codes.chunks_exact(2)) {
            *byte = pair[0] | pair[1] << 4;
        }
    }
}
