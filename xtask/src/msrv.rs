//! `cargo xtask msrv`: builds and tests with Rust 1.85, the minimum supported version.
//!
//! Rust 1.85 lacks AVX-512 intrinsics, so this also tests the build without those kernels.

use std::path::Path;

use crate::run::succeed;
use crate::toolchain::Toolchain;

/// Finds or downloads Rust 1.85. An error says in one line why it cannot be had.
pub fn toolchain(root: &Path) -> Result<Toolchain, String> {
    let first = |why: String| why.lines().next().unwrap_or_default().to_owned();
    Toolchain::oldest(root).map_err(|why| {
        let how = "with rustup: rustup toolchain install 1.85 --profile minimal";
        format!("Rust 1.85 cannot be installed: {}; {how}", first(why))
    })
}

/// Compiles the libraries and programs: clippy knows which functions Rust 1.85 lacks, but not which syntax.
pub fn check(root: &Path) -> Result<(), String> {
    succeed(toolchain(root)?.cargo(root, "msrv").args(["check", "--quiet", "--workspace"]))
}

/// Compiles the whole workspace, and runs the tests of `ptxcvt`, `ptxcvt-bulk` and `ptxcvt-syntax` that are files of their
/// own: those within the sources would compile each library a second time.
pub fn run(root: &Path) -> Result<(), String> {
    let toolchain = toolchain(root)?;
    succeed(toolchain.cargo(root, "msrv").args(["check", "--workspace", "--all-targets"]))?;
    // Documentation examples are left out: Debian's rustdoc does not find its compiler when unpacked elsewhere.
    let tests = ["test", "-p", "ptxcvt", "-p", "ptxcvt-bulk", "-p", "ptxcvt-syntax", "--test", "*"];
    succeed(toolchain.cargo(root, "msrv").args(tests))
}
