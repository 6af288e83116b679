//! `cargo xtask test`: what `cargo test --workspace` cannot show because it needs more than the compiler at hand.
//!
//! Each part fetches what it needs into `target/`, or says in one line that it was skipped and why.

use std::path::Path;

use clap::ValueEnum;

use crate::{c, msrv, package, python, trial};

/// A part of what is tested.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The packages of the published crates
    Packages,
    /// Adding a form to a copy
    Trial,
    /// The library for C and C++
    C,
    /// The Python package
    Python,
    /// Rust 1.85
    Msrv,
}

impl Part {
    fn run(self, root: &Path) -> Result<(), String> {
        let title = match self {
            Part::Packages => "packages",
            Part::Trial => "adding a form",
            Part::C => "C",
            Part::Python => "Python",
            Part::Msrv => "Rust 1.85",
        };
        println!("== {title}");
        match self {
            Part::Packages => package::run(root, false),
            Part::Trial => trial::run(root, false),
            Part::C => c::test(root),
            Part::Python => python::test(root),
            Part::Msrv => msrv::run(root),
        }
    }
}

/// Runs the parts, all where none is named; the first that fails ends it.
pub fn run(root: &Path, parts: &[Part]) -> Result<(), String> {
    let mut wanted = Part::value_variants().iter().filter(|part| parts.is_empty() || parts.contains(part));
    wanted.try_for_each(|part| part.run(root))
}
