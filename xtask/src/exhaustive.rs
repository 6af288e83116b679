//! `cargo xtask exhaustive`: all 2^32 f32 inputs through every form that takes f32.

use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// What to run.
#[derive(clap::Args)]
pub struct Arguments {
    /// Compare with the reference and record its digests: minutes a form; else compare with the recorded digests
    #[arg(long)]
    reference: bool,
    /// Only forms whose opcode contains this; may be given several times
    #[arg(long, value_name = "PART")]
    form: Vec<String>,
    /// With --reference: leave out the forms that have a digest
    #[arg(long, requires = "reference")]
    resume: bool,
    /// Threads; as many as there are cores unless given
    #[arg(long)]
    threads: Option<usize>,
}

/// Runs the library's exhaustive test.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let mut test = Command::new(env!("CARGO"));
    test.current_dir(root).args(["test", "--release", "-p", "ptxcvt", "--test", "exhaustive", "--"]);
    test.args(arguments.reference.then_some("--reference"));
    test.args(arguments.resume.then_some("--resume"));
    test.args(arguments.form.iter().flat_map(|part| ["--form", part]));
    test.args(arguments.threads.iter().flat_map(|n| ["--threads".to_owned(), n.to_string()]));
    succeed(&mut test)
}
