//! The output of `ptxcvt quantize`, `dequantize` and `recipes`: reports, differences, blocks with their
//! steps.

use std::io::Write;

use anstyle::Style;
use ptxcvt_blocks::{Step, Worked};
use ptxcvt_files::quantize::Compared;
use ptxcvt_report::quantize::{ScaleCount, TensorReport};

use crate::failure::Failure;
use crate::output::{self, hex};
use crate::page;
use crate::style::{DIM, STRONG};

/// Prints the weights of a model that were not copied, and the files of an earlier run that were removed or written
/// again.
pub fn note_files(left: &[String], made_again: &[String], removed: &[String]) {
    if !removed.is_empty() {
        output::note(format_args!(
            "removed because this run does not make them: {}, left by an earlier run",
            removed.join(", ")
        ));
    }
    if !made_again.is_empty() {
        output::note(format_args!(
            "written again because the input has changed since the earlier run: {}",
            made_again.join(", ")
        ));
    }
    if !left.is_empty() {
        output::note(format_args!("not copied because they have weights: {}", left.join(", ")));
    }
}

/// Prints the report of a tensor.
pub fn print_report(report: &TensorReport) -> Result<(), Failure> {
    let mut out = output::stdout();
    let shape: Vec<String> = report.shape.iter().map(u64::to_string).collect();
    let name = if report.tensor.is_empty() { "array" } else { &report.tensor };
    writeln!(out, "{STRONG}{name}{STRONG:#} {} by {}", shape.join("x"), report.recipe)?;
    let share = |n: u64, of: u64| format!("{n} ({:.3} %)", 100.0 * n as f64 / of.max(1) as f64);
    let error = |x: f64| if x.is_nan() { "undefined".to_owned() } else { format!("{x:.6e}") };
    writeln!(out, "  mean square error  {}", error(report.mean_square_error))?;
    writeln!(out, "  largest error      {}", error(report.largest_error))?;
    match report.snr_db {
        None if report.elements == 0 => writeln!(out, "  SNR                undefined: no elements")?,
        None if report.mean_square_error.is_nan() => {
            writeln!(out, "  SNR                undefined: not all elements are finite numbers")?;
        }
        Some(snr) => writeln!(out, "  SNR                {snr:.2} dB")?,
        None => writeln!(out, "  SNR                infinite: no errors")?,
    }
    match report.exact_blocks {
        Some(exact) => {
            writeln!(out, "  exact blocks       {} of {}", share(exact, report.blocks), report.blocks)?
        }
        None if report.blocks == 0 => writeln!(out, "  exact blocks       undefined: no blocks")?,
        None => writeln!(out, "  exact blocks       undefined: no block has only finite numbers")?,
    }
    writeln!(out, "  saturated          {}", share(report.saturated, report.elements))?;
    writeln!(out, "  became zero        {}", share(report.became_zero, report.elements))?;
    writeln!(out, "  became NaN         {}", share(report.became_nan, report.elements))?;
    if report.nan_inputs > 0 {
        writeln!(out, "  were NaN           {}", share(report.nan_inputs, report.elements))?;
    }
    writeln!(out, "  scales")?;
    histogram(report, &mut out)
}

/// Prints one line for each scale or, if there are many, for each power of two.
fn histogram(report: &TensorReport, out: &mut impl Write) -> Result<(), Failure> {
    let mut lines: Vec<(String, u64)> = Vec::new();
    let grouped = report.scales.len() > 32;
    for ScaleCount { value, infinite, count, .. } in &report.scales {
        let label = match value {
            None if *infinite => "infinity".to_owned(),
            None => "NaN".to_owned(),
            Some(value) if *value == 0.0 => "0".to_owned(),
            Some(value) if grouped || value.log2().fract() == 0.0 => {
                format!("2^{}", value.log2().floor())
            }
            Some(value) => format!("{value}"),
        };
        match lines.last_mut() {
            Some((last, sum)) if *last == label => *sum += count,
            _ => lines.push((label, *count)),
        }
    }
    let most = lines.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, count) in &lines {
        let bar = "#".repeat((40 * count).div_ceil(most) as usize);
        writeln!(out, "    {label:>width$} {count:>10} {DIM}{bar}{DIM:#}")?;
    }
    Ok(())
}

