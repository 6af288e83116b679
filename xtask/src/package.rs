//! `cargo xtask package`: packages every published crate, in dependency order.
//!
//! `--verify` also compiles each package, which takes minutes. `outside.rs` and `without_std.rs` build the package of
//! `ptxcvt` in other projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{output, succeed};

/// Packages the crates. With `verify`, compiles each one from its package.
pub fn run(root: &Path, verify: bool) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["publish", "--workspace", "--dry-run", "--quiet", "--allow-dirty"]);
    succeed(cargo.args((!verify).then_some("--no-verify")))
}

/// Packages the published crates into `target_dir/package`.
pub fn archives(root: &Path, target_dir: &Path) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["package", "--quiet", "--no-verify", "--allow-dirty"]);
    for name in published(root)? {
        cargo.arg("--package").arg(name);
    }
    succeed(cargo.arg("--target-dir").arg(target_dir))
}

/// The names of the published crates.
fn published(root: &Path) -> Result<Vec<String>, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value =
        serde_json::from_str(&output(&mut cargo)?).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    // `publish` is absent where it is allowed.
    let published = packages.iter().filter(|package| package["publish"].is_null());
    Ok(published.filter_map(|package| package["name"].as_str().map(str::to_owned)).collect())
}

/// An empty folder below `target/`.
pub fn scratch(root: &Path, name: &str) -> Result<PathBuf, String> {
    let scratch = root.join("target").join(name);
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|error| at(&scratch, &error))?;
    }
    fs::create_dir_all(&scratch).map_err(|error| at(&scratch, &error))?;
    Ok(scratch)
}

/// Packages `ptxcvt` and unpacks it into a folder of `scratch`.
pub fn unpacked(root: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    let arguments = ["package", "--quiet", "--package", "ptxcvt", "--no-verify", "--allow-dirty"];
    succeed(cargo.current_dir(root).args(arguments).arg("--target-dir").arg(scratch))?;
    let name = format!("ptxcvt-{}", env!("CARGO_PKG_VERSION"));
    let package = scratch.join(format!("package/{name}.crate"));
    succeed(Command::new("tar").arg("-xf").arg(&package).arg("-C").arg(scratch))?;
    Ok(scratch.join(name))
}

/// Writes a file of a project.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| at(path, &error))
}

/// An error with the path that it concerns.
pub fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
