//! The output of `check` for each file, and at the end: findings, fixes, differences, counts and the baseline.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ptxcvt_files::Patient;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::report::ModuleReport;
use ptxcvt_syntax::{Findings, Source};

use super::baseline::Baseline;
use super::judge::{Judge, Judged};
use super::{Totals, fixes, stats};
use crate::failure::{self, FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::style::WARNING;

/// The parts of the output that the user has chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    pub format: OutputFormat,
    /// The changes of fixes, instead of making them.
    pub diff: bool,
    /// Counts of forms, in addition to findings.
    pub stats: bool,
    /// The file to which the findings go instead.
    pub baseline: Option<PathBuf>,
}

/// The output of one run of `check`.
pub struct Printed {
    choice: Choice,
    renderer: Renderer,
    out: BufWriter<Patient<StdoutLock<'static>>>,
    /// The reports of `--stats` as JSON, which is one array.
    modules: Vec<ModuleReport>,
    baseline: Option<Baseline>,
    totals: Totals,
}

impl Printed {
    pub fn new(choice: Choice, totals: Totals) -> Printed {
        Printed {
            renderer: Renderer::new(choice.format, output::has_color()),
            out: BufWriter::new(output::raw_stdout()),
            modules: Vec::new(),
            baseline: choice.baseline.as_deref().map(Baseline::at),
            totals,
            choice,
        }
    }

    /// Reports that a file could not be read.
    pub fn unreadable(&mut self, path: &Path, error: &io::Error) {
        super::unreadable(path, error, &mut self.totals);
    }

    /// Writes the fixes of a file and prints its findings.
    pub fn file(
        &mut self,
        path: &Path,
        judged: Judged,
        judge: &Judge,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let Judged { mut source, mut report, after, unfixed } = judged;
        if let Some(count) = unfixed {
            self.not_fixed(&source, count);
        }
        if let Some((text, fixed)) = after {
            self.totals.fixed += fixed;
            if self.choice.diff {
                write!(self.out, "{}", fixes::diff(source.name(), source.text(), &text))?;
            } else {
                match output::changed_file(path, text.as_bytes()) {
                    Ok(()) => source = Source::owned(source.name(), text.into_bytes()),
                    Err(failure) => {
                        self.totals.unreadable = true;
                        self.totals.fixed -= fixed;
                        report = judge.check(&source);
                        failure::report(failure);
                    }
                }
            }
        }
        if let Some(baseline) = &mut self.baseline {
            baseline.add(&source, &report.diagnostics);
            report.diagnostics.clear();
        }
        self.totals.add(&report);
        progress.suspend(|| self.findings(&source, &report))?;
        Ok(())
    }

    /// Warns of fixes that are not made because the file is not UTF-8.
    fn not_fixed(&mut self, source: &Source<'_>, count: usize) {
        // Fixes that `--diff` cannot show also change the exit status.
        self.totals.fixed += if self.choice.diff { count } else { 0 };
        let what = ptxcvt::counted(count, "fixable finding");
        output::complain(format_args!(
            "{WARNING}warning{WARNING:#}: {}: {what} not fixed: the file is not UTF-8; convert it first, for \
             example with `iconv -t UTF-8`",
            source.name()
        ));
    }

    fn findings(&mut self, source: &Source<'_>, report: &Findings) -> io::Result<()> {
        let Choice { format, diff, stats, .. } = self.choice;
        if diff {
            return Ok(());
        }
        if !stats {
            return self.renderer.file(&mut self.out, source, &report.diagnostics);
        }
        let module = ModuleReport::new(source, report);
        if format == OutputFormat::Json {
            self.modules.push(module);
            return Ok(());
        }
        self.renderer.file(&mut self.out, source, &report.diagnostics)?;
        stats::print(&mut self.out, &module)
    }

    /// Writes the baseline and what follows the last file. Returns the exit status.
    pub fn finish(mut self) -> Result<ExitCode, Failure> {
        let Choice { format, diff, stats, baseline } = &self.choice;
        if let (Some(path), Some(found)) = (baseline, &self.baseline) {
            output::file(path, found.text()?.as_bytes())?;
        }
        if self.totals.unreadable {
            self.renderer.failed();
        }
        if *stats && *format == OutputFormat::Json {
            output::json_to(&mut self.out, &self.modules)?;
        } else if !diff {
            self.renderer.finish(&mut self.out)?;
        }
        if format.is_prose() && (self.totals.files > 0 || !self.totals.skipped.is_empty()) && !diff {
            // Standard output may carry the baseline.
            match baseline.as_deref().and_then(Path::to_str) {
                Some(path) if ptxcvt_files::is_standard_output(path) => {
                    output::complain(format_args!("{}", self.totals.summary()));
                }
                _ => writeln!(self.out, "{}", self.totals.summary())?,
            }
        }
        self.out.flush()?;
        if !format.is_prose() && !stats {
            // These formats can carry only findings.
            self.totals.not_judged().for_each(|line| output::note(format_args!("{line}")));
        }
        Ok(match self.totals {
            Totals { unreadable: true, .. } => ExitCode::from(2),
            Totals { fixed, .. } if *diff && fixed > 0 => FINDINGS,
            Totals { errors, .. } if errors > 0 && !diff => FINDINGS,
            _ => ExitCode::SUCCESS,
        })
    }
}
