//! Tests `ptxcvt lsp` in editors: Neovim, headless, and the VS Code extension, compiled.
//!
//! Neovim is Debian's package, unpacked below `target/`. npm packages go into `editors/vscode/node_modules`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian::Debian;
use crate::run::{built_command, is_installed, succeed};
use crate::skip::skip;
use crate::web;

/// Tests each editor that can be installed, and reports the others as skipped.
pub fn test(root: &Path) -> Result<(), String> {
    built_command(root)?;
    match neovim(root) {
        Ok(program) => drive(root, &program)?,
        Err(why) => {
            skip(&format!(
                "skipped: Neovim cannot be installed: {}",
                why.lines().next().unwrap_or_default()
            ))?;
        }
    }
    extension(root)
}

/// Debian's Neovim, started through the loader of the C library that it was built for.
fn neovim(root: &Path) -> Result<PathBuf, String> {
    let unpacked = Debian::new(root.join("target/neovim")).provide("amd64", &["neovim"], "usr/bin/nvim")?;
    let unpacked = fs::canonicalize(unpacked).map_err(|e| e.to_string())?;
    let script = format!(
        "#!/bin/sh\nroot='{}'\nVIMRUNTIME=\"$root/usr/share/nvim/runtime\" exec \
         \"$root/usr/lib64/ld-linux-x86-64.so.2\" --library-path \"$root/usr/lib/x86_64-linux-gnu\" \
         \"$root/usr/bin/nvim\" \"$@\"\n",
        unpacked.display()
    );
    let program = unpacked.join("nvim.sh");
    fs::write(&program, script).map_err(|e| format!("{}: {e}", program.display()))?;
    let mut version = nvim(&program);
    crate::run::output(version.arg("--version")).map(|_| program)
}

fn nvim(program: &Path) -> Command {
    let mut sh = Command::new("sh");
    sh.arg(program);
    sh
}

/// Opens and edits files, applies fixes, and requests hovers and completions.
fn drive(root: &Path, program: &Path) -> Result<(), String> {
    let files = root.join("target/neovim/files");
    fs::create_dir_all(&files).map_err(|e| format!("{}: {e}", files.display()))?;
    let built = fs::canonicalize(root.join("target/debug")).map_err(|e| e.to_string())?;
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&others)));
    let mut nvim = nvim(program);
    nvim.current_dir(root).env("PATH", path.map_err(|e| e.to_string())?);
    nvim.args(["--headless", "-u", "NONE", "-l", "editors/neovim/test.lua"]).arg(&files);
    succeed(&mut nvim)
}

/// Checks the extension's types, builds its bundle, and tests its grammar with VS Code's engine.
fn extension(root: &Path) -> Result<(), String> {
    if !is_installed("node") || !is_installed("npm") {
        return skip("skipped: the VS Code extension needs Node.js and npm");
    }
    let folder = root.join("editors/vscode");
    if let Err(why) = web::packages(&folder) {
        return skip(&format!("skipped: the extension's npm packages cannot be installed: {why}"));
    }
    for step in ["check", "build", "test"] {
        succeed(web::npm(&folder).args(["run", "--silent", step]))?;
    }
    Ok(())
}
