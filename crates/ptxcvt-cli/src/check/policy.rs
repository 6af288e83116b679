//! Which findings are reported: `--select`, `--ignore`, `ptxcvt.toml`, comments in the source, a baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ptxcvt_syntax::{Code, CodePrefix, CodePrefixError, Findings, Severity, Source, suppress};
use serde::Deserialize;
use toml::Spanned;
use wildmatch::WildMatch;

use super::{baseline::Baseline, place};
use crate::failure::Failure;
use crate::output::reason;

/// The options that select findings.
#[derive(clap::Args, Default)]
pub struct PolicyArgs {
    /// Report only these codes: CVT302, or CVT3 for all that begin with it
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    select: Vec<String>,
    /// Do not report these codes
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    ignore: Vec<String>,
    /// The settings file, instead of the nearest ptxcvt.toml in this directory and those above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Do not report the findings listed in this file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
}

impl PolicyArgs {
    /// The policy of a settings file alone: the given one, or the nearest.
    pub fn of(config: Option<PathBuf>) -> Self {
        PolicyArgs { config, ..PolicyArgs::default() }
    }
}

/// The contents of `ptxcvt.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    select: Vec<Word>,
    ignore: Vec<Word>,
    exclude: Vec<String>,
    baseline: Option<PathBuf>,
    target: Option<Word>,
    isa: Option<Word>,
    severity: BTreeMap<Word, Word>,
    /// The file, for messages.
    #[serde(skip)]
    file: String,
    /// Where each line of the file begins.
    #[serde(skip)]
    lines: Vec<usize>,
}

/// A text of the settings and its place.
type Word = Spanned<String>;

/// The name of the settings file.
const SETTINGS: &str = "ptxcvt.toml";

/// Which findings are reported, and with which severity.
#[derive(Default)]
pub struct Policy {
    select: Vec<CodePrefix>,
    ignore: Vec<CodePrefix>,
    exclude: Vec<WildMatch>,
    severity: Vec<(CodePrefix, Severity)>,
    baseline: Option<Baseline>,
    /// The folder of the settings file.
    pub folder: Option<PathBuf>,
    /// The target of the settings, which the command line overrides.
    pub target: Option<ptxcvt::Target>,
    pub isa: Option<ptxcvt::IsaVersion>,
}

impl Policy {
    /// Reads the arguments and the settings file of the current folder. The baseline that is written next, if any, takes the
    /// place of the old one.
    pub fn new(args: &PolicyArgs, write_baseline: Option<&Path>) -> Result<Self, Failure> {
        Self::within(args, std::env::current_dir().ok().as_deref(), write_baseline)
    }

    /// Like [`new`](Self::new), for files in a folder.
    pub fn within(
        args: &PolicyArgs,
        folder: Option<&Path>,
        write_baseline: Option<&Path>,
    ) -> Result<Self, Failure> {
        let path = match &args.config {
            Some(path) => Some(path.clone()),
            None => folder.and_then(upwards),
        };
        let settings = path.as_deref().map_or_else(|| Ok(Settings::default()), read)?;
        let mut policy = Policy {
            folder: path.as_deref().and_then(Path::parent).map(Path::to_owned),
            exclude: settings.exclude.iter().map(|pattern| WildMatch::new(pattern)).collect(),
            ..Policy::default()
        };
        // The command line overrides the settings.
        policy.select = match args.select.is_empty() {
            true => settings.select.iter().map(|word| settings.code(word)).collect::<Result<_, _>>()?,
            false => codes("--select", &args.select)?,
        };
        policy.ignore = settings.ignore.iter().map(|word| settings.code(word)).collect::<Result<_, _>>()?;
        policy.ignore.extend(codes("--ignore", &args.ignore)?);
        for (code, severity) in &settings.severity {
            let severity = match &**severity.get_ref() {
                "error" => Severity::Error,
                "warning" => Severity::Warning,
                "note" => Severity::Note,
                other => {
                    let message = format!("invalid severity `{other}`: expected error, warning or note");
                    return Err(settings.within(severity, Failure::new(message)));
                }
            };
            policy.severity.push((settings.code(code)?, severity));
        }
        // The longest prefix is the most specific one.
        policy.severity.sort_by_key(|(code, _)| std::cmp::Reverse(code.as_str().len()));
        policy.target = settings.target.as_ref().map(|target| settings.name(target)).transpose()?;
        policy.isa = settings.isa.as_ref().map(|isa| settings.name(isa)).transpose()?;
        // Relative to the settings file.
        let relative = |file: &PathBuf| match path.as_deref().and_then(Path::parent) {
            Some(folder) => folder.join(file),
            None => file.clone(),
        };
        let baseline = args.baseline.clone().or_else(|| settings.baseline.as_ref().map(relative));
        if let (Some(file), None) = (baseline, write_baseline) {
            policy.baseline = Some(Baseline::read(&file)?);
        }
        Ok(policy)
    }

