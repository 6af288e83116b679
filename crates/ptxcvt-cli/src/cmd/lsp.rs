//! `ptxcvt lsp`: a language server over standard input and output.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ptxcvt_files::standard;
use ptxcvt_lsp::{Overrides, Rules, Settled, serve_streams};
use ptxcvt_syntax::sources::Language;
use ptxcvt_syntax::{CheckOptions, Findings, Source};

use crate::args::{MachineArgs, OF_MODULES, isa_default};
use crate::check::name_of;
use crate::check::policy::{Policy, PolicyArgs};
use crate::check::sources::has_guards;
use crate::check::targets::of_sources;
use crate::failure::{FINDINGS, Failure};
use crate::output;

#[derive(clap::Args)]
#[command(mut_arg("isa", isa_default(OF_MODULES)))]
#[command(after_help = "\
The settings of a file come from the nearest ptxcvt.toml; an editor's `target` and `isa` override them. \
Without a target, guarded code is judged for the targets of the nearest build files, like `ptxcvt check FILE`. \
docs/editors.md has the configuration of Neovim, Helix, Emacs and VS Code. The status is 1 if the editor \
disconnects without `shutdown` and `exit`.

Examples:
  ptxcvt lsp
  ptxcvt lsp --target sm_90a")]
pub struct Args {
    #[command(flatten)]
    machine: MachineArgs,
    /// The settings file, instead of the nearest ptxcvt.toml in a file's directory and those above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use standard input and output, which is the default; some editors pass this option
    #[arg(long)]
    stdio: bool,
}

/// The rules for one file: the rules of `check`.
struct FileRules {
    policy: Policy,
    options: CheckOptions,
}

impl Rules for FileRules {
    fn options(&self) -> CheckOptions {
        self.options
    }

    fn excludes(&self, path: &Path) -> bool {
        self.policy.excludes(path)
    }

    fn filter(&self, source: &Source<'_>, found: Findings) -> Findings {
        self.policy.filter(source, found)
    }
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let policy = PolicyArgs::of(args.config.clone());
    let machine = args.machine;
    // An editor's settings override the command line, and both override the settings file.
    let settle = |path: Option<&Path>, overrides: Overrides| -> Settled {
        let folder = path.and_then(Path::parent);
        let policy = Policy::within(&policy, folder, None).map_err(|failure| failure.message)?;
        let chosen =
            MachineArgs { target: overrides.target.or(machine.target), isa: overrides.isa.or(machine.isa) };
        let chosen = chosen.machine((policy.target, policy.isa)).map_err(|failure| failure.message)?;
        let options = CheckOptions::default().machine(chosen);
        // As for `check`, a target that is given overrides those of the build files.
        let built =
            path.filter(|path| chosen.target().is_none() && Language::of(path).is_some_and(has_guards));
        let built = built.and_then(|path| of_sources([path].into_iter(), &[]).targets(&name_of(path)));
        let options = options.built(built);
        Ok(Box::new(FileRules { policy, options }))
    };
    #[expect(clippy::disallowed_methods, reason = "the server ends if the editor closes its output")]
    let output = io::stdout();
    standard::check_output()?;
    match serve_streams(BufReader::new(standard::input()?), output, &settle) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ended) => {
            output::complain(format_args!("error: {ended}"));
            Ok(FINDINGS)
        }
    }
}
