//! `cargo xtask exhaustive`: all 2^32 f32 inputs through every form that takes f32, on every tier.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::succeed;

/// What to run.
#[derive(clap::Args)]
pub struct Arguments {
    /// Ask the reference, too, at the ends of the runs of equal results, and record digests; else compare with these
    #[arg(long)]
    reference: bool,
    /// With --reference: ask it at every input, which takes minutes a form and a day for all
    #[arg(long, requires = "reference", conflicts_with = "most")]
    every_input: bool,
    /// With --reference: ask at no more than so many ends of each 65536 inputs [default: 4096]
    #[arg(long, requires = "reference", value_name = "N")]
    most: Option<NonZero<usize>>,
    /// Only forms whose opcode contains this; may be given several times
    #[arg(long, value_name = "PART")]
    form: Vec<String>,
    /// With --reference: leave out the forms that have a digest
    #[arg(long, requires = "reference")]
    resume: bool,
    /// The record to compare with and to add to, instead of the committed one
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Threads, each with a form of its own; as many as there are cores unless given
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

/// Runs the library's exhaustive test.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let mut test = Command::new(env!("CARGO"));
    test.current_dir(root).args(["test", "--release", "-p", "ptxcvt", "--test", "exhaustive", "--"]);
    test.args(arguments.reference.then_some("--reference"));
    test.args(arguments.every_input.then_some("--every-input"));
    test.args(arguments.most.iter().flat_map(|n| ["--most".to_owned(), n.to_string()]));
    test.args(arguments.resume.then_some("--resume"));
    test.args(arguments.form.iter().flat_map(|part| ["--form", part]));
    if let Some(record) = &arguments.record {
        // The test runs in its package's folder.
        let record = std::path::absolute(record).map_err(|error| format!("{}: {error}", record.display()))?;
        test.arg("--record").arg(record);
    }
    test.args(arguments.threads.iter().flat_map(|n| ["--threads".to_owned(), n.to_string()]));
    succeed(&mut test)
}
