//! The packages of the published crates, as the registry would have them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::check::{OPCODE, answered, place};
use super::folder::{copy, create, empty, files};
use super::registry;
use crate::package;
use crate::run::{output, succeed};

/// Packages the crates. Returns the archive of `ptxcvt`.
pub fn build(root: &Path, out: &Path) -> Result<PathBuf, String> {
    let built = empty(&root.join("target/dist-build/crates"))?;
    package::archives(root, &built)?;
    for file in files(&built.join("package"))? {
        if let Some(name) = file.file_name().filter(|_| file.extension().is_some_and(|e| e == "crate")) {
            copy(&file, &out.join(name))?;
        }
    }
    Ok(out.join(format!("ptxcvt-{}.crate", env!("CARGO_PKG_VERSION"))))
}

/// Uses the packages in an empty project, from a registry that has them: the library as a dependency, and the command.
pub fn check(root: &Path, out: &Path) -> Result<(), String> {
    let project = place(out, "crates")?;
    registry::make(root, out, &project.join("registry"))?;
    create(&project.join(".cargo"))?;
    let config =
        "[source.crates-io]\nreplace-with = \"local\"\n\n[source.local]\nlocal-registry = \"registry\"\n";
    let write =
        |name: &str, text: &str| fs::write(project.join(name), text).map_err(|e| format!("{name}: {e}"));
    write(".cargo/config.toml", config)?;
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(&project)
            .env("CARGO_TARGET_DIR", project.join("built"))
            .args(arguments)
            .arg("--quiet");
        cargo
    };
    // `cargo init` would make the project a member of the workspace around it.
    let manifest = "[package]\nname = \"question\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    write("Cargo.toml", manifest)?;
    create(&project.join("src"))?;
    write("src/main.rs", "fn main() {}\n")?;
    succeed(&mut cargo(&["add", "ptxcvt"]))?;
    let source = format!(
        "fn main() {{\n    let form: ptxcvt::Form = \"{OPCODE}\".parse().unwrap();\n    let d = \
         form.eval(&[1.55_f32.to_bits().into(), (-999_f32).to_bits().into()]).unwrap();\n    println!(\"{{d:x}}\");\n}}\n"
    );
    write("src/main.rs", &source)?;
    answered("the crate ptxcvt in an empty project", &output(&mut cargo(&["run"]))?)?;
    // `cargo install` reads no settings of the folder that it is in. Without optimisation, to be built sooner.
    succeed(&mut cargo(&[
        "--config",
        ".cargo/config.toml",
        "install",
        "--debug",
        "ptxcvt-cli",
        "--root",
        "installed",
    ]))?;
    let mut ask = Command::new(project.join("installed/bin/ptxcvt"));
    answered("the crate ptxcvt-cli, installed", &output(ask.args(["eval", OPCODE, "1.55", "-999"]))?)
}
