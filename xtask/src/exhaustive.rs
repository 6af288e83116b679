//! `cargo xtask exhaustive`: converts all 2^32 f32 inputs with every form that takes f32, on every tier.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::succeed;

/// Options of the run.
#[derive(clap::Args)]
pub struct Arguments {
    /// Compare with the reference at the ends of runs of equal results, and record digests (default: compare with the
    /// recorded digests)
    #[arg(long)]
    reference: bool,
    /// With --reference: compare at every input, which takes minutes per form and a day for all
    #[arg(long, requires = "reference", conflicts_with = "most")]
    every_input: bool,
    /// With --reference: compare at this many ends in each block of 65536 inputs [default: 4096]
    #[arg(long, requires = "reference", value_name = "N")]
    most: Option<NonZero<usize>>,
    /// Run only forms whose opcode contains this text; repeatable
    #[arg(long, value_name = "PART")]
    form: Vec<String>,
    /// With --reference: skip forms that have a digest
    #[arg(long, requires = "reference")]
    resume: bool,
    /// Compare with this record, and add to it, instead of the committed one
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Threads, one form each [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

/// Runs the library's exhaustive test.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let mut test = Command::new(env!("CARGO"));
    test.current_dir(root).args(["test", "--release", "-p", "ptxcvt-bulk", "--test", "exhaustive", "--"]);
    test.args(arguments.reference.then_some("--reference"));
    test.args(arguments.every_input.then_some("--every-input"));
    test.args(arguments.most.iter().flat_map(|n| ["--most".to_owned(), n.to_string()]));
    test.args(arguments.resume.then_some("--resume"));
    test.args(arguments.form.iter().flat_map(|part| ["--form", part]));
    if let Some(record) = &arguments.record {
        // Tests run in their package's folder.
        let record = std::path::absolute(record).map_err(|error| format!("{}: {error}", record.display()))?;
        test.arg("--record").arg(record);
    }
    test.args(arguments.threads.iter().flat_map(|n| ["--threads".to_owned(), n.to_string()]));
    succeed(&mut test)
}
