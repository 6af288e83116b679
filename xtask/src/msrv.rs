//! `cargo xtask msrv`: build and test with the oldest compiler that we promise.
//!
//! It lacks the AVX-512 intrinsics, so every kernel written by hand falls away and the generic lanes are tested.

use std::path::Path;

use crate::run::succeed;
use crate::toolchain::Toolchain;

/// Builds everything and runs the tests of the published crates.
pub fn run(root: &Path) -> Result<(), String> {
    let toolchain = match Toolchain::oldest(root) {
        Ok(toolchain) => toolchain,
        Err(why) => {
            println!("skipped: Rust 1.85 cannot be had here: {why}");
            return Ok(());
        }
    };
    succeed(toolchain.cargo(root, "msrv").args(["check", "--workspace", "--all-targets"]))?;
    // Not the examples in the documentation: Debian's rustdoc does not find its compiler where we unpack it.
    let tests = ["test", "-p", "ptxcvt", "-p", "ptxcvt-syntax", "--lib", "--tests"];
    succeed(toolchain.cargo(root, "msrv").args(tests))
}
