//! `cargo xtask package`: every published crate as the registry would get it, in the order of their dependencies.
//!
//! What is packed is compiled only on request, for that takes minutes.

use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// Packs the crates; with `verify` each is compiled from its package.
pub fn run(root: &Path, verify: bool) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["publish", "--workspace", "--dry-run", "--quiet", "--allow-dirty"]);
    succeed(cargo.args((!verify).then_some("--no-verify")))
}
