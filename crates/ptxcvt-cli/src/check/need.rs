//! `check --would-need`: what a file needs to run on another target, and which of its conversions would be lowered.

use std::fmt::Write as _;
use std::io::{self, Write};

use ptxcvt::{Form, IsaVersion, Target, counted};
use ptxcvt_syntax::{Findings, Source};
use serde::Serialize;

use crate::style::{DIM, STRONG};

/// What a file needs on a target.
#[derive(Serialize)]
pub struct Need {
    pub file: String,
    pub target: String,
    /// The ISA version from which on the target has the rest, with the lowered conversions.
    pub isa: String,
    /// Legal conversions of the file.
    pub conversions: u64,
    /// Forms that the target lacks.
    pub missing: Vec<Missing>,
}

/// A form that a target lacks.
#[derive(Serialize)]
pub struct Missing {
    pub form: String,
    pub count: u64,
    /// The line of the first one.
    pub line: usize,
    /// Whether `--lower` replaces it by a sequence that the target has.
    pub lowered: bool,
}

impl Need {
    /// What the conversions of a file need on a target, up to a version.
    pub fn new(source: &Source<'_>, found: &Findings, target: Target, isa: Option<IsaVersion>) -> Need {
        let newest = isa.unwrap_or_else(|| target.newest());
        let mut needed = target.introduced();
        let mut missing = Vec::new();
        let mut conversions = 0;
        for (form, (count, places)) in &found.stats.forms {
            conversions += count;
            if let Some(since) = form.since(target).filter(|since| *since <= newest) {
                needed = needed.max(since);
                continue;
            }
            let lowered = lowered(*form, target, newest);
            needed = lowered.map_or(needed, |since| needed.max(since));
            missing.push(Missing {
                form: form.to_string(),
                count: *count,
                line: places.first().map_or(0, |at| source.position(*at).line),
                lowered: lowered.is_some(),
            });
        }
        let file = source.name().to_owned();
        Need { file, target: target.to_string(), isa: needed.to_string(), conversions, missing }
    }

    /// True if every conversion is there or can be lowered.
    pub fn is_met(&self) -> bool {
        self.missing.iter().all(|form| form.lowered)
    }

    /// Prints it for people.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = String::new();
        let lacking: u64 = self.missing.iter().map(|form| form.count).sum();
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#} on {}: ISA {} or newer; the target lacks {lacking} of {}",
            self.file,
            self.target,
            self.isa,
            counted(self.conversions, "conversion")
        );
        for form in &self.missing {
            let how = if form.lowered { "would be lowered" } else { "cannot be lowered" };
            let _ = writeln!(
                text,
                "{:>9}  {:<44} {how} {DIM}(first in line {}){DIM:#}",
                form.count, form.form, form.line
            );
        }
        if crate::output::has_color() {
            write!(out, "{text}")
        } else {
            write!(out, "{}", anstream::adapter::strip_str(&text))
        }
    }
}

/// The version from which on the target has the sequence that replaces a form.
#[cfg(feature = "lower")]
fn lowered(form: Form, target: Target, isa: IsaVersion) -> Option<IsaVersion> {
    ptxcvt_lower::lower(form, target, isa).ok()?.since(target)
}

#[cfg(not(feature = "lower"))]
fn lowered(_: Form, _: Target, _: IsaVersion) -> Option<IsaVersion> {
    unreachable!("without the feature `lower`, the option is refused")
}
