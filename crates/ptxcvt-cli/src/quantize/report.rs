//! Reports, differences and worked blocks, as text and for JSON.

use std::io::Write;

use ptxcvt_blocks::{Recipe, Report, Step, Worked};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::hex;
use crate::style::{DIM, STRONG};

/// A tensor's report for JSON.
#[derive(Serialize)]
pub struct TensorReport {
    pub tensor: String,
    pub recipe: String,
    pub shape: Vec<u64>,
    pub elements: u64,
    pub mean_square_error: f64,
    pub largest_error: f64,
    /// Absent where nothing was lost.
    pub snr_db: Option<f64>,
    pub blocks: u64,
    pub exact_blocks: u64,
    pub saturated: u64,
    pub flushed: u64,
    pub nan_inputs: u64,
    pub became_nan: u64,
    pub scales: Vec<ScaleCount>,
}

/// How many blocks have a scale.
#[derive(Serialize)]
pub struct ScaleCount {
    /// Absent for NaN.
    pub value: Option<f64>,
    /// The code; of f32 scales the exponent field.
    pub code: u32,
    pub count: u64,
}

impl TensorReport {
    pub fn new(tensor: &str, shape: &[u64], recipe: &Recipe, report: &Report) -> Self {
        let scale = |(code, count): (&u32, &u64)| {
            let value = Report::scale_value(recipe, *code);
            ScaleCount { value: value.is_finite().then_some(value), code: *code, count: *count }
        };
        TensorReport {
            tensor: tensor.to_owned(),
            recipe: recipe.name().to_owned(),
            shape: shape.to_vec(),
            elements: report.elements,
            mean_square_error: report.mean_square_error(),
            largest_error: report.largest_error,
            snr_db: Some(report.snr()).filter(|snr| snr.is_finite()),
            blocks: report.blocks,
            exact_blocks: report.exact_blocks,
            saturated: report.saturated,
            flushed: report.flushed,
            nan_inputs: report.nan_inputs,
            became_nan: report.became_nan,
            scales: report.scales.iter().map(scale).collect(),
        }
    }

    pub fn print(&self) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        let name = if self.tensor.is_empty() { "array" } else { &self.tensor };
        writeln!(out, "{STRONG}{name}{STRONG:#} {} by {}", shape.join("x"), self.recipe)?;
        let share = |n: u64, of: u64| format!("{n} ({:.3} %)", 100.0 * n as f64 / of.max(1) as f64);
        writeln!(out, "  mean square error  {:.6e}", self.mean_square_error)?;
        writeln!(out, "  largest error      {:.6e}", self.largest_error)?;
        match self.snr_db {
            Some(snr) => writeln!(out, "  SNR                {snr:.2} dB")?,
            None => writeln!(out, "  SNR                infinite: nothing was lost")?,
        }
        writeln!(out, "  exact blocks       {} of {}", share(self.exact_blocks, self.blocks), self.blocks)?;
        writeln!(out, "  saturated          {}", share(self.saturated, self.elements))?;
        writeln!(out, "  flushed to zero    {}", share(self.flushed, self.elements))?;
        writeln!(out, "  became NaN         {}", share(self.became_nan, self.elements))?;
        if self.nan_inputs > 0 {
            writeln!(out, "  were NaN           {}", share(self.nan_inputs, self.elements))?;
        }
        writeln!(out, "  scales")?;
        self.histogram(&mut out)
    }

    /// One line for each scale; where there are many, for each power of two.
    fn histogram(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut lines: Vec<(String, u64)> = Vec::new();
        let grouped = self.scales.len() > 32;
        for ScaleCount { value, count, .. } in &self.scales {
            let label = match value {
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
}

/// The lines of a step, with what came of them.
fn print_steps(out: &mut impl Write, steps: &[Step]) -> Result<(), Failure> {
    for step in steps {
        writeln!(out, "  {:<44} {}", step.text, result(step))?;
    }
    Ok(())
}

/// Bits and value of a step.
fn result(step: &Step) -> String {
    let width = step.format.map_or(32, |format| format.storage());
    format!("{} {DIM}{}{DIM:#}", hex(step.bits.into(), width), step.value())
}

/// A block's largest magnitude and lines, then those of one element.
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
