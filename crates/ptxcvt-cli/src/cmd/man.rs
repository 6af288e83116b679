//! `ptxcvt man DIR`: writes manual pages, one for the command and one for each subcommand.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt man ~/.local/share/man/man1
  ptxcvt man | man -l -")]
pub struct Args {
    /// The folder for ptxcvt.1, ptxcvt-eval.1 and so on; omit it to print the page of the command itself
    folder: Option<PathBuf>,
}

pub fn run(args: &Args, command: clap::Command) -> Result<ExitCode, Failure> {
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        output::raw_stdout().write_all(&page)?;
        return Ok(ExitCode::SUCCESS);
    };
    let _created = output::create_folder(folder)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_pages(&command, folder)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command, then those of its subcommands.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    output::file(&folder.join(man.get_filename()), &page)
}
