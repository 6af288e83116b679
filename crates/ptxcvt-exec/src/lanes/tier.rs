//! The kernels, compiled for every tier.

use super::kernel::Kernel;

/// A kernel over columns, compiled for some tier: the kernel, the bytes of an element, the results, the sources.
pub(super) type Run = fn(&Kernel, usize, &mut [u8], [&[u8]; 3]);

ptxcvt_bulk::tiered! {
    /// The function for a tier.
    pub(super) fn run_of(tier) -> fn(kernel: &Kernel, width: usize, d: &mut [u8], sources: [&[u8]; 3]) {
        kernel.run(width, d, sources);
    }
}
