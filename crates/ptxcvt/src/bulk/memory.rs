//! What a run does to memory beside reading and writing it: asking for it ahead of time, and storing around the
//! caches.

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// How far ahead memory is asked for: far enough to cover its latency, across the pages at which the
/// hardware's own prefetching stops.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 4096;

/// Asks for the cache lines that lie `AHEAD` of `part`, whether or not they belong to the slice. Spread over
/// a kernel's loop, this keeps memory busy while the kernel computes; in cache it costs nothing.
#[inline(always)]
pub(super) fn fetch(part: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..part.len()).step_by(LINE) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = part.as_ptr().wrapping_add(AHEAD + line);
        // SAFETY: a prefetch has no effect but on the cache, wherever it points; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = part;
}

/// The same for step `i` of a kernel whose steps read `FROM` bytes: once for each line.
#[cfg(hand_written)]
#[inline(always)]
pub(super) fn fetch_step<const FROM: usize>(i: usize, from: &[u8; FROM]) {
    if i % (LINE / FROM).max(1) == 0 {
        fetch(from);
    }
}

/// Copies with non-temporal stores; both are aligned to cache lines but for the first and last block.
#[cfg(target_arch = "x86_64")]
pub(super) fn copy_streamed(source: &[u8], target: &mut [u8]) {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    // Whole cache lines in one step: a line that is written in parts goes to memory twice.
    let head = target.as_ptr().align_offset(LINE).min(target.len());
    target[..head].copy_from_slice(&source[..head]);
    let (source, target) = (&source[head..], &mut target[head..]);
    let whole = target.len() / LINE * LINE;
    for (from, to) in source[..whole].chunks_exact(LINE).zip(target[..whole].chunks_exact_mut(LINE)) {
        let (from, to) = (from.as_ptr().cast::<__m128i>(), to.as_mut_ptr().cast::<__m128i>());
        // SAFETY: both hold 64 bytes, `to` is aligned to 64, and SSE2 is part of x86-64.
        unsafe {
            let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
            for (i, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(i), part);
            }
        }
    }
    target[whole..].copy_from_slice(&source[whole..]);
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn copy_streamed(source: &[u8], target: &mut [u8]) {
    target.copy_from_slice(source);
}

/// Orders the non-temporal stores before whatever comes next.
pub(super) fn fence() {
    // SAFETY: SSE is part of x86-64.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
