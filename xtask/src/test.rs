//! `cargo xtask test`: tests that need more than Rust, such as Python, a browser or another compiler.
//!
//! Each part installs what it needs below `target/`, or prints one line that says why it was skipped.

use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use clap::ValueEnum;

use crate::run::{built_command, is_installed, succeed};
use crate::{c, editors, features, hooks, msrv, outside, package, python, trial, web, without_std};

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The packages of the published crates; that of `ptxcvt` without `std`, and with every feature
    Packages,
    /// The command as it is installed, and with each subcommand alone
    Features,
    /// The library for C and C++
    C,
    /// The guides docs/add-*.md, followed on a copy
    Trial,
    /// The Python package
    Python,
    /// A checkpoint of three shards, quantised and read by Python's safetensors
    Checkpoint,
    /// The explorer, in a browser
    Page,
    /// The language server in Neovim, and the extension for VS Code
    Editors,
    /// The hooks for pre-commit and the GitHub Action
    Hooks,
    /// Rust 1.85
    Msrv,
}

impl Part {
    fn title(self) -> &'static str {
        match self {
            Part::Packages => "packages",
            Part::Features => "each subcommand alone",
            Part::Trial => "the guides docs/add-*.md",
            Part::C => "C",
            Part::Python => "Python",
            Part::Checkpoint => "a checkpoint of three shards, read by Python's safetensors",
            Part::Page => "page",
            Part::Editors => "editors",
            Part::Hooks => "hooks",
            Part::Msrv => "Rust 1.85",
        }
    }

    /// Installs what the part needs. An error is the reason to skip the part, in one line.
    fn prepare(self, root: &Path) -> Result<(), String> {
        match self {
            Part::C => c::compiler().map(drop),
            Part::Python => python::prepare(root),
            Part::Checkpoint if !is_installed("python3") => Err("python3 not found".to_owned()),
            Part::Page => web::prepare(root),
            Part::Hooks => hooks::prepare(root),
            Part::Msrv => msrv::toolchain(root).map(drop),
            // Editors skip only those that cannot be installed.
            Part::Packages | Part::Features | Part::Trial | Part::Checkpoint | Part::Editors => Ok(()),
        }
    }

    fn run(self, root: &Path) -> Result<(), String> {
        match self {
            Part::Packages => package::run(root, false)
                .and_then(|()| without_std::run(root))
                .and_then(|()| outside::run(root)),
            Part::Features => features::run(root),
            Part::Trial => trial::run(root, &[], false),
            Part::C => c::test(root),
            Part::Python => python::test(root),
            Part::Checkpoint => checkpoint(root),
            Part::Page => web::test(root),
            Part::Editors => editors::test(root),
            Part::Hooks => hooks::test(root),
            Part::Msrv => msrv::run(root),
        }
    }
}

/// Runs these parts, or all parts if `parts` is empty, and prints how long each took and which failed.
///
/// A thread prepares later parts while earlier ones run: downloads need no core, and linking the page needs one.
pub fn run(root: &Path, parts: &[Part]) -> Result<(), String> {
    let chosen = || Part::value_variants().iter().filter(|part| parts.is_empty() || parts.contains(part));
    let (mut durations, mut failures) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let (send, prepared) = mpsc::channel();
        scope.spawn(move || chosen().try_for_each(|part| send.send(part.prepare(root))));
        for part in chosen() {
            let begin = Instant::now();
            println!("== {}", part.title());
            match prepared.recv().expect("the thread prepares each part in the same order") {
                Ok(()) => {
                    if let Err(failure) = part.run(root) {
                        println!("{}: FAILED: {failure}", part.title());
                        failures.push(format!("{}: {failure}", part.title()));
                    }
                }
                Err(why) => println!("skipped: {why}"),
            }
            durations.push((begin.elapsed().as_secs(), part.title()));
        }
    });
    for (seconds, title) in durations {
        println!("{seconds} s  {title}");
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Quantises a checkpoint for every loader, with interruptions, and reads the result with Python's `safetensors`.
fn checkpoint(root: &Path) -> Result<(), String> {
    let mut python = Command::new("python3");
    python.current_dir(root).arg("conformance/blocks/checkpoint.py").arg(built_command(root)?);
    succeed(python.arg("target/venv-safetensors"))
}
