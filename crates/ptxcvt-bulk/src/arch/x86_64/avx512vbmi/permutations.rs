//! Byte permutations that put packed codes in order.

use core::arch::x86_64::*;

use super::super::avx512::registers::load;

/// The positions of four neighbouring elements after packs in lanes of 128 bits and a selection of halves.
const DWORDS: [u8; 16] = [0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15];

/// `tables! { NAME: |i| byte }` declares the bytes of a permutation.
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
    ORDER: |i| i % 4 + 4 * DWORDS[i / 4] as usize;
    /// The low bytes of words, each with two of four codes.
    PAIRS_ORDER: |i| 2 * (i % 2) + 4 * DWORDS[i / 2 % 16] as usize;
    /// The bytes are taken in pairs, from each register in turn and then from the next lane. The first two registers provide
    /// four bytes of every eight.
    RANDOM_ORDER: |i| 8 * (i % 16 / 2) + 4 * (i / 32) + 2 * (i % 2) + i / 16 % 2;
    /// Like `RANDOM_ORDER`, for pairs of elements whose codes share the byte of the first.
    RANDOM_PAIRS_ORDER: |i| 8 * (i % 8) + 4 * (i / 16 % 2) + i / 8 % 2;
    /// Every second byte, then the others.
    EVERY_SECOND: |i| 2 * (i % 32) + i / 32;
    /// The first bytes of lanes of 32 bits, then the second ones.
    EVERY_FOURTH: |i| 4 * (i % 16) + i / 16 % 2;
    /// Codes of which interleaving with other bytes in lanes of 128 bits makes words: the even ones of the first halves of
    /// the lanes are sixteen neighbours, then the odd ones, then those of the second halves.
    WORDS_ORDER: |i| 16 * (2 * (i / 8 % 2) + i % 2) + 4 * (i / 16) + i % 8 / 2;
    /// Two of every eight bytes from each register.
    POWERS_ORDER: |i| 8 * (i % 16 / 2) + i % 2 + 2 * (i / 16);
}

/// The bytes of sixteen words of random bits that make the fields of register `j`, two for each lane: the low
/// half of a word, that reversed, the high half, that reversed. For FP4, bytes 1 and 2 of the word are
/// swapped.
const fn random_bytes(j: usize, fp4: bool) -> [u8; 64] {
    let inner = if fp4 { [0, 2, 1, 3] } else { [0, 1, 2, 3] };
    let mut bytes = [0; 64];
    let mut lane = 0;
    while lane < 16 {
        let (word, half, turned) = (4 * j + lane / 4, lane % 4 / 2, lane % 2);
        let mut byte = 0;
        while byte < 2 {
            bytes[4 * lane + byte] = (4 * word + inner[2 * half + (byte ^ turned)]) as u8;
            byte += 1;
        }
        lane += 1;
    }
    bytes
}

macro_rules! random_tables {
    ($fp4:literal) => {
        [random_bytes(0, $fp4), random_bytes(1, $fp4), random_bytes(2, $fp4), random_bytes(3, $fp4)]
    };
}

pub static RANDOM_BYTES: [[u8; 64]; 4] = random_tables!(false);
pub static RANDOM_BYTES_FP4: [[u8; 64]; 4] = random_tables!(true);

crate::avx512vbmi! {
    /// Returns a permutation, hidden from the compiler, which would replace a constant one by two shuffles.
    #[inline]
    pub fn permutation(table: &'static [u8; 64]) -> __m512i {
        load(core::hint::black_box(table))
    }
}
