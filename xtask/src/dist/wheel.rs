//! The Python package: one wheel for every CPython from 3.10 on (the stable ABI) and every C library from 2.17 on.

use std::path::{Path, PathBuf};

use super::contents;
use super::folder::find;
use super::platform::Platform;
use super::tools::Tools;
use crate::run::succeed;

/// The package of the native library.
const PACKAGE: &str = "ptxcvt-python";

/// Builds the wheel. `license-files` of its `pyproject.toml` names the licences of others, which are written first.
pub fn build(root: &Path, tools: &Tools, platform: Platform, out: &Path) -> Result<PathBuf, String> {
    let parts = contents::crates(root, &[PACKAGE], platform.triple())?;
    contents::write_licences(&parts, &root.join("bindings/python"))?;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// maturin puts the file with the licences into the wheel, and the file has the text of each.
    #[test]
    fn licences_of_others_are_in_the_wheel() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let project = fs::read_to_string(root.join("bindings/python/pyproject.toml")).unwrap();
        let files = project.lines().find(|line| line.starts_with("license-files = ")).unwrap();
        assert!(files.contains(&format!("\"{}*\"", contents::LICENCES)), "{files}");
        let parts = contents::crates(root, &[PACKAGE], Platform::LinuxX86_64.triple()).unwrap();
        let folder = root.join("target/tmp/wheel-licences");
        fs::create_dir_all(&folder).unwrap();
        contents::write_licences(&parts, &folder).unwrap();
        let text = fs::read_to_string(folder.join(contents::LICENCES)).unwrap();
        for name in ["pyo3", "numpy"] {
            assert!(text.contains(&format!("\n{name} ")), "{name} is in the native library");
        }
        assert!(!text.contains("contains no text of a licence"), "{text}");
    }
}