/// Prints steps, each with its result.
fn print_steps(out: &mut impl Write, steps: &[Step]) -> Result<(), Failure> {
    for step in steps {
        writeln!(out, "  {:<44} {}", step.text, result(step))?;
    }
    Ok(())
}

/// The bits and the value of a step.
fn result(step: &Step) -> String {
    let width = step.format.map_or(32, |format| format.storage());
    format!("{} {DIM}{}{DIM:#}", hex(step.bits.into(), width), step.value())
}

/// Prints the steps of a block, then those of one of its elements.
pub fn print_worked(out: &mut impl Write, worked: &Worked, element: usize) -> Result<(), Failure> {
    let number = |bits: u32| format!("{} {DIM}{}{DIM:#}", hex(bits.into(), 32), f32::from_bits(bits));
    if let Some(global) = worked.global {
        writeln!(out, "  {:<44} {}", "G", number(global))?;
    }
    print_steps(out, &worked.tensor)?;
    writeln!(out, "  {:<44} {}", "amax", number(worked.amax))?;
    print_steps(out, &worked.block)?;
    if let Some(steps) = worked.elements.get(element) {
        print_steps(out, steps)?;
    }
    Ok(())
}

/// Prints the differences of two recipes.
pub fn print_compared(compared: &Compared) -> Result<(), Failure> {
    let [a, b] = &compared.recipes;
    let mut out = output::stdout();
    let name = if compared.tensor.is_empty() { "array" } else { &compared.tensor };
    let c = &compared.comparison.counts;
    if c.is_equal() {
        let (scales, elements) = (ptxcvt::counted(c.scales, "scale"), ptxcvt::counted(c.codes, "element"));
        let heading = format!("{name} {a} and {b} give the same {scales} and {elements}");
        page::write_heading(&mut out, name, &heading)?;
        return print_global_scales(&mut out, compared);
    }
    page::write_heading(&mut out, name, &format!("{name} {a} and {b} differ"))?;
    writeln!(out, "  scales    {} of {}", c.scales_differ, c.scales)?;
    let signs =
        if c.zero_signs > 0 { format!(", {} of them signs of zero", c.zero_signs) } else { String::new() };
    writeln!(out, "  elements  {} of {}{signs}", c.codes_differ, c.codes)?;
    writeln!(out, "  bytes     {} of {}", c.bytes_differ, c.bytes)?;
    print_global_scales(&mut out, compared)?;
    if let Some((row, column)) = compared.comparison.first_block {
        let element = match compared.comparison.first_element {
            Some((r, c)) => format!(", and its first element that differs at row {r}, column {c}"),
            None => ", whose elements are equal; its first element".to_owned(),
        };
        let text = format!("The first such block, in row {row} and column {column} of blocks{element}:");
        writeln!(out)?;
        page::write_after(&mut out, 0, Style::new(), text.split(' '))?;
    }
    print_first(&mut out, compared)?;
    Ok(())
}

/// Prints the global scales that the recipes store, if they differ.
fn print_global_scales(out: &mut impl Write, compared: &Compared) -> Result<(), Failure> {
    let Some(scales) = compared.comparison.global_scales else { return Ok(()) };
    let [a, b] = scales.map(|scale| scale.map_or("none".to_owned(), |scale| scale.to_string()));
    Ok(writeln!(out, "  stored global scales: {a} and {b}")?)
}

/// Prints the steps of both recipes in the first block that differs.
fn print_first(out: &mut impl Write, compared: &Compared) -> Result<(), Failure> {
    let Some(first) = &compared.first else { return Ok(()) };
    for (recipe, worked) in compared.recipes.iter().zip(&first.worked) {
        writeln!(out, "\n{STRONG}{recipe}{STRONG:#}")?;
        if let Some(x) = first.value {
            writeln!(out, "  {:<44} {} {x}", "x", hex(x.to_bits().into(), 32))?;
        }
        print_worked(out, worked, first.element)?;
    }
    Ok(())
}
