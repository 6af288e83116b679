//! `ptxcvt check FILE…`: checks every `cvt` and `cvt.pack` in PTX modules and inline assembly.

use std::collections::HashSet;
#[cfg(feature = "lower")]
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use ptxcvt_files::inputs::refuse_replacing_any;
use ptxcvt_files::refuse_replacing;
use ptxcvt_syntax::fix::Applicability;
use ptxcvt_syntax::render::OutputFormat;
#[cfg(feature = "lower")]
use ptxcvt_syntax::sources::Language;

#[cfg(feature = "lower")]
use crate::check::need;
use crate::check::printed::{Choice, Printed};
use crate::check::sources::{SourceArgs, Use};
use crate::check::{Totals, fixes, name_of, unreadable};
#[cfg(feature = "lower")]
use crate::check::{input, known_input};
use crate::failure::Failure;
#[cfg(feature = "lower")]
use crate::output;
use crate::progress::Progress;
#[cfg(feature = "lower")]
use crate::rewrite;
use crate::walk;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt check kernel.ptx
  ptxcvt check kernels/ --target sm_120a --isa 9.1 --output-format sarif
  ptxcvt check kernel.cu include/ python/ --target sm_90
  ptxcvt check --fix kernel.ptx
  echo 'cvt.rn.f16.f32 %0, %1;' | ptxcvt check --snippet --target sm_90 -
  ptxcvt check --lower --target sm_80 kernel.ptx -o kernel-80.ptx")]
pub struct Args {
    /// Modules of PTX; CUDA C++, Python, Rust, LLVM IR, MLIR and notebooks with inline assembly; directories (every such
    /// file in them and below); `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    sources: SourceArgs,
    /// Write the findings to this file as a baseline, and report nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "fix", "diff", "stats", "lower"])]
    write_baseline: Option<PathBuf>,
    /// Count each form, and name the lowest target and version for all of them
    #[arg(long)]
    stats: bool,
    /// Report what the conversions of the files need on this target, up to --isa, and which of them can be lowered for it.
    /// Errors other than conversions that a target lacks are reported; exit status 1 if there are any, or if a
    /// conversion cannot be lowered
    #[arg(
        long,
        value_name = "SM",
        conflicts_with_all = ["target", "targets_from", "stats", "lower", "fix", "diff", "write_baseline"]
    )]
    would_need: Option<ptxcvt::Target>,
    /// Rewrite the module for --target: conversions that it lacks become sequences, the rest is unchanged
    #[arg(
        long,
        requires = "target",
        conflicts_with_all = [
            "snippet", "stats", "wrapper", "select", "ignore", "config", "baseline", "unsafe_fixes"
        ]
    )]
    lower: bool,
    /// Where --lower writes the module, instead of standard output
    #[arg(long, short, value_name = "FILE", requires = "lower")]
    output: Option<PathBuf>,
    /// Make all safe fixes: spelling, order, a required modifier
    #[arg(long, conflicts_with_all = ["stats", "diff", "lower"])]
    fix: bool,
    /// With --fix or --diff: also make fixes that change results, the target or the version
    #[arg(long)]
    unsafe_fixes: bool,
    /// Show the changes of --fix without making them; exit status 1 if there are any
    #[arg(long, conflicts_with_all = ["stats", "output_format", "lower"])]
    diff: bool,
    /// The format of the findings
    #[arg(long, value_name = "FORMAT", default_value = "full", value_parser = format_parser())]
    output_format: OutputFormat,
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = OutputFormat> {
    PossibleValuesParser::new(OutputFormat::ALL.iter().map(|f| f.name())).map(|name| {
        OutputFormat::ALL.iter().copied().find(|f| f.name() == name).expect("clap accepts only these names")
    })
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    args.refuse_formats()?;
    #[cfg(not(feature = "lower"))]
    if args.lower || args.would_need.is_some() {
        let option = if args.lower { "--lower" } else { "--would-need" };
        let message = format!("{option} is not available: this ptxcvt was built without the feature `lower`");
        return Err(Failure::new(message));
    }
    #[cfg(feature = "lower")]
    if let (true, Some(target)) = (args.lower, args.sources.machine.target) {
        return args.rewrite(target);
    }
    args.refuse_fixes()?;
    let limit = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let purpose = Use {
        paths: &args.paths,
        fixes: (args.fix || args.diff).then_some(limit),
        write_baseline: args.write_baseline.as_deref(),
    };
    let mut judge = args.sources.judge(&purpose)?;
    let mut totals = Totals::default();
    let mut files = collect(args, &mut totals);
    files.retain(|path| {
        let excluded = judge.policy.excludes(path);
        if excluded && args.paths.contains(path) {
            *totals.skipped.entry(EXCLUDED).or_default() += 1;
        }
        !excluded
    });
    if let Some(to) = &args.write_baseline {
        files.iter().try_for_each(|path| refuse_replacing(path, to))?;
    }
    // --would-need is about a target that the project need not build.
    #[cfg(feature = "lower")]
    if let Some(target) = args.would_need {
        let wanted = need::Wanted::new(target, judge.options.machine.isa())?;
        return need::run(&files, judge, wanted, args.output_format, totals);
    }
    args.sources.find_targets(&mut judge, &files, &purpose)?;
    // The settings and build files that were read; before the work, not after it.
    args.write_baseline.iter().try_for_each(refuse_replacing_any)?;
    let choice = Choice {
        format: args.output_format,
        diff: args.diff,
        stats: args.stats,
        baseline: args.write_baseline.clone(),
    };
    let mut printed = Printed::new(choice, totals);
    let progress = Progress::counting(files.len() as u64, "files");
    let work = |path: &PathBuf| judge.read(path).map(|bytes| judge.judge(name_of(path), bytes));
    ptxcvt_parallel::in_order(&files, work, |path, judged| -> Result<(), Failure> {
        match judged {
            Ok(judged) => {
                printed.file(path, judged, &judge, &progress)?;
                progress.advance(1);
            }
            Err(error) => printed.unreadable(path, &error),
        }
        Ok(())
    })?;
    drop(progress);
    printed.finish()
}

