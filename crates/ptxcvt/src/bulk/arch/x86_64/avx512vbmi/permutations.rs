//! Byte permutations that put packed codes in order.

use core::arch::x86_64::*;

use super::super::avx512::registers::load;
use crate::bulk::features;

/// Where four elements in a row lie after packing in lanes of 128 bits and choosing halves.
const DWORDS: [u8; 16] = [0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15];

/// `tables! { NAME: |i| byte }`: the bytes of a permutation.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: |$i:ident| $byte:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: [u8; 64] = {
            let mut bytes = [0; 64];
            let mut $i = 0;
            while $i < 64 {
                bytes[$i] = $byte as u8;
                $i += 1;
            }
            bytes
        };
    )*};
}

tables! {
    LOW_BYTES: |i| 4 * i;
    TOP_BYTES: |i| 4 * i + 3;
    ORDER: |i| i % 4 + 4 * DWORDS[i / 4] as usize;
    /// The low bytes of words, two of four codes.
    PAIRS_ORDER: |i| 2 * (i % 2) + 4 * DWORDS[i / 2 % 16] as usize;
    /// Two bytes of eight from each register.
    POWERS_ORDER: |i| 8 * (i % 16 / 2) + i % 2 + 2 * (i / 16);
}

features::avx512vbmi! {
    /// A permutation, hidden from the compiler, which would make two shuffles of one that it knows.
    #[inline]
    pub fn permutation(table: &'static [u8; 64]) -> __m512i {
        load(core::hint::black_box(table))
    }
}
