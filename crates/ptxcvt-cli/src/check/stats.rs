//! The map of a module: how many of each form, and the lowest target for all of them.

use std::fmt::Write as _;
use std::io::{self, Write};

use ptxcvt_syntax::check::{Lowest, Stats};
use ptxcvt_syntax::{Findings, Source};
use serde::Serialize;

use super::plural;
use crate::style::{DIM, STRONG};

/// The map as JSON.
#[derive(Serialize)]
pub struct Map {
    file: String,
    errors: usize,
    instructions: u64,
    conversions: u64,
    forms: Vec<MapForm>,
    lowest: Option<MapPlace>,
    nearly: Option<MapPlace>,
}

#[derive(Serialize)]
struct MapForm {
    form: String,
    count: u64,
    line: usize,
}

#[derive(Serialize)]
struct MapPlace {
    target: String,
    isa: String,
    /// Lines that this target does not take.
    but_lines: Vec<usize>,
}

impl Map {
    pub fn new(source: &Source<'_>, report: &Findings) -> Self {
        let stats = &report.stats;
        let line = |at: &u32| source.position(*at).line;
        let place = |lowest: Lowest| MapPlace {
            target: lowest.target.to_string(),
            isa: lowest.isa.to_string(),
            but_lines: distinct(lowest.but.iter().map(line)),
        };
        Map {
            file: source.name().to_owned(),
            errors: report.errors(),
            instructions: stats.instructions,
            conversions: stats.conversions,
            forms: stats
                .forms
                .iter()
                .map(|(form, (count, places))| MapForm {
                    form: form.to_string(),
                    count: *count,
                    line: places.first().map_or(0, line),
                })
                .collect(),
            lowest: stats.lowest().map(place),
            nearly: stats.nearly().map(place),
        }
    }
}

/// Line numbers, each once.
fn distinct(lines: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut lines: Vec<usize> = lines.collect();
    lines.dedup();
    lines
}

/// Prints the map for people.
pub fn print(out: &mut dyn Write, source: &Source<'_>, stats: &Stats) -> io::Result<()> {
    let mut text = String::new();
    let line = |at: &u32| source.position(*at).line;
    let _ = writeln!(
        text,
        "{STRONG}{}{STRONG:#}: {}, {} of them conversions",
        source.name(),
        plural(stats.instructions, "instruction"),
        stats.conversions
    );
    let mut forms: Vec<_> = stats.forms.iter().collect();
    forms.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (form, (count, places)) in forms {
        let first = places.first().map_or(0, line);
        let form = form.to_string();
        let _ = writeln!(text, "{count:>9}  {form:<44} {DIM}first in line {first}{DIM:#}");
    }
    if stats.forms.is_empty() {
        let _ = writeln!(text, "no legal conversion, so any target will do");
    } else {
        match stats.lowest() {
            Some(lowest) => {
                let _ =
                    writeln!(text, "all of them are legal from {} at ISA {} on", lowest.target, lowest.isa);
            }
            None => {
                let _ = writeln!(text, "no single target has all of them");
            }
        }
        if let Some(nearly) = stats.nearly() {
            let lines: Vec<String> =
                distinct(nearly.but.iter().map(line)).iter().map(usize::to_string).collect();
            let what = if lines.len() == 1 { "line" } else { "lines" };
            let _ = writeln!(
                text,
                "this module could be built for {} at ISA {} but for {what} {}",
                nearly.target,
                nearly.isa,
                lines.join(", ")
            );
        }
    }
    // The map is written in colour; where none is wanted, it is stripped of it.
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    if color { writeln!(out, "{text}") } else { writeln!(out, "{}", anstream::adapter::strip_str(&text)) }
}
