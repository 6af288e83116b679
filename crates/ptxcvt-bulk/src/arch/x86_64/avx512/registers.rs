//! Loads and stores of registers of 64 bytes.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use crate::lanes::match_const;
use crate::stage::elements;
use crate::steps::{self, Fill};

/// The roundings of instructions that have one, without exceptions.
pub const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
pub const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
pub const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
pub const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;

/// The padding buffers of this tier.
pub type Pad<const FROM: usize, const WITH: usize, const TO: usize> = steps::Pad<Masked, FROM, WITH, TO>;

/// Fills padding by masked loads.
pub struct Masked;

impl Fill for Masked {
    #[inline(always)]
    unsafe fn fill<'a, const N: usize>(pad: &'a mut MaybeUninit<[u8; N]>, bytes: &[u8]) -> &'a [u8; N] {
        const { assert!(N % 64 == 0 || N == 32 || N == 16) };
        for at in (0..N).step_by(64) {
            let left = bytes.len().saturating_sub(at);
            // SAFETY: the caller guarantees the features. No more bytes are read than `bytes` has, and no more than `N`
            // written.
            unsafe {
                fill::<N>(pad.as_mut_ptr().cast::<u8>().add(at), bytes.as_ptr().wrapping_add(at), left)
            };
        }
        // SAFETY: all bytes have been written.
        unsafe { pad.assume_init_ref() }
    }
}

crate::avx512! {
    #[inline]
    pub fn load(bytes: &[u8; 64]) -> __m512i {
        // SAFETY: 64 bytes are read; no alignment is needed.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline]
    pub fn load_half(bytes: &[u8; 32]) -> __m256i {
        // SAFETY: 32 bytes are read; no alignment is needed.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[inline]
    pub fn load_quarter(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes are read; no alignment is needed.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    /// Part `j` of a step: sixteen f32.
    #[inline]
    pub fn floats(step: &[u8], j: usize) -> __m512 {
        _mm512_castsi512_ps(load(&elements::<64>(step)[j]))
    }

    #[inline]
    pub fn store(bytes: &mut [u8; 64], register: __m512i) {
        // SAFETY: 64 bytes are written; no alignment is needed.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), register) }
    }

    #[inline]
    pub fn store_half(bytes: &mut [u8; 32], register: __m256i) {
        // SAFETY: 32 bytes are written; no alignment is needed.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), register) }
    }

    #[inline]
    pub fn store_quarter(bytes: &mut [u8; 16], register: __m128i) {
        // SAFETY: 16 bytes are written; no alignment is needed.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), register) }
    }

    /// Stores two registers, one after the other.
    #[inline]
    pub fn store_both(bytes: &mut [u8; 128], registers: [__m512i; 2]) {
        // SAFETY: twice 64 bytes are written; no alignment is needed.
        unsafe {
            _mm512_storeu_si512(bytes.as_mut_ptr().cast(), registers[0]);
            _mm512_storeu_si512(bytes.as_mut_ptr().add(64).cast(), registers[1]);
        }
    }

    /// Up to 64 bytes, padded with zeros to 64 bytes, or to `N` if that is less.
    #[inline]
    unsafe fn fill<const N: usize>(to: *mut u8, from: *const u8, left: usize) {
        let mask = _bzhi_u64(!0, left.min(64) as u32);
        // SAFETY: masked bytes are not read, and the caller has as many bytes as are written.
        unsafe {
            let bytes = _mm512_maskz_loadu_epi8(mask, from.cast());
            match_const!(if N < 64 { N } else { 64 }, {
                // There is nothing to fill.
                0 => {},
                16 => _mm_storeu_si128(to.cast(), _mm512_castsi512_si128(bytes)),
                32 => _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(bytes)),
                64 => _mm512_storeu_si512(to.cast(), bytes),
            })
        }
    }
}
