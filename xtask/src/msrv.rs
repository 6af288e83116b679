//! `cargo xtask msrv`: builds and tests with Rust 1.85, the minimum supported version.
//!
//! Rust 1.85 lacks AVX-512 intrinsics, so this also tests the build without those kernels.

use std::path::Path;

use crate::run::succeed;
use crate::toolchain::Toolchain;

/// Compiles the whole workspace, and runs the tests of `ptxcvt`, `ptxcvt-bulk` and `ptxcvt-syntax`.
pub fn run(root: &Path) -> Result<(), String> {
    let toolchain = match Toolchain::oldest(root) {
        Ok(toolchain) => toolchain,
        Err(why) => {
            println!("skipped: Rust 1.85 cannot be installed: {why}");
            return Ok(());
        }
    };
    succeed(toolchain.cargo(root, "msrv").args(["check", "--workspace", "--all-targets"]))?;
    // Documentation examples are left out: Debian's rustdoc does not find its compiler when unpacked elsewhere.
    let tests = ["test", "-p", "ptxcvt", "-p", "ptxcvt-bulk", "-p", "ptxcvt-syntax", "--lib", "--tests"];
    succeed(toolchain.cargo(root, "msrv").args(tests))
}
