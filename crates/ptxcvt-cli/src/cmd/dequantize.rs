//! `ptxcvt dequantize IN.safetensors -o OUT`: quantised tensors back to numbers.

use std::process::ExitCode;
use std::thread::available_parallelism;

use ptxcvt::Format;
use ptxcvt_blocks::Input;
use ptxcvt_files::quantize::{Checkpoint, Loader, dequantize};

use crate::args::format;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::quantize;

#[derive(clap::Args)]
#[command(after_help = "\
A file made by `ptxcvt quantize` holds its recipe. RECIPE overrides it, and is needed for files made by others.

Examples:
  ptxcvt dequantize weights.safetensors -o weights.npy
  ptxcvt dequantize weights.safetensors --dtype bf16 -o back.safetensors
  ptxcvt dequantize mx-rceil/e4m3 weights.safetensors -o weights.npy
  ptxcvt dequantize deepseek-128x128 --for deepseek model.safetensors.index.json --dtype bf16 -o FOLDER")]
pub struct Args {
    /// The recipe, unless the file holds it; then the file
    #[arg(required = true, num_args = 1..=2, value_name = "[RECIPE] IN")]
    inputs: Vec<String>,
    /// The output: .npy for one array, .safetensors, or raw
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// The format of the numbers: f32, bf16 or f16
    #[arg(long, value_name = "FORMAT", default_value = "f32", value_parser = format)]
    dtype: Format,
    /// The library whose names the tensors have, unless the file says it
    #[arg(long = "for", value_enum, value_name = "LOADER")]
    loader: Option<Loader>,
    /// The number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (recipe, path) = match args.inputs.as_slice() {
        [recipe, path] => (Some(recipe.clone()), path),
        [path, ..] => (None, path),
        [] => return Err(Failure::new("no input file")),
    };
    let output = Input::of(args.dtype)
        .ok_or_else(|| Failure::new(format!("invalid --dtype {}: expected f32, bf16 or f16", args.dtype)))?;
    let threads = args.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
    let options = dequantize::Options { recipe, output, loader: args.loader, threads };
    let progress = Progress::bytes(0);
    if Checkpoint::is_one(path) {
        let done = dequantize::model(&options, path, &args.output, &progress)?;
        drop(progress);
        quantize::note_files(&done.left, &done.made_again);
    } else {
        dequantize::file(&options, path, &args.output, &progress)?;
    }
    Ok(ExitCode::SUCCESS)
}
