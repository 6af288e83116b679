//! `ptxcvt dequantize IN.safetensors -o OUT`: quantised tensors back to numbers.

use std::process::ExitCode;

use ptxcvt::{Format, one_of};
use ptxcvt_blocks::Input;
use ptxcvt_files::quantize::{Checkpoint, Loader, dequantize};

use crate::args::{Threads, file_name};
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::quantize;

#[derive(clap::Args)]
#[command(after_help = "\
A file made by `ptxcvt quantize` contains its recipe. RECIPE overrides it, and is required for other files.

Examples:
  ptxcvt dequantize weights.safetensors -o weights.npy
  ptxcvt dequantize weights.safetensors --dtype bf16 -o back.safetensors
  ptxcvt dequantize mx-rceil/e4m3 weights.safetensors -o weights.npy
  ptxcvt dequantize deepseek-128x128 --for deepseek model.safetensors.index.json --dtype bf16 -o out")]
pub struct Args {
    /// The recipe, which is optional if the file contains it; then the file
    #[arg(required = true, num_args = 1..=2, value_name = "[RECIPE] IN", value_parser = file_name())]
    inputs: Vec<String>,
    /// The output: .npy for one array, .safetensors, or raw
    #[arg(short, long, value_name = "OUT", value_parser = file_name())]
    output: String,
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "f32",
        help = format!("The format of the numbers: {}", one_of(Input::ALL))
    )]
    dtype: Format,
    /// The library whose names the tensors have, unless the file names it
    #[arg(long = "for", value_enum, value_name = "LOADER")]
    loader: Option<Loader>,
    /// Do not warn about NaN and infinities in the output
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (recipe, path) = match args.inputs.as_slice() {
        [recipe, path] => (Some(recipe.clone()), path),
        [path, ..] => (None, path),
        [] => return Err(Failure::new("no input file")),
    };
    let numbers = Input::of(args.dtype).ok_or_else(|| {
        Failure::new(format!("invalid --dtype {}: expected {}", args.dtype, one_of(Input::ALL)))
    })?;
    let options =
        dequantize::Options { recipe, output: numbers, loader: args.loader, threads: args.threads.threads };
    let progress = Progress::bytes(0);
    let specials = if Checkpoint::is_one(path) {
        let done = dequantize::model(&options, path, &args.output, &progress)?;
        drop(progress);
        quantize::note_files(&done.left, &done.made_again, &done.removed);
        done.specials
    } else {
        let specials = dequantize::file(&options, path, &args.output, &progress)?;
        drop(progress);
        specials
    };
    if !args.quiet {
        output::warn_of(&specials);
    }
    Ok(ExitCode::SUCCESS)
}
