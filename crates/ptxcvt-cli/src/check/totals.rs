//! What all files together come to.

use std::collections::BTreeMap;

use ptxcvt_syntax::Findings;
use ptxcvt_syntax::fix::{Applicability, Fix};

/// The sums.
#[derive(Default)]
pub struct Totals {
    pub files: usize,
    pub errors: usize,
    pub warnings: usize,
    pub conversions: u64,
    /// Findings that were fixed, or would be.
    pub fixed: usize,
    /// Findings that `--fix` would fix, and `--unsafe-fixes` besides.
    pub fixable: [usize; 2],
    /// What could not be judged, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    pub unreadable: bool,
}

impl Totals {
    /// Adds what was found in a file.
    pub fn add(&mut self, report: &Findings) {
        self.files += 1;
        self.errors += report.errors();
        self.warnings += report.warnings();
        self.conversions += report.stats.conversions;
        for (reason, count) in &report.stats.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        for fix in report.diagnostics.iter().filter_map(|d| d.fix()) {
            self.fixable[usize::from(Fix::applicability(fix) == Applicability::Unsafe)] += 1;
        }
    }

    /// The last lines of what people read.
    pub fn summary(&self) -> String {
        let place = format!(
            "in {}, {} checked",
            plural(self.files as u64, "file"),
            plural(self.conversions, "conversion")
        );
        let found = match (self.errors, self.warnings) {
            (0, 0) => format!("No findings {place}."),
            (errors, 0) => format!("{} {place}.", plural(errors as u64, "error")),
            (0, warnings) => format!("{} {place}.", plural(warnings as u64, "warning")),
            (errors, warnings) => {
                format!(
                    "{} and {} {place}.",
                    plural(errors as u64, "error"),
                    plural(warnings as u64, "warning")
                )
            }
        };
        let fixed = match self.fixed {
            0 => String::new(),
            fixed => format!("Fixed {}.\n", plural(fixed as u64, "finding")),
        };
        let [safe, others] = self.fixable;
        let fixable = match (safe, others) {
            (0, 0) => String::new(),
            (safe, 0) => format!("\n{safe} fixable with --fix."),
            (0, others) => format!("\n{others} fixable with --fix --unsafe-fixes."),
            (safe, others) => format!("\n{safe} fixable with --fix, {others} more with --unsafe-fixes."),
        };
        let skipped = self.skipped.iter().map(|(reason, count)| format!("\n{count} not judged: {reason}."));
        format!("{fixed}{found}{fixable}{}", skipped.collect::<String>())
    }
}

/// "1 file", "2 files".
pub fn plural(count: impl Into<u64>, what: &str) -> String {
    let count = count.into();
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
