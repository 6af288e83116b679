//! The totals of all files, and the summary.

use std::collections::BTreeMap;

use ptxcvt::counted;
use ptxcvt_syntax::Findings;
use ptxcvt_syntax::fix::{Applicability, Fix};

/// The totals.
#[derive(Default)]
pub struct Totals {
    pub files: usize,
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
    pub conversions: u64,
    /// The number of findings that were fixed, or that `--diff` would fix.
    pub fixed: usize,
    /// The number of findings that `--fix` would fix, and the number that `--unsafe-fixes` adds.
    pub fixable: [usize; 2],
    /// The number of texts that could not be checked, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    pub unreadable: bool,
}

impl Totals {
    /// Adds the findings in a file.
    pub fn add(&mut self, report: &Findings) {
        self.files += 1;
        self.errors += report.errors();
        self.warnings += report.warnings();
        self.notes += report.notes();
        self.conversions += report.stats.conversions;
        for (reason, count) in &report.stats.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        for fix in report.diagnostics.iter().filter_map(|d| d.fix()) {
            self.fixable[usize::from(Fix::applicability(fix) == Applicability::Unsafe)] += 1;
        }
    }

    /// The summary for people.
    pub fn summary(&self) -> String {
        let place = format!(
            "in {}, {} checked",
            counted(self.files, "file"),
            counted(self.conversions, "conversion")
        );
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| counted(*count, what).to_string()).collect();
        let found = match &counts[..] {
            [] => format!("No findings {place}."),
            [one] => format!("{one} {place}."),
            [most @ .., last] => format!("{} and {last} {place}.", most.join(", ")),
        };
        let fixed = match self.fixed {
            0 => String::new(),
            fixed => format!("Fixed {}.\n", counted(fixed, "finding")),
        };
        let [safe, others] = self.fixable;
        let fixable = match (safe, others) {
            (0, 0) => String::new(),
            (safe, 0) => format!("\n{safe} fixable with --fix."),
            (0, others) => format!("\n{others} fixable with --fix --unsafe-fixes."),
            (safe, others) => format!("\n{safe} fixable with --fix, {others} more with --unsafe-fixes."),
        };
        let skipped: String = self.not_judged().map(|line| format!("\n{line}.")).collect();
        format!("{fixed}{found}{fixable}{skipped}")
    }

    /// The conversions that were not judged, a line for each reason.
    pub fn not_judged(&self) -> impl Iterator<Item = String> {
        self.skipped.iter().map(|(reason, count)| format!("{count} not judged: {reason}"))
    }
}
