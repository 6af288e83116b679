//! `cargo xtask test`: what `cargo test --workspace` cannot show because it needs more than the compiler at hand.
//!
//! Each part fetches what it needs into `target/`, or says in one line that it was skipped and why.

use std::path::Path;

use crate::{c, msrv, package, python, trial};

/// Runs every part; the first that fails ends it.
pub fn run(root: &Path) -> Result<(), String> {
    println!("== packages");
    package::run(root, false)?;
    println!("== adding a form");
    trial::run(root, false)?;
    println!("== C");
    c::test(root)?;
    println!("== Python");
    python::test(root)?;
    println!("== Rust 1.85");
    msrv::run(root)
}