    /// True if a file is not checked.
    pub fn excludes(&self, path: &Path) -> bool {
        // Patterns come from a settings file alone.
        let Some(folder) = &self.folder else { return false };
        let name = place::relative(folder, path);
        self.exclude.iter().any(|pattern| pattern.matches(&name))
    }

    /// The findings to report, with their severity.
    pub fn filter(&self, source: &Source<'_>, mut found: Findings) -> Findings {
        suppress(source, &mut found.diagnostics);
        if found.diagnostics.is_empty() {
            return found;
        }
        let chosen = |code: Code| {
            let begins = |prefix: &CodePrefix| prefix.matches(code);
            (self.select.is_empty() || self.select.iter().any(begins)) && !self.ignore.iter().any(begins)
        };
        found.diagnostics.retain(|d| chosen(d.code()));
        if let Some(baseline) = &self.baseline {
            baseline.filter(source, &mut found.diagnostics);
        }
        for diagnostic in &mut found.diagnostics {
            let code = diagnostic.code();
            let severity = self.severity.iter().find(|(prefix, _)| prefix.matches(code));
            if let Some((_, severity)) = severity {
                *diagnostic = diagnostic.clone().with_severity(*severity);
            }
        }
        found
    }
}

impl Settings {
    /// A name of the library. The error has its line.
    fn name<T: FromStr>(&self, word: &Word) -> Result<T, Failure>
    where
        Failure: From<T::Err>,
    {
        word.get_ref().parse().map_err(|error: T::Err| self.within(word, error.into()))
    }

    fn code(&self, word: &Word) -> Result<CodePrefix, Failure> {
        code(word.get_ref()).map_err(|failure| self.within(word, failure))
    }

    /// Adds the place to what is wrong with a value.
    fn within(&self, word: &Word, failure: Failure) -> Failure {
        let line = self.lines.partition_point(|begin| *begin <= word.span().start);
        failure.after(format_args!("{}:{line}: ", self.file))
    }
}

fn code(text: &str) -> Result<CodePrefix, Failure> {
    text.parse().map_err(|error: CodePrefixError| Failure::new(error.to_string()))
}

/// The codes of an option.
fn codes(option: &str, given: &[String]) -> Result<Vec<CodePrefix>, Failure> {
    let named = |text: &String| code(text).map_err(|failure| failure.after(format_args!("{option}: ")));
    given.iter().map(named).collect()
}

/// The nearest settings file in this folder and those above.
fn upwards(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(SETTINGS)).find(|path| path.is_file())
}

fn read(path: &Path) -> Result<Settings, Failure> {
    let failed = |what: String| Failure::cannot_read(path.display(), what);
    let text = ptxcvt_files::whole::settings_file(path).map_err(|e| failed(reason(&e)))?;
    let settings: Settings =
        toml::from_str(&text).map_err(|e| failed(e.to_string().trim_end().to_owned()))?;
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let lines = std::iter::once(0).chain(ends).collect();
    Ok(Settings { file: path.display().to_string(), lines, ..settings })
}
