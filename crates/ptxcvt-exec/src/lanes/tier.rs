//! The kernels, compiled for every tier.

use super::kernel::{Kernel, SOURCES};
use super::lane::{Lane, Source};

/// A kernel over columns, compiled for some tier: the kernel, the bytes of an element, the results, the sources. The
/// sources are passed by reference: a copy would be loaded in other widths than it was stored in, and such loads wait.
pub(super) type Run = fn(&Kernel, usize, &mut [u8], &[Source<'_>; SOURCES]);

ptxcvt_bulk::tiered! {
    /// The function for a tier.
    pub(super) fn run_of(tier) -> fn(kernel: &Kernel, width: usize, d: &mut [u8], sources: &[Source<'_>; SOURCES]) {
        kernel.run(width, d, *sources);
    }

    /// Gives the lanes of a column, of `bytes` bytes each, consecutive numbers from `first` on: bits `from` and above of
    /// each number as far as `mask` selects them, shifted to the left by `at`.
    pub(super) fn count(column: &mut [u8], bytes: usize, first: u32, from: u32, mask: u32, at: u32) {
        match bytes {
            1 => count_up::<u8>(column, first, from, mask, at),
            2 => count_up::<u16>(column, first, from, mask, at),
            4 => count_up::<u32>(column, first, from, mask, at),
            _ => count_up::<u64>(column, first, from, mask, at),
        }
    }
}

#[inline(always)]
fn count_up<T: Lane>(column: &mut [u8], first: u32, from: u32, mask: u32, at: u32) {
    for (to, lane) in column.chunks_exact_mut(T::BYTES).zip(0_u32..) {
        let number = first.wrapping_add(lane) >> from & mask;
        T::from_u64(number.into()).shl(at).store(to);
    }
}
