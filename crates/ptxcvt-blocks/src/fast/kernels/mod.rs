//! The loops of the fast implementation, compiled for every tier of the bulk engine. They do not branch on
//! data, except for NaN.
//!
//! `unsafe` is needed for three purposes: calls of functions compiled for AVX2, which the CPU must have;
//! prefetches and non-temporal stores, which use pointers; and conversions to an integer in one instruction,
//! for which the number must fit.
#![allow(unsafe_code)]

mod arithmetic;
mod codes;
mod widen;

pub(super) use arithmetic::*;
pub(super) use codes::*;
pub(super) use widen::*;

/// Copies with non-temporal stores.
pub(super) fn stream(from: &[u8], to: &mut [u8]) {
    assert_eq!(from.len(), to.len());
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        // Copies whole cache lines, because a line that is written in parts is transferred twice.
        const LINE: usize = 64;
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        to[..head].copy_from_slice(&from[..head]);
        let (from, to) = (&from[head..], &mut to[head..]);
        let whole = to.len() / LINE * LINE;
        for (from, to) in from[..whole].chunks_exact(LINE).zip(to[..whole].chunks_exact_mut(LINE)) {
            let (from, to) = (from.as_ptr().cast::<__m128i>(), to.as_mut_ptr().cast::<__m128i>());
            // SAFETY: both hold 64 bytes, `to` is aligned to 64, and SSE2 is part of x86-64.
            unsafe {
                let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
                for (i, part) in line.into_iter().enumerate() {
                    _mm_stream_si128(to.add(i), part);
                }
            }
        }
        to[whole..].copy_from_slice(&from[whole..]);
    }
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

/// Orders non-temporal stores before all later stores.
pub(super) fn fence() {
    // SAFETY: SSE is part of x86-64.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
