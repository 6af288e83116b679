//! `cargo xtask package`: packages every published crate, in dependency order.
//!
//! `--verify` also compiles each package, which takes minutes.

use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// Packages the crates. With `verify`, compiles each one from its package.
pub fn run(root: &Path, verify: bool) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["publish", "--workspace", "--dry-run", "--quiet", "--allow-dirty"]);
    succeed(cargo.args((!verify).then_some("--no-verify")))
}
