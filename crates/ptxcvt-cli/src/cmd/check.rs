//! `ptxcvt check FILE…`: every `cvt` and `cvt.pack` of PTX modules, judged.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use ptxcvt_syntax::fix::Applicability;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::sources::Language;
use ptxcvt_syntax::{CheckOptions, Source};

use crate::args::MachineArgs;
use crate::check::baseline::Baseline;
use crate::check::judge::{Judge, Judged, in_order};
use crate::check::policy::{Policy, PolicyArgs};
use crate::check::stats::{self, Map};
use crate::check::{Patient, Totals, fixes};
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
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
  ptxcvt check --lower --target sm_80 kernel.ptx -o kernel-80.ptx

Exit status: 0 no errors (warnings are no errors), 1 errors, 2 a file that cannot be read, or a wrong command line.")]
pub struct Args {
    /// Modules of PTX, and CUDA C++, Python and LLVM IR with inline assembly; directories (every such file in them and
    /// below); `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    machine: MachineArgs,
    /// The input is inline assembly: a block or an instruction, with %0 or $0 placeholders
    #[arg(long)]
    snippet: bool,
    /// What the files are written in, whatever their names say
    #[arg(long, value_name = "LANGUAGE", value_parser = language_parser(), conflicts_with = "snippet")]
    lang: Option<Language>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Tell how many of each form there are, and the lowest target and version for all of them
    #[arg(long)]
    stats: bool,
    /// Write the module again for --target: conversions that it lacks become sequences, the rest stays as it is
    #[arg(long, requires = "target", conflicts_with_all = ["snippet", "stats"])]
    lower: bool,
    /// Where --lower writes the module, instead of standard output
    #[arg(long, short, value_name = "FILE", requires = "lower")]
    output: Option<PathBuf>,
    /// Fix what can be fixed for certain: spelling, order, a modifier that is required
    #[arg(long, conflicts_with_all = ["stats", "diff", "lower"])]
    fix: bool,
    /// With --fix or --diff: also what changes results, or for which target and version the module is
    #[arg(long)]
    unsafe_fixes: bool,
    /// Show what --fix would change, and change nothing; exit status 1 if there is something
    #[arg(long, conflicts_with_all = ["stats", "output_format", "lower"])]
    diff: bool,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "full", value_parser = format_parser())]
    output_format: OutputFormat,
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = OutputFormat> {
    PossibleValuesParser::new(OutputFormat::ALL.iter().map(|f| f.name()))
        .map(|name| OutputFormat::ALL.iter().copied().find(|f| f.name() == name).unwrap_or_default())
}

