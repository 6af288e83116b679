//! `ptxcvt quantize RECIPE IN -o OUT.safetensors`: arrays in blocks with scales, reports, comparisons.

use std::collections::HashMap;
use std::io::Write;
use std::num::NonZero;
use std::process::ExitCode;
use std::thread::available_parallelism;

use bytesize::ByteSize;
use ptxcvt::Format;
use ptxcvt_blocks::{Comparison, Recipe, Report, compare, work_block};
use wildmatch::WildMatch;

use crate::args::format;
use crate::convert::array::{FileType, Input};
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::quantize;
use crate::quantize::file::{Entry, File};
use crate::quantize::report::{TensorReport, print_worked};
use crate::quantize::tensor::{self, Tensor};
use crate::quantize::work::{Axis, Dtypes, Names, Work};
use crate::style::STRONG;

#[derive(clap::Args)]
#[command(after_help = "\
One array becomes the tensors `data`, `scales` and, where the recipe has one, `global_scale`; several keep their
names in front (`w1.data`). Tensors that are no matrices of floats, or not chosen, are copied.

Examples:
  ptxcvt quantize mx-rceil/e4m3 weights.npy -o weights.safetensors
  ptxcvt quantize nvfp4-te-16x16 weights.npy --dtype bf16 --global-amax 3.5 -o weights.safetensors
  ptxcvt quantize mx-floor/e2m1 model.safetensors --report
  ptxcvt quantize nvfp4-modelopt w.npy --compare nvfp4-compressed-tensors")]
pub struct Args {
    /// The recipe, such as mx-rceil/e4m3; or a file of your own that ends in .toml
    recipe: String,
    /// The array: .npy, .safetensors, or raw with --dtype
    #[arg(value_name = "IN")]
    input: String,
    /// The output, a .safetensors file; may be left out with --report or --compare
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["report", "compare"])]
    output: Option<String>,
    /// Quantise only tensors whose name matches; `*` stands for anything; may be repeated
    #[arg(long, value_name = "PATTERN")]
    tensor: Vec<String>,
    /// Leave tensors whose name matches as they are; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
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
    let input = tensor::open(&args.input, args.dtype)?;
    let (chosen, copied) = choose(args, &recipe, &input)?;
    check_seed(args, &recipe)?;
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
            chosen.iter().map(|t| Compared::new(args, [&recipe, &other], t)).collect::<Result<Vec<_>, _>>()?
        }
        None => Vec::new(),
    };
    if args.json {
        output::json(&serde_json::json!({ "tensors": reports, "comparisons": comparisons }))?;
    } else {
        reports.iter().filter(|_| args.report).try_for_each(TensorReport::print)?;
        comparisons.iter().try_for_each(|c| c.print(&c.recipes))?;
    }
    let equal = comparisons.iter().all(|c| c.comparison.is_equal());
    Ok(if equal { ExitCode::SUCCESS } else { FINDINGS })
}

