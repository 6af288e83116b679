//! `ptxcvt recipes [NAME]`: lists the recipes of block quantisation, or explains one with a worked example.

use std::io::Write;
use std::process::ExitCode;

use anstyle::Style;
use ptxcvt_blocks::{AmaxNan, BlockShape, Global, Layout, Matrix, Options, Ragged, Recipe, work_block};
use ptxcvt_report::recipes::RecipeReport;

use crate::failure::Failure;
use crate::output;
use crate::page;
use crate::quantize::print_worked;
use crate::style::STRONG;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt recipes
  ptxcvt recipes mx-rceil/e4m3")]
pub struct Args {
    /// The recipe to explain, such as mx-rceil/e4m3, or your own file that ends in .toml; omit it to list all recipes
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(name) = &args.name else {
        if args.json {
            output::json(&Recipe::all().map(|r| RecipeReport::new(&r)).collect::<Vec<_>>())?;
        } else {
            list()?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    // A family is explained by the first of its element formats.
    let recipe = match Recipe::all().find(|recipe| recipe.family() == name) {
        Some(recipe) => recipe,
        None => ptxcvt_files::quantize::recipe(name)?,
    };
    if args.json {
        output::json(&RecipeReport::new(&recipe))?;
    } else {
        explain(&recipe)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the families, one paragraph each: the element formats of a family have the same lines.
fn list() -> Result<(), Failure> {
    let mut out = output::stdout();
    let all: Vec<Recipe> = Recipe::all().collect();
    for group in all.chunk_by(|a, b| a.family() == b.family()) {
        let recipe = &group[0];
        let elements: Vec<_> = group.iter().map(|r| r.element().name()).collect();
        let slash = if recipe.name() == recipe.family() { "" } else { "/" };
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}{slash} {} blocks of {}, scales {}",
            recipe.family(),
            elements.join(" "),
            recipe.block(),
            recipe.scale()
        )?;
        write!(out, "  ")?;
        page::write_after(&mut out, 2, Style::new(), pieces(&statements(recipe.quantize_lines())))?;
        page::write_paragraph(&mut out, recipe.about())?;
        page::write_paragraph(&mut out, &format!("source: {}", recipe.source()))?;
        page::write_paragraph(&mut out, &format!("confirmed by: {}", recipe.confirmed()))?;
    }
    Ok(())
}

/// Prints the row of the table, and a block that is computed step by step.
fn explain(recipe: &Recipe) -> Result<(), Failure> {
    let mut out = output::stdout();
    let entry = RecipeReport::new(recipe);
    let about = if entry.about.is_empty() { "a recipe without a description" } else { &entry.about };
    let heading = format!("{}: {about}", entry.name);
    page::write_heading(&mut out, &entry.name, &heading)?;
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
    let mut row = |label: &str, text: &[&str]| {
        write!(out, "  {label:<10} ")?;
        page::write_after(&mut out, 13, Style::new(), text.iter().copied())
    };
    row("lines", &pieces(&statements(recipe.quantize_lines())))?;
    row("back", &pieces(&statements(recipe.dequantize_lines())))?;
    if !entry.source.is_empty() {
        row("source", &words(&entry.source))?;
    }
    if !entry.confirmed.is_empty() {
        row("confirmed", &words(&format!("by {}", entry.confirmed)))?;
    }
    let block = recipe.block();
    // Numbers of both signs that need rounding; the first is the largest.
    let columns = match recipe.layout() {
        // A row of this layout consists of groups of four blocks.
        Layout::GgufNvfp4 => 4 * block.columns,
        Layout::Rows | Layout::RowsHighFirst | Layout::Packed | Layout::Gguf => block.columns,
    };
    // A block may extend over all rows and columns.
    let example = |n: usize| if n == BlockShape::ALL { 32 } else { n };
    let (rows, columns) = (example(block.rows), example(columns));
    let numbers: Vec<f32> = (0..rows * columns)
        .map(|i| match i {
            0 => 5.3,
            i if i % 2 == 1 => -0.37 * (i % 13) as f32,
            i => 0.29 * (i % 17) as f32,
        })
        .collect();
    let matrix = Matrix::f32(&numbers, rows, columns).map_err(|e| Failure::new(e.to_string()))?;
    let global = if recipe.has_global_scale() { Global::Amax(9.75) } else { Global::FromData };
    let options = Options { global, seed: recipe.is_random().then_some(0), ..Options::default() };
    let worked = work_block(recipe, &matrix, (0, 0), &options).map_err(|e| Failure::new(e.to_string()))?;
    let tensor = match (recipe.has_global_scale(), recipe.is_row_scaled()) {
        (true, _) => ", tensor_amax = 9.75",
        (_, true) => ", which is its whole row",
        _ => "",
    };
    writeln!(out, "\nA block with amax = 5.3{tensor}; its second element, x = -0.37:\n")?;
    print_worked(&mut out, &worked, 1)
}

/// The lines of a recipe, each except the last followed by a semicolon.
fn statements<'r>(lines: impl Iterator<Item = &'r str>) -> Vec<String> {
    let mut statements: Vec<String> = lines.map(|line| format!("{line};")).collect();
    if let Some(last) = statements.last_mut() {
        last.pop();
    }
    statements
}

fn pieces(statements: &[String]) -> Vec<&str> {
    statements.iter().map(String::as_str).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}