impl Args {
    /// Refuses values of `--output-format` that `--stats` and `--would-need` do not support.
    fn refuse_formats(&self) -> Result<(), Failure> {
        let data =
            matches!(self.output_format, OutputFormat::Full | OutputFormat::Concise | OutputFormat::Json);
        if data || !(self.stats || self.would_need.is_some()) {
            return Ok(());
        }
        let option = if self.stats { "--stats" } else { "--would-need" };
        let message = format!("{option} has no output format {}", self.output_format.name());
        Err(Failure::new(message).with_help("choose full, concise or json"))
    }

    /// Refuses `--unsafe-fixes` without `--fix` or `--diff`, and fixes of files that cannot be rewritten.
    fn refuse_fixes(&self) -> Result<(), Failure> {
        if self.unsafe_fixes && !self.fix && !self.diff {
            return Err(Failure::new("--unsafe-fixes needs --fix or --diff"));
        }
        let Some(path) = self.paths.iter().find(|path| self.fix && !fixes::can_rewrite(path)) else {
            return Ok(());
        };
        let what = match name_of(path) {
            _ if path.as_os_str() == "-" => "standard input".to_owned(),
            name => format!("{name}: it is not a regular file"),
        };
        Err(Failure::new(format!("--fix cannot change {what}")).with_help("use --diff to see the changes"))
    }

    /// `--lower`.
    #[cfg(feature = "lower")]
    fn rewrite(&self, target: ptxcvt::Target) -> Result<ExitCode, Failure> {
        let [path] = &self.paths[..] else {
            return Err(Failure::new("--lower accepts one module at a time"));
        };
        if self.sources.lang.or_else(|| Language::of(path)).is_some_and(|language| language != Language::Ptx)
        {
            let message = format!("{}: --lower rewrites modules of PTX", path.display());
            return Err(Failure::new(message).with_help("`ptxcvt lower` prints the sequence for a form"));
        }
        let (isa, to) = (self.sources.machine.isa, self.output.as_deref());
        // A FIFO is refused before it is read.
        refuse_replacing(path, to.unwrap_or(Path::new("-")))?;
        let bytes = if self.sources.lang.is_some() { input(path) } else { known_input(path, "") };
        let bytes = bytes.map_err(|e| Failure::cannot_read(path.display(), output::reason(&e)))?;
        rewrite::run((&name_of(path), &bytes), target, isa, to, self.output_format)
    }
}

/// Why a file that was named is not judged. Files of folders that are excluded are not counted.
const EXCLUDED: &str = "`exclude` of the settings leaves the named file out";

/// The files of the arguments and of their directories, in order, each once: `a.ptx` and `./a.ptx` are one file.
fn collect(args: &Args, totals: &mut Totals) -> Vec<PathBuf> {
    let extensions = args.sources.extensions();
    let mut files = Vec::new();
    let mut known = HashSet::new();
    for path in &args.paths {
        let (mut found, failed) = walk::files(path, &extensions);
        failed.iter().for_each(|(path, error)| unreadable(path, error, totals));
        found.retain(|path| known.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
        files.append(&mut found);
    }
    files
}
