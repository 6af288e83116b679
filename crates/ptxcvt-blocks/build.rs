//! Sets `rust_1_89` if the compiler is Rust 1.89 or newer, which can compile functions for AVX-512; the build
//! script of ptxcvt-bulk does the same. Nothing is generated.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(rust_1_89)");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(&rustc).arg("--version").output();
    let version = version.unwrap_or_else(|error| panic!("cannot run {rustc:?}: {error}")).stdout;
    let version = String::from_utf8_lossy(&version);
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    if minor.is_none() {
        println!("cargo::warning=built without AVX-512: `rustc --version` printed {:?}", version.trim());
    }
    if minor >= Some(89) {
        println!("cargo::rustc-cfg=rust_1_89");
    }
}
