//! `cargo xtask test`: tests that need more than Rust, such as Python, a browser or another compiler.
//!
//! Each part installs what it needs below `target/`, or prints one line that says why it was skipped. Where `PTXCVT_NO_SKIP`
//! is set, a skipped part is an error.

use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use clap::ValueEnum;

use crate::run::{built_command, is_installed, succeed};
use crate::skip::skip;
use crate::{c, editors, features, hooks, msrv, outside, package, python, web, without_std};

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The packages of the published crates; that of `ptxcvt` without `std`, and with every feature
    Packages,
    /// The command as it is installed, and with each subcommand alone
    Features,
    /// The library for C and C++
    C,
    /// The Python package
    Python,
    /// A checkpoint of three shards, quantised and read by Python's safetensors
    Checkpoint,
    /// The language server in Neovim, and the extension for VS Code
    Editors,
    /// The hooks for pre-commit and the GitHub Action
    Hooks,
    /// Rust 1.85 compiles the libraries and programs; its tests are `cargo xtask msrv`
    Msrv,
    /// The explorer, in a browser
    Page,
}

/// The outcome of a part: its title, its seconds, and why it failed.
struct Outcome {
    title: &'static str,
    seconds: u64,
    failure: Option<String>,
}

impl Part {
    fn title(self) -> &'static str {
        match self {
            Part::Packages => "packages",
            Part::Features => "each subcommand alone",
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
            Part::Packages | Part::Features | Part::Checkpoint | Part::Editors => Ok(()),
        }
    }

    fn run(self, root: &Path) -> Result<(), String> {
        match self {
            Part::Packages => package::run(root, false)
                .and_then(|()| without_std::run(root))
                .and_then(|()| outside::run(root)),
            Part::Features => features::run(root),
            Part::C => c::test(root),
            Part::Python => python::test(root),
            Part::Checkpoint => checkpoint(root),
            Part::Page => web::test(root),
            Part::Editors => editors::test(root),
            Part::Hooks => hooks::test(root),
            Part::Msrv => msrv::check(root),
        }
    }
}

/// Runs these parts, or all if `parts` is empty, and prints how long each took and which failed.
///
/// A thread prepares later parts while earlier ones run: downloads need no core, and linking the page needs one.
pub fn run(root: &Path, parts: &[Part]) -> Result<(), String> {
    let is_chosen = |part: &Part| parts.is_empty() || parts.contains(part);
    let chosen: Vec<Part> = Part::value_variants().iter().copied().filter(is_chosen).collect();
    let mut outcomes = Vec::new();
    thread::scope(|scope| {
        let (send, prepared) = mpsc::channel();
        scope.spawn(|| chosen.iter().try_for_each(move |part| send.send(part.prepare(root))));
        for part in &chosen {
            println!("== {}", part.title());
            let prepared = prepared.recv().expect("the thread prepares each part in the same order");
            outcomes.push(timed(part.title(), || match prepared {
                Ok(()) => part.run(root),
                Err(why) => skip(&format!("skipped: {why}")),
            }));
        }
    });
    for Outcome { title, seconds, .. } in &outcomes {
        println!("{seconds} s  {title}");
    }
    let failures = outcomes.into_iter().filter_map(|part| Some(format!("{}: {}", part.title, part.failure?)));
    let failures: Vec<String> = failures.collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Runs a part, measures it, and says at once if it failed.
fn timed(title: &'static str, run: impl FnOnce() -> Result<(), String>) -> Outcome {
    let begin = Instant::now();
    let failure = run().err();
    if let Some(failure) = &failure {
        println!("{title}: FAILED: {failure}");
    }
    Outcome { title, seconds: begin.elapsed().as_secs(), failure }
}

/// Quantises a checkpoint for every loader, with interruptions, and reads the result with Python's `safetensors`.
fn checkpoint(root: &Path) -> Result<(), String> {
    let mut python = Command::new("python3");
    python.current_dir(root).arg("conformance/blocks/checkpoint.py").arg(built_command(root)?);
    succeed(python.arg("target/venv-safetensors"))
}
