//! The number types of other crates, and ours for the same format.

use ptxcvt::types::Number;
use ptxcvt::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, Format, Ue8m0};

/// Work on one pair of types.
pub trait Task {
    /// Does the work. `peer` and `ours` round an f32 to a code; `N` is our type.
    fn run<N: Number>(
        &mut self,
        name: &'static str,
        peer: impl Fn(f32) -> u32 + Copy,
        ours: impl Fn(f32) -> u32 + Copy,
    );
}

/// Runs a task on every pair: `"crate::type" Ours |x| peer;`.
macro_rules! peers {
    ($($name:literal $ours:ident |$x:ident| $peer:expr;)*) => {
        /// Runs a task on every pair whose name contains `part`.
        pub fn each(part: &str, task: &mut impl Task) {
            $(if $name.contains(part) {
                task.run::<$ours>($name, |$x| u32::from($peer), |x| u32::from($ours::from_f32(x).to_bits()));
            })*
        }
    };
}

peers! {
    // The software path: `from_f32` uses the CPU's instruction if there is one.
    "half::f16" F16 |x| half::f16::from_f32_const(x).to_bits();
    "half::bf16" Bf16 |x| half::bf16::from_f32_const(x).to_bits();
    "float8::F8E4M3" E4m3 |x| float8::F8E4M3::from_f32(x).to_bits();
    "float8::F8E5M2" E5m2 |x| float8::F8E5M2::from_f32(x).to_bits();
    "float4::F4E2M1" E2m1 |x| float4::F4E2M1::from(x).to_bits();
    "float4::E8M0" Ue8m0 |x| float4::E8M0::from(x).to_bits();
    "microfloat::f8e4m3fn" E4m3 |x| microfloat::f8e4m3fn::from_f32(x).to_bits();
    "microfloat::f8e5m2" E5m2 |x| microfloat::f8e5m2::from_f32(x).to_bits();
    "microfloat::f6e3m2fn" E3m2 |x| microfloat::f6e3m2fn::from_f32(x).to_bits();
    "microfloat::f6e2m3fn" E2m3 |x| microfloat::f6e2m3fn::from_f32(x).to_bits();
    "microfloat::f4e2m1fn" E2m1 |x| microfloat::f4e2m1fn::from_f32(x).to_bits();
    "microfloat::f8e8m0fnu" Ue8m0 |x| microfloat::f8e8m0fnu::from_f32(x).to_bits();
}

/// The largest finite number of a format.
pub fn largest(format: Format) -> f64 {
    format.decode(format.max_finite()).to_f64()
}
