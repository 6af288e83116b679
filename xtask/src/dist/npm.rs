//! The library for JavaScript: the module with which the explorer calls the library, with its types, as one npm package.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::contents;
use super::folder::{copy, empty, find};
use crate::run::succeed;
use crate::web;

/// Builds the package.
pub fn build(root: &Path, out: &Path) -> Result<PathBuf, String> {
    let folder = empty(&root.join("target/dist-build/npm"))?;
    web::glue(root, &[web::Library::Whole])?;
    let web = root.join("web");
    web::packages(&web)?;
    succeed(
        Command::new("node").current_dir(&web).arg("package.mjs").arg(&folder).arg(env!("CARGO_PKG_VERSION")),
    )?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(file), &folder.join(file))?;
    }
    contents::write("ptxcvt-wasm", &contents::page(root, &folder)?, &folder)?;
    succeed(web::npm(&folder).args(["pack", "--loglevel=error", "--pack-destination"]).arg(out))?;
    find(out, "ptxcvt-", ".tgz")
}
