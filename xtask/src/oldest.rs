//! `cargo xtask oldest`: compiles the published crates with the oldest versions of dependencies that their manifests allow.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::package::{at, scratch, write};
use crate::run::succeed;

/// Copies the crates to a workspace of their own, so that other members do not require newer versions, and checks it.
pub fn run(root: &Path) -> Result<(), String> {
    let copy = scratch(root, "oldest")?;
    // The copies of links are files.
    succeed(Command::new("cp").arg("-RL").arg(root.join("crates")).arg(&copy))?;
    let manifest = root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| at(&manifest, &error))?;
    write(&copy.join("Cargo.toml"), &alone(&text))?;
    let cargo = || {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&copy).env("CARGO_TARGET_DIR", root.join("target/oldest-built"));
        cargo
    };
    // The option is not stable; only the choice of versions needs it.
    let choose = ["-Z", "direct-minimal-versions", "generate-lockfile", "--quiet"];
    succeed(cargo().env("RUSTC_BOOTSTRAP", "1").args(choose))?;
    succeed(cargo().args(["check", "--quiet", "--locked", "--workspace"]))
}

/// The workspace's manifest with the crates as its only members, and without settings for other packages.
fn alone(manifest: &str) -> String {
    let mut lines = Vec::new();
    for line in manifest.lines().take_while(|line| !line.starts_with("[profile.")) {
        match line.split_once(" = ") {
            Some(("members", _)) => lines.push("members = [\"crates/*\"]"),
            Some(("exclude", _)) => {}
            _ => lines.push(line),
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn only_the_crates_are_members() {
    let manifest =
        "[workspace]\nmembers = [\"crates/*\", \"site\"]\nexclude = [\"a\"]\n[profile.dev]\nopt-level = 2\n";
    assert_eq!(alone(manifest), "[workspace]\nmembers = [\"crates/*\"]\n");
}
