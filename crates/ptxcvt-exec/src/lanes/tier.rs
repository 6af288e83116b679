//! The kernels compiled for sets of CPU features, one chosen when the program runs.
//!
//! `unsafe` because the functions are compiled for CPU features, which the compiler cannot know to be there.
#![allow(unsafe_code)]

use ptxcvt::bulk::Tier;

use super::kernel::Kernel;

/// A kernel over columns, compiled for some set of features.
pub(super) type Run = fn(&Kernel, usize, &mut [u8], [&[u8]; 3]);

/// The function for a tier that this machine has.
pub(super) fn run_of(tier: Tier) -> Run {
    match tier {
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        Tier::Avx512 | Tier::Avx512Vbmi if tier.is_available() => |kernel, width, d, sources| {
            // SAFETY: the tier is available, so the CPU has these parts of AVX-512, FMA and BMI.
            unsafe { with_avx512(kernel, width, d, sources) }
        },
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 | Tier::Avx512 | Tier::Avx512Vbmi if tier.is_available() => |kernel, width, d, sources| {
            // SAFETY: the tier is available, so the CPU has AVX2, FMA and BMI.
            unsafe { with_avx2(kernel, width, d, sources) }
        },
        _ => |kernel, width, d, sources| kernel.run(width, d, sources),
    }
}

/// # Safety
///
/// The CPU must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
unsafe fn with_avx2(kernel: &Kernel, width: usize, d: &mut [u8], sources: [&[u8]; 3]) {
    kernel.run(width, d, sources);
}

/// # Safety
///
/// The CPU must have these features.
#[cfg(all(target_arch = "x86_64", rust_1_89))]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn with_avx512(kernel: &Kernel, width: usize, d: &mut [u8], sources: [&[u8]; 3]) {
    kernel.run(width, d, sources);
}
