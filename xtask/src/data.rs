//! `cargo xtask data`: writes `ptxcvt.json`, the tables as one file, with its schema, licence and description.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::succeed;

/// Writes the files into `target/data` and returns the folder.
pub fn run(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/data");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut cargo = Command::new(env!("CARGO"));
    succeed(cargo.current_dir(root).args(["build", "--quiet", "--workspace", "--example", "data"]))?;
    succeed(Command::new(root.join("target/debug/examples/data")).arg(&folder))?;
    for name in ["LICENSE", "README.md"] {
        let from = root.join("data").join(name);
        fs::copy(&from, folder.join(name)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(folder)
}
