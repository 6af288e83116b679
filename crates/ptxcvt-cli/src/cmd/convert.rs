//! `ptxcvt convert OPCODE IN… -o OUT`: arrays in files, on all cores.

use std::io::Write;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

use bytesize::ByteSize;
use ptxcvt::bulk::{Plan, Tier};
use ptxcvt::forms::Role;
use ptxcvt::{Form, Format};

use crate::args;
use crate::convert::array::{Container, FileType, Input, Output, Stored};
use crate::convert::engine::{Resources, Tally};
use crate::convert::extra::{ExtraSource, Given};
use crate::convert::held::{Fp4, Reading};
use crate::convert::open::{Declared, open};
use crate::convert::phases::timed;
use crate::convert::sink::Sink;
use crate::convert::task::{Choice, Task, TaskWork, plan_work};
use crate::convert::{npy, order, safetensors};
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::style::DIM;

#[derive(clap::Args)]
#[command(after_help = "\
One input holds the elements in memory order: of a packed pair, element 2i becomes the lower part and 2i + 1 the upper; \
FP4 takes half a byte, the low nibble first; FP6 takes a byte. Several inputs are one array per source operand, in PTX \
order, and the output holds one register per instruction.

The old output stays until the new one is whole. A FIFO or a device is written as it comes.

Examples:
  ptxcvt convert cvt.rn.satfinite.e4m3x2.f32 weights.npy -o weights-e4m3.npy
  ptxcvt convert f32-\\>e4m3-\\>f32 weights.npy -o rounded.npy --stats
  ptxcvt convert cvt.rn.satfinite.e2m1x2.f32 model.safetensors -o small.safetensors --tensor w1
  ptxcvt convert cvt.rs.bf16x2.f32 grad.f32 --dtype f32 --seed 7 -o grad.bf16
  producer | ptxcvt convert f32-\\>bf16 - --dtype f32 -o - | consumer

