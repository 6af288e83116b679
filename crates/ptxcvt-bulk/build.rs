//! Sets two `cfg`s, by the compiler's version and the processor. Nothing is generated.
//!
//! - `rust_1_89`: the compiler is Rust 1.89 or newer, where the AVX-512 intrinsics are stable. Older
//!   compilers (from 1.85 on) build the library without the AVX-512 tiers, and AVX2 without kernels written
//!   in intrinsics.
//! - `hand_written`: `src/arch` has a folder for the processor, and the compiler is new enough for it. For
//!   NEON every compiler is.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(rust_1_89, hand_written)");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(&rustc).arg("--version").output();
    let version = version.unwrap_or_else(|error| panic!("cannot run {rustc:?}: {error}")).stdout;
    let version = String::from_utf8_lossy(&version);
    // "rustc 1.95.0 (…)": the minor version decides.
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    if minor.is_none() {
        println!("cargo::warning=built without AVX-512: `rustc --version` printed {:?}", version.trim());
    }
    let (is_new, architecture) = (minor >= Some(89), std::env::var("CARGO_CFG_TARGET_ARCH"));
    if is_new {
        println!("cargo::rustc-cfg=rust_1_89");
    }
    let little = std::env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "little");
    if little && architecture.is_ok_and(|it| it == "aarch64" || it == "x86_64" && is_new) {
        println!("cargo::rustc-cfg=hand_written");
    }
}
