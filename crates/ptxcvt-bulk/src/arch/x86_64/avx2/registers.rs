//! Loads, stores and packing of registers of 32 bytes.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use crate::lanes::match_const;
use crate::stage::elements;
use crate::steps::{self, Copied, Fill};

/// The padding buffers of this tier.
pub type Pad<const FROM: usize, const WITH: usize, const TO: usize> = steps::Pad<Masked, FROM, WITH, TO>;

/// Fills padding by masked loads, which read whole 32-bit words.
pub struct Masked;

impl Fill for Masked {
    #[inline(always)]
    unsafe fn fill<'a, const N: usize>(pad: &'a mut MaybeUninit<[u8; N]>, bytes: &[u8]) -> &'a [u8; N] {
        const { assert!(N % 32 == 0 || N == 16) };
        if bytes.len() % 4 != 0 {
            // SAFETY: ordinary copies need no features.
            return unsafe { Copied::fill(pad, bytes) };
        }
        for at in (0..N).step_by(32) {
            let left = bytes.len().saturating_sub(at) / 4;
            // SAFETY: the caller guarantees the features. No more words are read than `bytes` has, and no more than `N`
            // bytes written.
            unsafe {
                fill::<N>(pad.as_mut_ptr().cast::<u8>().add(at), bytes.as_ptr().wrapping_add(at), left)
            };
        }
        // SAFETY: all bytes have been written.
        unsafe { pad.assume_init_ref() }
    }
}

crate::avx2! {
    #[inline]
    pub fn load(bytes: &[u8; 32]) -> __m256i {
        // SAFETY: 32 bytes are read; no alignment is needed.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[inline]
    pub fn load_half(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes are read; no alignment is needed.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline]
    pub fn load_low(bytes: &[u8; 8]) -> __m128i {
        _mm_cvtsi64_si128(i64::from_le_bytes(*bytes))
    }

    /// Part `j` of a step: eight f32.
    #[inline]
    pub fn floats(step: &[u8], j: usize) -> __m256 {
        _mm256_castsi256_ps(load(&elements::<32>(step)[j]))
    }

    #[inline]
    pub fn store(bytes: &mut [u8; 32], register: __m256i) {
        // SAFETY: 32 bytes are written; no alignment is needed.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), register) }
    }

    #[inline]
    pub fn store_half(bytes: &mut [u8; 16], register: __m128i) {
        // SAFETY: 16 bytes are written; no alignment is needed.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), register) }
    }

    /// Stores two registers, one after the other.
    #[inline]
    pub fn store_both(bytes: &mut [u8; 64], registers: [__m256i; 2]) {
        // SAFETY: twice 32 bytes are written; no alignment is needed.
        unsafe {
            _mm256_storeu_si256(bytes.as_mut_ptr().cast(), registers[0]);
            _mm256_storeu_si256(bytes.as_mut_ptr().add(32).cast(), registers[1]);
        }
    }

    /// Interleaves lower and upper bytes to words. This works in halves of 128 bits; `in_halves` must have
    /// ordered the bytes.
    #[inline]
    pub fn interleaved(lower: __m256i, upper: __m256i) -> [__m256i; 2] {
        [_mm256_unpacklo_epi8(lower, upper), _mm256_unpackhi_epi8(lower, upper)]
    }

    /// Orders bytes so that [`interleaved`] returns contiguous words.
    #[inline]
    pub fn in_halves(codes: __m256i) -> __m256i {
        _mm256_permute4x64_epi64::<0b11_01_10_00>(codes)
    }

    /// Broadcasts these bits to each 32-bit lane.
    #[inline]
    pub fn each(bits: u32) -> __m256i {
        _mm256_set1_epi32(bits as i32)
    }

    /// Broadcasts this byte.
    #[inline]
    pub fn each_byte(byte: u8) -> __m256i {
        _mm256_set1_epi8(byte as i8)
    }

    /// Broadcasts this word.
    #[inline]
    pub fn each_word(word: i16) -> __m256i {
        _mm256_set1_epi16(word)
    }

    /// Broadcasts a table of sixteen bytes to both halves.
    #[inline]
    pub fn shuffle_table(table: &[u8; 16]) -> __m256i {
        _mm256_broadcastsi128_si256(load_half(table))
    }

    /// A mask of the lanes that are NaN.
    #[inline]
    pub fn is_nan(x: __m256) -> __m256i {
        _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x))
    }

    /// The low bytes of four registers in order; the other bytes must be 0.
    #[inline]
    pub fn packed_bytes(lanes: [__m256i; 4]) -> __m256i {
        let words = [_mm256_packus_epi32(lanes[0], lanes[1]), _mm256_packus_epi32(lanes[2], lanes[3])];
        in_order(_mm256_packus_epi16(words[0], words[1]))
    }

    /// Restores the order after two packs, which work in halves of 128 bits.
    #[inline]
    pub fn in_order(bytes: __m256i) -> __m256i {
        _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
    }

    /// Up to eight 32-bit words, padded with zeros to 32 bytes, or to `N` if that is less.
    #[inline]
    unsafe fn fill<const N: usize>(to: *mut u8, from: *const u8, left: usize) {
        let mask = _mm256_cmpgt_epi32(each(left as u32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        // SAFETY: masked bytes are not read, and the caller has as many bytes as are written.
        unsafe {
            let bytes = _mm256_maskload_epi32(from.cast(), mask);
            match_const!(if N < 32 { N } else { 32 }, {
                // There is nothing to fill.
                0 => {},
                16 => _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(bytes)),
                32 => _mm256_storeu_si256(to.cast(), bytes),
            })
        }
    }
}
