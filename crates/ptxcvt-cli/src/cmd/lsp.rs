//! `ptxcvt lsp`: a language server over standard input and output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lsp_server::Connection;
use ptxcvt_lsp::{Ended, Overrides, Rules, serve};
use ptxcvt_syntax::{CheckOptions, Findings, Source};

use crate::args::MachineArgs;
use crate::check::policy::{Policy, PolicyArgs};
use crate::failure::{FINDINGS, Failure};
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "\
Settings are those of the ptxcvt.toml nearest to each file; an editor's own `target` and `isa` come before them.
docs/editors.md says how Neovim, Helix, Emacs and VS Code are told to run this.

Examples:
  ptxcvt lsp
  ptxcvt lsp --target sm_90a

Exit status: 0 the editor said goodbye, 1 it went away without, 2 it does not speak the protocol.")]
pub struct Args {
    #[command(flatten)]
    machine: MachineArgs,
    /// The settings, instead of the nearest ptxcvt.toml in a file's directory and those above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Over standard input and output, which is the only way; editors say so
    #[arg(long)]
    stdio: bool,
}

/// The rules of one file: those of `check`.
struct FileRules {
    policy: Policy,
    options: CheckOptions,
}

impl Rules for FileRules {
    fn options(&self) -> CheckOptions {
        self.options
    }

    fn excludes(&self, path: &Path) -> bool {
        self.policy.excludes(Path::new(&self.name(path)))
    }

    fn name(&self, path: &Path) -> String {
        let below = self.policy.folder.as_deref().and_then(|folder| path.strip_prefix(folder).ok());
        below.unwrap_or(path).display().to_string()
    }

    fn filter(&self, source: &Source<'_>, found: Findings) -> Findings {
        self.policy.filter(source, found)
    }
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let policy = PolicyArgs::of(args.config.clone());
    let machine = args.machine;
    // An editor's settings come before the command line, and both before the file.
    let settle = |path: Option<&Path>, overrides: Overrides| -> Result<Box<dyn Rules>, String> {
        let folder = path.and_then(Path::parent);
        let policy = Policy::within(&policy, folder).map_err(|failure| failure.message().to_owned())?;
        let options = CheckOptions::default()
            .target(overrides.target.or(machine.target).or(policy.target))
            .isa(overrides.isa.or(machine.isa).or(policy.isa));
        Ok(Box::new(FileRules { policy, options }))
    };
    let (connection, threads) = Connection::stdio();
    let ended = serve(&connection, &settle);
    // The writer ends when nobody can send any more.
    drop(connection);
    match ended {
        Ok(()) => {
            threads.join()?;
            Ok(ExitCode::SUCCESS)
        }
        Err(Ended::Early) => {
            output::complain(format_args!("error: {}", Ended::Early));
            Ok(FINDINGS)
        }
        Err(ended) => Err(Failure::new(ended.to_string())),
    }
}
