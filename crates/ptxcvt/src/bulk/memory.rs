//! What a run does to memory beside reading and writing it: asking for it ahead of time, and storing around the
//! caches, whose size the processor tells.

use core::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// How far ahead memory is asked for: far enough to cover its latency, across the pages at which the
/// hardware's own prefetching stops.
pub(super) const AHEAD: usize = 4096;

/// Asks for the cache lines that lie `ahead` of `part`, whether or not they belong to the slice. Spread over
/// a kernel's loop, this keeps memory busy while the kernel computes; in cache it costs nothing.
#[inline(always)]
pub(super) fn fetch(part: &[u8], ahead: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..part.len()).step_by(LINE) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = part.as_ptr().wrapping_add(ahead + line);
        // SAFETY: a prefetch has no effect but on the cache, wherever it points; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (part, ahead);
}

/// The same into the second-level cache, where many more lines can be on their way than to the first: for what is in no
/// cache yet. What is there already would wait there.
#[inline(always)]
pub(super) fn fetch_cold(from: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(LINE) {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let place = from.wrapping_add(AHEAD + line);
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, bytes);
}

/// As [`fetch`] for step `i` of a kernel whose steps read `FROM` bytes: once for each line.
#[cfg(hand_written)]
#[inline(always)]
pub(super) fn fetch_step<const FROM: usize>(i: usize, from: &[u8; FROM], ahead: usize) {
    if i % (LINE / FROM).max(1) == 0 {
        fetch(from, ahead);
    }
}

/// Copies with non-temporal stores; both are aligned to cache lines but for the first and last block.
#[cfg(target_arch = "x86_64")]
pub(super) fn copy_streamed(source: &[u8], target: &mut [u8]) {
    // Whole cache lines in one step: a line that is written in parts goes to memory twice.
    let head = target.as_ptr().align_offset(LINE).min(target.len());
    target[..head].copy_from_slice(&source[..head]);
    let (source, target) = (&source[head..], &mut target[head..]);
    let whole = target.len() / LINE * LINE;
    for (from, to) in source[..whole].chunks_exact(LINE).zip(target[..whole].chunks_exact_mut(LINE)) {
        // SAFETY: both hold 64 bytes, and `to` is aligned to 64.
        unsafe { stream_line(from.as_ptr(), to.as_mut_ptr()) };
    }
    target[whole..].copy_from_slice(&source[whole..]);
}

/// Copies a cache line with non-temporal stores.
///
/// # Safety
///
/// Both pointers are to 64 bytes that are there; `to` is aligned to 64.
#[inline(always)]
pub(super) unsafe fn stream_line(from: *const u8, to: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        let (from, to) = (from.cast::<__m128i>(), to.cast::<__m128i>());
        // SAFETY: as the caller promises; SSE2 is part of x86-64.
        unsafe {
            let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
            for (i, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(i), part);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: as the caller promises.
    unsafe {
        from.copy_to_nonoverlapping(to, LINE);
    }
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

/// Bytes of the last-level cache that are there for each of the threads that share it; where the processor does not tell,
/// a usual share of servers.
pub(super) fn last_level_share() -> usize {
    const USUAL: usize = 32 << 20;
    static KNOWN: AtomicUsize = AtomicUsize::new(0);
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            // Microseconds in a virtual machine; threads that ask at once find the same.
            let share = detected_share().unwrap_or(USUAL);
            KNOWN.store(share, Ordering::Relaxed);
            share
        }
        share => share,
    }
}

/// Intel's leaf 4 of CPUID, or the one of the same layout that AMD has.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // safe in newer compilers
fn detected_share() -> Option<usize> {
    use core::arch::x86_64::{__cpuid, __cpuid_count, CpuidResult};
    const LEAVES: [u32; 2] = [4, 0x8000_001d];
    // SAFETY: every x86-64 CPU has CPUID, and both leaves are below what it says it has.
    let caches = |leaf: u32| unsafe {
        let most = __cpuid(leaf & 0x8000_0000).eax;
        (0..8).map(move |i| {
            if leaf <= most { __cpuid_count(leaf, i) } else { CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 } }
        })
    };
    // Kind 0 ends the list.
    let listed = |leaf| caches(leaf).take_while(|cache| cache.eax & 0x1f != 0);
    let last = LEAVES.into_iter().flat_map(listed).max_by_key(|cache| cache.eax >> 5 & 7)?;
    let field = |register: u32, from: u32, bits: u32| (register >> from & ((1 << bits) - 1)) as usize + 1;
    let lines = field(last.ebx, 22, 10) * field(last.ebx, 12, 10) * field(last.ebx, 0, 12);
    Some(lines * (last.ecx as usize + 1) / field(last.eax, 14, 12))
}

#[cfg(not(target_arch = "x86_64"))]
fn detected_share() -> Option<usize> {
    None
}
