//! `ptxcvt quantize RECIPE IN -o OUT.safetensors`: arrays in blocks with scales, reports, comparisons.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::process::ExitCode;
use std::thread::available_parallelism;

use bytesize::ByteSize;
use clap::ValueEnum;
use ptxcvt::Format;
use ptxcvt_blocks::{Recipe, Report};
use wildmatch::WildMatch;

use crate::args::format;
use crate::convert::array::{FileType, Input};
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::quantize;
use crate::quantize::checkpoint::{Checkpoint, Index, Target};
use crate::quantize::compare::Compared;
use crate::quantize::config::{CONFIG, Config};
use crate::quantize::file::{Entry, File};
use crate::quantize::loader::{Loader, PLAIN};
use crate::quantize::report::TensorReport;
use crate::quantize::tensor::{self, Tensor};
use crate::quantize::work::{Axis, Names, Work};

#[derive(clap::Args)]
#[command(after_help = "\
One array becomes the tensors `data`, `scales` and, where the recipe has one, `global_scale`; several keep their
names in front (`w1.data`). Tensors that are no matrices of floats, or not chosen, are copied.

Examples:
  ptxcvt quantize mx-rceil/e4m3 weights.npy -o weights.safetensors
  ptxcvt quantize nvfp4-te-16x16 weights.npy --dtype bf16 --global-amax 3.5 -o weights.safetensors
  ptxcvt quantize mx-floor/e2m1 model.safetensors --report
  ptxcvt quantize nvfp4-modelopt w.npy --compare nvfp4-compressed-tensors
  ptxcvt quantize nvfp4-modelopt model.safetensors.index.json --for modelopt --exclude '*lm_head*' -o FOLDER

A checkpoint (an index, or the folder that holds it or one model.safetensors) becomes a new folder of the same files.
With --for, config.json gets the entry by which the loader reads it; embeddings, the output, routers and convolutions
stay as they are, unless --tensor names what to quantise. A run that was interrupted goes on where it was, in
FOLDER.part.

Exit status: 0 quantised, 2 a wrong command line, input or output.")]
pub struct Args {
    /// The recipe, such as mx-rceil/e4m3; or a file of your own that ends in .toml
    recipe: String,
    /// The array: .npy, .safetensors, raw with --dtype; or a checkpoint
    #[arg(value_name = "IN")]
    input: String,
    /// The output, a .safetensors file, or a folder for a checkpoint; may be left out with --report or --compare
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["report", "compare"])]
    output: Option<String>,
    /// Quantise only tensors whose name matches; `*` stands for anything; may be repeated
    #[arg(long, value_name = "PATTERN")]
    tensor: Vec<String>,
    /// Leave tensors whose name matches as they are; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Name and type the parts as this library's loader expects
    #[arg(long = "for", value_enum, value_name = "LOADER")]
    loader: Option<Loader>,
    /// Raw inputs, and integers in .npy, hold numbers of this format: bf16, f16, f32
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    dtype: Option<Format>,
    /// The largest magnitude of the tensor, instead of the array's own
    #[arg(long, value_name = "X", value_parser = magnitude)]
    global_amax: Option<f32>,
    /// Random bits for recipes with .rs, from Philox4x32-10
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Blocks along rows, along columns, or both
    #[arg(long, value_enum, default_value = "rows")]
    axis: Axis,
    /// Scales in the 128x4 swizzle of cuBLAS
    #[arg(long)]
    swizzle: bool,
    /// Say how much was lost in each tensor, and which scales there are
    #[arg(long)]
    report: bool,
    /// Say where this recipe gives other bytes, and work the first such block through; exit status 1 if it does
    #[arg(long, value_name = "RECIPE2")]
    compare: Option<String>,
    /// Print report and comparison as JSON
    #[arg(long)]
    json: bool,
    /// How many threads; default all cores
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<u16>>,
    /// How much memory a piece of the input may take
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    memory: ByteSize,
}

