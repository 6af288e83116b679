//! `ptxcvt check FILE…`: checks every `cvt` and `cvt.pack` in PTX modules and inline assembly.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use ptxcvt_files::refuse_replacing;
use ptxcvt_syntax::Source;
use ptxcvt_syntax::fix::Applicability;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::report::ModuleReport;
use ptxcvt_syntax::sources::Language;

use crate::check::baseline::Baseline;
use crate::check::judge::{Judged, in_order};
#[cfg(feature = "lower")]
use crate::check::need;
use crate::check::sources::{SourceArgs, Use};
use crate::check::stats;
use crate::check::{Totals, fixes, input, known_input, name_of, unreadable};
use crate::failure::{self, FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
#[cfg(feature = "lower")]
use crate::rewrite;
use crate::style::WARNING;
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
    /// Say what the conversions of the files need on this target, up to --isa, and which of them can be lowered for it.
    /// Errors other than conversions that a target lacks are reported; exit status 1 if there are any, or if a
    /// conversion cannot be lowered
    #[arg(
        long,
        value_name = "SM",
        conflicts_with_all = ["target", "targets_from", "stats", "lower", "fix", "diff", "write_baseline"]
    )]
    would_need: Option<ptxcvt::Target>,
    /// Rewrite the module for --target: conversions that it lacks become sequences, the rest is unchanged
    #[arg(long, requires = "target", conflicts_with_all = ["snippet", "stats"])]
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
    let data = matches!(args.output_format, OutputFormat::Full | OutputFormat::Concise | OutputFormat::Json);
    if (args.stats || args.would_need.is_some()) && !data {
        let option = if args.stats { "--stats" } else { "--would-need" };
        let message = format!("{option} has no output format {}", args.output_format.name());
        return Err(Failure::new(message).help("choose full, concise or json"));
    }
    #[cfg(not(feature = "lower"))]
    if args.lower || args.would_need.is_some() {
        let option = if args.lower { "--lower" } else { "--would-need" };
        let message = format!("{option} is not available: this ptxcvt was built without the feature `lower`");
        return Err(Failure::new(message));
    }
    #[cfg(feature = "lower")]
    if let (true, Some(target)) = (args.lower, args.sources.machine.target) {
        let [path] = &args.paths[..] else {
            return Err(Failure::new("--lower accepts one module at a time"));
        };
        if args.sources.lang.or_else(|| Language::of(path)).is_some_and(|language| language != Language::Ptx)
        {
            let message = format!("{}: --lower rewrites modules of PTX", path.display());
            return Err(Failure::new(message).help("`ptxcvt lower` prints the sequence for a form"));
        }
        let (isa, to) = (args.sources.machine.isa, args.output.as_deref());
        refuse_replacing(path, to.unwrap_or(Path::new("-")))?;
        let bytes = if args.sources.lang.is_some() { input(path) } else { known_input(path, "") };
        let bytes = bytes.map_err(|e| Failure::cannot_read(path.display(), output::reason(&e)))?;
        return rewrite::run((&name_of(path), &bytes), target, isa, to, args.output_format);
    }
    if args.unsafe_fixes && !args.fix && !args.diff {
        return Err(Failure::new("--unsafe-fixes needs --fix or --diff"));
    }
    if let Some(path) = args.paths.iter().find(|path| args.fix && !fixes::can_rewrite(path)) {
        let what = match name_of(path) {
            _ if path.as_os_str() == "-" => "standard input".to_owned(),
            name => format!("{name}: it is not a regular file"),
        };
        return Err(Failure::new(format!("--fix cannot change {what}")).help("use --diff to see the changes"));
    }
    let limit = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let judge = args.sources.judge(&Use {
        paths: &args.paths,
        fixes: (args.fix || args.diff).then_some(limit),
        write_baseline: args.write_baseline.as_deref(),
        // --would-need is about a target that the project need not build.
        of_project: args.would_need.is_none(),
    })?;
    let mut totals = Totals::default();
    let mut files = collect(args, &mut totals);
    files.retain(|path| !judge.policy.excludes(path));
    if let Some(to) = &args.write_baseline {
        files.iter().try_for_each(|path| refuse_replacing(path, to))?;
    }
    #[cfg(feature = "lower")]
    if let Some(target) = args.would_need {
        let wanted = need::Wanted::new(target, judge.options.isa)?;
        return need::run(&files, judge, wanted, args.output_format, totals);
    }
    let color = output::has_color();
    let mut renderer = Renderer::new(args.output_format, color);
    let mut modules = Vec::new();
    let mut baseline = args.write_baseline.as_ref().map(|_| Baseline::default());
    let progress = Progress::counting(files.len() as u64, "files");
    let mut out = io::BufWriter::new(output::raw_stdout());
    let work = |path: &Path| judge.read(path).map(|bytes| judge.judge(name_of(path), bytes));
    in_order(&files, work, |path, judged| -> Result<(), Failure> {
        let judged = match judged {
            Ok(judged) => judged,
            Err(error) => {
                unreadable(path, &error, &mut totals);
                return Ok(());
            }
        };
        let Judged { mut source, mut report, after, unfixed } = judged;
        if let Some(count) = unfixed {
            // What `--diff` cannot show is not in order, either.
            totals.fixed += if args.diff { count } else { 0 };
            let what = ptxcvt::counted(count, "fixable finding");
            output::complain(format_args!(
                "{WARNING}warning{WARNING:#}: {}: {what} not fixed: the file is not UTF-8; convert it first, for \
                 example with `iconv -t UTF-8`",
                source.name()
            ));
        }
        if let Some((text, fixed)) = after {
            totals.fixed += fixed;
            if args.diff {
                write!(out, "{}", fixes::diff(source.name(), source.text(), &text))?;
            } else {
                match output::file(path, text.as_bytes()) {
                    Ok(()) => source = Source::owned(source.name(), text.into_bytes()),
                    Err(failure) => {
                        totals.unreadable = true;
                        totals.fixed -= fixed;
                        report = judge.check(&source);
                        failure::report(failure);
                    }
                }
            }
        }
        if let Some(baseline) = &mut baseline {
            baseline.add(&source, &report.diagnostics);
            report.diagnostics.clear();
        }
        totals.add(&report);
        progress.suspend(|| -> io::Result<()> {
            if args.diff {
                return Ok(());
            }
            if !args.stats {
                return renderer.file(&mut out, &source, &report.diagnostics);
            }
            let module = ModuleReport::new(&source, &report);
            if args.output_format == OutputFormat::Json {
                modules.push(module);
                return Ok(());
            }
            renderer.file(&mut out, &source, &report.diagnostics)?;
            stats::print(&mut out, &module)
        })?;
        progress.advance(1);
        Ok(())
    })?;
    drop(progress);
    if let (Some(path), Some(baseline)) = (&args.write_baseline, baseline) {
        output::file(path, baseline.text()?.as_bytes())?;
    }
    if totals.unreadable {
        renderer.failed();
    }
    if args.stats && args.output_format == OutputFormat::Json {
        output::json_to(&mut out, &modules)?;
    } else if !args.diff {
        renderer.finish(&mut out)?;
    }
    if args.output_format.is_prose() && totals.files > 0 && !args.diff {
        // Standard output may carry the baseline.
        match args.write_baseline.as_deref().and_then(Path::to_str) {
            Some(path) if ptxcvt_files::is_standard_output(path) => {
                output::complain(format_args!("{}", totals.summary()));
            }
            _ => writeln!(out, "{}", totals.summary())?,
        }
    }
    out.flush()?;
    if !args.output_format.is_prose() && !args.stats {
        // The formats have no place for what is no finding.
        totals.not_judged().for_each(|line| output::note(format_args!("{line}")));
    }
    Ok(match totals {
        Totals { unreadable: true, .. } => ExitCode::from(2),
        Totals { fixed, .. } if args.diff && fixed > 0 => FINDINGS,
        Totals { errors, .. } if errors > 0 && !args.diff => FINDINGS,
        _ => ExitCode::SUCCESS,
    })
}

/// The files of the arguments and of their directories, in order.
fn collect(args: &Args, totals: &mut Totals) -> Vec<PathBuf> {
    let extensions = args.sources.extensions();
    let mut files = Vec::new();
    for path in &args.paths {
        let (mut found, failed) = walk::files(path, &extensions);
        failed.iter().for_each(|(path, error)| unreadable(path, error, totals));
        files.append(&mut found);
    }
    files
}
