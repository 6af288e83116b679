//! `ptxcvt dequantize IN.safetensors -o OUT`: quantised tensors back to numbers.

use std::collections::HashMap;
use std::process::ExitCode;
use std::thread::available_parallelism;

use ::safetensors::Dtype;
use ptxcvt::Format;
use ptxcvt_blocks::{Input as Output, Options, Quantized, Recipe, dequantize_into};

use crate::args::format;
use crate::convert::array::{self, Array, Container, FileType, Input, Stored};
use crate::convert::sink::Sink;
use crate::convert::{npy, safetensors};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::quantize;
use crate::quantize::file::{Entry, File};
use crate::quantize::tensor;
use crate::quantize::work::plain_scales;

#[derive(clap::Args)]
#[command(after_help = "\
The file says by which recipe it was made; RECIPE replaces that, and is needed for files made by others.

Examples:
  ptxcvt dequantize weights.safetensors -o weights.npy
  ptxcvt dequantize weights.safetensors --dtype bf16 -o back.safetensors
  ptxcvt dequantize mx-rceil/e4m3 weights.safetensors -o weights.npy

Exit status: 0 converted back, 2 a wrong command line, input or output.")]
pub struct Args {
    /// The recipe, unless the file names it; then the file
    #[arg(required = true, num_args = 1..=2, value_name = "[RECIPE] IN")]
    inputs: Vec<String>,
    /// The output: .npy for one array, .safetensors, or raw
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// The format of the numbers: f32, bf16 or f16
    #[arg(long, value_name = "FORMAT", default_value = "f32", value_parser = format)]
    dtype: Format,
    /// How many threads; default all cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// A quantised tensor of a file, and the name that its numbers get.
struct Part<'a> {
    name: String,
    data: &'a Array,
    scales: Option<&'a Array>,
    global: Option<f32>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (recipe, path) = match args.inputs.as_slice() {
        [recipe, path] => (Some(recipe.clone()), path),
        [path, ..] => (None, path),
        [] => return Err(Failure::new("a file is needed")),
    };
    let input = tensor::open(path, Some(Format::F32))?;
    if input.container != Container::Safetensors {
        return Err(Failure::new(format!("{path}: quantised tensors are read from a .safetensors file")));
    }
    let output = Output::of(args.dtype)
        .ok_or_else(|| Failure::new(format!("--dtype {}: there are f32, bf16 and f16", args.dtype)))?;
    let said = |key: &str| input.metadata.as_ref().and_then(|m| m.get(&format!("ptxcvt.{key}"))).cloned();
    let name = recipe.or_else(|| said("recipe")).ok_or_else(|| {
        Failure::new(format!("{path}: does not say by which recipe it was made"))
            .help("name it: `ptxcvt dequantize RECIPE IN -o OUT`")
    })?;
    let recipe = quantize::recipe(&name)?;
    let swizzled = said("swizzle").is_some_and(|s| s != "none");
    let transposed = said("axis").is_some_and(|axis| axis == "columns");
    let (parts, copied) = find(&input, &recipe)?;
    let decoder = Decoder {
        recipe: &recipe,
        input: &input,
        output,
        swizzled,
        threads: args.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from),
    };
    let one = match (parts.as_slice(), Container::of(&args.output)) {
        ([one], Some(Container::Npy | Container::Raw) | None) => Some(one),
        (_, Some(Container::Safetensors)) => None,
        (several, _) => {
            return Err(Failure::new(format!("{}: holds one array, not {}", args.output, several.len()))
                .help("write a .safetensors file"));
        }
    };
    if let Some(part) = one {
        let (shape, bytes) = decoder.decode(part)?;
        let (shape, bytes) = if transposed { turn(shape, bytes, output.bytes()) } else { (shape, bytes) };
        let stored = Stored::Elements { format: output.format(), spread: false };
        let described =
            array::Output { name: None, stored, shape, fortran: false, bytes: Some(bytes.len() as u64) };
        let mut sink = Sink::create(&args.output)?;
        if Container::of(&args.output) == Some(Container::Npy) {
            sink.write(&npy::header(&described)?)?;
        }
        sink.write(&bytes)?;
        sink.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut entries = Vec::new();
    for part in &parts {
        let shape = decoder.shape(part)?;
        let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        let shape = if transposed { shape.into_iter().rev().collect() } else { shape };
        entries.push(Entry { name: part.name.clone(), dtype: safetensors::dtype(output.format()), shape });
    }
    for array in &copied {
        let FileType::Safetensors(dtype) = array.dtype else { continue };
        let shape = array.shape.iter().map(|n| *n as usize).collect();
        entries.push(Entry { name: tensor::name(array).to_owned(), dtype, shape });
    }
    let metadata: HashMap<String, String> = input
        .metadata
        .iter()
        .flatten()
        .filter(|(key, _)| !key.starts_with("ptxcvt."))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut file = File::create(&args.output, &entries, metadata)?;
    let progress = Progress::bytes(parts.iter().filter_map(|p| p.data.len).sum());
    for part in &parts {
        let (shape, bytes) = decoder.decode(part)?;
        let bytes = if transposed { turn(shape, bytes, output.bytes()).1 } else { bytes };
        file.write(&part.name, 0, &bytes)?;
        progress.advance(part.data.len.unwrap_or(0));
    }
    for array in copied {
        file.write(tensor::name(array), 0, &tensor::bytes(&input, array)?)?;
    }
    drop(progress);
    file.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The quantised tensors of a file, by the names that `quantize` gives, and those that are none.
fn find<'a>(input: &'a Input, recipe: &Recipe) -> Result<(Vec<Part<'a>>, Vec<&'a Array>), Failure> {
    let named = |name: &str| input.arrays.iter().find(|a| tensor::name(a) == name);
    let mut parts = Vec::new();
    let mut used = Vec::new();
    for data in &input.arrays {
        let Some(prefix) =
            tensor::name(data).strip_suffix("data").filter(|p| p.is_empty() || p.ends_with('.'))
        else {
            continue;
        };
        let scales = named(&format!("{prefix}scales"));
        if scales.is_none() && recipe.scale_bytes() > 0 {
            return Err(Failure::new(format!(
                "{}: `{}` has no `{prefix}scales` beside it",
                input.source.name,
                tensor::name(data)
            )));
        }
        let global = named(&format!("{prefix}global_scale"));
        let word = global.map(|g| tensor::bytes(input, g)).transpose()?;
        let word = word.and_then(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes);
        if word.is_none() && recipe.has_global_scale() {
            return Err(Failure::new(format!(
                "{}: `{}` has no `{prefix}global_scale` beside it",
                input.source.name,
                tensor::name(data)
            )));
        }
        used.extend([Some(data), scales, global].into_iter().flatten().map(tensor::name));
        // Along both axes: the rows are enough.
        used.extend(
            ["data_columns", "scales_columns"]
                .iter()
                .filter_map(|n| named(&format!("{prefix}{n}")))
                .map(tensor::name),
        );
        let name = prefix.strip_suffix('.').unwrap_or("tensor").to_owned();
        parts.push(Part { name, data, scales, global: word.filter(|_| recipe.has_global_scale()) });
    }
    if parts.is_empty() {
        return Err(Failure::new(format!(
            "{}: holds no tensor `data`, so nothing that `quantize` made",
            input.source.name
        )));
    }
    let copied = input.arrays.iter().filter(|a| !used.contains(&tensor::name(a))).collect();
    Ok((parts, copied))
}

