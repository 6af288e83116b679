//! `ptxcvt quantize RECIPE IN -o OUT.safetensors`: quantises arrays in blocks, reports errors, compares
//! recipes.

use std::process::ExitCode;

use bytesize::ByteSize;
use ptxcvt::literal::Reader;
use ptxcvt::{Format, one_of};
use ptxcvt_blocks::{Global, Input};
use ptxcvt_files::Specials;
use ptxcvt_files::quantize::{
    self as library, Axis, Checkpoint, Fused, Loader, Options, Outcome, file, file::Measured, model,
};

use crate::args::{Threads, file_name, memory, whole};
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::quantize;
use ptxcvt_report::reading;

#[derive(clap::Args)]
#[command(after_help = "\
One array becomes the tensors `data`, `scales` and, if the recipe has one, `global_scale`. With several \
arrays, their names are prefixes (`w1.data`). Tensors that are not matrices of floats, or are not selected, are copied. The \
file's metadata contain the recipe, so `dequantize` needs no other information.

Examples:
  ptxcvt quantize mx-rceil/e4m3 weights.npy -o weights.safetensors
  ptxcvt quantize nvfp4-te-16x16 weights.npy --global-amax 3.5 -o weights.safetensors
  ptxcvt quantize mx-floor/e2m1 model.safetensors --report
  ptxcvt quantize nvfp4-modelopt w.npy --compare nvfp4-compressed-tensors
  ptxcvt quantize nvfp4-modelopt model.safetensors.index.json --for modelopt -o FOLDER

A checkpoint (an index, or a folder with an index or one model.safetensors) becomes a new folder with the same files. With \
--for, config.json gets the entry that the loader needs; embeddings, norms, the output layer, routers and convolutions are \
not quantised unless --tensor names the tensors to quantise. An interrupted run continues in FOLDER.part; files whose input \
has changed since then (its size, times or place on the disk) are made again.")]
pub struct Args {
    /// The recipe, such as mx-rceil/e4m3, or your own in a file that ends in .toml
    recipe: String,
    /// The array: .npy, .safetensors, raw with --dtype; or a checkpoint
    #[arg(value_name = "IN", value_parser = file_name())]
    input: String,
    /// The output: a .safetensors file, or a folder for a checkpoint; optional with --report or --compare
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["report", "compare"])]
    #[arg(value_parser = file_name())]
    output: Option<String>,
    /// Quantise only tensors whose name matches; `*` matches any text; may be repeated
    #[arg(long, value_name = "PATTERN")]
    tensor: Vec<String>,
    /// Do not quantise tensors whose name matches; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Name and type the parts as this library's loader expects
    #[arg(long = "for", value_enum, value_name = "LOADER")]
    loader: Option<Loader>,
    #[arg(
        long,
        value_name = "FORMAT",
        help = format!("The format of the numbers in raw inputs and of integers in .npy: {}", one_of(Input::ALL))
    )]
    dtype: Option<Format>,
    /// Raw inputs have the most significant byte first
    #[arg(long)]
    big_endian: bool,
    /// The largest magnitude for the global scale, instead of the tensor's own
    #[arg(long, value_name = "X", value_parser = magnitude)]
    global_amax: Option<Magnitude>,
    /// Tensors that share a global scale, such as '*.wq.weight,*.wk.weight'; may be repeated
    #[arg(long, value_name = "PATTERN,PATTERN")]
    fuse: Vec<Fused>,
    /// With --for: only the tensors of --fuse share a global scale, not q, k, v and gate, up
    #[arg(long, requires = "loader")]
    no_fuse: bool,
    /// Random bits for recipes with .rs, from Philox4x32-10
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// The axis along which blocks run
    #[arg(long, value_enum, default_value = "rows")]
    axis: Axis,
    /// Store scales in the 128x4 swizzle of cuBLAS
    #[arg(long)]
    swizzle: bool,
    /// Print the errors of each tensor and its scales
    #[arg(long)]
    report: bool,
    /// Compare with this recipe, and show the steps of the first block that differs; exit status 1 if one does
    #[arg(long, value_name = "RECIPE2")]
    compare: Option<String>,
    /// Do not warn about NaN and infinities in the input, or about programs that misread the output
    #[arg(short, long)]
    quiet: bool,
    /// Print report and comparison as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
    /// Limit on the size of a piece of the input; a piece has at least the rows of one block. With --axis columns, or in
    /// Fortran order, a whole matrix is read at once
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = memory, conflicts_with = "compare")]
    memory: ByteSize,
}

/// A largest magnitude: positive.
#[derive(Clone, Debug)]
struct Magnitude {
    value: f32,
    /// How it was changed when it was read.
    note: Option<String>,
}

