//! `ptxcvt completions SHELL`: what a shell needs to complete the command line.

use std::io::Write;
use std::process::ExitCode;

use clap_complete::Shell;

use crate::failure::Failure;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt completions bash > ~/.local/share/bash-completion/completions/ptxcvt
  ptxcvt completions zsh > ~/.zfunc/_ptxcvt

Exit status: 0 printed, 2 an unknown shell, or nothing could be written.")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: &Args, mut command: clap::Command) -> Result<ExitCode, Failure> {
    // In memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ptxcvt", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
