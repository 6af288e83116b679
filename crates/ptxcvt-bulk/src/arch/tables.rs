//! Tables for byte shuffles and permutes: the bytes of f16 and bf16 by codes of at most 8 bits, and reversed bits.

use crate::lanes::word_of;

/// The lower (`which` = 0) or upper (1) bytes of the first `N` codes of `S` as words of `D`.
pub const fn table<const S: usize, const D: usize, const N: usize>(which: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let mut code = 0;
    while code < N {
        bytes[code] = word_of::<S, D>(code as u8).to_le_bytes()[which];
        code += 1;
    }
    bytes
}

#[cfg(target_arch = "x86_64")]
mod reversal {
    /// Swaps the inner two bytes of words, for FP4; and the same with both halves of the words reversed.
    pub const FORWARDS: [u8; 16] = [0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15];
    pub const BACKWARDS: [u8; 16] = [2, 0, 3, 1, 6, 4, 7, 5, 10, 8, 11, 9, 14, 12, 15, 13];
    /// Reverses the bytes of half words.
    pub const REVERSED: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];
    /// Reversed nibbles, in the upper half of a byte.
    pub const UPPER_REVERSED: [u8; 16] =
        [0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0, 0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0];
    pub const LOWER_REVERSED: [u8; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
}
#[cfg(target_arch = "x86_64")]
pub use reversal::*;
