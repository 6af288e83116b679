//! The CPU features of each tier: listed here, and nowhere else.
//!
//! `with_features! { avx2 => [m] … }` calls `m! { ["avx2" "f16c" …] … }`; from it come the detection
//! ([`Tier`](super::Tier)) and the macros below, which compile functions for a tier.

macro_rules! with_features {
    (avx2 => [$($then:tt)*] $($rest:tt)*) => {
        $($then)*! { ["avx2" "f16c" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)* }
    };
    (avx512 => [$($then:tt)*] $($rest:tt)*) => {
        $($then)*! {
            ["avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
             "avx2" "f16c" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)*
        }
    };
    (avx512vbmi => [$($then:tt)*] $($rest:tt)*) => {
        $($then)*! {
            ["avx512vbmi" "gfni" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
             "avx2" "f16c" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)*
        }
    };
}
pub(super) use with_features;

/// Puts `#[target_feature(enable = …)]` before each function.
macro_rules! compiled_for {
    ([$($feature:literal)*]) => {};
    ([$($feature:literal)*] $function:item $($rest:tt)*) => {
        #[target_feature($(enable = $feature),*)]
        $function
        $crate::bulk::features::compiled_for! { [$($feature)*] $($rest)* }
    };
}
pub(super) use compiled_for;

/// Compiles functions for AVX2: `avx2! { fn f() {} fn g() {} }`.
macro_rules! avx2 {
    ($($functions:tt)*) => {
        $crate::bulk::features::with_features! { avx2 => [$crate::bulk::features::compiled_for] $($functions)* }
    };
}
pub(super) use avx2;

/// The same for AVX-512 without VBMI.
#[cfg(rust_1_89)]
macro_rules! avx512 {
    ($($functions:tt)*) => {
        $crate::bulk::features::with_features! { avx512 => [$crate::bulk::features::compiled_for] $($functions)* }
    };
}
#[cfg(rust_1_89)]
pub(super) use avx512;

/// The same for AVX-512 with VBMI.
#[cfg(rust_1_89)]
macro_rules! avx512vbmi {
    ($($functions:tt)*) => {
        $crate::bulk::features::with_features! { avx512vbmi => [$crate::bulk::features::compiled_for] $($functions)* }
    };
}
#[cfg(rust_1_89)]
pub(super) use avx512vbmi;