Exit status: 0 converted, 2 a wrong command line, input or output.")]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e4m3x2.f32; or several, joined by ` then `; or formats, such as
    /// 'f32->e4m3->f32'
    opcode: String,
    /// Input files: .npy, .safetensors, or raw with --dtype; `-` is standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<String>,
    /// The output file; its extension says the format; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// What the output is, where its name does not say [default: raw; of `-`, what the input is]
    #[arg(long, value_name = "FORMAT", value_enum)]
    container: Option<Container>,
    /// Convert only this tensor of a safetensors file, and copy the others; may be repeated
    #[arg(long, value_name = "NAME")]
    tensor: Vec<String>,
    /// Leave out the tensors that are not converted, instead of copying them
    #[arg(long)]
    only: bool,
    /// Raw inputs hold elements of this format
    #[arg(long, value_name = "FORMAT", value_parser = args::format)]
    dtype: Option<Format>,
    /// Raw inputs have the most significant byte first
    #[arg(long)]
    big_endian: bool,
    /// Take the bits of any type of the right width
    #[arg(long)]
    reinterpret: bool,
    /// How arrays of bytes hold FP4, where that cannot be told
    #[arg(long, value_name = "HOW", value_enum)]
    fp4: Option<Fp4>,
    /// Fill odd rows up with a zero, where two results are packed in a byte
    #[arg(long)]
    pad: bool,
    /// Random bits for .rs: a file of 32-bit words, one per instruction, or one value for all
    #[arg(long, value_name = "FILE|BITS", conflicts_with = "seed")]
    rbits: Option<String>,
    /// Random bits for .rs from Philox4x32-10 with this seed; every tensor has a stream of its own, by its name
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The scale-factor: a file of codes, one per instruction, or one value for all: 2, or its code 0x80
    #[arg(long, value_name = "FILE|SCALE")]
    scale: Option<String>,
    /// How many threads; default all cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// How much memory the buffers may take
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    memory: ByteSize,
    /// Count NaN, saturated, flushed, overflowed elements, measure the error, and time the phases (runs the reference evaluator too)
    #[arg(long)]
    stats: bool,
    /// Say what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Say which kernels ran, and how fast
    #[arg(short, long)]
    verbose: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (forms, paths) = args.chain()?;
    let tier = Tier::from_env().map_err(|e| Failure::new(format!("PTXCVT_TIER: {e}")))?;
    let plan = |form: &Form| match tier {
        Some(tier) => Plan::with_tier(*form, tier).map_err(|e| Failure::new(format!("PTXCVT_TIER: {e}"))),
        None => Ok(Plan::new(*form)),
    };
    let plans: Vec<Plan> = forms.iter().map(plan).collect::<Result<_, _>>()?;
    let wanted = forms[0].source().format();
    let declared = Declared { dtype: args.dtype, big_endian: args.big_endian, wanted };
    let mut inputs: Vec<Input> = paths.iter().map(|path| open(path, declared)).collect::<Result<_, _>>()?;
    order::align(&mut inputs)?;
    let container = args.container.or(Container::of(&args.output));
    let container =
        container.unwrap_or(if args.output == "-" { inputs[0].container } else { Container::Raw });
    // Formats with a header say at once how long their arrays are.
    if container != Container::Raw {
        inputs = inputs.into_iter().map(in_memory).collect::<Result<_, _>>()?;
    }
    let extras = args.extras(&forms)?;
    let stages = plans.iter().copied().zip(extras.iter().map(ExtraSource::operand)).collect();
    let reading = Reading { fp4: args.fp4, reinterpret: args.reinterpret };
    let choice = Choice {
        stages,
        tensors: &args.tensor,
        // One tensor is all that such a file has room for.
        only: args.only || container != Container::Safetensors && !args.tensor.is_empty(),
        reading,
        pad: args.pad,
        container,
        stats: args.stats,
    };
    let tasks = plan_work(&choice, &inputs)?;
    let header = header(args, container, &inputs, &tasks)?;
    if args.dry_run {
        return describe(&inputs, &tasks);
    }
    let start = Instant::now();
    let (Tally { counts, phases }, wrote) = write(args, &header, &tasks)?;
    // Standard output may be the result.
    let mut out: Box<dyn Write> =
        if args.output == "-" { Box::new(anstream::stderr()) } else { Box::new(anstream::stdout()) };
    if args.verbose {
        let read: u64 = tasks.iter().filter_map(Task::read).sum();
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
            let share = 100.0 * count as f64 / (counts.elements.max(1)) as f64;
            writeln!(out, "{name:<10} {count:>14} {DIM}{share:7.3} %{DIM:#}")?;
        }
        for (name, value) in counts.errors().into_iter().filter(|_| counts.compared > 0) {
            writeln!(out, "{name:<10} {:>14}", short(value))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Six digits, in full or with an exponent.
fn short(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) || !size.is_finite() => format!("{value:.6}"),
        _ => format!("{value:.5e}"),
    }
}

fn in_memory(input: Input) -> Result<Input, Failure> {
    let unknown = input.arrays.iter().any(|array| array.len.is_none());
    if !unknown {
        return Ok(input);
    }
    let source = input.source.in_memory()?;
    let arrays = input.arrays.into_iter().map(|array| match array.dtype {
        FileType::Raw(format) => crate::convert::raw::read(&source, format, array.big_endian),
        _ => array,
    });
    let arrays = arrays.collect();
    Ok(Input { source, arrays, ..input })
}

