//! Builds the package of `ptxcvt` with every feature in a project of its own, and runs a program there that was written for
//! the crate `half`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::package::{self, at, write};
use crate::run::succeed;

/// The project: the features of ptxcvt at once, and the crates that they are for.
const DEPENDENCIES: &str = r#"
half = { version = "2", default-features = false, features = ["alloc", "bytemuck", "zerocopy", "num-traits", "serde"] }
bytemuck = "1"
zerocopy = "0.8"
num-traits = "0.2"
rand = { version = "0.9", default-features = false, features = ["small_rng"] }
rand_distr = { version = "0.5", default-features = false }
serde_json = "1"

[workspace]
"#;

/// Builds and runs the program with the versions that the workspace has locked.
pub fn run(root: &Path) -> Result<(), String> {
    let scratch = package::scratch(root, "outside")?;
    let path = package::unpacked(root, &scratch)?;
    let project = scratch.join("project");
    let sources = project.join("src");
    fs::create_dir_all(&sources).map_err(|error| at(&sources, &error))?;
    for (from, to) in
        [("xtask/outside/half_user.rs", sources.join("main.rs")), ("Cargo.lock", project.join("Cargo.lock"))]
    {
        let from = root.join(from);
        fs::copy(&from, to).map_err(|error| at(&from, &error))?;
    }
    let features = "[\"half\", \"bytemuck\", \"zerocopy\", \"num-traits\", \"serde\", \"rand_distr\"]";
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         ptxcvt = {{ path = {path:?}, features = {features} }}{DEPENDENCIES}"
    );
    write(&project.join("Cargo.toml"), &manifest)?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&project).args(["run", "--quiet", "--offline"]);
    succeed(cargo.arg("--target-dir").arg(scratch.join("built")))
}
