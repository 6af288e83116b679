//! `cargo xtask test`: tests that need more than Rust, such as Python, a browser or another compiler.
//!
//! Each part installs what it needs below `target/`, or prints one line that says why it was skipped.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use clap::ValueEnum;

use crate::run::{built_command, succeed};
use crate::{c, editors, features, hooks, msrv, outside, package, python, trial, web, without_std};

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The packages of the published crates; that of `ptxcvt` without `std`, and with every feature
    Packages,
    /// The command as it is installed, and with each subcommand alone
    Features,
    /// The guides docs/add-*.md, followed on a copy
    Trial,
    /// The library for C and C++
    C,
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

    fn run(self, root: &Path) -> Result<(), String> {
        println!("== {}", self.title());
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
pub fn run(root: &Path, parts: &[Part]) -> Result<(), String> {
    let (mut durations, mut failures) = (Vec::new(), Vec::new());
    for part in Part::value_variants().iter().filter(|part| parts.is_empty() || parts.contains(part)) {
        let begin = Instant::now();
        if let Err(failure) = part.run(root) {
            println!("{}: FAILED: {failure}", part.title());
            failures.push(format!("{}: {failure}", part.title()));
        }
        durations.push((begin.elapsed().as_secs(), part.title()));
    }
    for (seconds, title) in durations {
        println!("{seconds} s  {title}");
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Quantises a checkpoint for every loader, with interruptions, and reads the result with Python's `safetensors`.
fn checkpoint(root: &Path) -> Result<(), String> {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: python3 not found");
        return Ok(());
    }
    let mut python = Command::new("python3");
    python.current_dir(root).arg("conformance/blocks/checkpoint.py").arg(built_command(root)?);
    succeed(python.arg("target/venv-safetensors"))
}
