//! The copy kernels: the fastest transfer of these widths through memory and caches, without any conversion.
#![allow(clippy::incompatible_msrv)] // benchmarks are for current compilers

use ptxcvt_bulk::Tier;

/// Reads elements of `FROM` bytes and writes the low `TO` bytes of each, zero-extended.
type Copy = unsafe fn(&[u8], &mut [u8]);

/// The fastest copy of this machine for these widths, in half bytes per element. With `streamed` it uses
/// non-temporal stores.
pub fn copy(from: usize, to: usize, streamed: bool, source: &[u8], target: &mut [u8]) {
    let kernel = kernel(from, to);
    if !streamed {
        // SAFETY: `kernel` returns only what this machine can run.
        return unsafe { kernel(source, target) };
    }
    #[cfg(all(target_arch = "x86_64", rustc_1_89))]
    if (from, to) == (8, 2) && Tier::best().includes(Tier::Avx512Vbmi) {
        // SAFETY: as above; the target is aligned to pages.
        return unsafe { x86::narrow_4_to_1::<true>(source, target) };
    }
    // Through a small buffer, because non-temporal stores must not be read back.
    let mut buffer = [0_u8; 4096];
    let step = buffer.len() * from / to;
    for (source, target) in source.chunks(step).zip(target.chunks_mut(4096)) {
        let buffer = &mut buffer[..target.len()];
        // SAFETY: as above.
        unsafe { kernel(source, buffer) };
        stream(buffer, target);
    }
}

fn kernel(from: usize, to: usize) -> Copy {
    #[cfg(target_arch = "x86_64")]
    {
        // Like the library's tier, this needs a compiler with stable AVX-512 intrinsics.
        #[cfg(rustc_1_89)]
        if Tier::best().includes(Tier::Avx512Vbmi) {
            if (from, to) == (8, 2) {
                return x86::narrow_4_to_1::<false>;
            }
            return by_width!(x86::avx512, from, to);
        }
        if Tier::best().includes(Tier::Avx2) {
            return by_width!(x86::avx2, from, to);
        }
    }
    by_width!(plain, from, to)
}

macro_rules! by_width {
    ($f:path, $from:expr, $to:expr) => {{
        use $f as f;
        match ($from, $to) {
            (16, 16) => f::<8, 8>,
            (16, 8) => f::<8, 4>,
            (16, 4) => f::<8, 2>,
            (16, 2) => f::<8, 1>,
            (4, 16) => f::<2, 8>,
            (2, 16) => f::<1, 8>,
            (2, 2) => f::<1, 1>,
            (8, 4) => f::<4, 2>,
            (8, 2) => f::<4, 1>,
            (8, 8) => f::<4, 4>,
            (8, 16) => f::<4, 8>,
            (4, 8) => f::<2, 4>,
            (4, 2) => f::<2, 1>,
            (4, 4) => f::<2, 2>,
            (2, 4) => f::<1, 2>,
            (2, 8) => f::<1, 4>,
            // Two FP4 elements per byte.
            (8, 1) => f::<8, 1>,
            (4, 1) => f::<4, 1>,
            (1, 4) => f::<1, 4>,
            other => unreachable!("no copy of widths {other:?}"),
        }
    }};
}
use by_width;

#[inline(always)]
unsafe fn plain<const FROM: usize, const TO: usize>(source: &[u8], target: &mut [u8]) {
    let source = source.as_ptr().cast::<[u8; FROM]>();
    let count = target.len() / TO;
    let target = target.as_mut_ptr().cast::<[u8; TO]>();
    for i in 0..count {
        let mut wide = [0; 8];
        // SAFETY: both slices hold `count` elements.
        unsafe {
            wide[..FROM].copy_from_slice(&*source.add(i));
            (*target.add(i)).copy_from_slice(&wide[..TO]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #[cfg(rustc_1_89)]
    use core::arch::x86_64::*;

    ptxcvt_bulk::avx2! {
        pub unsafe fn sum(source: &[u8]) -> u64 {
            super::sum(source)
        }

        pub unsafe fn avx2<const FROM: usize, const TO: usize>(source: &[u8], target: &mut [u8]) {
            // SAFETY: as for the caller.
            unsafe { super::plain::<FROM, TO>(source, target) }
        }
    }

    #[cfg(rustc_1_89)]
    ptxcvt_bulk::avx512vbmi! {
        pub unsafe fn avx512<const FROM: usize, const TO: usize>(source: &[u8], target: &mut [u8]) {
            // SAFETY: as for the caller.
            unsafe { super::plain::<FROM, TO>(source, target) }
        }

        /// Narrows four registers to one by two-source byte permutes; compilers narrow one at a time.
        /// Non-temporal stores write lines directly from the register, and the source is prefetched.
        pub unsafe fn narrow_4_to_1<const STREAMED: bool>(source: &[u8], target: &mut [u8]) {
            let low: [u8; 64] = std::array::from_fn(|i| (4 * i) as u8);
            let whole = target.len() / 64;
            // SAFETY: each step reads 256 bytes and writes 64 within the slices.
            unsafe {
                let pick = _mm512_loadu_si512(low.as_ptr().cast());
                for i in 0..whole {
                    let at = |j: usize| _mm512_loadu_si512(source.as_ptr().add(256 * i + 64 * j).cast());
                    let first = _mm512_permutex2var_epi8(at(0), pick, at(1));
                    let second = _mm512_permutex2var_epi8(at(2), pick, at(3));
                    let both = _mm512_inserti64x4(first, _mm512_castsi512_si256(second), 1);
                    let place = target.as_mut_ptr().add(64 * i).cast();
                    if STREAMED {
                        for line in 0..4 {
                            let ahead = source.as_ptr().wrapping_add(256 * i + 4096 + 64 * line);
                            _mm_prefetch::<_MM_HINT_T1>(ahead.cast());
                        }
                        _mm512_stream_si512(place, both);
                    } else {
                        _mm512_storeu_si512(place.cast(), both);
                    }
                }
                if STREAMED {
                    _mm_sfence();
                }
                super::plain::<4, 1>(&source[256 * whole..], &mut target[64 * whole..]);
            }
        }
    }
}

/// Only reads the source: a lower bound for every conversion.
pub fn read(source: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if Tier::best().includes(Tier::Avx2) {
        // SAFETY: the CPU has the features of this tier.
        return unsafe { x86::sum(source) };
    }
    sum(source)
}

#[inline(always)]
fn sum(source: &[u8]) -> u64 {
    let lines = source.chunks_exact(64);
    let mut sums = [0_u64; 8];
    for line in lines {
        for (sum, word) in sums.iter_mut().zip(line.chunks_exact(8)) {
            *sum = sum.wrapping_add(u64::from_le_bytes([
                word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7],
            ]));
        }
    }
    sums.into_iter().fold(0, u64::wrapping_add)
}

fn stream(source: &[u8], target: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::*;
        assert!(target.as_ptr().cast::<__m128i>().is_aligned() && target.len() % 16 == 0);
        for (from, to) in source.chunks_exact(16).zip(target.chunks_exact_mut(16)) {
            // SAFETY: 16 bytes each, `to` aligned.
            unsafe { _mm_stream_si128(to.as_mut_ptr().cast(), _mm_loadu_si128(from.as_ptr().cast())) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    target.copy_from_slice(source);
}
