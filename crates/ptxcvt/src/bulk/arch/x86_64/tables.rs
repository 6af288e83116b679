//! Tables for byte shuffles and permutes, which look up the bytes of f16 and bf16 by codes of at most 8 bits.

use crate::bulk::lanes::word_of;

/// The bytes of the words of the first `N` codes of `S` as `D`: which = 0 the lower, 1 the upper.
pub const fn table<const S: usize, const D: usize, const N: usize>(which: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let mut code = 0;
    while code < N {
        bytes[code] = word_of::<S, D>(code as u8).to_le_bytes()[which];
        code += 1;
    }
    bytes
}
