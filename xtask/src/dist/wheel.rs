//! The Python package: one wheel for every CPython from 3.10 on (the stable ABI) and every C library from 2.17 on.

use std::path::{Path, PathBuf};

use super::folder::find;
use super::platform::Platform;
use super::tools::Tools;
use crate::run::succeed;

/// Builds the wheel.
pub fn build(root: &Path, tools: &Tools, platform: Platform, out: &Path) -> Result<PathBuf, String> {
    let mut maturin = tools.program("maturin", platform)?;
    maturin.args([
        "build",
        "--quiet",
        "--locked",
        "--profile",
        "dist",
        "--zig",
        "--compatibility",
        "manylinux2014",
    ]);
    maturin.arg("--manifest-path").arg(root.join("bindings/python/Cargo.toml"));
    maturin.args(["--target", platform.triple()]).arg("--out").arg(out);
    succeed(&mut maturin)?;
    file(out, platform)
}

/// The wheel in the folder of artefacts.
pub fn file(out: &Path, platform: Platform) -> Result<PathBuf, String> {
    let (machine, _) = platform.triple().split_once('-').expect("a triple begins with the machine");
    find(out, &format!("ptxcvt-{}-", env!("CARGO_PKG_VERSION")), &format!("{machine}.whl"))
}
