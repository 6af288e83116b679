//! `ptxcvt man DIR`: manual pages, one for the command and one for each subcommand.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output::reason;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt man ~/.local/share/man/man1
  ptxcvt man | man -l -

Exit status: 0 written, 2 nothing could be written.")]
pub struct Args {
    /// The folder for ptxcvt.1, ptxcvt-eval.1 and so on; without it, the command's own page is printed
    folder: Option<PathBuf>,
}

pub fn run(args: &Args, command: clap::Command) -> Result<ExitCode, Failure> {
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        std::io::stdout().lock().write_all(&page)?;
        return Ok(ExitCode::SUCCESS);
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|e| Failure::new(format!("{}: {}", folder.display(), reason(&e))))?;
    Ok(ExitCode::SUCCESS)
}