impl Args {
    fn work<'a>(&'a self, recipe: &'a Recipe, tensor: &'a Tensor<'a>, transposed: bool) -> Work<'a> {
        Work {
            recipe,
            tensor,
            transposed,
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

fn check_seed(args: &Args, recipe: &Recipe) -> Result<(), Failure> {
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

/// The tensors to be quantised, and the places of those to be copied.
fn choose<'a>(
    args: &Args,
    recipe: &Recipe,
    input: &'a Input,
) -> Result<(Vec<Tensor<'a>>, Vec<usize>), Failure> {
    let matches = |patterns: &[String], name: &str| patterns.iter().any(|p| WildMatch::new(p).matches(name));
    let alone = input.arrays.len() == 1;
    let (mut chosen, mut copied) = (Vec::new(), Vec::new());
    for (at, array) in input.arrays.iter().enumerate() {
        let wanted = args.tensor.is_empty() && (alone || array.shape.len() > 1)
            || matches(&args.tensor, tensor::name(array));
        let floats = tensor::input_type(array, args.dtype).is_some();
        if wanted
            && !matches(&args.exclude, tensor::name(array))
            && (floats || alone || !args.tensor.is_empty())
        {
            chosen.push(Tensor::new(input, array, recipe, args.dtype)?);
        } else {
            copied.push(at);
        }
    }
    if chosen.is_empty() {
        let names: Vec<_> = input.arrays.iter().map(tensor::name).take(20).collect();
        return Err(Failure::new(format!("{}: no tensor is chosen", input.source.name))
            .help(format!("its tensors are {}", names.join(", "))));
    }
    Ok((chosen, copied))
}

/// Writes the output, and measures if a report is wanted.
fn write(
    args: &Args,
    recipe: &Recipe,
    input: &Input,
    output: &str,
    (chosen, copied): (&[Tensor<'_>], &[usize]),
) -> Result<Vec<TensorReport>, Failure> {
    if !output.ends_with(".safetensors") {
        return Err(Failure::new(format!(
            "{output}: several tensors are written, which takes a .safetensors file"
        )));
    }
    let dtypes = Dtypes { fp4_as_bytes: false, ue8m0_as_bytes: false, global_has_axis: false };
    let passes: &[(bool, &str)] = match args.axis {
        Axis::Rows => &[(false, "")],
        Axis::Columns => &[(true, "")],
        Axis::Both => &[(false, ""), (true, "_columns")],
    };
    let prefix = |tensor: &Tensor<'_>| (input.arrays.len() > 1).then(|| tensor.name.clone());
    let mut entries: Vec<Entry> = Vec::new();
    for tensor in chosen {
        for (number, (transposed, suffix)) in passes.iter().enumerate() {
            let names = Names::plain(prefix(tensor).as_deref(), suffix);
            let made = args.work(recipe, tensor, *transposed).entries(&names, dtypes)?;
            // The global scale is the same for both axes.
            entries.extend(made.into_iter().filter(|e| number == 0 || e.name != names.global));
        }
    }
    for at in copied {
        let array = &input.arrays[*at];
        let FileType::Safetensors(dtype) = array.dtype else { continue };
        let shape = array.shape.iter().map(|n| *n as usize).collect();
        entries.push(Entry { name: tensor::name(array).to_owned(), dtype, shape });
    }
    let mut metadata: HashMap<String, String> = input.metadata.clone().unwrap_or_default();
    metadata.extend(describe(args, recipe, chosen));
    let mut file = File::create(output, &entries, metadata)?;
    let progress = Progress::bytes(chosen.iter().map(Tensor::len).sum::<u64>() * passes.len() as u64);
    let mut reports = Vec::new();
    for tensor in chosen {
        let mut report = Report::default();
        for (transposed, suffix) in passes {
            let names = Names::plain(prefix(tensor).as_deref(), suffix);
            let wanted = (args.report && *suffix == "").then_some(&mut report);
            args.work(recipe, tensor, *transposed).write(&names, &mut file, wanted, &progress)?;
        }
        if args.report {
            reports.push(TensorReport::new(&tensor.name, &tensor.shape, recipe, &report));
        }
    }
    for at in copied {
        let array = &input.arrays[*at];
        file.write(tensor::name(array), 0, &tensor::bytes(input, array)?)?;
    }
    drop(progress);
    file.finish()?;
    Ok(reports)
}

/// What `dequantize` needs to know.
fn describe(args: &Args, recipe: &Recipe, chosen: &[Tensor<'_>]) -> HashMap<String, String> {
    let mut all = HashMap::from([
        ("ptxcvt.recipe".to_owned(), args.recipe.clone()),
        ("ptxcvt.axis".to_owned(), format!("{:?}", args.axis).to_lowercase()),
        ("ptxcvt.swizzle".to_owned(), if args.swizzle { "128x4" } else { "none" }.to_owned()),
    ]);
    if let Some(line) = recipe.quantize_lines().find(|line| line.starts_with("G = ")) {
        all.insert("ptxcvt.global_scale".to_owned(), line.to_owned());
    }
    for tensor in chosen {
        let shape: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
        let name = if tensor.name.is_empty() { "array" } else { &tensor.name };
        all.insert(format!("ptxcvt.input.{name}"), format!("{} {}", tensor.input, shape.join(" ")));
    }
    all
}

/// Two recipes on one tensor.
#[derive(serde::Serialize)]
struct Compared {
    tensor: String,
    recipes: [String; 2],
    #[serde(flatten)]
    counts: Counts,
    #[serde(skip)]
    comparison: Comparison,
    #[serde(skip)]
    worked: Vec<u8>,
}

#[derive(serde::Serialize)]
struct Counts {
    scales: usize,
    scales_differ: usize,
    codes: usize,
    codes_differ: usize,
    zero_signs: usize,
    bytes: usize,
    bytes_differ: usize,
    /// Row and column of the first block that differs.
    first_block: Option<(usize, usize)>,
    /// Row and column of the first element in it that differs.
    first_element: Option<(usize, usize)>,
}

impl Compared {
    fn new(args: &Args, recipes: [&Recipe; 2], tensor: &Tensor<'_>) -> Result<Compared, Failure> {
        let fail = |e: ptxcvt_blocks::BlockError| Failure::new(format!("{}: {e}", tensor.place()));
        if tensor.matrices > 1 {
            return Err(Failure::new(format!("{}: comparing takes one matrix", tensor.place())));
        }
        let works = recipes.map(|recipe| args.work(recipe, tensor, args.axis == Axis::Columns));
        let options = [works[0].whole_options()?, works[1].whole_options()?];
        let mut comparison = None;
        let mut worked = Vec::new();
        tensor.each(works[0].transposed, usize::MAX, |matrix, _, _| {
            let found = compare(recipes, matrix, [&options[0], &options[1]]).map_err(fail)?;
            if let Some(first) = found.first {
                let block = recipes[0].block();
                let element = first.element.map_or(0, |(r, c)| {
                    let width = block.columns.min(matrix.columns() - first.block.1 * block.columns);
                    (r - first.block.0 * block.rows) * width + c - first.block.1 * block.columns
                });
                for (recipe, options) in recipes.into_iter().zip(&options) {
                    let steps = work_block(recipe, matrix, first.block, options).map_err(fail)?;
                    writeln!(worked, "\n{STRONG}{}{STRONG:#}", recipe.name())?;
                    if let Some((r, c)) = first.element {
                        let x = matrix.value(r, c);
                        writeln!(worked, "  {:<44} {} {x}", "x", output::hex(x.to_bits().into(), 32))?;
                    }
                    print_worked(&mut worked, &steps, element)?;
                }
            }
            comparison = Some(found);
            Ok(())
        })?;
        let comparison = comparison.ok_or_else(|| Failure::new(format!("{}: is empty", tensor.place())))?;
        let counts = Counts {
            scales: comparison.scales,
            scales_differ: comparison.scales_differ,
            codes: comparison.codes,
            codes_differ: comparison.codes_differ,
            zero_signs: comparison.zero_signs,
            bytes: comparison.bytes,
            bytes_differ: comparison.bytes_differ,
            first_block: comparison.first.map(|f| f.block),
            first_element: comparison.first.and_then(|f| f.element),
        };
        let recipes = recipes.map(|r| r.name().to_owned());
        Ok(Compared { tensor: tensor.name.clone(), recipes, counts, comparison, worked })
    }

    fn print(&self, [a, b]: &[String; 2]) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        let name = if self.tensor.is_empty() { "array" } else { &self.tensor };
        let c = &self.comparison;
        if c.is_equal() {
            writeln!(
                out,
                "{STRONG}{name}{STRONG:#} {a} and {b} give the same {} scales and {} elements",
                c.scales, c.codes
            )?;
            return Ok(());
        }
        writeln!(out, "{STRONG}{name}{STRONG:#} {a} and {b} differ")?;
        writeln!(out, "  scales    {} of {}", c.scales_differ, c.scales)?;
        let signs = if c.zero_signs > 0 {
            format!(", {} of them signs of zero", c.zero_signs)
        } else {
            String::new()
        };
        writeln!(out, "  elements  {} of {}{signs}", c.codes_differ, c.codes)?;
        writeln!(out, "  bytes     {} of {}", c.bytes_differ, c.bytes)?;
        if let Some(first) = c.first {
            let element = match first.element {
                Some((r, c)) => format!(", and its first element that differs at row {r}, column {c}"),
                None => ", whose elements are the same; its first element".to_owned(),
            };
            writeln!(
                out,
                "\nThe first such block, in row {} and column {} of blocks{element}:",
                first.block.0, first.block.1
            )?;
        }
        out.write_all(&self.worked)?;
        Ok(())
    }
}
