//! The command: one program with the explorer inside, completions of shells, manual pages and licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use super::archive::pack;
use super::contents;
use super::folder::{copy, create, empty, files};
use super::platform::Platform;
use super::readme;
use super::tools::Tools;
use crate::run::{built_command, output, succeed};
use crate::web;

/// The shells with completions, and the names of their files.
const SHELLS: &[(&str, &str)] = &[("bash", "ptxcvt.bash"), ("fish", "ptxcvt.fish"), ("zsh", "_ptxcvt")];

/// The folders of an archive with completions and with manual pages.
const COMPLETIONS: &str = "completions";
const MANUAL: &str = "man";

/// Some of their files, which every archive has.
pub const HELP: [&str; 2] = ["completions/_ptxcvt", "man/ptxcvt.1"];

/// Builds the archive.
pub fn build(root: &Path, tools: &Tools, platform: Platform, out: &Path) -> Result<PathBuf, String> {
    let [page, part] = contents::PAGE_FILES.map(|name| root.join("target/web").join(name));
    // The list of what is in the page belongs to the same build.
    if ![&page, &part, &root.join("target/web/bundled.json")].iter().all(|file| file.exists()) {
        web::run(root)?;
    }
    let built = tools.build("ptxcvt-cli", platform, Some(&page))?;
    let folder = empty(&out.join(name(platform)))?;
    let program = platform.program("ptxcvt");
    copy(&built.join(&program), &folder.join(&program))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(file), &folder.join(file))?;
    }
    for file in ["README.md", "CHANGELOG.md"] {
        readme::copy(root, file, &folder.join(file))?;
    }
    // Both are the same on every platform, so the archive of another one may have them. `dist` begins with an empty folder.
    let others = Platform::value_variants().iter().filter(|other| **other != platform);
    let written = others.map(|other| out.join(name(*other))).find(|other| other.join(MANUAL).is_dir());
    if let Some(other) = written {
        for part in [COMPLETIONS, MANUAL] {
            create(&folder.join(part))?;
            for file in files(&other.join(part))? {
                copy(&file, &folder.join(part).join(file.file_name().unwrap_or_default()))?;
            }
        }
    } else {
        let here = if platform.is_here() { built.join("ptxcvt") } else { built_command(root)? };
        write_help(&here, &folder)?;
    }
    // The command and the page inside it.
    let mut parts = contents::crates(root, &["ptxcvt-cli"], platform.triple())?;
    parts.extend(contents::page(root, &root.join("target/web"))?);
    if let Some(compiler) = platform.compiler().filter(|_| platform.is_static()) {
        parts.push(contents::c_library(&compiler)?);
    }
    parts.sort();
    parts.dedup();
    contents::write("ptxcvt-cli", &parts, &folder)?;
    pack(&folder)
}

/// Writes the completions and the manual pages with a program that runs here.
fn write_help(program: &Path, folder: &Path) -> Result<(), String> {
    create(&folder.join(COMPLETIONS))?;
    for (shell, file) in SHELLS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        fs::write(folder.join(COMPLETIONS).join(file), script).map_err(|e| format!("{file}: {e}"))?;
    }
    create(&folder.join(MANUAL))?;
    succeed(Command::new(program).arg("man").arg(folder.join(MANUAL)))
}

/// The archive's folder, which is also its name.
pub fn name(platform: Platform) -> String {
    format!("ptxcvt-{}-{}", env!("CARGO_PKG_VERSION"), platform.name())
}
