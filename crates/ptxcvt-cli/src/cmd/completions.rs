//! `ptxcvt completions SHELL`: prints a script that completes the command line in a shell.

use std::io::Write;
use std::process::ExitCode;

use clap_complete::Shell;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt completions bash > ~/.local/share/bash-completion/completions/ptxcvt
  ptxcvt completions zsh > ~/.zfunc/_ptxcvt")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: &Args, mut command: clap::Command) -> Result<ExitCode, Failure> {
    // The generator panics if it cannot write, so the script is written to memory first.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ptxcvt", &mut script);
    output::raw_stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
