//! Asks the compiler for its version: loops can be compiled for AVX-512 only from Rust 1.89 on, and the crate builds
//! with 1.85. Nothing is generated.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(rust_1_89)");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().map(|output| output.stdout);
    let version = String::from_utf8(version.unwrap_or_default()).unwrap_or_default();
    // "rustc 1.95.0 (…)": the minor number decides.
    if version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok()) >= Some(89) {
        println!("cargo::rustc-cfg=rust_1_89");
    }
}
