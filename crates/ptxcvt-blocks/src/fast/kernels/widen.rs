//! Loops that read inputs as f32, optionally scaled by their block's factor.

use ptxcvt_bulk::{fetch_at, tiered};

use crate::input::Input;
use crate::magnitude::NAN;

#[inline(always)]
fn bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Prevents the compiler from vectorising across the rounds of a loop whose body already works on whole
/// vectors; that would gather single elements.
#[inline(always)]
fn apart() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the assembly has no instruction.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// The number of elements in a round of such a loop.
pub(in crate::fast) const ROUND: usize = 16;

/// Applies `$f` to each element and its block's factor.
macro_rules! blockwise {
    ($from:ident, $ahead:ident, $bits:ty, $number:expr, $factors:ident, $width:ident, $to:ident, $f:expr) => {{
        const SIZE: usize = size_of::<$bits>();
        let $from = &$from[..$to.len() * SIZE];
        let $factors = &$factors[..$to.len().div_ceil($width)];
        if $width % ROUND == 0 && $to.len() % $width == 0 {
            let blocks = $from.chunks_exact($width * SIZE).zip($to.chunks_exact_mut($width));
            for ((from, to), factor) in blocks.zip($factors) {
                let rounds = from.chunks_exact(ROUND * SIZE).zip(to.chunks_exact_mut(ROUND));
                for (from, to) in rounds {
                    apart();
                    fetch_at(from, $ahead);
                    let from: [$bits; ROUND] = bytemuck::pod_read_unaligned(from);
                    for i in 0..ROUND {
                        to[i] = $f($number(<$bits>::from_le(from[i])), *factor);
                    }
                }
            }
        } else {
            let blocks = $from.chunks($width * SIZE).zip($to.chunks_mut($width)).zip($factors);
            for ((from, to), factor) in blocks {
                for (x, to) in from.chunks_exact(SIZE).zip(to) {
                    let x: $bits = bytemuck::pod_read_unaligned(x);
                    *to = $f($number(<$bits>::from_le(x)), *factor);
                }
            }
        }
    }};
}

tiered! {
    /// bf16 to f32: a shift.
    pub(in crate::fast) fn widen_bf16(from: &[u8], to: &mut [f32]) {
        let from = &from[..2 * to.len()];
        for (bytes, x) in from.chunks_exact(2).zip(to) {
            *x = bf16(u16::from_le_bytes([bytes[0], bytes[1]]));
        }
    }

    /// bf16 to f32, each element multiplied by its block's factor or divided by it.
    pub(in crate::fast) fn widen_bf16_by(divides: bool, from: &[u8], ahead: isize, factors: &[f32], width: usize, to: &mut [f32]) {
        if divides {
            blockwise!(from, ahead, u16, bf16, factors, width, to, |x: f32, f: f32| x / f);
        } else {
            blockwise!(from, ahead, u16, bf16, factors, width, to, |x: f32, f: f32| x * f);
        }
    }

    /// Multiplies bf16 numbers by their block's factor and rounds to bf16. Every NaN becomes the one that
    /// conversions return. Blocks are whole rounds.
    pub(in crate::fast) fn scale_bf16(from: &[u8], factors: &[f32], width: usize, to: &mut [u8]) {
        let from = &from[..to.len()];
        let factors = &factors[..to.len().div_ceil(2 * width)];
        let blocks = from.chunks_exact(2 * width).zip(to.chunks_exact_mut(2 * width)).zip(factors);
        for ((from, to), factor) in blocks {
            for (from, to) in from.chunks_exact(2 * ROUND).zip(to.chunks_exact_mut(2 * ROUND)) {
                apart();
                let from: [u16; ROUND] = bytemuck::pod_read_unaligned(from);
                let mut made = [0_u16; ROUND];
                for i in 0..ROUND {
                    let bits = (bf16(u16::from_le(from[i])) * factor).to_bits();
                    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
                    // All ones for NaN, without a branch.
                    let nan = (0x7f80_0000_i32.wrapping_sub((bits & 0x7fff_ffff) as i32) >> 31) as u32;
                    made[i] = ((rounded & !nan | 0x7fff & nan) as u16).to_le();
                }
                to.copy_from_slice(bytemuck::bytes_of(&made));
            }
        }
    }

    /// Little-endian f32.
    pub(in crate::fast) fn load_f32(from: &[u8], to: &mut [f32]) {
        let from = &from[..4 * to.len()];
        for (bytes, x) in from.chunks_exact(4).zip(to) {
            *x = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }

    /// Little-endian f32, each element multiplied by its block's factor or divided by it.
    pub(in crate::fast) fn load_f32_by(divides: bool, from: &[u8], ahead: isize, factors: &[f32], width: usize, to: &mut [f32]) {
        if divides {
            blockwise!(from, ahead, u32, f32::from_bits, factors, width, to, |x: f32, f: f32| x / f);
        } else {
            blockwise!(from, ahead, u32, f32::from_bits, factors, width, to, |x: f32, f: f32| x * f);
        }
    }

    /// Repeats each block's value for all of its elements.
    pub(in crate::fast) fn spread(values: &[f32], width: usize, to: &mut [f32]) {
        let values = &values[..to.len().div_ceil(width)];
        if width % 16 == 0 && to.len() % width == 0 {
            for (to, value) in to.chunks_exact_mut(width).zip(values) {
                for to in to.chunks_exact_mut(16) {
                    to.copy_from_slice(&[*value; 16]);
                }
            }
        } else {
            for (to, value) in to.chunks_mut(width).zip(values) {
                to.fill(*value);
            }
        }
    }

    /// Converts magnitudes from bits of the input's type to f32.
    pub(in crate::fast) fn widen_bits(input: Input, from: &[u32], to: &mut [f32]) {
        let from = &from[..to.len()];
        match input {
            Input::F32 => from.iter().zip(to).for_each(|(x, to)| *to = f32::from_bits(*x)),
            Input::Bf16 => from.iter().zip(to).for_each(|(x, to)| *to = f32::from_bits(x << 16)),
            Input::F16 => from.iter().zip(to).for_each(|(x, to)| *to = f32::from_bits(input.widen(*x))),
        }
    }

    /// f32 to little-endian bytes, with every NaN as in PTX arithmetic.
    pub(in crate::fast) fn store_f32(from: &[f32], to: &mut [u8]) {
        let from = &from[..to.len() / 4];
        for (x, bytes) in from.iter().zip(to.chunks_exact_mut(4)) {
            let bits = if x.is_nan() { NAN } else { x.to_bits() };
            bytes.copy_from_slice(&bits.to_le_bytes());
        }
    }
}
