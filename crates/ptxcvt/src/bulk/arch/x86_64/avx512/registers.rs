//! Loads and stores of registers of 64 bytes.

use core::arch::x86_64::*;

use crate::bulk::features;
use crate::bulk::stage::elements;

features::avx512! {
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

    /// Sixteen f32: part `j` of a step.
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

    /// Two registers, one after the other.
    #[inline]
    pub fn store_both(bytes: &mut [u8; 128], registers: [__m512i; 2]) {
        // SAFETY: twice 64 bytes are written; no alignment is needed.
        unsafe {
            _mm512_storeu_si512(bytes.as_mut_ptr().cast(), registers[0]);
            _mm512_storeu_si512(bytes.as_mut_ptr().add(64).cast(), registers[1]);
        }
    }
}
