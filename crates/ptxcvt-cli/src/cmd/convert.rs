//! `ptxcvt convert OPCODE IN… -o OUT`: arrays in files, on all cores.

use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

use bytesize::ByteSize;
use filebuffer::FileBuffer;
use ptxcvt::bulk::{Plan, Tier};
use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Form, Format};

use crate::convert::array::{Container, Input, Output};
use crate::convert::engine::{ExtraOperand, Resources};
use crate::convert::sink::Sink;
use crate::convert::stats::Counts;
use crate::convert::task::{Choice, Task, plan_work};
use crate::convert::{npy, raw, safetensors};
use crate::failure::{self, Failure};
use crate::progress::Progress;
use crate::style::DIM;

#[derive(clap::Args)]
#[command(after_help = "\
One input holds the elements in memory order: of a packed pair, element 2i becomes the lower part and
2i + 1 the upper; FP4 takes half a byte, the low nibble first; FP6 takes a byte. Several inputs are one
array per source operand, in PTX order, and the output holds one register per instruction.

Examples:
  ptxcvt convert cvt.rn.satfinite.e4m3x2.f32 weights.npy -o weights-e4m3.npy
  ptxcvt convert cvt.rn.satfinite.e2m1x2.f32 model.safetensors -o small.safetensors --tensor w1
  ptxcvt convert cvt.rs.bf16x2.f32 grad.f32 --dtype f32 --seed 7 -o grad.bf16")]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e4m3x2.f32
    opcode: String,
    /// Input files: .npy, .safetensors, or raw with --dtype
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<String>,
    /// The output file; its extension says the format
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// Convert only this tensor of a safetensors file, and copy the others; may be repeated
    #[arg(long, value_name = "NAME")]
    tensor: Vec<String>,
    /// Raw inputs hold elements of this format
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    dtype: Option<Format>,
    /// Random bits for .rs: a file of 32-bit words, one per instruction, or one value for all
    #[arg(long, value_name = "FILE|BITS", conflicts_with = "seed")]
    rbits: Option<String>,
    /// Random bits for .rs from Philox4x32-10 with this seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The scale-factor: a file of one per instruction, or one value for all
    #[arg(long, value_name = "FILE|BITS")]
    scale: Option<String>,
    /// How many threads; default all cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// How much memory the buffers may take
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    memory: ByteSize,
    /// Count NaN, saturated, flushed, overflowed elements (runs the reference evaluator too)
    #[arg(long)]
    stats: bool,
    /// Say which kernels ran, and how fast
    #[arg(short, long)]
    verbose: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let form = failure::form(&args.opcode)?;
    let tier = Tier::from_env().map_err(|e| Failure::new(format!("PTXCVT_TIER: {e}")))?;
    let plan = match tier {
        Some(tier) => Plan::with_tier(form, tier).map_err(|e| Failure::new(format!("PTXCVT_TIER: {e}")))?,
        None => Plan::new(form),
    };
    let inputs: Vec<Input> =
        args.inputs.iter().map(|path| open(path, &form, args.dtype)).collect::<Result<_, _>>()?;
    let extra_file =
        extra_operand(&form).map(|operand| ExtraSource::new(args, &form, operand)).transpose()?;
    if extra_file.is_none() && (args.rbits.is_some() || args.seed.is_some() || args.scale.is_some()) {
        return Err(Failure::new(format!("`{form}` takes neither random bits nor a scale")));
    }
    let extra = extra_file.as_ref().map_or(ExtraOperand::None, ExtraSource::extra);
    let works = plan_work(Choice { plan, tensors: &args.tensor, stats: args.stats }, &inputs, extra)?;
    let start = Instant::now();
    let counts = write(args, &inputs, &works)?;
    if args.verbose {
        let read: usize = works.iter().map(|w| w.read()).sum();
        let wrote: u64 = works.iter().map(|w| w.output.bytes).sum();
        let seconds = start.elapsed().as_secs_f64();
        anstream::eprintln!(
            "{DIM}{form}: kernels {}; {} read, {} written, {:.2} GB/s{DIM:#}",
            plan.tier().name(),
            ByteSize(read as u64),
            ByteSize(wrote),
            (read as f64 + wrote as f64) / seconds / 1e9,
        );
    }
    if args.stats {
        for (name, count) in counts.rows() {
            let share = 100.0 * count as f64 / (counts.elements.max(1)) as f64;
            anstream::println!("{name:<10} {count:>14} {DIM}{share:7.3} %{DIM:#}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Maps a file and reads its header.
fn open(path: &str, form: &Form, dtype: Option<Format>) -> Result<Input, Failure> {
    let data = FileBuffer::open(path).map_err(|e| Failure::new(format!("{path}: {e}")))?;
    let (arrays, metadata) = match Container::of(path) {
        Container::Npy => (vec![npy::read(path, &data)?], None),
        Container::Safetensors => safetensors::read(path, &data)?,
        Container::Raw => {
            let format = dtype.ok_or_else(|| {
                Failure::new(format!("{path}: a raw file does not say what it holds"))
                    .help(format!("give --dtype {}", form.source().format()))
            })?;
            (vec![raw::read(&data, format)], None)
        }
    };
    Ok(Input { path: path.to_owned(), data, arrays, metadata })
}

/// Writes every output array behind its header, then puts the file in its place.
fn write(args: &Args, inputs: &[Input], tasks: &[Task<'_>]) -> Result<Counts, Failure> {
    let header = match (Container::of(&args.output), tasks) {
        (Container::Safetensors, _) => {
            let outputs: Vec<Output> = tasks.iter().map(|t| named(&t.output)).collect();
            safetensors::header(&outputs, inputs[0].metadata.clone())?
        }
        (Container::Npy, [one]) => npy::header(&one.output)?,
        (Container::Raw, [_]) => Vec::new(),
        (_, several) => {
            return Err(Failure::new(format!("{}: holds one array, not {}", args.output, several.len()))
                .help("write a .safetensors file, or convert a file with one tensor"));
        }
    };
    let resources = Resources {
        threads: args.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from),
        memory: args.memory.as_u64() as usize,
    };
    let mut sink = Sink::create(&args.output)?;
    sink.write(&header)?;
    let progress = Progress::bytes(tasks.iter().map(|t| t.output.bytes).sum());
    let mut counts = Counts::default();
    for task in tasks {
        match &task.work {
            Some(work) => counts += work.run(task.output.bytes, &mut sink, resources, &progress)?,
            None => {
                sink.write(task.copy)?;
                progress.advance(task.copy.len() as u64);
            }
        }
    }
    drop(progress);
    sink.finish()?;
    Ok(counts)
}

/// A safetensors file needs a name for its tensor.
fn named(output: &Output) -> Output {
    let name = if output.name.is_empty() { "tensor".into() } else { output.name.clone() };
    Output { name, ..output.clone() }
}

/// Where `rbits` or the scale comes from.
enum ExtraSource {
    File(FileBuffer, usize),
    Value(u64),
    Seed(u64),
}

impl ExtraSource {
    fn new(args: &Args, form: &Form, operand: Operand) -> Result<Self, Failure> {
        let (option, text) = match operand.role {
            Role::RandomBits => ("--rbits", &args.rbits),
            _ => ("--scale", &args.scale),
        };
        match (text, args.seed, operand.role) {
            (None, Some(seed), Role::RandomBits) => Ok(ExtraSource::Seed(seed)),
            (None, _, role) => Err(Failure::new(format!("`{form}` needs {}", role.name())).help(
                if role == Role::RandomBits {
                    "give --seed N or --rbits FILE|BITS"
                } else {
                    "give --scale FILE|BITS"
                },
            )),
            (Some(text), ..)
                if text.starts_with(|c: char| c.is_ascii_digit()) && !std::path::Path::new(text).exists() =>
            {
                ptxcvt::literal::parse(form, &operand, text)
                    .map(ExtraSource::Value)
                    .map_err(|e| Failure::new(format!("{option} `{text}`: {e}")).code(e.code()))
            }
            (Some(path), ..) => {
                let data =
                    FileBuffer::open(path).map_err(|e| Failure::new(format!("{option} {path}: {e}")))?;
                Ok(ExtraSource::File(data, operand.width as usize / 8))
            }
        }
    }

    fn extra(&self) -> ExtraOperand<'_> {
        match self {
            ExtraSource::File(data, width) => ExtraOperand::Each(data, *width),
            ExtraSource::Value(value) => ExtraOperand::Value(*value),
            ExtraSource::Seed(seed) => ExtraOperand::Seed(*seed),
        }
    }
}

/// The operand beside the data, if the form has one.
fn extra_operand(form: &Form) -> Option<Operand> {
    form.extra().filter(|o| o.role != Role::Rest)
}

fn format(text: &str) -> Result<Format, String> {
    Format::from_name(text.trim_start_matches('.')).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
        format!("formats are {}", names.join(" "))
    })
}
