//! `cargo xtask site`: writes the static pages, one for every form, into `target/site`, with the tables as one file,
//! and with the explorer if it is built.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::data;
use crate::dist::contents;
use crate::dist::folder::copy;
use crate::run::succeed;

/// Builds the pages in a folder that has nothing else.
pub fn run(root: &Path) -> Result<(), String> {
    let out = root.join("target/site");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    let mut cargo = Command::new(env!("CARGO"));
    // The options of the workspace's tests, so that nothing is built twice.
    succeed(cargo.current_dir(root).args(["build", "--quiet", "--workspace", "--example", "site"]))?;
    let files = contents::PAGE_FILES.map(|name| root.join("target/web").join(name));
    let is_built = files.iter().all(|file| file.exists());
    let explorer = is_built.then_some(&files[0]);
    if explorer.is_none() {
        println!("without the explorer, which `cargo xtask web` builds");
    }
    succeed(Command::new(root.join("target/debug/examples/site")).arg(root).arg(&out).args(explorer))?;
    // The tables as one file, at an address that stays.
    let (tables, to) = (data::run(root)?, out.join("data"));
    fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    for name in ["ptxcvt.json", "ptxcvt.schema.json"] {
        copy(&tables.join(name), &to.join(name))?;
    }
    let licences = root.join("target/web").join(contents::LICENCES);
    if explorer.is_some() && licences.exists() {
        copy(&licences, &out.join(contents::LICENCES))?;
    } else if explorer.is_some() {
        println!("without the licences of the explorer, which `cargo xtask web` writes next to it");
    }
    Ok(())
}