/// A largest magnitude: not negative.
fn magnitude(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        _ => Err("a finite number that is not negative is needed".into()),
    }
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let recipe = quantize::recipe(&args.recipe)?;
    check_options(args, &recipe)?;
    if Checkpoint::is_one(&args.input) {
        return checkpoint(args, &recipe);
    }
    let input = tensor::open(&args.input, args.dtype)?;
    let alone = input.arrays.len() == 1;
    let (chosen, copied) = choose(args, &recipe, &input, alone)?;
    if chosen.is_empty() {
        let names: Vec<_> = input.arrays.iter().map(tensor::name).take(20).collect();
        return Err(Failure::new(format!("{}: no tensor is chosen", input.source.name))
            .help(format!("its tensors are {}", names.join(", "))));
    }
    let mut reports = Vec::new();
    if let Some(output) = &args.output {
        reports = write(args, &recipe, &input, output, (&chosen, &copied))?;
    } else if args.report {
        for tensor in &chosen {
            let mut report = Report::default();
            let work = args.work(&recipe, tensor, args.axis == Axis::Columns);
            work.each_piece(|matrix, _, quantized| {
                report +=
                    Report::measure(&recipe, matrix, &quantized).map_err(|e| Failure::new(e.to_string()))?;
                Ok(())
            })?;
            reports.push(TensorReport::new(&tensor.name, &tensor.shape, &recipe, &report));
        }
    }
    let comparisons = match &args.compare {
        Some(name) => {
            let other = quantize::recipe(name)?;
            {
                let works =
                    |tensor| [&recipe, &other].map(|r| args.work(r, tensor, args.axis == Axis::Columns));
                chosen.iter().map(|tensor| Compared::new(works(tensor))).collect::<Result<Vec<_>, _>>()?
            }
        }
        None => Vec::new(),
    };
    if args.json {
        output::json(&serde_json::json!({ "tensors": reports, "comparisons": comparisons }))?;
    } else {
        reports.iter().filter(|_| args.report).try_for_each(TensorReport::print)?;
        comparisons.iter().try_for_each(Compared::print)?;
    }
    let equal = comparisons.iter().all(|c| c.is_equal());
    Ok(if equal { ExitCode::SUCCESS } else { FINDINGS })
}

impl Args {
    /// Whether the matrix is transposed, and what its parts' names end with, for each pass.
    fn passes(&self) -> &'static [(bool, &'static str)] {
        match self.axis {
            Axis::Rows => &[(false, "")],
            Axis::Columns => &[(true, "")],
            Axis::Both => &[(false, ""), (true, "_columns")],
        }
    }

    fn work<'a>(&'a self, recipe: &'a Recipe, tensor: &'a Tensor<'a>, transposed: bool) -> Work<'a> {
        Work {
            recipe,
            tensor,
            transposed: transposed || tensor.turned,
            swizzled: self.swizzle,
            amax: self.global_amax,
            seed: self.seed.filter(|_| recipe.is_random()),
            threads: self
                .threads
                .map_or_else(|| available_parallelism().map_or(1, usize::from), |n| usize::from(n.get())),
            memory: self.memory.as_u64() as usize,
        }
    }
}

/// What goes with the recipe, whatever the input is.
fn check_options(args: &Args, recipe: &Recipe) -> Result<(), Failure> {
    if let Some(loader) = args.loader {
        // Fails where the loader does not read what the recipe makes.
        loader.dtypes(recipe)?;
        if args.axis != Axis::Rows || args.swizzle {
            return Err(Failure::new("--for names the parts of tensors along rows, with plain scales"));
        }
    }
    match (recipe.is_random(), args.seed) {
        (true, None) => {
            Err(Failure::new(format!("`{}` rounds with random bits", recipe.name())).help("give --seed N"))
        }
        (false, Some(_)) => Err(Failure::new(format!("`{}` takes no seed", recipe.name()))),
        _ if args.global_amax.is_some() && !recipe.has_global_scale() => {
            Err(Failure::new(format!("`{}` has no global scale, so --global-amax has no use", recipe.name())))
        }
        _ => Ok(()),
    }
}

/// The tensors to be quantised, and the places of those to be copied; `alone` is an array that is all there is.
fn choose<'a>(
    args: &Args,
    recipe: &Recipe,
    input: &'a Input,
    alone: bool,
) -> Result<(Vec<Tensor<'a>>, Vec<usize>), Failure> {
    let matches = |patterns: &[String], name: &str| patterns.iter().any(|p| WildMatch::new(p).matches(name));
    let (mut chosen, mut copied) = (Vec::new(), Vec::new());
    for (at, array) in input.arrays.iter().enumerate() {
        let axes = array.shape.len();
        let wanted = match args.loader {
            _ if !args.tensor.is_empty() => matches(&args.tensor, tensor::name(array)),
            Some(loader) if !alone => loader.wants(tensor::name(array), axes),
            _ => alone || axes > 1,
        };
        let floats = tensor::input_type(array, args.dtype).is_some();
        if wanted
            && !matches(&args.exclude, tensor::name(array))
            && (floats || alone || !args.tensor.is_empty())
        {
            let turned = args.loader.is_some_and(|loader| loader.turns(axes));
            chosen.push(Tensor::new(input, array, recipe, args.dtype, turned)?);
        } else {
            copied.push(at);
        }
    }
    Ok((chosen, copied))
}

