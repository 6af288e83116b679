//! `cargo xtask dist`: builds what a release consists of, into `target/dist`, and with `--check` installs each artefact
//! in an empty place, with the command that a user would give, and asks it a question.
//!
//! Compilers and packagers come from the registries: zig links for old C libraries and other architectures, maturin builds
//! wheels, Debian's Rust has the standard library for aarch64. Nothing is installed outside `target/`.

mod archive;
mod c;
mod check;
mod command;
mod npm;
mod tools;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

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

/// An architecture that Linux artefacts are built for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Architecture {
    /// 64-bit x86, with kernels for AVX2 and AVX-512
    #[value(name = "x86_64")]
    X86_64,
    /// 64-bit Arm, with kernels for NEON
    Aarch64,
}

impl Architecture {
    /// Rust's target triple.
    fn triple(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64-unknown-linux-gnu",
            Architecture::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Whether this machine runs its programs.
    fn runs_here(self) -> bool {
        match self {
            Architecture::X86_64 => cfg!(target_arch = "x86_64"),
            Architecture::Aarch64 => cfg!(target_arch = "aarch64"),
        }
    }
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
                (Artefact::Npm, _) => {}
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

/// An empty folder at this path.
fn empty(folder: &Path) -> Result<PathBuf, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    create(folder)?;
    Ok(folder.to_owned())
}

fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn copy(file: &Path, to: &Path) -> Result<(), String> {
    fs::copy(file, to).map(drop).map_err(|e| format!("{}: {e}", file.display()))
}

/// The one file in a folder whose name begins and ends like this.
fn find(folder: &Path, begin: &str, end: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(begin) && n.ends_with(end))
    });
    match &found[..] {
        [one] => Ok(one.clone()),
        _ => Err(format!("{}: {} files {begin}…{end}, expected one", folder.display(), found.len())),
    }
}
