//! `cargo xtask dist`: builds what a release consists of, into `target/dist`, and with `--check` installs each artefact
//! in an empty place, with the command that a user would give, and asks it a question.
//!
//! Compilers and packagers come from the registries: zig links for old C libraries and other architectures, maturin builds
//! wheels, Debian's Rust has the standard library for aarch64. Nothing is installed outside `target/`.

mod architecture;
mod archive;
mod c;
mod check;
mod command;
mod contents;
mod data;
mod folder;
mod npm;
mod tools;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use architecture::Architecture;
use folder::create;
use tools::Tools;

/// Where the artefacts are written, and which.
#[derive(clap::Args)]
pub struct Arguments {
    /// Install each artefact in an empty place and ask it a question
    #[arg(long)]
    check: bool,
    /// Only these architectures
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Architecture::X86_64, Architecture::Aarch64])]
    architecture: Vec<Architecture>,
    /// Only these artefacts
    artefacts: Vec<Artefact>,
}

/// A kind of file in a release.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Artefact {
    /// The command with the explorer, completions and manual pages
    Command,
    /// The Python package
    Wheel,
    /// The library for C and C++
    C,
    /// The library for JavaScript
    Npm,
    /// The tables as one file
    Data,
}

/// Builds the artefacts, or all of them if none is named, and their checksums.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let root = &fs::canonicalize(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let out = &root.join("target/dist");
    create(out)?;
    let tools = &Tools::install(root)?;
    let wanted =
        |artefact: &&Artefact| arguments.artefacts.is_empty() || arguments.artefacts.contains(artefact);
    for artefact in Artefact::value_variants().iter().filter(wanted) {
        let each = |build: fn(&Path, &Tools, Architecture, &Path) -> Result<PathBuf, String>| {
            arguments.architecture.iter().try_for_each(|&architecture| {
                println!("{}", build(root, tools, architecture, out)?.display());
                Ok::<(), String>(())
            })
        };
        match artefact {
            Artefact::Command => each(command::build)?,
            Artefact::Wheel => each(wheel::build)?,
            Artefact::C => each(c::build)?,
            Artefact::Npm => println!("{}", npm::build(root, out)?.display()),
            Artefact::Data => println!("{}", data::build(root, out)?.display()),
        }
    }
    archive::checksums(out)?;
    if !arguments.check {
        return Ok(());
    }
    for artefact in Artefact::value_variants().iter().filter(wanted) {
        for &architecture in &arguments.architecture {
            match (artefact, architecture) {
                (Artefact::Npm, Architecture::X86_64) => check::npm(out)?,
                // The Python tests read the data as its description says.
                (Artefact::Npm | Artefact::Data, _) => {}
                (_, other) if !other.runs_here() => {
                    println!("not tested: {} cannot run here", other.triple());
                }
                (Artefact::Command, _) => check::command(out, architecture)?,
                (Artefact::Wheel, _) => check::wheel(out, architecture)?,
                (Artefact::C, _) => check::c(out, architecture)?,
            }
        }
    }
    Ok(())
}
