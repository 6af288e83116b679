//! Sets two `cfg`s, by the compiler's version and the processor. Nothing is generated.
//!
//! - `rustc_1_89`: the compiler is Rust 1.89 or newer, where the AVX-512 intrinsics are stable. Older
//!   compilers (from 1.85 on) build the library without the AVX-512 tiers, and AVX2 without kernels written
//!   in intrinsics.
//! - `hand_written`: `src/arch` has a folder for the processor, and the compiler is new enough for it. For
//!   NEON every compiler is.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for cfg in ["rustc_1_89", "hand_written"] {
        autocfg::emit_possibility(cfg);
    }
    let compiler = autocfg::new();
    compiler.emit_rustc_version(1, 89);
    let processor = |about: &str| std::env::var(format!("CARGO_CFG_TARGET_{about}"));
    let little = processor("ENDIAN").is_ok_and(|endian| endian == "little");
    let is_new = compiler.probe_rustc_version(1, 89);
    if little && processor("ARCH").is_ok_and(|it| it == "aarch64" || it == "x86_64" && is_new) {
        autocfg::emit("hand_written");
    }
}
