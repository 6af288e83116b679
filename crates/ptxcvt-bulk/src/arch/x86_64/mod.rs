//! Kernels written in x86 intrinsics.
//!
//! Files with the same name in two tiers do the same conversions, and some are similar. They are not generic
//! over the register, because the tiers differ in their instructions (masks, embedded rounding, permutes
//! across the register) and therefore in the shortest sequence. An abstraction would hide that sequence.
// build.rs disables this module for older compilers.
#![allow(clippy::incompatible_msrv)]

mod avx2;
mod avx512;
mod avx512vbmi;
mod philox;

use crate::arch::need::Need;
use crate::stage::Stage;
use crate::tier::Tier;

/// The kernel of a tier. A tier without a kernel for a conversion uses that of the tier below, if it is
/// faster than the generic kernel.
pub fn hand_written(tier: Tier, need: Need) -> Option<Stage> {
    match tier {
        Tier::Avx2 => avx2::hand_written(need),
        Tier::Avx512 => avx512::hand_written(need),
        Tier::Avx512Vbmi => avx512vbmi::hand_written(need).or_else(|| avx512::hand_written(need)),
        _ => None,
    }
}
