//! The library for C and C++: header, static and shared library, and files for pkg-config and CMake. These find
//! the library relative to themselves, so the archive can be unpacked in any folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::archive::pack;
use super::contents;
use super::folder::{copy, create, empty};
use super::platform::Platform;
use super::readme;
use super::tools::Tools;
use crate::c;

/// Builds the archive.
pub fn build(root: &Path, tools: &Tools, platform: Platform, out: &Path) -> Result<PathBuf, String> {
    let built = tools.build("ptxcvt-c", platform, None)?;
    let folder = empty(&out.join(name(platform)))?;
    c::lay_out(root, &built, &folder, c::Prefix::OfTheFile)?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(file), &folder.join(file))?;
    }
    readme::copy(root, "bindings/c/README.md", &folder.join("README.md"))?;
    let cmake = folder.join("lib/cmake/ptxcvt");
    create(&cmake)?;
    for file in ["ptxcvtConfig.cmake", "ptxcvtConfigVersion.cmake"] {
        let template = root.join("bindings/c").join(format!("{file}.in"));
        let text = fs::read_to_string(&template).map_err(|e| format!("{}: {e}", template.display()))?;
        let text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        fs::write(cmake.join(file), text).map_err(|e| format!("{file}: {e}"))?;
    }
    contents::write("ptxcvt-c", &contents::crates(root, &["ptxcvt-c"], platform.triple())?, &folder)?;
    pack(&folder)
}

/// The archive's folder, which is also its name.
pub fn name(platform: Platform) -> String {
    format!("libptxcvt-{}-{}", env!("CARGO_PKG_VERSION"), platform.triple())
}