/// Writes the output, and measures if a report is wanted.
fn write(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    output: &str,
    chosen: (&[Tensor<'_>], &[usize]),
) -> Result<Vec<TensorReport>, Failure> {
    if !output.ends_with(".safetensors") {
        return Err(Failure::new(format!(
            "{output}: several tensors are written, which takes a .safetensors file"
        )));
    }
    let progress = Progress::bytes(read_bytes(args, chosen.0));
    let (mut file, _) = begin(args, recipe, input, output, chosen, None)?;
    let reports = fill(args, recipe, input, &mut file, chosen, &progress)?;
    drop(progress);
    file.finish()?;
    Ok(reports)
}

/// How much is read of the tensors that are quantised.
fn read_bytes(args: &Args, chosen: &[Tensor<'_>]) -> u64 {
    chosen.iter().map(Tensor::len).sum::<u64>() * args.passes().len() as u64
}

/// The names of a tensor's parts.
fn names(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    tensor: &Tensor<'_>,
    suffix: &str,
) -> Result<Names, Failure> {
    match args.loader {
        Some(loader) => loader.names(recipe, &tensor.name),
        None => Ok(Names::plain((input.arrays.len() > 1).then_some(tensor.name.as_str()), suffix)),
    }
}

/// Every tensor that the output of `input` has.
fn entries(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    (chosen, copied): (&[Tensor<'_>], &[usize]),
) -> Result<Vec<Entry>, Failure> {
    let dtypes = args.loader.map_or(Ok(PLAIN), |loader| loader.dtypes(recipe))?;
    let mut entries: Vec<Entry> = Vec::new();
    for tensor in chosen {
        for (number, (transposed, suffix)) in args.passes().iter().enumerate() {
            let names = names(args, recipe, input, tensor, suffix)?;
            let work = args.work(recipe, tensor, *transposed);
            work.check()?;
            // The global scale is the same for both axes.
            let made = work.entries(&names, dtypes)?;
            entries.extend(made.into_iter().filter(|e| number == 0 || e.name != names.global));
        }
    }
    for at in copied {
        let array = &input.arrays[*at];
        let FileType::Safetensors(dtype) = array.dtype else { continue };
        let shape = array.shape.iter().map(|n| *n as usize).collect();
        entries.push(Entry { name: tensor::name(array).to_owned(), dtype, shape });
    }
    Ok(entries)
}

/// Begins the output with its header; returns the entries, too.
fn begin(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    output: &str,
    chosen: (&[Tensor<'_>], &[usize]),
    job: Option<&str>,
) -> Result<(File, Vec<Entry>), Failure> {
    let entries = entries(args, recipe, input, chosen)?;
    let mut metadata: HashMap<String, String> = input.metadata.clone().unwrap_or_default();
    metadata.extend(describe(args, recipe, input, chosen.0)?);
    metadata.extend(job.map(|job| (quantize::JOB.to_owned(), job.to_owned())));
    Ok((File::create(output, &entries, metadata)?, entries))
}

/// Makes the tensors of the output.
fn fill(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    file: &mut File,
    (chosen, copied): (&[Tensor<'_>], &[usize]),
    progress: &Progress,
) -> Result<Vec<TensorReport>, Failure> {
    let mut reports = Vec::new();
    for tensor in chosen {
        let mut report = Report::default();
        for (transposed, suffix) in args.passes() {
            let names = names(args, recipe, input, tensor, suffix)?;
            let wanted = (args.report && suffix.is_empty()).then_some(&mut report);
            args.work(recipe, tensor, *transposed).write(&names, file, wanted, progress)?;
        }
        if args.report {
            reports.push(TensorReport::new(&tensor.name, &tensor.shape, recipe, &report));
        }
    }
    for at in copied {
        let array = &input.arrays[*at];
        tensor::copy(input, array, args.memory.as_u64(), |offset, bytes| {
            file.write(tensor::name(array), offset, bytes)
        })?;
    }
    Ok(reports)
}

/// A model of several files into a folder of such, as [`Target`] says.
fn checkpoint(args: &Args, recipe: &Recipe) -> Result<ExitCode, Failure> {
    let model = Checkpoint::open(&args.input)?;
    let output = match &args.output {
        Some(output) if args.compare.is_none() && args.axis == Axis::Rows => output,
        _ => return Err(Failure::new("a checkpoint takes -o FOLDER, blocks along rows, and no --compare")),
    };
    // Everything that can be wrong is found before the first byte is written.
    let config = args.loader.map(|_| Config::of_unquantised(&model.folder)).transpose()?;
    let inputs: Vec<Input> =
        model.files.iter().map(|file| tensor::open(&model.path(file), None)).collect::<Result<_, _>>()?;
    model.check(&inputs)?;
    let choices =
        inputs.iter().map(|input| choose(args, recipe, input, false)).collect::<Result<Vec<_>, _>>()?;
    if choices.iter().all(|(chosen, _)| chosen.is_empty()) {
        return Err(Failure::new(format!("{}: no tensor is chosen", args.input)));
    }
    for (input, (chosen, copied)) in inputs.iter().zip(&choices) {
        entries(args, recipe, input, (chosen, copied))?;
    }
    let configs = match args.loader.zip(config) {
        Some((loader, config)) => config.quantized(loader.files(recipe)?, left_modules(&inputs, &choices))?,
        None => Vec::new(),
    };
    let mut beside = model.beside()?;
    if args.loader.is_none() && model.folder.join(CONFIG).is_file() {
        beside.copied.push(CONFIG.to_owned());
    }
    let target = Target::create(output)?;
    let progress = Progress::bytes(choices.iter().map(|(chosen, _)| read_bytes(args, chosen)).sum());
    let mut index = Index { metadata: model.index.metadata.clone(), weight_map: Default::default() };
    let (mut total, mut reports) = (0, Vec::new());
    for ((input, (chosen, copied)), name) in inputs.iter().zip(&choices).zip(&model.files) {
        let job = job(args, recipe, input);
        let tensors = match target.kept(name, &job)? {
            Some(tensors) => {
                progress.advance(read_bytes(args, chosen));
                tensors
            }
            None => {
                let chosen = (&chosen[..], &copied[..]);
                let (mut file, entries) = begin(args, recipe, input, &target.path(name), chosen, Some(&job))?;
                reports.extend(fill(args, recipe, input, &mut file, chosen, &progress)?);
                file.finish()?;
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
    drop(progress);
    beside.tell();
    if args.json {
        output::json(&serde_json::json!({ "tensors": reports, "comparisons": [] }))?;
    } else {
        reports.iter().try_for_each(TensorReport::print)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The modules whose tensors stay as they are: those of every tensor with two axes or more, and the output, which may
/// share the tensor of the embedding.
fn left_modules(inputs: &[Input], choices: &[(Vec<Tensor<'_>>, Vec<usize>)]) -> Vec<String> {
    let module = |name: &str| name.rsplit_once('.').map_or(name, |(module, _)| module).to_owned();
    let quantized: BTreeSet<String> =
        choices.iter().flat_map(|(chosen, _)| chosen).map(|tensor| module(&tensor.name)).collect();
    let copied = inputs
        .iter()
        .zip(choices)
        .flat_map(|(input, (_, copied))| copied.iter().map(|at| &input.arrays[*at]));
    let matrices = copied.filter(|array| array.shape.len() > 1);
    let mut left: BTreeSet<String> = matrices.map(|array| module(tensor::name(array))).collect();
    left.insert("lm_head".to_owned());
    left.difference(&quantized).cloned().collect()
}

/// What a file depends on: the recipe's lines, the options, and the input's size and tensors.
fn job(args: &Args, recipe: &Recipe, input: &Input) -> String {
    let lines: Vec<&str> = recipe.quantize_lines().collect();
    format!(
        "{} [{}] for {:?} tensor {:?} exclude {:?} seed {:?} amax {:?} of {} bytes",
        recipe.name(),
        lines.join("; "),
        args.loader,
        args.tensor,
        args.exclude,
        args.seed,
        args.global_amax,
        input.source.len().unwrap_or(0)
    )
}

/// What `dequantize` needs to know, and what a reader of the scales must.
fn describe(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    chosen: &[Tensor<'_>],
) -> Result<HashMap<String, String>, Failure> {
    let mut all = HashMap::from([
        ("ptxcvt.recipe".to_owned(), args.recipe.clone()),
        ("ptxcvt.axis".to_owned(), format!("{:?}", args.axis).to_lowercase()),
        ("ptxcvt.swizzle".to_owned(), if args.swizzle { "128x4" } else { "none" }.to_owned()),
    ]);
    if let Some(name) = args.loader.and_then(|loader| loader.to_possible_value()) {
        all.insert("ptxcvt.for".to_owned(), name.get_name().to_owned());
    }
    if recipe.has_global_scale() {
        // Two conventions are inverse to each other, so the lines say which one it is.
        let lines: Vec<&str> = recipe.quantize_lines().filter(|line| line.starts_with("G = ")).collect();
        all.insert("ptxcvt.global_scale".to_owned(), lines.join("; "));
        all.insert("ptxcvt.dequantize".to_owned(), recipe.dequantize_lines().collect::<Vec<_>>().join("; "));
    }
    for tensor in chosen {
        let shape: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
        let name = if tensor.name.is_empty() { "array" } else { &tensor.name };
        let parts = names(args, recipe, input, tensor, "")?;
        all.insert(
            format!("ptxcvt.input.{name}"),
            format!("{} {} {}", parts.data, tensor.input, shape.join(" ")),
        );
    }
    Ok(all)
}
