//! `ptxcvt check FILE…`: every `cvt` and `cvt.pack` of PTX modules, judged.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use ptxcvt_syntax::fix::{Applicability, fix};
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Findings, Source, check};

use crate::args::MachineArgs;
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
  ptxcvt check --fix kernel.ptx
  echo 'cvt.rn.f16.f32 %0, %1;' | ptxcvt check --snippet --target sm_90 -
  ptxcvt check --lower --target sm_80 kernel.ptx -o kernel-80.ptx

Exit status: 0 no errors (warnings are no errors), 1 errors, 2 a file that cannot be read, or a wrong command line.")]
pub struct Args {
    /// PTX files, directories (every *.ptx in them and below), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    machine: MachineArgs,
    /// The input is inline assembly: a block or an instruction, with %0 or $0 placeholders
    #[arg(long)]
    snippet: bool,
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
    let mut totals = Totals::default();
    let files = collect(&args.paths, &mut totals);
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut renderer = Renderer::new(args.output_format, color);
    let mut maps = Vec::new();
    let progress = Progress::counting(files.len() as u64, "files");
    let mut out = io::BufWriter::new(Patient::new(io::stdout().lock()));
    for path in &files {
        let judged = match read(path) {
            Ok(bytes) => args.judge(path, bytes),
            Err(error) => {
                unreadable(path, &error, &mut totals);
                continue;
            }
        };
        let Judged { mut source, mut report, after } = judged;
        if let Some((text, fixed)) = after {
            totals.fixed += fixed;
            if args.diff {
                write!(out, "{}", fixes::diff(source.name(), source.text(), &text))?;
            } else {
                match fixes::write(path, &text) {
                    Ok(()) => source = Source::owned(source.name(), text.into_bytes()),
                    Err(failure) => {
                        totals.unreadable = true;
                        totals.fixed -= fixed;
                        report = args.check(&source);
                        failure.report();
                    }
                }
            }
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
    }
    drop(progress);
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

/// What is found in a file after its fixes, its text then, and how many were fixed.
struct Judged {
    source: Source<'static>,
    report: Findings,
    after: Option<(String, usize)>,
}

impl Args {
    fn check(&self, source: &Source<'_>) -> Findings {
        let options =
            CheckOptions::default().target(self.machine.target).isa(self.machine.isa).snippet(self.snippet);
        check(source, &options)
    }

    fn judge(&self, path: &Path, bytes: Vec<u8>) -> Judged {
        let name = name_of(path);
        // What is no Unicode would not come back as it was.
        let wanted = (self.fix || self.diff) && std::str::from_utf8(&bytes).is_ok();
        let source = Source::owned(name, bytes);
        if !wanted {
            let report = self.check(&source);
            return Judged { source, report, after: None };
        }
        let limit = if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
        let fixed = fix(&source, limit, |source| self.check(source));
        let count = fixed.count();
        let after = (count > 0).then_some((fixed.text, count));
        Judged { source, report: fixed.left, after }
    }
}

fn unreadable(path: &Path, error: &io::Error, totals: &mut Totals) {
    totals.unreadable = true;
    // The other files are still checked.
    Failure::new(format!("cannot read {}: {}", path.display(), output::reason(error))).report();
}

/// The files that the arguments name, directories resolved, in order.
fn collect(paths: &[PathBuf], totals: &mut Totals) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        let (mut found, failed) = walk::files(path, "ptx");
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
