//! `cargo xtask dist`: builds what a release consists of, into `target/dist`, and with `--check` installs each artefact
//! in an empty place, with the command that a user would give, and asks it a question.
//!
//! Compilers and packagers come from the registries: zig links for old C libraries and other architectures, maturin
//! builds wheels, Debian's Rust has the standard library for aarch64, MinGW links for Windows. Nothing is installed
//! outside `target/`.

mod archive;
mod c;
mod check;
mod command;
pub mod contents;
mod crates;
mod data;
pub mod folder;
mod npm;
mod platform;
mod readme;
mod registry;
mod rooted;
mod tools;
mod vsix;
mod wheel;

use std::fs;
use std::path::Path;

use clap::ValueEnum;

use folder::create;
use platform::Platform;
use tools::Tools;

/// Where the artefacts are written, and which.
#[derive(clap::Args)]
pub struct Arguments {
    /// Install each artefact in an empty place and ask it a question
    #[arg(long)]
    check: bool,
    /// Only these platforms, which must all be possible; otherwise, those for which this machine can build
    #[arg(long, value_enum, value_delimiter = ',')]
    platform: Vec<Platform>,
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
    /// The extension for Visual Studio Code
    Vsix,
    /// The tables as one file
    Data,
    /// The packages of the published crates
    Crates,
}

/// Builds the artefacts, or all of them if none is named, and their checksums.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let root = &fs::canonicalize(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let out = &root.join("target/dist");
    create(out)?;
    let tools = &Tools::install(root)?;
    let platforms = possible(&arguments.platform)?;
    let wanted =
        |artefact: &&Artefact| arguments.artefacts.is_empty() || arguments.artefacts.contains(artefact);
    for &artefact in Artefact::value_variants().iter().filter(wanted) {
        for &platform in platforms.iter().filter(|platform| artefact.is_for(**platform)) {
            let built = match artefact {
                Artefact::Command => command::build(root, tools, platform, out)?,
                Artefact::Wheel => wheel::build(root, tools, platform, out)?,
                Artefact::C => c::build(root, tools, platform, out)?,
                Artefact::Npm => npm::build(root, out)?,
                Artefact::Vsix => vsix::build(root, out)?,
                Artefact::Data => data::build(root, out)?,
                Artefact::Crates => crates::build(root, out)?,
            };
            println!("{}", built.display());
        }
    }
    archive::checksums(out)?;
    if !arguments.check {
        return Ok(());
    }
    for &artefact in Artefact::value_variants().iter().filter(wanted) {
        for &platform in platforms.iter().filter(|platform| artefact.is_for(**platform)) {
            match artefact {
                Artefact::Npm => check::npm(out)?,
                Artefact::Vsix => check::vsix(out)?,
                Artefact::Data => data::check(out)?,
                Artefact::Crates => crates::check(root, out)?,
                Artefact::Command if platform.is_here() => check::command(out, platform)?,
                Artefact::Command => check::emulated(root, out, platform)?,
                Artefact::Wheel | Artefact::C if !platform.is_here() => {
                    println!("not tested: the {} for {}", artefact.name(), platform.name());
                }
                Artefact::Wheel => check::wheel(out, platform)?,
                Artefact::C => check::c(out, platform)?,
            }
        }
    }
    Ok(())
}

/// The platforms of these that can be built for, or all that can if none is wanted. The others are named.
fn possible(wanted: &[Platform]) -> Result<Vec<Platform>, String> {
    let mut possible = Vec::new();
    for &platform in if wanted.is_empty() { Platform::value_variants() } else { wanted } {
        match Tools::missing(platform)? {
            None => possible.push(platform),
            Some(why) if wanted.is_empty() => println!("not built: {}: {why}", platform.name()),
            Some(why) => return Err(format!("{}: {why}", platform.name())),
        }
    }
    Ok(possible)
}

impl Artefact {
    /// Whether it is built for a platform. What is the same on all of them is built once.
    fn is_for(self, platform: Platform) -> bool {
        match self {
            Artefact::Command => true,
            Artefact::Wheel | Artefact::C => platform.is_linux() && !platform.is_static(),
            Artefact::Npm | Artefact::Vsix | Artefact::Data | Artefact::Crates => {
                platform == Platform::LinuxX86_64
            }
        }
    }

    /// What a user calls it.
    fn name(self) -> &'static str {
        match self {
            Artefact::Command => "command",
            Artefact::Wheel => "wheel",
            Artefact::C => "C library",
            Artefact::Npm => "npm package",
            Artefact::Vsix => "extension",
            Artefact::Data => "data",
            Artefact::Crates => "crates",
        }
    }
}
