//! The largest magnitude of each block. Magnitudes are compared as the bits of the input's type without the
//! sign. In this order infinity is above all numbers, and NaN above infinity.
//!
//! Compilers vectorise a plain loop across blocks, which gathers single bytes. The AVX2 version is therefore
//! written in intrinsics: first the largest of whole vectors, then of the lanes of one. It needs a compiler
//! in which these intrinsics are safe.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", rustc_1_89))]
use ptxcvt_bulk::Tier;

/// Bytes of a vector.
#[cfg(all(target_arch = "x86_64", rustc_1_89))]
const VECTOR: usize = 32;

/// Updates `most` with the largest magnitudes of blocks of `width` 16-bit elements; the last block may be
/// incomplete.
pub(super) fn of_halves(from: &[u8], width: usize, most: &mut [u32]) {
    if !vectors::<2>(from, 2 * width, most) {
        each::<2>(from, 2 * width, most, |x| u32::from(u16::from_le_bytes(x) & 0x7fff));
    }
}

/// Like [`of_halves`], for f32.
pub(super) fn of_words(from: &[u8], width: usize, most: &mut [u32]) {
    if !vectors::<4>(from, 4 * width, most) {
        each::<4>(from, 4 * width, most, |x| u32::from_le_bytes(x) & 0x7fff_ffff);
    }
}

/// Computes them element by element.
fn each<const N: usize>(from: &[u8], block: usize, most: &mut [u32], magnitude: fn([u8; N]) -> u32) {
    let of_element = |x: &[u8]| magnitude(core::array::from_fn(|i| x[i]));
    for (block, most) in from.chunks(block).zip(most) {
        *most = block.chunks_exact(N).map(of_element).fold(*most, u32::max);
    }
}

/// Computes them with vectors. Returns false if the CPU has none, or if a block is neither a whole number of
/// vectors nor one element.
#[cfg(all(target_arch = "x86_64", rustc_1_89))]
fn vectors<const N: usize>(from: &[u8], block: usize, most: &mut [u32]) -> bool {
    let whole = block % VECTOR == 0 && from.len() % block == 0 && most.len() >= from.len() / block;
    if !whole || !Tier::current().includes(Tier::Avx2) {
        return false;
    }
    // SAFETY: the CPU has the current tier, which includes AVX2; the blocks are whole numbers of vectors.
    unsafe { x86::blocks::<N>(from, block, most) }
    true
}

#[cfg(not(all(target_arch = "x86_64", rustc_1_89)))]
fn vectors<const N: usize>(_: &[u8], _: usize, _: &mut [u32]) -> bool {
    false
}

#[cfg(all(target_arch = "x86_64", rustc_1_89))]
mod x86 {
    use core::arch::x86_64::*;

    use super::VECTOR;

    ptxcvt_bulk::avx2! {
        /// # Safety
        ///
        /// The CPU has AVX2, and `block` is a multiple of 32.
        pub unsafe fn blocks<const N: usize>(from: &[u8], block: usize, most: &mut [u32]) {
            // For the sizes of recipes, the loop within a block has a constant length.
            match block / VECTOR {
                // SAFETY: guaranteed by the caller.
                1 => unsafe { of_size::<N>(from, 1, most) },
                2 => unsafe { of_size::<N>(from, 2, most) },
                4 => unsafe { of_size::<N>(from, 4, most) },
                8 => unsafe { of_size::<N>(from, 8, most) },
                n => unsafe { of_size::<N>(from, n, most) },
            }
        }

        #[inline]
        unsafe fn of_size<const N: usize>(from: &[u8], vectors: usize, most: &mut [u32]) {
            const { assert!(N == 2 || N == 4, "elements have two or four bytes") };
            let magnitude = if N == 2 { _mm256_set1_epi16(0x7fff) } else { _mm256_set1_epi32(0x7fff_ffff) };
            for (block, most) in from.chunks_exact(vectors * VECTOR).zip(most) {
                let mut largest = _mm256_setzero_si256();
                for i in 0..vectors {
                    // SAFETY: the block has this many vectors.
                    let x = unsafe { _mm256_loadu_si256(block.as_ptr().add(VECTOR * i).cast()) };
                    largest = max::<N>(largest, _mm256_and_si256(x, magnitude));
                }
                *most = (*most).max(lanes::<N>(largest));
            }
        }

        /// The larger of each lane.
        #[inline]
        fn max<const N: usize>(a: __m256i, b: __m256i) -> __m256i {
            if N == 2 { _mm256_max_epu16(a, b) } else { _mm256_max_epu32(a, b) }
        }

        /// The largest lane.
        #[inline]
        fn lanes<const N: usize>(x: __m256i) -> u32 {
            let (low, high) = (_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
            if N == 2 {
                // The CPU only has an instruction for the smallest lane, so the bits are inverted.
                let ones = _mm_set1_epi16(-1);
                let smallest = _mm_minpos_epu16(_mm_xor_si128(_mm_max_epu16(low, high), ones));
                return !(_mm_cvtsi128_si32(smallest) as u32) & 0xffff;
            }
            let four = _mm_max_epu32(low, high);
            let two = _mm_max_epu32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
            let one = _mm_max_epu32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two));
            _mm_cvtsi128_si32(one) as u32
        }
    }
}