fn language_parser() -> impl clap::builder::TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::ALL.iter().map(|language| language.name()))
        .map(|name| Language::ALL.iter().copied().find(|l| l.name() == name).unwrap_or_default())
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.stats
        && !matches!(args.output_format, OutputFormat::Full | OutputFormat::Concise | OutputFormat::Json)
    {
        let message = format!("--stats is not available as {}", args.output_format.name());
        return Err(Failure::new(message).help("choose full, concise or json"));
    }
    if let (true, Some(target)) = (args.lower, args.machine.target) {
        let [path] = &args.paths[..] else {
            return Err(Failure::new("--lower takes one module at a time"));
        };
        let bytes = read(path)
            .map_err(|e| Failure::new(format!("cannot read {}: {}", path.display(), output::reason(&e))))?;
        let (isa, to) = (args.machine.isa, args.output.as_deref());
        return rewrite::run((&name_of(path), &bytes), target, isa, to, args.output_format);
    }
    if args.unsafe_fixes && !args.fix && !args.diff {
        return Err(Failure::new("--unsafe-fixes says which fixes; add --fix or --diff"));
    }
    if args.fix && args.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::new("standard input cannot be fixed").help("--diff shows what would change"));
    }
    let judge = args.judge()?;
    let mut totals = Totals::default();
    let mut files = collect(args, &mut totals);
    files.retain(|path| !judge.policy.excludes(path));
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut renderer = Renderer::new(args.output_format, color);
    let mut maps = Vec::new();
    let mut baseline = args.policy.write_baseline.as_ref().map(|_| Baseline::default());
    let progress = Progress::counting(files.len() as u64, "files");
    let mut out = io::BufWriter::new(Patient::new(io::stdout().lock()));
    let work = |path: &Path| read(path).map(|bytes| judge.judge(name_of(path), bytes));
    in_order(&files, work, |path, judged| -> Result<(), Failure> {
        let judged = match judged {
            Ok(judged) => judged,
            Err(error) => {
                unreadable(path, &error, &mut totals);
                return Ok(());
            }
        };
        let Judged { mut source, mut report, after } = judged;
        if let Some((text, fixed)) = after {
            totals.fixed += fixed;
            if args.diff {
                write!(out, "{}", fixes::diff(source.name(), source.text(), &text))?;
            } else {
                match fixes::write(path, text.as_bytes()) {
                    Ok(()) => source = Source::owned(source.name(), text.into_bytes()),
                    Err(failure) => {
                        totals.unreadable = true;
                        totals.fixed -= fixed;
                        report = judge.check(&source);
                        failure.report();
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
            if args.output_format == OutputFormat::Json {
                maps.push(Map::new(&source, &report));
                return Ok(());
            }
            renderer.file(&mut out, &source, &report.diagnostics)?;
            stats::print(&mut out, &source, &report.stats)
        })?;
        progress.advance(1);
        Ok(())
    })?;
    drop(progress);
    if let (Some(path), Some(baseline)) = (&args.policy.write_baseline, baseline) {
        fixes::write(path, baseline.text()?.as_bytes())?;
    }
    if totals.unreadable {
        renderer.failed();
    }
    if args.stats && args.output_format == OutputFormat::Json {
        output::json_to(&mut out, &maps)?;
    } else if !args.diff {
        renderer.finish(&mut out)?;
    }
    if args.output_format.is_prose() && totals.files > 0 && !args.diff {
        writeln!(out, "{}", totals.summary())?;
    }
    out.flush()?;
    Ok(match totals {
        Totals { unreadable: true, .. } => ExitCode::from(2),
        Totals { fixed, .. } if args.diff && fixed > 0 => FINDINGS,
        Totals { errors, .. } if errors > 0 && !args.diff => FINDINGS,
        _ => ExitCode::SUCCESS,
    })
}

/// What messages call a file.
fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { path.display().to_string() }
}

impl Args {
    fn judge(&self) -> Result<Judge, Failure> {
        let policy = Policy::new(&self.policy)?;
        let machine = self.machine;
        let options = CheckOptions::default()
            .target(machine.target.or(policy.target))
            .isa(machine.isa.or(policy.isa))
            .snippet(self.snippet);
        let limit = if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
        let fixes = (self.fix || self.diff).then_some(limit);
        Ok(Judge { options, language: self.lang, fixes, policy })
    }
}

fn unreadable(path: &Path, error: &io::Error, totals: &mut Totals) {
    totals.unreadable = true;
    // The other files are still checked.
    Failure::new(format!("cannot read {}: {}", path.display(), output::reason(error))).report();
}

/// The files that the arguments name, directories resolved, in order.
fn collect(args: &Args, totals: &mut Totals) -> Vec<PathBuf> {
    let languages = match (&args.lang, args.snippet) {
        (Some(language), _) => std::slice::from_ref(language),
        (None, true) => &[Language::Ptx],
        (None, false) => Language::ALL,
    };
    let extensions: Vec<&str> = languages.iter().flat_map(|l| l.extensions()).copied().collect();
    let mut files = Vec::new();
    for path in &args.paths {
        let (mut found, failed) = walk::files(path, &extensions);
        failed.iter().for_each(|(path, error)| unreadable(path, error, totals));
        files.append(&mut found);
    }
    files
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
