//! Kernels written in x86 intrinsics.
//!
//! Files of the same name in two tiers do the same, and some look alike. They are not one file over a type for the
//! register: the tiers differ in what they have (masks, embedded rounding, permutes across the register), so in which
//! operations are least, and an abstraction over both would hide just what these files are written for.
// build.rs sees to it that older compilers never meet these.
#![allow(clippy::incompatible_msrv)]

mod avx2;
mod avx512;
mod avx512vbmi;
mod philox;

use super::Need;
use crate::bulk::stage::Stage;
use crate::bulk::tier::Tier;

/// The kernel of a tier; one with more features takes what it has not itself from the one below, where that is faster
/// than the generic kernel.
pub fn hand_written(tier: Tier, need: Need) -> Option<Stage> {
    match tier {
        Tier::Avx2 => avx2::hand_written(need),
        Tier::Avx512 => avx512::hand_written(need),
        Tier::Avx512Vbmi => avx512vbmi::hand_written(need).or_else(|| avx512::hand_written(need)),
        _ => None,
    }
}
