//! Sets `rustc_1_89` if the compiler is Rust 1.89 or newer, which can compile functions for AVX-512. Nothing is generated.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    autocfg::emit_possibility("rustc_1_89");
    autocfg::new().emit_rustc_version(1, 89);
}