struct Decoder<'a> {
    recipe: &'a Recipe,
    input: &'a Input,
    output: Output,
    swizzled: bool,
    threads: usize,
}

impl Decoder<'_> {
    /// The shape in elements.
    fn shape(&self, part: &Part<'_>) -> Result<Vec<u64>, Failure> {
        let mut shape = part.data.shape.clone();
        let Some(last) = shape.last_mut() else {
            return Err(Failure::new(format!("`{}` is a single number", tensor::name(part.data))));
        };
        let counted = matches!(part.data.dtype, FileType::Safetensors(Dtype::F4));
        if !counted {
            *last = self.recipe.row_columns(*last as usize) as u64;
        }
        Ok(shape)
    }

    /// The numbers, as bytes.
    fn decode(&self, part: &Part<'_>) -> Result<(Vec<u64>, Vec<u8>), Failure> {
        let fail = |e: String| {
            Failure::new(format!("{}: `{}`: {e}", self.input.source.name, tensor::name(part.data)))
        };
        let shape = self.shape(part)?;
        let dims: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        let (columns, before) = dims.split_last().map_or((0, &[][..]), |(c, b)| (*c, b));
        let (matrices, rows) = match before {
            [] => (1, 1),
            _ if self.recipe.block().rows == 1 => (1, before.iter().product()),
            [more @ .., rows] => (more.iter().product(), *rows),
        };
        let data = tensor::bytes(self.input, part.data)?;
        let scales = part.scales.map(|s| tensor::bytes(self.input, s)).transpose()?.unwrap_or_default();
        let scale_shape = self.recipe.scale_shape(rows, columns);
        let scales = plain_scales(&scales, self.swizzled, scale_shape)?;
        let mut out = vec![0; matrices * rows * columns * self.output.bytes()];
        if matrices == 0 || out.is_empty() {
            return Ok((shape, out));
        }
        let options = Options { threads: self.threads, ..Options::default() };
        let size = out.len() / matrices;
        for (number, out) in out.chunks_mut(size).enumerate() {
            let (d, s) = (data.len() / matrices, scales.len() / matrices);
            let quantized = Quantized {
                data: data[number * d..(number + 1) * d].to_vec(),
                scales: scales[number * s..(number + 1) * s].to_vec(),
                global: part.global,
                shape: (rows, columns),
            };
            dequantize_into(self.recipe, &quantized, self.output, &options, out)
                .map_err(|e| fail(e.to_string()))?;
        }
        Ok((shape, out))
    }
}

/// Rows and columns exchanged.
fn turn(shape: Vec<u64>, bytes: Vec<u8>, width: usize) -> (Vec<u64>, Vec<u8>) {
    let [rows, columns] = shape[..] else { return (shape, bytes) };
    let mut out = Vec::with_capacity(bytes.len());
    for c in 0..columns as usize {
        for r in 0..rows as usize {
            let at = (r * columns as usize + c) * width;
            out.extend_from_slice(&bytes[at..at + width]);
        }
    }
    (vec![columns, rows], out)
}
