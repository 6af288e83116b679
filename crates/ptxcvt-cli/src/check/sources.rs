//! How sources are read and judged: the options and settings that `check` and `diff` have in common.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use ptxcvt_files::refuse_replacing;
use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::check::TargetSet;
use ptxcvt_syntax::fix::Applicability;
use ptxcvt_syntax::sources::Language;

use super::judge::Judge;
use super::policy::{Policy, PolicyArgs};
use super::targets::{self, Built};
use crate::args::{MachineArgs, OF_MODULES, isa_default};
use crate::failure::Failure;
use crate::output;

/// The options.
#[derive(clap::Args)]
#[command(mut_arg("isa", isa_default(OF_MODULES)))]
pub struct SourceArgs {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// The input is inline assembly: a block or an instruction, with %0 or $0 placeholders
    #[arg(long)]
    snippet: bool,
    /// The language of the files, overriding their names
    #[arg(long, value_name = "LANGUAGE", value_parser = language_parser(), conflicts_with = "snippet")]
    pub lang: Option<Language>,
    /// A function or macro whose first string is inline assembly; may be repeated. Calls with constraints are found
    /// without it
    #[arg(long, value_name = "NAME", value_parser = wrapper, conflicts_with = "snippet")]
    wrapper: Vec<String>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Judge guarded code of C++ for the targets that this build file names, by -arch, -gencode,
    /// CMAKE_CUDA_ARCHITECTURES or TORCH_CUDA_ARCH_LIST. Without it and --target, they are those of CMakeLists.txt,
    /// setup.py and other build files next to the files or above them in their repository
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    targets_from: Option<PathBuf>,
}

fn language_parser() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::ALL.iter().map(|language| language.name()))
        .map(|name| name.parse::<Language>().expect("clap accepts only these names"))
}

/// A name as the languages write it; `!` ends a macro of Rust.
fn wrapper(name: &str) -> Result<String, String> {
    let is_name = name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!' | '$'));
    if is_name { Ok(name.to_owned()) } else { Err("expected the name of a function or macro".into()) }
}

/// What a command reads sources for.
pub struct Use<'u> {
    pub paths: &'u [PathBuf],
    /// Which fixes are made or shown; `None` for none.
    pub fixes: Option<Applicability>,
    /// The baseline that is written.
    pub write_baseline: Option<&'u Path>,
    /// Guarded code is judged for the targets that the project builds.
    pub of_project: bool,
}

impl SourceArgs {
    /// How the files are judged, by the options and the settings.
    pub fn judge(&self, purpose: &Use<'_>) -> Result<Judge, Failure> {
        let policy = Policy::new(&self.policy, purpose.write_baseline)?;
        let target = self.machine.target.or(policy.target);
        let options = CheckOptions::default()
            .target(target)
            .isa(self.machine.isa.or(policy.isa))
            .snippet(self.snippet)
            .built(self.built(target, purpose)?);
        let wrappers = self.wrapper.iter().cloned().collect();
        Ok(Judge { options, language: self.lang, wrappers, fixes: purpose.fixes, policy })
    }

    /// The extensions of the files that are read in folders.
    pub fn extensions(&self) -> Vec<&'static str> {
        let languages = match (&self.lang, self.snippet) {
            (Some(language), _) => std::slice::from_ref(language),
            (None, true) => &[Language::Ptx],
            (None, false) => Language::ALL,
        };
        languages.iter().flat_map(|language| language.extensions()).copied().collect()
    }

    /// True if a file is a module of PTX, by the options or its name; one without a known name is taken for one.
    pub fn is_module(&self, path: &Path) -> bool {
        let language = self.lang.or_else(|| Language::of(path));
        !self.snippet && language.is_none_or(|language| language == Language::Ptx)
    }

    /// The targets that the project builds, if its files name them and no target is chosen.
    fn built(&self, target: Option<ptxcvt::Target>, purpose: &Use<'_>) -> Result<Option<TargetSet>, Failure> {
        if let Some(file) = &self.targets_from {
            purpose.write_baseline.map_or(Ok(()), |to| refuse_replacing(file, to))?;
            let found = targets::of_file(file)?;
            note_open(&found);
            return Ok(found.named().map(|(built, _)| built));
        }
        if target.is_some() || self.snippet || !purpose.of_project {
            return Ok(None);
        }
        // Modules name their targets themselves.
        let sources =
            purpose.paths.iter().filter(|path| path.is_dir() || Language::of(path) == Some(Language::Cpp));
        let sources: Vec<PathBuf> = sources.cloned().collect();
        let found = targets::of_tree(&sources);
        note_open(&found);
        for (file, targets) in &found.unknown {
            output::note(format_args!(
                "{}: its targets are not judged: {}; code is judged for those from sm_50 on",
                file.display(),
                targets.join(", ")
            ));
        }
        let Some((built, files)) = found.named() else { return Ok(None) };
        if let Some(to) = purpose.write_baseline {
            files.iter().try_for_each(|file| refuse_replacing(file, to))?;
        }
        let names: Vec<String> = built.iter().map(|target| target.to_string()).collect();
        output::complain(format_args!(
            "guarded code is judged for the targets of {}: {}",
            list(files),
            names.join(", ")
        ));
        Ok(Some(built))
    }
}

/// Notes the files whose targets are not all known.
fn note_open(found: &Built) {
    if !found.open.is_empty() {
        output::note(format_args!(
            "{}: some targets are values of variables or the GPUs of the building machine, which are \
             not known; name them with --target, or with --targets-from a file that lists them",
            list(&found.open)
        ));
    }
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}
