//! `cargo xtask dist`: builds what a release consists of, into `target/dist`, and with `--check` installs each artefact
//! in an empty place, with the command that a user would give, and asks it a question.
//!
//! Compilers and packagers come from the registries: zig links for old C libraries and other architectures, maturin
//! builds wheels, Debian's Rust has the standard library for aarch64, MinGW links for Windows. Nothing is installed
//! outside `target/`.

mod absent;
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
mod windows;

use std::fs;
use std::path::Path;

use clap::ValueEnum;

use folder::empty;
use platform::Platform;
use tools::Tools;

/// Where the artefacts are written, and which.
#[derive(clap::Args)]
pub struct Arguments {
    /// Install each artefact in an empty place and ask it a question
    #[arg(long)]
    check: bool,
    /// Only these platforms, which must all be possible; otherwise all, and it is an error if one is not
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

/// Builds the artefacts, or all of them if none is named, and their checksums. The folder has nothing else afterwards.
///
/// # Errors
///
/// Fails if a platform's artefacts are not built, after all others are built and, with `--check`, tested. Fails at once if
/// one of those cannot be built or its test fails.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let root = &fs::canonicalize(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let out = &root.join("target/dist");
    empty(out)?;
    let tools = &Tools::install(root)?;
    let (platforms, missing) = possible(&arguments.platform)?;
    let wanted =
        |artefact: &&Artefact| arguments.artefacts.is_empty() || arguments.artefacts.contains(artefact);
    let left_out = left_out(&missing, |artefact| wanted(&&artefact));
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
            // Before the next one is built, so that a fault is reported soon.
            if arguments.check {
                check(root, out, artefact, platform)?;
            }
        }
    }
    archive::checksums(out)?;
    // The last lines, where they are not overlooked.
    let names: Vec<_> = Artefact::value_variants().iter().filter(wanted).map(|one| one.name()).collect();
    absent::lines(|name| names.contains(&name)).iter().for_each(|line| println!("{line}"));
    if left_out.is_empty() { Ok(()) } else { Err(left_out.join("\n")) }
}

/// Installs an artefact in an empty place and asks it a question, or says that it is not tested.
fn check(root: &Path, out: &Path, artefact: Artefact, platform: Platform) -> Result<(), String> {
    match artefact {
        Artefact::Npm => check::npm(out),
        Artefact::Vsix => check::vsix(out),
        Artefact::Data => data::check(out),
        Artefact::Crates => crates::check(root, out),
        // A static program runs in a root with nothing else but, for another machine, its emulator.
        Artefact::Command if platform.is_here() || platform.is_static() => check::command(out, platform),
        Artefact::Command => check::emulated(root, out, platform),
        Artefact::Wheel | Artefact::C if !platform.is_here() => {
            println!("not tested: the {} for {}", artefact.name(), platform.name());
            Ok(())
        }
        Artefact::Wheel => check::wheel(out, platform),
        Artefact::C => check::c(out, platform),
    }
}

/// A platform for which nothing can be built here, and why.
type Missing = (Platform, String);

/// A line for each platform with artefacts that are not built, and why.
fn left_out(missing: &[Missing], is_wanted: impl Fn(Artefact) -> bool) -> Vec<String> {
    let artefacts = |platform| {
        let of = Artefact::value_variants().iter().filter(|one| one.is_for(platform) && is_wanted(**one));
        of.map(|artefact| artefact.name()).collect::<Vec<_>>().join(", ")
    };
    let lines = missing.iter().map(|(platform, why)| (artefacts(*platform), platform.name(), why));
    let lines = lines.filter(|(artefacts, ..)| !artefacts.is_empty());
    lines.map(|(artefacts, name, why)| format!("not built for {name}: {artefacts}: {why}")).collect()
}

/// The platforms of these that can be built for, or of all if none is wanted, and what the others lack.
fn possible(wanted: &[Platform]) -> Result<(Vec<Platform>, Vec<Missing>), String> {
    let (mut possible, mut missing) = (Vec::new(), Vec::new());
    for &platform in if wanted.is_empty() { Platform::value_variants() } else { wanted } {
        match platform.missing() {
            None => possible.push(platform),
            Some(why) if wanted.is_empty() => missing.push((platform, why)),
            Some(why) => return Err(format!("{}: {why}", platform.name())),
        }
    }
    Ok((possible, missing))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each artefact is on the line of each platform that lacks it, and of no other.
    #[test]
    fn what_is_not_built_is_named_for_each_platform() {
        let missing: Vec<(Platform, String)> =
            Platform::value_variants().iter().map(|one| (*one, "no linker".to_owned())).collect();
        let lines = left_out(&missing, |_| true);
        assert_eq!(lines.len(), missing.len());
        for ((platform, _), line) in missing.iter().zip(&lines) {
            assert!(line.starts_with(&format!("not built for {}: command", platform.name())), "{line}");
            for artefact in Artefact::value_variants() {
                assert_eq!(line.contains(artefact.name()), artefact.is_for(*platform), "{line}");
            }
        }
        assert_eq!(left_out(&missing, |artefact| artefact == Artefact::Wheel).len(), 2);
        assert!(left_out(&[], |_| true).is_empty());
        let names = Artefact::value_variants().iter().map(|artefact| artefact.name());
        let absent: usize = names.map(|name| absent::lines(|wanted| wanted == name).len()).sum();
        assert_eq!(absent, absent::lines(|_| true).len(), "each is of an artefact");
        let data = |artefact| artefact == Artefact::Data;
        assert!(left_out(&[(Platform::WindowsX86_64, String::new())], data).is_empty());
    }
}
