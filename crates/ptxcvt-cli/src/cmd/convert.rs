//! `ptxcvt convert OPCODE IN… -o OUT`: arrays in files, on all cores.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use bytesize::ByteSize;
use ptxcvt::forms::Role;
use ptxcvt::literal::Number;
use ptxcvt::{Form, Format};
use ptxcvt_bulk::Plan;
use ptxcvt_files::array::{Container, Output, Stored};
use ptxcvt_files::convert::{Done, ExtraSource, Opened, Options, Resources, Tally, Task};
use ptxcvt_files::is_standard_output;
use ptxcvt_files::open::{Declared, Purpose};
use ptxcvt_files::reading::{Fp4, Reading};

use crate::args;
use crate::failure::Failure;
use crate::operand;
use crate::output::{self, clip};
use crate::progress::Progress;
use crate::style::DIM;

#[derive(clap::Args)]
#[command(after_help = "\
A single input holds the elements in memory order. In a packed pair, element 2i is the lower part and element 2i + 1 the \
upper. FP4 elements occupy half a byte, the low half first; FP6 elements occupy a byte. Several inputs are one array for \
each source operand, in PTX order; then the output holds one register per instruction.

The output file is replaced only when the new one is complete. Devices, pipes and /dev/fd are written as the results come.

Examples:
  ptxcvt convert cvt.rn.satfinite.e4m3x2.f32 weights.npy -o weights-e4m3.npy
  ptxcvt convert 'f32->e4m3->f32' weights.npy -o rounded.npy --stats
  ptxcvt convert cvt.rn.satfinite.e2m1x2.f32 model.safetensors -o small.safetensors --tensor w1
  ptxcvt convert cvt.rs.bf16x2.f32 grad.f32 --dtype f32 --seed 7 -o grad.bf16
  producer | ptxcvt convert 'f32->bf16' - --dtype f32 -o - | consumer")]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e4m3x2.f32; or several, joined by ` then `; or formats, such as
    /// 'f32->e4m3->f32'
    opcode: String,
    /// Input files: .npy, .safetensors, or raw with --dtype; `-` is standard input
    #[arg(required = true, value_name = "IN", value_parser = args::file_name())]
    inputs: Vec<String>,
    /// The output file, whose extension determines its format; `-` is standard output
    #[arg(short, long, value_name = "OUT", value_parser = args::file_name())]
    output: String,
    /// The output format, if the name does not determine it [default: raw; for `-` that of the input]
    #[arg(long, value_name = "FORMAT", value_enum)]
    container: Option<Container>,
    /// Convert only this tensor of a .safetensors file and copy the others; may be repeated
    #[arg(long, value_name = "NAME")]
    tensor: Vec<String>,
    /// Omit the tensors that are not converted instead of copying them
    #[arg(long)]
    only: bool,
    /// The format of the elements of raw inputs
    #[arg(long, value_name = "FORMAT")]
    dtype: Option<Format>,
    /// Raw inputs have the most significant byte first
    #[arg(long)]
    big_endian: bool,
    /// Accept any type of the right width and reinterpret its bits
    #[arg(long)]
    reinterpret: bool,
    /// How bytes hold FP4: in the output, and in inputs whose type does not say
    #[arg(long, value_name = "HOW", value_enum)]
    fp4: Option<Fp4>,
    /// Pad rows of odd length with a zero when two results share a byte
    #[arg(long)]
    pad: bool,
    /// Random bits for .rs: a file of 32-bit words, one per instruction, or one value for all
    #[arg(long, value_name = "FILE|BITS", conflicts_with = "seed")]
    rbits: Option<String>,
    /// Random bits for .rs from Philox4x32-10 with this seed; every tensor has its own stream, derived from its name
    #[arg(long, value_name = "N", value_parser = args::whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// The scale-factor: one value (2, or its code 0x80), or a file with one code per instruction. Narrowing
    /// conversions divide by it; widening ones multiply
    #[arg(long, value_name = "FILE|SCALE")]
    scale: Option<String>,
    #[command(flatten)]
    threads: args::Threads,
    /// Limit on the size of all buffers; with less than 64 KiB for each thread, fewer threads run
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = args::memory)]
    memory: ByteSize,
    /// Count NaN, saturated, flushed and overflowed elements, measure errors and time the phases; also runs the
    /// reference evaluator
    #[arg(long)]
    stats: bool,
    /// Print what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not warn about NaN and infinities in the input of a saturating conversion
    #[arg(short, long)]
    quiet: bool,
    /// Print which kernels ran, and how fast
    #[arg(short, long)]
    verbose: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (forms, paths) = args.chain()?;
    let plans: Vec<Plan> = forms.iter().map(|form| Plan::new(*form)).collect();
    args.refuse_without_effect(&forms)?;
    let purpose = Purpose::Convert(forms[0].source().format());
    let declared = Declared { dtype: args.dtype, big_endian: args.big_endian, purpose };
    let opened = Opened::open(paths, declared, &args.output, args.container)?;
    let extras = args.extras(&forms)?;
    let options = Options {
        plans: &plans,
        extras: &extras,
        tensors: &args.tensor,
        only: args.only,
        reading: Reading { fp4: args.fp4, reinterpret: args.reinterpret },
        pad: args.pad,
        stats: args.stats,
    };
    let planned = opened.plan(&options, &args.output)?;
    if args.dry_run {
        return describe(opened.name(), planned.tasks());
    }
    let start = Instant::now();
    let progress = Progress::bytes(0);
    let Done { tally: Tally { counts, phases, .. }, specials, read, wrote } =
        planned.run(args.resources(), &progress)?;
    drop(progress);
    if !args.quiet {
        output::warn_of(&specials);
    }
    // Standard output may carry the result.
    let mut out: Box<dyn Write> = if is_standard_output(&args.output) {
        Box::new(output::stderr())
    } else {
        Box::new(output::stdout())
    };
    if args.verbose {
        let kernels: Vec<&str> = plans.iter().map(|plan| plan.tier().name()).collect();
        let rate = (read + wrote) as f64 / start.elapsed().as_secs_f64() / 1e9;
        let (name, read, wrote) = (&args.opcode, ByteSize(read), ByteSize(wrote));
        let kernels = kernels.join(", ");
        output::complain(format_args!(
            "{DIM}{name}: kernels {kernels}; {read} read, {wrote} written, {rate:.2} GB/s{DIM:#}"
        ));
    }
    if args.verbose || args.stats {
        let passed = start.elapsed().as_secs_f64();
        output::complain(format_args!("{DIM}{passed:.3} s: {phases}{DIM:#}"));
    }
    if args.stats {
        for (name, count) in counts.rows() {
            let share = 100.0 * count as f64 / (counts.losses.elements().max(1)) as f64;
            writeln!(out, "{name:<10} {count:>14} {DIM}{share:7.3} %{DIM:#}")?;
        }
        for (name, value) in counts.errors() {
            let value = value.map_or("undefined".to_owned(), short);
            writeln!(out, "{name:<10} {value:>14}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Formats a number with six digits, with an exponent if it is very large or small.
fn short(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) || !size.is_finite() => format!("{value:.6}"),
        _ => format!("{value:.5e}"),
    }
}

impl Args {
    fn resources(&self) -> Resources {
        Resources {
            threads: self.threads.threads,
            memory: usize::try_from(self.memory.as_u64()).unwrap_or(usize::MAX),
        }
    }

    /// The conversions and the inputs. `then` between opcodes may be a separate argument.
    fn chain(&self) -> Result<(Vec<Form>, &[String]), Failure> {
        let (mut text, mut inputs) = (self.opcode.clone(), &self.inputs[..]);
        while let [then, next, rest @ ..] = inputs {
            if then != "then" {
                break;
            }
            text = format!("{text} then {next}");
            inputs = rest;
        }
        if inputs.is_empty() {
            return Err(Failure::new("no input file").with_help("give a file, or `-` for standard input"));
        }
        Ok((ptxcvt::forms::chain(&text)?, inputs))
    }

    /// Reports options that have no effect because neither side is FP4.
    fn refuse_without_effect(&self, forms: &[Form]) -> Result<(), Failure> {
        let last = forms.last().expect("a chain has a form");
        let (source, destination) = (forms[0].source(), last.destination());
        let is_fp4 = |ty: ptxcvt::Type| ty.format().bits() == 4;
        if self.fp4.is_some() && !is_fp4(source) && !is_fp4(destination) {
            let types = format!("neither `.{source}` nor `.{destination}` is FP4");
            return Err(Failure::new(format!("{types}, so --fp4 has no effect")));
        }
        if self.pad && !is_fp4(destination) {
            let types = format!("`.{destination}` results are not packed two to a byte");
            return Err(Failure::new(format!("{types}, so --pad has no effect")));
        }
        Ok(())
    }

    /// Random bits and scales of each conversion.
    fn extras(&self, forms: &[Form]) -> Result<Vec<ExtraSource>, Failure> {
        let takes = |role| forms.iter().filter_map(Form::extra).any(|operand| operand.role == role);
        let all = || forms.iter().map(Form::to_string).collect::<Vec<_>>().join("` then `");
        if (self.rbits.is_some() || self.seed.is_some()) && !takes(Role::RandomBits) {
            return Err(Failure::new(format!(
                "`{}` uses no random bits, so --rbits and --seed have no effect",
                all()
            )));
        }
        if self.scale.is_some() && !takes(Role::ScaleFactor) {
            return Err(Failure::new(format!("`{}` has no scale operand, so --scale has no effect", all())));
        }
        let extras: Vec<ExtraSource> = forms.iter().map(|form| self.extra(form)).collect::<Result<_, _>>()?;
        if extras.iter().filter(|extra| matches!(extra, ExtraSource::File(..))).count() > 1 {
            return Err(Failure::new(
                "only one conversion of a chain can read random bits or scales from a file",
            ));
        }
        Ok(extras)
    }

    /// Random bits or the scale of one conversion; `c` of `cvt.pack` is an array like the others.
    fn extra(&self, form: &Form) -> Result<ExtraSource, Failure> {
        let wanted = form.extra().filter(|operand| operand.role != Role::Rest);
        let Some(wanted) = wanted else { return Ok(ExtraSource::None) };
        let random = wanted.role == Role::RandomBits;
        let (option, text) = if random { ("--rbits", &self.rbits) } else { ("--scale", &self.scale) };
        match (text, self.seed) {
            (None, Some(seed)) if random => Ok(ExtraSource::Seed(seed)),
            (None, _) => {
                let help =
                    if random { "give --seed N or --rbits FILE|BITS" } else { "give --scale FILE|SCALE" };
                Err(Failure::new(format!("`{form}` needs {}", wanted.role.name())).with_help(help))
            }
            (Some(text), _) if means_a_number(text) && !std::path::Path::new(text).exists() => {
                let read = operand::parse(form, &wanted, text, false).map_err(|e| {
                    Failure::new(format!("{option} `{}`: {}", clip(text), e.message)).with_code(e.code)
                })?;
                if let Some(note) = read.note {
                    output::note(format_args!("{option}: `{}` {note}", clip(text)));
                }
                Ok(ExtraSource::Value(read.bits))
            }
            (Some(path), _) => Ok(ExtraSource::open(path, &wanted)?),
        }
    }
}

/// True if the text looks like a number, even an invalid one: it starts with a digit or a point, or parses (`-1`,
/// `nan`).
fn means_a_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.') || Number::parse(text).is_ok()
}

/// `--dry-run`.
fn describe(file: &str, tasks: &[Task<'_>]) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    for task in tasks {
        let Output { name, stored, shape, bytes, .. } = &task.output;
        let name = name.as_ref().map_or(file.to_owned(), |name| format!("{file}: tensor `{name}`"));
        let stored = match stored {
            Stored::Elements { format, spread: false } => format!("{format}"),
            Stored::Elements { format, spread: true } => format!("{format}, one element per byte"),
            Stored::Registers(width) => format!("{width}-bit registers"),
            Stored::Copied(dtype) => format!("{dtype}"),
        };
        let bytes = bytes.map_or("unknown length".into(), |bytes| ByteSize(bytes).to_string());
        writeln!(out, "{name}: {}: {stored} {shape:?}, {bytes}", task.account)?;
    }
    Ok(ExitCode::SUCCESS)
}