impl Args {
    /// The conversions and the inputs: opcodes may also be joined by `then` as an argument of its own.
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
            return Err(Failure::new("no input file is given").help("give a file, or `-` for standard input"));
        }
        Ok((ptxcvt::forms::chain(&text)?, inputs))
    }

    /// Random bits and scales of each conversion.
    fn extras(&self, forms: &[Form]) -> Result<Vec<ExtraSource>, Failure> {
        let given = Given { rbits: self.rbits.as_deref(), seed: self.seed, scale: self.scale.as_deref() };
        let takes = |role| forms.iter().filter_map(Form::extra).any(|operand| operand.role == role);
        let all = || forms.iter().map(Form::to_string).collect::<Vec<_>>().join("` then `");
        if (self.rbits.is_some() || self.seed.is_some()) && !takes(Role::RandomBits) {
            return Err(Failure::new(format!("`{}` takes neither random bits nor a seed", all())));
        }
        if self.scale.is_some() && !takes(Role::ScaleFactor) {
            return Err(Failure::new(format!("`{}` takes no scale", all())));
        }
        let extras: Vec<_> =
            forms.iter().map(|form| ExtraSource::new(&given, form)).collect::<Result<_, _>>()?;
        if extras.iter().filter(|extra| matches!(extra, ExtraSource::File(..))).count() > 1 {
            return Err(Failure::new(
                "in a chain one conversion alone can take random bits or scales from a file",
            ));
        }
        Ok(extras)
    }
}

/// What the output begins with.
fn header(
    args: &Args,
    container: Container,
    inputs: &[Input],
    tasks: &[Task<'_>],
) -> Result<Vec<u8>, Failure> {
    match (container, tasks) {
        (Container::Safetensors, _) => {
            let outputs: Vec<Output> = tasks.iter().map(|task| task.output.clone()).collect();
            safetensors::header(&outputs, inputs[0].metadata.clone())
        }
        (Container::Npy, [one]) => npy::header(&one.output),
        (Container::Raw, [_]) => Ok(Vec::new()),
        (_, several) => Err(Failure::new(format!("{}: holds one array, not {}", args.output, several.len()))
            .help("write a .safetensors file, or name one tensor with --tensor")),
    }
}

/// `--dry-run`.
fn describe(inputs: &[Input], tasks: &[Task<'_>]) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout().lock();
    for task in tasks {
        let Output { name, stored, shape, bytes, .. } = &task.output;
        let file = &inputs[0].source.name;
        let name = name.as_ref().map_or(file.clone(), |name| format!("{file}: tensor `{name}`"));
        let stored = match stored {
            Stored::Elements { format, spread: false } => format!("{format}"),
            Stored::Elements { format, spread: true } => format!("{format}, an element a byte"),
            Stored::Registers(width) => format!("{width}-bit registers"),
            Stored::Copied(dtype) => format!("{dtype}"),
        };
        let bytes = bytes.map_or("as many as there are".into(), |bytes| ByteSize(bytes).to_string());
        writeln!(out, "{name}: {}: {stored} {shape:?}, {bytes}", task.account)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes every output array behind the header, then puts the file in its place; says how many bytes those were.
fn write(args: &Args, header: &[u8], tasks: &[Task<'_>]) -> Result<(Tally, u64), Failure> {
    let resources = Resources {
        threads: args.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from),
        memory: usize::try_from(args.memory.as_u64()).unwrap_or(usize::MAX),
    };
    let mut sink = Sink::create(&args.output)?;
    sink.write(header)?;
    let progress = Progress::bytes(tasks.iter().filter_map(|task| task.output.bytes).sum());
    let mut tally = Tally::default();
    for task in tasks {
        match &task.work {
            TaskWork::Convert(work) => tally += work.run(&mut sink, resources, &progress)?,
            TaskWork::Copy(feed) => {
                const STEP: usize = 1 << 20;
                let (mut at, mut buffer) = (0, Vec::new());
                while feed.units.is_some_and(|units| at < units) {
                    at += timed(&mut tally.phases.reading, || feed.read(at, STEP, &mut buffer))? as u64;
                    timed(&mut tally.phases.writing, || sink.write(&buffer))?;
                    progress.advance(buffer.len() as u64);
                }
            }
        }
    }
    drop(progress);
    let wrote = sink.written();
    sink.finish()?;
    Ok((tally, wrote))
}
