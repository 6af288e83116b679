//! How sources are read and judged: the options and settings that `check` and `diff` have in common.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::check::TargetSet;
use ptxcvt_syntax::fix::Applicability;
use ptxcvt_syntax::sources::Language;

use super::judge::Judge;
use super::policy::{Policy, PolicyArgs};
use super::targets::{self, Built, Projects};
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
    /// Judge guarded C++ code for the targets that this build file names, by -arch, -gencode,
    /// CMAKE_CUDA_ARCHITECTURES or TORCH_CUDA_ARCH_LIST. Without it and --target, each source is judged for those of
    /// CMakeLists.txt, setup.py and other build files next to it, or of the nearest folder above it with such files,
    /// up to the root of its repository or the directory on the command line
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

/// The purpose for which a command reads sources.
pub struct Use<'u> {
    pub paths: &'u [PathBuf],
    /// Which fixes are made or shown; `None` for none.
    pub fixes: Option<Applicability>,
    /// The baseline that is written.
    pub write_baseline: Option<&'u Path>,
}

impl SourceArgs {
    /// How the files are judged, by the options and the settings.
    pub fn judge(&self, purpose: &Use<'_>) -> Result<Judge, Failure> {
        let policy = Policy::new(&self.policy, purpose.write_baseline)?;
        let options = CheckOptions::default()
            .machine(self.machine.machine((policy.target, policy.isa))?)
            .snippet(self.snippet)
            .built(self.built()?);
        let wrappers = self.wrapper.iter().cloned().collect();
        let projects = Projects::default();
        Ok(Judge { options, language: self.lang, wrappers, fixes: purpose.fixes, policy, projects })
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

    /// The targets of `--targets-from`.
    fn built(&self) -> Result<Option<TargetSet>, Failure> {
        let Some(file) = &self.targets_from else { return Ok(None) };
        let found = targets::of_file(file)?;
        note_open([&found]);
        Ok(found.named().map(|(built, _)| built))
    }

    /// Finds the targets for which the projects of some sources are built, if no option or setting gives them, and says
    /// so.
    pub fn find_targets(
        &self,
        judge: &mut Judge,
        files: &[PathBuf],
        purpose: &Use<'_>,
    ) -> Result<(), Failure> {
        if judge.options.machine.target().is_some() || self.targets_from.is_some() || self.snippet {
            return Ok(());
        }
        // Modules name their targets themselves, and so does what compilers print.
        let has_guards = |path: &&PathBuf| self.lang.or_else(|| Language::of(path)).is_some_and(has_guards);
        let sources = files.iter().filter(|path| path.as_os_str() != "-").filter(has_guards);
        judge.projects = targets::of_sources(sources.map(PathBuf::as_path), purpose.paths);
        let found = &judge.projects.found;
        note_open(found);
        for (file, targets) in found.iter().flat_map(|built| &built.unknown) {
            output::note(format_args!(
                "{}: its targets are not judged: {}; code is judged for those from sm_50 on",
                file.display(),
                targets.join(", ")
            ));
        }
        let mut projects = Vec::new();
        for (built, files) in found.iter().filter_map(Built::named) {
            let names: Vec<String> = built.iter().map(|target| target.to_string()).collect();
            projects.push(format!("{}: {}", list(files), names.join(", ")));
        }
        if !projects.is_empty() {
            output::complain(format_args!(
                "guarded code is judged for the targets of {}",
                projects.join("; of ")
            ));
        }
        Ok(())
    }
}

/// True for languages whose files can have C++ code with guards, also in strings and notebook cells.
pub fn has_guards(language: Language) -> bool {
    matches!(language, Language::Cpp | Language::Python | Language::Notebook)
}

/// Prints a note with the files that have targets unknown to ptxcvt, and one with those whose targets are defaults.
fn note_open<'b>(found: impl IntoIterator<Item = &'b Built> + Clone) {
    let files = |of: fn(&Built) -> &Vec<PathBuf>| -> Vec<PathBuf> {
        found.clone().into_iter().flat_map(of).cloned().collect()
    };
    let (open, defaults) = (files(|built| &built.open), files(|built| &built.defaults));
    if !open.is_empty() {
        output::note(format_args!(
            "{}: some targets are values of variables or the GPUs of the building machine, which are \
             not known; name them with --target, or with --targets-from a file that lists them",
            list(&open)
        ));
    }
    if !defaults.is_empty() {
        output::note(format_args!(
            "{}: some targets are defaults, which a build may override; name others with --target",
            list(&defaults)
        ));
    }
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}
