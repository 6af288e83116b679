//! The largest magnitude of each block, from the numbers as they lie: as bits of their type without the sign, which
//! order NaN above infinity and that above all numbers.
//!
//! Of a plain loop compilers make one across blocks, which gathers single bytes; so for AVX2 it is written in
//! intrinsics, for compilers that take them in safe functions: the largest of whole vectors, then of the lanes of one.
#![allow(unsafe_code)]

/// Bytes of a vector.
#[cfg(all(target_arch = "x86_64", rust_1_89))]
const VECTOR: usize = 32;

/// Joins the largest magnitudes of blocks of `width` elements of 16 bits with what `most` holds; the last block may be
/// short.
pub(super) fn of_halves(from: &[u8], width: usize, most: &mut [u32]) {
    if !vectors::<2>(from, 2 * width, most) {
        each::<2>(from, 2 * width, most, |x| u32::from(u16::from_le_bytes(x) & 0x7fff));
    }
}

/// The same of f32.
pub(super) fn of_words(from: &[u8], width: usize, most: &mut [u32]) {
    if !vectors::<4>(from, 4 * width, most) {
        each::<4>(from, 4 * width, most, |x| u32::from_le_bytes(x) & 0x7fff_ffff);
    }
}

/// Element by element.
fn each<const N: usize>(from: &[u8], block: usize, most: &mut [u32], magnitude: fn([u8; N]) -> u32) {
    let of_element = |x: &[u8]| magnitude(core::array::from_fn(|i| x[i]));
    for (block, most) in from.chunks(block).zip(most) {
        *most = block.chunks_exact(N).map(of_element).fold(*most, u32::max);
    }
}

/// The same by vectors, where there are vectors and blocks are whole numbers of them, or of one element.
#[cfg(all(target_arch = "x86_64", rust_1_89))]
fn vectors<const N: usize>(from: &[u8], block: usize, most: &mut [u32]) -> bool {
    let whole = block % VECTOR == 0 && from.len() % block == 0 && most.len() >= from.len() / block;
    if !whole || !ptxcvt::bulk::Tier::Avx2.is_available() {
        return false;
    }
    // SAFETY: the CPU has AVX2; the blocks are whole numbers of vectors.
    unsafe { x86::blocks::<N>(from, block, most) }
    true
}

#[cfg(not(all(target_arch = "x86_64", rust_1_89)))]
fn vectors<const N: usize>(_: &[u8], _: usize, _: &mut [u32]) -> bool {
    false
}

#[cfg(all(target_arch = "x86_64", rust_1_89))]
mod x86 {
    use core::arch::x86_64::*;

    use super::VECTOR;

    /// # Safety
    ///
    /// The CPU has AVX2, and `block` is a multiple of 32.
    #[target_feature(enable = "avx2")]
    pub unsafe fn blocks<const N: usize>(from: &[u8], block: usize, most: &mut [u32]) {
        // Of the sizes that recipes have, the loop within the block has a known length.
        match block / VECTOR {
            // SAFETY: as the caller's.
            1 => unsafe { of_size::<N>(from, 1, most) },
            2 => unsafe { of_size::<N>(from, 2, most) },
            4 => unsafe { of_size::<N>(from, 4, most) },
            8 => unsafe { of_size::<N>(from, 8, most) },
            n => unsafe { of_size::<N>(from, n, most) },
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn of_size<const N: usize>(from: &[u8], vectors: usize, most: &mut [u32]) {
        let magnitude = if N == 2 { _mm256_set1_epi16(0x7fff) } else { _mm256_set1_epi32(0x7fff_ffff) };
        for (block, most) in from.chunks_exact(vectors * VECTOR).zip(most) {
            let mut largest = _mm256_setzero_si256();
            for i in 0..vectors {
                // SAFETY: the block has so many vectors.
                let x = unsafe { _mm256_loadu_si256(block.as_ptr().add(VECTOR * i).cast()) };
                largest = max::<N>(largest, _mm256_and_si256(x, magnitude));
            }
            *most = (*most).max(lanes::<N>(largest));
        }
    }

    /// Lane by lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn max<const N: usize>(a: __m256i, b: __m256i) -> __m256i {
        if N == 2 { _mm256_max_epu16(a, b) } else { _mm256_max_epu32(a, b) }
    }

    /// The largest lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn lanes<const N: usize>(x: __m256i) -> u32 {
        let (low, high) = (_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
        if N == 2 {
            // There is an instruction for the smallest.
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
