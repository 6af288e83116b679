//! `ptxcvt recipes [NAME]`: the recipes of block quantisation, or one explained with a worked block.

use std::io::Write;
use std::process::ExitCode;

use ptxcvt_blocks::{AmaxNan, Global, Layout, Matrix, Options, Ragged, Recipe, work_block};
use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::quantize;
use crate::quantize::report::print_worked;
use crate::style::{DIM, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt recipes
  ptxcvt recipes mx-rceil/e4m3

Exit status: 0 listed, 2 no such recipe.")]
pub struct Args {
    /// Explain this one, such as mx-rceil/e4m3, or a file of your own that ends in .toml
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    element: &'static str,
    block: [usize; 2],
    scale: &'static str,
    global_scale: bool,
    nan: &'static str,
    ragged: &'static str,
    layout: &'static str,
    quantize: Vec<String>,
    dequantize: Vec<String>,
    about: String,
    source: String,
    confirmed: String,
}

impl Entry {
    fn new(recipe: &Recipe) -> Entry {
        Entry {
            name: recipe.name().into(),
            element: recipe.element().name(),
            block: [recipe.block().rows, recipe.block().columns],
            scale: recipe.scale().name(),
            global_scale: recipe.has_global_scale(),
            nan: match recipe.amax_nan() {
                AmaxNan::Propagates => "propagates",
                AmaxNan::Ignored => "ignored",
            },
            ragged: match recipe.ragged() {
                Ragged::Refused => "refused",
                Ragged::Partial => "partial",
            },
            layout: match recipe.layout() {
                Layout::Rows => "rows",
                Layout::RowsHighFirst => "rows-high-first",
                Layout::Gguf => "gguf",
                Layout::GgufNvfp4 => "gguf-nvfp4",
            },
            quantize: recipe.quantize_lines().map(str::to_owned).collect(),
            dequantize: recipe.dequantize_lines().map(str::to_owned).collect(),
            about: recipe.about().into(),
            source: recipe.source().into(),
            confirmed: recipe.confirmed().into(),
        }
    }
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(name) = &args.name else {
        if args.json {
            output::json(&Recipe::all().map(|r| Entry::new(&r)).collect::<Vec<_>>())?;
        } else {
            list()?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    // A family is shown with the first of its element formats.
    let first = || Recipe::all().find(|r| r.name().split_once('/').is_some_and(|(family, _)| family == name));
    let recipe = match first() {
        Some(recipe) => recipe,
        None => quantize::recipe(name)?,
    };
    if args.json {
        output::json(&Entry::new(&recipe))?;
    } else {
        explain(&recipe)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One paragraph for each family: the lines are the same for its element formats.
fn list() -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let all: Vec<Recipe> = Recipe::all().collect();
    let family = |recipe: &Recipe| recipe.name().split('/').next().unwrap_or_default().to_owned();
    for group in all.chunk_by(|a, b| family(a) == family(b)) {
        let recipe = &group[0];
        let elements: Vec<_> = group.iter().map(|r| r.element().name()).collect();
        let slash = if recipe.name().contains('/') { "/" } else { "" };
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}{slash} {} blocks of {}, scales {}",
            family(recipe),
            elements.join(" "),
            recipe.block(),
            recipe.scale()
        )?;
        let lines: Vec<_> = recipe.quantize_lines().collect();
        writeln!(out, "  {}", lines.join("; "))?;
        writeln!(out, "  {DIM}{}{DIM:#}", recipe.about())?;
        writeln!(out, "  {DIM}source: {}{DIM:#}", recipe.source())?;
        writeln!(out, "  {DIM}confirmed by: {}{DIM:#}", recipe.confirmed())?;
    }
    Ok(())
}

/// Everything that the table says, and a block worked through.
fn explain(recipe: &Recipe) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let entry = Entry::new(recipe);
    writeln!(out, "{STRONG}{}{STRONG:#}: {}", entry.name, entry.about)?;
    writeln!(out, "  elements   {}, layout {}", entry.element, entry.layout)?;
    writeln!(out, "  scales     {} for each block of {}", entry.scale, recipe.block())?;
    let edges = match recipe.ragged() {
        Ragged::Refused => "must be whole blocks",
        Ragged::Partial => "may end with smaller blocks",
    };
    let nan = match recipe.amax_nan() {
        AmaxNan::Propagates => "makes amax NaN",
        AmaxNan::Ignored => "does not count in amax",
    };
    writeln!(out, "  arrays     {edges}; NaN {nan}")?;
    writeln!(out, "  back       {}", entry.dequantize.join("; "))?;
    writeln!(out, "  source     {}", entry.source)?;
    if !entry.confirmed.is_empty() {
        writeln!(out, "  confirmed  by {}", entry.confirmed)?;
    }
    let block = recipe.block();
    // Numbers that need rounding, of both signs, in the first place the largest.
    let numbers: Vec<f32> = (0..block.rows * block.columns)
        .map(|i| match i {
            0 => 5.3,
            i if i % 2 == 1 => -0.37 * (i % 13) as f32,
            i => 0.29 * (i % 17) as f32,
        })
        .collect();
    let matrix = Matrix::f32(&numbers, block.rows, block.columns).map_err(|e| Failure::new(e.to_string()))?;
    let global = if recipe.has_global_scale() { Global::Amax(9.75) } else { Global::FromData };
    let options = Options { global, seed: recipe.is_random().then_some(0), ..Options::default() };
    let worked = work_block(recipe, &matrix, (0, 0), &options).map_err(|e| Failure::new(e.to_string()))?;
    let tensor = if recipe.has_global_scale() { ", tensor_amax = 9.75" } else { "" };
    writeln!(out, "\nA block with amax = 5.3{tensor}; its second element, x = -0.37:\n")?;
    print_worked(&mut out, &worked, 1)
}
