//! Two recipes on one tensor: where their bytes differ, and the first such block worked through.

use std::io::Write;

use ptxcvt_blocks::{Comparison, compare, work_block};

use super::report::print_worked;
use super::work::Work;
use crate::failure::Failure;
use crate::output;
use crate::style::STRONG;

/// Two recipes on one tensor.
#[derive(serde::Serialize)]
pub struct Compared {
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
pub struct Counts {
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
    /// Compares what both make of the tensor.
    pub fn new(works: [Work<'_>; 2]) -> Result<Compared, Failure> {
        let (recipes, tensor) = (works.map(|work| work.recipe), works[0].tensor);
        let fail = |e: ptxcvt_blocks::BlockError| Failure::new(format!("{}: {e}", tensor.place()));
        if tensor.matrices > 1 {
            return Err(Failure::new(format!("{}: comparing takes one matrix", tensor.place())));
        }
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

    /// True where the bytes are the same.
    pub fn is_equal(&self) -> bool {
        self.comparison.is_equal()
    }

    pub fn print(&self) -> Result<(), Failure> {
        let [a, b] = &self.recipes;
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
