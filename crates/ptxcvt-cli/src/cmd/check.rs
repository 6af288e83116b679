//! `ptxcvt check FILE…`: every `cvt` and `cvt.pack` of PTX modules, judged.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use ptxcvt_syntax::check::{Lowest, Stats};
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Findings, Source, check};
use serde::Serialize;

use crate::args::MachineArgs;
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::rewrite;
use crate::style::{DIM, STRONG};
use crate::walk;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt check kernel.ptx
  ptxcvt check kernels/ --target sm_120a --isa 9.1 --output-format sarif
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
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "full", value_parser = format_parser())]
    output_format: OutputFormat,
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = OutputFormat> {
    PossibleValuesParser::new(OutputFormat::ALL.iter().map(|f| f.name()))
        .map(|name| OutputFormat::ALL.iter().copied().find(|f| f.name() == name).unwrap_or_default())
}

/// What all files together come to.
#[derive(Default)]
struct Totals {
    files: usize,
    errors: usize,
    warnings: usize,
    conversions: u64,
    unreadable: bool,
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
    let mut totals = Totals::default();
    let files = collect(&args.paths, &mut totals);
    let options =
        CheckOptions::default().target(args.machine.target).isa(args.machine.isa).snippet(args.snippet);
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut renderer = Renderer::new(args.output_format, color);
    let mut maps = Vec::new();
    let progress = Progress::counting(files.len() as u64, "files");
    let mut out = io::BufWriter::new(Patient { inner: io::stdout().lock(), gone: false });
    for path in &files {
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                unreadable(path, &error, &mut totals);
                continue;
            }
        };
        let name = name_of(path);
        let source = Source::new(name, &bytes);
        let report = check(&source, &options);
        totals.files += 1;
        totals.errors += report.errors();
        totals.warnings += report.warnings();
        totals.conversions += report.stats.conversions;
        progress.suspend(|| -> io::Result<()> {
            if !args.stats {
                return renderer.file(&mut out, &source, &report.diagnostics);
            }
            if args.output_format == OutputFormat::Json {
                maps.push(Map::new(&source, &report));
                return Ok(());
            }
            renderer.file(&mut out, &source, &report.diagnostics)?;
            print_stats(&mut out, &source, &report.stats)
        })?;
        progress.advance(1);
    }
    drop(progress);
    if args.stats && args.output_format == OutputFormat::Json {
        output::json_to(&mut out, &maps)?;
    } else {
        renderer.finish(&mut out)?;
    }
    if args.output_format.is_prose() && totals.files > 0 {
        writeln!(out, "{}", totals.summary())?;
    }
    out.flush()?;
    Ok(match totals {
        Totals { unreadable: true, .. } => ExitCode::from(2),
        Totals { errors: 0, .. } => ExitCode::SUCCESS,
        _ => FINDINGS,
    })
}

/// What messages call a file.
fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { path.display().to_string() }
}

fn unreadable(path: &Path, error: &io::Error, totals: &mut Totals) {
    totals.unreadable = true;
    // The other files are still checked.
    Failure::new(format!("cannot read {}: {}", path.display(), output::reason(error))).report();
}

/// A writer whose reader may leave (`| head`): the rest is not written, but still checked, so that the exit status
/// is right.
struct Patient<W> {
    inner: W,
    gone: bool,
}

impl<W: Write> Patient<W> {
    fn tolerate<T>(&mut self, outcome: io::Result<T>, instead: T) -> io::Result<T> {
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(instead)
            }
            outcome => outcome,
        }
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let outcome = self.inner.write(bytes);
        self.tolerate(outcome, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let outcome = self.inner.flush();
        self.tolerate(outcome, ())
    }
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

fn plural(count: impl Into<u64>, what: &str) -> String {
    let count = count.into();
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Totals {
    fn summary(&self) -> String {
        let place = format!(
            "in {}, {} checked",
            plural(self.files as u64, "file"),
            plural(self.conversions, "conversion")
        );
        match (self.errors, self.warnings) {
            (0, 0) => format!("No findings {place}."),
            (errors, 0) => format!("{} {place}.", plural(errors as u64, "error")),
            (0, warnings) => format!("{} {place}.", plural(warnings as u64, "warning")),
            (errors, warnings) => {
                format!(
                    "{} and {} {place}.",
                    plural(errors as u64, "error"),
                    plural(warnings as u64, "warning")
                )
            }
        }
    }
}

// The map of a module.

/// The map as JSON.
#[derive(Serialize)]
struct Map {
    file: String,
    errors: usize,
    instructions: u64,
    conversions: u64,
    forms: Vec<MapForm>,
    lowest: Option<MapPlace>,
    nearly: Option<MapPlace>,
}

#[derive(Serialize)]
struct MapForm {
    form: String,
    count: u64,
    line: usize,
}

#[derive(Serialize)]
struct MapPlace {
    target: String,
    isa: String,
    /// Lines that this target does not take.
    but_lines: Vec<usize>,
}

impl Map {
    fn new(source: &Source<'_>, report: &Findings) -> Self {
        let stats = &report.stats;
        let line = |at: &u32| source.position(*at).line;
        let place = |lowest: Lowest| MapPlace {
            target: lowest.target.to_string(),
            isa: lowest.isa.to_string(),
            but_lines: distinct(lowest.but.iter().map(line)),
        };
        Map {
            file: source.name().to_owned(),
            errors: report.errors(),
            instructions: stats.instructions,
            conversions: stats.conversions,
            forms: stats
                .forms
                .iter()
                .map(|(form, (count, places))| MapForm {
                    form: form.to_string(),
                    count: *count,
                    line: places.first().map_or(0, line),
                })
                .collect(),
            lowest: stats.lowest().map(place),
            nearly: stats.nearly().map(place),
        }
    }
}

/// Line numbers, each once.
fn distinct(lines: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut lines: Vec<usize> = lines.collect();
    lines.dedup();
    lines
}

fn print_stats(out: &mut dyn Write, source: &Source<'_>, stats: &Stats) -> io::Result<()> {
    let mut text = String::new();
    let line = |at: &u32| source.position(*at).line;
    let _ = writeln!(
        text,
        "{STRONG}{}{STRONG:#}: {}, {} of them conversions",
        source.name(),
        plural(stats.instructions, "instruction"),
        stats.conversions
    );
    let mut forms: Vec<_> = stats.forms.iter().collect();
    forms.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (form, (count, places)) in forms {
        let first = places.first().map_or(0, line);
        let form = form.to_string();
        let _ = writeln!(text, "{count:>9}  {form:<44} {DIM}first in line {first}{DIM:#}");
    }
    if stats.forms.is_empty() {
        let _ = writeln!(text, "no legal conversion, so any target will do");
    } else {
        match stats.lowest() {
            Some(lowest) => {
                let _ =
                    writeln!(text, "all of them are legal from {} at ISA {} on", lowest.target, lowest.isa);
            }
            None => {
                let _ = writeln!(text, "no single target has all of them");
            }
        }
        if let Some(nearly) = stats.nearly() {
            let lines: Vec<String> =
                distinct(nearly.but.iter().map(line)).iter().map(usize::to_string).collect();
            let what = if lines.len() == 1 { "line" } else { "lines" };
            let _ = writeln!(
                text,
                "this module could be built for {} at ISA {} but for {what} {}",
                nearly.target,
                nearly.isa,
                lines.join(", ")
            );
        }
    }
    // The map is written in colour; where none is wanted, it is stripped of it.
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    if color { writeln!(out, "{text}") } else { writeln!(out, "{}", anstream::adapter::strip_str(&text)) }
}
