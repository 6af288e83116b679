//! `ptxcvt dequantize IN.safetensors -o OUT`: quantised tensors back to numbers.

use std::collections::HashMap;
use std::process::ExitCode;
use std::thread::available_parallelism;

use ::safetensors::Dtype;
use clap::ValueEnum;
use ptxcvt::Format;
use ptxcvt_blocks::{Input as Output, Options, Quantized, Recipe, dequantize_into};

use crate::args::format;
use crate::convert::array::{self, Array, Container, FileType, Input, Stored};
use crate::convert::sink::Sink;
use crate::convert::{npy, safetensors};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::quantize;
use crate::quantize::checkpoint::{Checkpoint, Index, Target};
use crate::quantize::config::Config;
use crate::quantize::file::{Entry, File};
use crate::quantize::loader::Loader;
use crate::quantize::tensor;
use crate::quantize::work::{Names, plain_scales};

#[derive(clap::Args)]
#[command(after_help = "\
The file says by which recipe it was made; RECIPE replaces that, and is needed for files made by others.

Examples:
  ptxcvt dequantize weights.safetensors -o weights.npy
  ptxcvt dequantize weights.safetensors --dtype bf16 -o back.safetensors
  ptxcvt dequantize mx-rceil/e4m3 weights.safetensors -o weights.npy
  ptxcvt dequantize deepseek-128x128 --for deepseek model.safetensors.index.json --dtype bf16 -o FOLDER

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
    /// The tensors are named as this library's loader expects, unless the file says so
    #[arg(long = "for", value_enum, value_name = "LOADER")]
    loader: Option<Loader>,
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
        [recipe, path] => (Some(recipe.as_str()), path),
        [path, ..] => (None, path),
        [] => return Err(Failure::new("a file is needed")),
    };
    if Checkpoint::is_one(path) {
        return checkpoint(args, recipe, path);
    }
    let input = tensor::open(path, Some(Format::F32))?;
    let file = Quantised::new(args, recipe, &input)?;
    match (file.parts.as_slice(), Container::of(&args.output)) {
        ([one], Some(Container::Npy | Container::Raw) | None) => file.write_one(one, &args.output)?,
        (_, Some(Container::Safetensors)) => {
            let progress = Progress::bytes(file.bytes());
            file.write(&args.output, None, &progress)?;
        }
        (several, _) => {
            return Err(Failure::new(format!("{}: holds one array, not {}", args.output, several.len()))
                .help("write a .safetensors file"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A quantised model of several files into a folder of such.
fn checkpoint(args: &Args, recipe: Option<&str>, path: &str) -> Result<ExitCode, Failure> {
    let model = Checkpoint::open(path)?;
    let inputs: Vec<Input> =
        model.files.iter().map(|file| tensor::open(&model.path(file), None)).collect::<Result<_, _>>()?;
    let files =
        inputs.iter().map(|input| Quantised::new(args, recipe, input)).collect::<Result<Vec<_>, _>>()?;
    if files.iter().all(|file| file.parts.is_empty()) {
        return Err(Failure::new(format!(
            "{path}: holds no quantised tensors that can be told by their names"
        )));
    }
    for file in &files {
        file.entries()?;
    }
    model.check(&inputs)?;
    let configs: Vec<_> = Config::read(&model.folder)?.dequantized().into_iter().collect();
    let beside = model.beside()?;
    let target = Target::create(&args.output)?;
    let progress = Progress::bytes(files.iter().map(Quantised::bytes).sum());
    let mut index = Index { metadata: model.index.metadata.clone(), weight_map: Default::default() };
    let mut total = 0;
    for (file, name) in files.iter().zip(&model.files) {
        let job = format!("dequantize {} to {}, {} bytes", file.recipe.name(), args.dtype, file.bytes());
        let tensors = match target.kept(name, &job)? {
            Some(tensors) => {
                progress.advance(file.bytes());
                tensors
            }
            None => {
                let entries = file.write(&target.path(name), Some(&job), &progress)?;
                entries.into_iter().map(|e| (e.name.clone(), e.bytes() as u64)).collect()
            }
        };
        for (tensor, bytes) in tensors {
            total += bytes;
            index.weight_map.insert(tensor, name.clone());
        }
    }
    index.metadata.insert("total_size".into(), total.into());
    target.finish(&model, &index, &configs, &beside)?;
    beside.tell();
    Ok(ExitCode::SUCCESS)
}

/// A file of quantised tensors: which they are, and how they are read.
struct Quantised<'a> {
    recipe: Recipe,
    loader: Option<Loader>,
    input: &'a Input,
    output: Output,
    swizzled: bool,
    transposed: bool,
    threads: usize,
    parts: Vec<Part<'a>>,
    copied: Vec<&'a Array>,
}

impl<'a> Quantised<'a> {
    fn new(args: &Args, recipe: Option<&str>, input: &'a Input) -> Result<Self, Failure> {
        let path = &input.source.name;
        if input.container != Container::Safetensors {
            return Err(Failure::new(format!("{path}: quantised tensors are read from a .safetensors file")));
        }
        let output = Output::of(args.dtype)
            .ok_or_else(|| Failure::new(format!("--dtype {}: there are f32, bf16 and f16", args.dtype)))?;
        let said = |key: &str| input.metadata.as_ref().and_then(|m| m.get(&format!("ptxcvt.{key}"))).cloned();
        let name = recipe.map(str::to_owned).or_else(|| said("recipe")).ok_or_else(|| {
            Failure::new(format!("{path}: does not say by which recipe it was made"))
                .help("name it: `ptxcvt dequantize RECIPE IN -o OUT`")
        })?;
        let recipe = quantize::recipe(&name)?;
        let loader = args.loader.or_else(|| said("for").and_then(|name| Loader::from_str(&name, true).ok()));
        let (parts, copied) = find(input, &recipe, loader)?;
        if parts.is_empty() && args.loader.is_none() && said("recipe").is_none() {
            return Err(Failure::new(format!(
                "{path}: holds no tensor `data`, so nothing that `quantize` made"
            ))
            .help("for the tensors of a library's checkpoint say whose it is: --for LOADER"));
        }
        let threads =
            args.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
        Ok(Quantised {
            recipe,
            loader,
            input,
            output,
            swizzled: said("swizzle").is_some_and(|s| s != "none"),
            transposed: said("axis").is_some_and(|axis| axis == "columns"),
            threads,
            parts,
            copied,
        })
    }

    /// How much is read of the tensors that are quantised.
    fn bytes(&self) -> u64 {
        self.parts.iter().filter_map(|p| p.data.len).sum()
    }

    /// The tensors of the output.
    fn entries(&self) -> Result<Vec<Entry>, Failure> {
        let mut entries = Vec::new();
        for part in &self.parts {
            let shape = self.shape(part)?;
            let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
            let shape = if self.turns(&shape) { exchanged(&shape) } else { shape };
            let dtype = safetensors::dtype(self.output.format());
            entries.push(Entry { name: part.name.clone(), dtype, shape });
        }
        for array in &self.copied {
            let FileType::Safetensors(dtype) = array.dtype else { continue };
            let shape = array.shape.iter().map(|n| *n as usize).collect();
            entries.push(Entry { name: tensor::name(array).to_owned(), dtype, shape });
        }
        Ok(entries)
    }

    /// Writes every tensor to a .safetensors file.
    fn write(&self, path: &str, job: Option<&str>, progress: &Progress) -> Result<Vec<Entry>, Failure> {
        let entries = self.entries()?;
        let kept = self.input.metadata.iter().flatten().filter(|(key, _)| !key.starts_with("ptxcvt."));
        let mut metadata: HashMap<String, String> =
            kept.map(|(key, value)| (key.clone(), value.clone())).collect();
        metadata.extend(job.map(|job| (quantize::JOB.to_owned(), job.to_owned())));
        let mut file = File::create(path, &entries, metadata)?;
        for part in &self.parts {
            let (shape, bytes) = self.decode(part)?;
            let bytes = if self.turns(&shape) { turn(&shape, bytes, self.output.bytes()) } else { bytes };
            file.write(&part.name, 0, &bytes)?;
            progress.advance(part.data.len.unwrap_or(0));
        }
        for array in &self.copied {
            file.write(tensor::name(array), 0, &tensor::bytes(self.input, array)?)?;
        }
        file.finish()?;
        Ok(entries)
    }

    /// Writes one tensor as an array of its own.
    fn write_one(&self, part: &Part<'_>, path: &str) -> Result<(), Failure> {
        let (shape, bytes) = self.decode(part)?;
        let (shape, bytes) = match self.turns(&shape) {
            true => (exchanged(&shape), turn(&shape, bytes, self.output.bytes())),
            false => (shape, bytes),
        };
        let stored = Stored::Elements { format: self.output.format(), spread: false };
        let described =
            array::Output { name: None, stored, shape, fortran: false, bytes: Some(bytes.len() as u64) };
        let mut sink = Sink::create(path)?;
        if Container::of(path) == Some(Container::Npy) {
            sink.write(&npy::header(&described)?)?;
        }
        sink.write(&bytes)?;
        sink.finish()
    }
}

/// The tensor whose elements are `data`, and the names of its parts: as the loader has them, or as `quantize` names them
/// for none. `None` where these are no elements.
fn names_of(
    input: &Input,
    recipe: &Recipe,
    loader: Option<Loader>,
    data: &str,
) -> Result<Option<(String, Names)>, Failure> {
    let Some(loader) = loader else {
        let prefix = data.strip_suffix("data").filter(|p| p.is_empty() || p.ends_with('.'));
        return Ok(prefix.map(|prefix| {
            let prefix = prefix.strip_suffix('.');
            (prefix.unwrap_or("tensor").to_owned(), Names::plain(prefix, ""))
        }));
    };
    let Some((tensor, names)) = loader.parts(recipe, data)? else { return Ok(None) };
    // The file may know better: what it was made of, the name of the elements coming first.
    let mut said = input.metadata.iter().flatten().filter_map(|(key, value)| {
        let tensor = key.strip_prefix("ptxcvt.input.")?;
        (value.split(' ').next() == Some(data)).then(|| tensor.to_owned())
    });
    Ok(Some((said.next().unwrap_or(tensor), names)))
}

/// The quantised tensors of a file, by the names that `quantize` gives, and those that are none.
fn find<'a>(
    input: &'a Input,
    recipe: &Recipe,
    loader: Option<Loader>,
) -> Result<(Vec<Part<'a>>, Vec<&'a Array>), Failure> {
    let named = |name: &str| input.arrays.iter().find(|a| tensor::name(a) == name);
    let mut parts = Vec::new();
    let mut used = Vec::new();
    for data in &input.arrays {
        let Some((name, names)) = names_of(input, recipe, loader, tensor::name(data))? else { continue };
        let scales = named(&names.scales);
        // A loader's name for elements may be that of a tensor that was left as it is.
        let floats = tensor::input_type(data, None).is_some();
        if scales.is_none() && loader.is_some() && floats {
            continue;
        }
        let missing = |part: &str| {
            let name = tensor::name(data);
            Failure::new(format!("{}: `{name}` has no `{part}` beside it", input.source.name))
        };
        if scales.is_none() && recipe.scale_bytes() > 0 {
            return Err(missing(&names.scales));
        }
        let global = named(&names.global);
        let word = global.map(|g| tensor::bytes(input, g)).transpose()?;
        let word = word.and_then(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes);
        if word.is_none() && recipe.has_global_scale() {
            return Err(missing(&names.global));
        }
        used.extend([Some(data), scales, global].into_iter().flatten().map(tensor::name));
        // Along both axes: the rows are enough.
        let columns = [format!("{}_columns", names.data), format!("{}_columns", names.scales)];
        used.extend(columns.iter().filter_map(|n| named(n)).map(tensor::name));
        parts.push(Part { name, data, scales, global: word.filter(|_| recipe.has_global_scale()) });
    }
    let copied = input.arrays.iter().filter(|a| !used.contains(&tensor::name(a))).collect();
    Ok((parts, copied))
}

impl Quantised<'_> {
    /// The shape in elements.
    fn shape(&self, part: &Part<'_>) -> Result<Vec<u64>, Failure> {
        let mut shape = part.data.shape.clone();
        let merged = self.loader.map(|loader| loader.dtypes(&self.recipe)).transpose()?;
        if merged.is_some_and(|dtypes| dtypes.blocks_have_axis) {
            let bytes = shape.pop().unwrap_or(1);
            shape.last_mut().into_iter().for_each(|n| *n *= bytes);
        }
        let Some(last) = shape.last_mut() else {
            return Err(Failure::new(format!("`{}` is a single number", tensor::name(part.data))));
        };
        let counted = matches!(part.data.dtype, FileType::Safetensors(Dtype::F4));
        if !counted {
            *last = self.recipe.row_columns(*last as usize) as u64;
        }
        Ok(shape)
    }

    /// Whether the last two axes of a tensor of this shape have changed places.
    fn turns<T>(&self, shape: &[T]) -> bool {
        self.transposed || self.loader.is_some_and(|loader| loader.turns(shape.len()))
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
            dequantize_into(&self.recipe, &quantized, self.output, &options, out)
                .map_err(|e| fail(e.to_string()))?;
        }
        Ok((shape, out))
    }
}

/// The shape with the last two axes exchanged.
fn exchanged<T: Copy>(shape: &[T]) -> Vec<T> {
    let mut shape = shape.to_vec();
    if let [.., rows, columns] = shape.as_mut_slice() {
        std::mem::swap(rows, columns);
    }
    shape
}

/// Rows and columns of each matrix exchanged; a row is a matrix.
fn turn(shape: &[u64], bytes: Vec<u8>, width: usize) -> Vec<u8> {
    let [.., rows, columns] = *shape else { return bytes };
    let (rows, columns) = (rows as usize, columns as usize);
    let mut out = Vec::with_capacity(bytes.len());
    for matrix in bytes.chunks_exact((rows * columns * width).max(1)) {
        for c in 0..columns {
            for r in 0..rows {
                let at = (r * columns + c) * width;
                out.extend_from_slice(&matrix[at..at + width]);
            }
        }
    }
    out
}