fn magnitude(text: &str) -> Result<Magnitude, Failure> {
    let quoted = format!("`{}`", output::clip(text));
    let refused = |failure: Failure| failure.after(format_args!("{quoted}: "));
    let read = Reader::number(Format::F32).read(text).map_err(|error| refused(error.into()))?;
    let value = Global::read_amax(&read).map_err(|why| refused(Failure::new(why.to_string())))?;
    let note = reading::note(Some((Format::F32, ".f32".to_owned())), text, &read);
    Ok(Magnitude { value, note: note.map(|note| format!("--global-amax: {quoted} {note}")) })
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let options = args.options()?;
    options.check()?;
    args.global_amax.iter().filter_map(|amax| amax.note.as_ref()).for_each(output::note);
    if Checkpoint::is_one(&args.input) {
        return checkpoint(args, &options);
    }
    let input = file::open(&options, &args.input)?;
    // A comparison that is refused must not leave an output.
    let comparisons = match &args.compare {
        Some(name) => {
            let other = Options { recipe: library::recipe(name)?, ..options.clone() };
            library::compare(&options, &other, &input)?
        }
        None => Vec::new(),
    };
    let mut measured = Measured::default();
    if let Some(output) = &args.output {
        let progress = Progress::bytes(0);
        measured = file::quantize(&options, &input, output, &progress)?;
        drop(progress);
        if !args.quiet {
            file::cautions(&options, &input)?.iter().for_each(output::warn);
            if args.loader.is_some() {
                output::note(format_args!(
                    "{output} has no config.json, in which loaders find how it is quantised: quantise the folder of the model"
                ));
            }
        }
    } else if args.report {
        measured = file::measure(&options, &input)?;
    }
    let mut specials = measured.specials;
    if args.output.is_none() && !args.report {
        comparisons.iter().for_each(|c| specials.add(&args.input, &c.tensor, c.special));
    }
    args.warn(&specials);
    print(args, &Outcome { comparisons, tensors: measured.reports })
}

impl Args {
    fn warn(&self, specials: &Specials) {
        if !self.quiet {
            output::warn_of(specials);
        }
    }

    fn options(&self) -> Result<Options, Failure> {
        Ok(Options {
            recipe: library::recipe(&self.recipe)?,
            tensors: self.tensor.clone(),
            exclude: self.exclude.clone(),
            loader: self.loader,
            dtype: self.dtype,
            big_endian: self.big_endian,
            global_amax: self.global_amax.as_ref().map(|amax| amax.value),
            fuse: self.fuse.clone(),
            no_fuse: self.no_fuse,
            seed: self.seed,
            axis: self.axis,
            swizzle: self.swizzle,
            report: self.report,
            threads: self.threads.threads,
            memory: self.memory.as_u64(),
        })
    }
}

/// Prints reports and comparisons. The exit status says whether the compared recipes are equal.
fn print(args: &Args, outcome: &Outcome) -> Result<ExitCode, Failure> {
    if args.json {
        output::json(outcome)?;
    } else {
        outcome.tensors.iter().filter(|_| args.report).try_for_each(quantize::print_report)?;
        outcome.comparisons.iter().try_for_each(quantize::print_compared)?;
    }
    let equal = outcome.comparisons.iter().all(|c| c.is_equal());
    Ok(if equal { ExitCode::SUCCESS } else { FINDINGS })
}

/// Quantises or measures a checkpoint.
fn checkpoint(args: &Args, options: &Options) -> Result<ExitCode, Failure> {
    let refused = |what: &str| Err(Failure::new(format!("{}: a checkpoint {what}", args.input)));
    if args.compare.is_some() {
        return refused("cannot be compared; --compare is for a file of arrays");
    }
    if args.dtype.is_some() || args.big_endian {
        let option = if args.dtype.is_some() { "--dtype" } else { "--big-endian" };
        return refused(&format!("declares the types of its tensors; {option} is for a file of arrays"));
    }
    if args.axis != Axis::Rows {
        return refused("has blocks along rows; --axis is for a file of arrays");
    }
    let measured = match &args.output {
        None => model::measure(options, &args.input)?,
        Some(output) => {
            let progress = Progress::bytes(0);
            let done = model::quantize(options, &args.input, output, &progress)?;
            drop(progress);
            quantize::note_files(&done.left, &done.made_again, &done.removed);
            if !args.quiet {
                done.cautions.iter().for_each(output::warn);
            }
            done.measured
        }
    };
    args.warn(&measured.specials);
    print(args, &Outcome { comparisons: Vec::new(), tensors: measured.reports })
}
