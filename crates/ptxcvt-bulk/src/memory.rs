//! Prefetching, non-temporal stores, and the size of the last-level cache.

use core::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// The distance of prefetches in bytes. It covers the latency of memory, also across pages, where the
/// hardware's own prefetching stops.
pub(crate) const AHEAD: usize = 4096;

/// Prefetches `bytes` bytes at `from`, which may be beyond any slice. `LEVEL` is the nearest cache that gets them.
#[inline(always)]
fn prefetch<const LEVEL: u32>(from: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(LINE) {
        use super::lanes::match_const;
        use core::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        let place = from.wrapping_add(line).cast();
        // SAFETY: a prefetch only affects the cache, for any address; SSE is part of x86-64.
        unsafe {
            match_const!(LEVEL, {
                1 => _mm_prefetch::<_MM_HINT_T0>(place),
                2 => _mm_prefetch::<_MM_HINT_T1>(place),
            });
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, bytes);
}

/// Prefetches the one cache line that is `AHEAD` bytes after the beginning of `part`.
#[inline(always)]
pub fn fetch_line(part: &[u8]) {
    prefetch::<1>(part.as_ptr().wrapping_add(AHEAD), 1);
}

/// Prefetches into the second-level cache, which can wait for many more lines at a time than the first. Only
/// for data that is in no cache yet: it does not help data in the first-level cache.
#[inline(always)]
pub(crate) fn fetch_cold(from: *const u8, bytes: usize) {
    prefetch::<2>(from.wrapping_add(AHEAD), bytes);
}

/// Prefetches the memory `ahead` bytes after `part` (before it if negative) into the second-level cache.
#[inline(always)]
pub fn fetch_at(part: &[u8], ahead: isize) {
    prefetch::<2>(part.as_ptr().wrapping_offset(ahead), part.len());
}

/// Prefetches what is `ahead` bytes after `from`, which may be beyond any slice, in step `i` of a kernel whose steps read
/// `FROM` bytes: one prefetch for each cache line. Distributed over a kernel's loop, this keeps memory busy while the kernel
/// computes. Data in a cache take a tenth longer by it, also in that of the third level.
#[cfg(hand_written)]
#[inline(always)]
pub(crate) fn fetch_step<const FROM: usize>(i: usize, from: &[u8; FROM], ahead: usize) {
    if i % (LINE / FROM).max(1) == 0 {
        prefetch::<1>(from.as_ptr().wrapping_add(ahead), FROM);
    }
}

/// Results of this many bytes are a whole number of elements of every width, and of whole instructions. Most
/// allocators, such as NumPy's, align to it and not to a cache line.
pub(crate) const GRAIN: usize = 16;

/// How many of `bytes` bytes of results are before the first cache line, if it is worth while to start there: less than
/// `bytes`, and a multiple of [`GRAIN`].
#[inline(always)]
pub(crate) fn before_line(result: *const u8, bytes: usize) -> usize {
    const WORTH: usize = 2048;
    let head = result.addr().wrapping_neg() % LINE;
    if head % GRAIN == 0 && bytes >= WORTH { head } else { 0 }
}

/// Copies with non-temporal stores. Parts of `target` before the first and after the last whole cache line are written
/// with ordinary stores.
///
/// # Panics
///
/// Panics if the slices have different lengths.
#[cfg(target_arch = "x86_64")]
pub fn copy_streamed(source: &[u8], target: &mut [u8]) {
    assert_eq!(source.len(), target.len(), "the slices have the same length");
    // Copies whole cache lines, because a line that is written in parts is transferred twice.
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
/// Both pointers are valid for 64 bytes, and `to` is aligned to 64.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
#[inline(always)]
pub(crate) unsafe fn stream_line(from: *const u8, to: *mut u8) {
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

/// Copies with ordinary stores, the only ones on this CPU.
///
/// # Panics
///
/// Panics if the slices have different lengths.
#[cfg(not(target_arch = "x86_64"))]
pub fn copy_streamed(source: &[u8], target: &mut [u8]) {
    target.copy_from_slice(source);
}

/// Orders the non-temporal stores before all later stores.
pub fn fence() {
    // SAFETY: SSE is part of x86-64.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Whether data of this size fill most of a core's share of the last-level cache, so that they come from memory, and
/// have left the cache before they are read again.
pub(crate) fn fill_caches(bytes: usize) -> bool {
    /// Fewer bytes never do: then the size of the cache need not be known.
    const SMALL: usize = 1 << 20;
    bytes >= SMALL && bytes >= last_level_share() / 4 * 3
}

/// The size of the last-level cache divided by the number of threads that share it. If the processor does not
/// report it, a typical share of servers.
fn last_level_share() -> usize {
    const USUAL: usize = 32 << 20;
    static KNOWN: AtomicUsize = AtomicUsize::new(0);
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            // This takes microseconds in a virtual machine. Concurrent threads store the same number.
            let share = detected_share().unwrap_or(USUAL);
            KNOWN.store(share, Ordering::Relaxed);
            share
        }
        share => share,
    }
}

/// The share that CPUID reports: leaf 4 of Intel, or AMD's leaf with the same layout.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // safe in newer compilers
fn detected_share() -> Option<usize> {
    use core::arch::x86_64::{__cpuid, __cpuid_count, CpuidResult};
    const LEAVES: [u32; 2] = [4, 0x8000_001d];
    // SAFETY: every x86-64 CPU has CPUID, and both leaves are below the maximum that it reports.
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
