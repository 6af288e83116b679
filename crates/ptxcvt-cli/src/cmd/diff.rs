//! `ptxcvt diff A B`: which conversions were added, removed or changed between two modules, sources or folders.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::check::sources::SourceArgs;
use crate::diff::{Style, modules, trees};
use crate::failure::Failure;

#[derive(clap::Args)]
#[command(after_help = "\
Two PTX modules are compared function by function, sources and folders file by file. Files are read like those of `check`, \
with its options and the settings of ptxcvt.toml. Options that select findings are accepted, so that both commands have the \
same options, but findings are not compared.

Examples:
  ptxcvt diff before.ptx after.ptx
  ptxcvt diff sm_90.ptx sm_100a.ptx --json
  ptxcvt diff old/ new/ --markdown
  ptxcvt diff old/ new/ --wrapper emit_ptx --target sm_90a")]
pub struct Args {
    /// The module, source or folder before; `-` for a module from standard input
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The module, source or folder after; `-` for a module from standard input
    #[arg(value_name = "B")]
    after: PathBuf,
    #[command(flatten)]
    sources: SourceArgs,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a Markdown table, for the summary of a pull request
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (before, after) = (&*args.before, &*args.after);
    let stdin = |path: &Path| path.as_os_str() == "-";
    if stdin(before) && stdin(after) {
        return Err(
            Failure::new("standard input is given twice").with_help("name a file for one of the modules")
        );
    }
    if before.is_dir() != after.is_dir() && before.exists() && (after.exists() || stdin(after)) {
        return Err(
            Failure::new("a folder and a file cannot be compared").with_help("name two folders or two files")
        );
    }
    let style = match (args.json, args.markdown) {
        (true, _) => Style::Json,
        (_, true) => Style::Markdown,
        _ => Style::Text,
    };
    let module = |path: &Path| args.sources.is_module(path);
    if !before.is_dir() && module(before) && module(after) {
        return modules::run(before, after, &args.sources, style);
    }
    trees::run(before, after, &args.sources, style)
}
