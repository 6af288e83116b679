//! `check --would-need`: the ISA version that a file needs to run on another target, and the conversions that can be
//! lowered for that target.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Target, counted};
use ptxcvt_lower::{LowerError, is_gate, keep_lasting, lower};
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{Code, Diagnostic, Findings, PtxCode, Source};
use serde::Serialize;

use super::judge::{Judge, Judged};
use super::{Totals, name_of, unreadable};
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::rewrite::{Attempt, attempt};
use crate::style::{DIM, STRONG};

/// A module declares a target that its version does not have.
const OWN_MACHINE: Code = Code::Ptx(PtxCode::TargetVersion);

/// A target, and the newest ISA version that files may need on it.
#[derive(Clone, Copy)]
pub struct Wanted {
    target: Target,
    newest: IsaVersion,
}

impl Wanted {
    /// Refuses a version that lacks the target.
    pub fn new(target: Target, isa: Option<IsaVersion>) -> Result<Self, Failure> {
        match Machine::new(Some(target), isa) {
            Ok(_) => Ok(Wanted { target, newest: isa.unwrap_or_else(|| target.newest()) }),
            Err(error) => Err(error.into()),
        }
    }

    /// Judges each file for its own machine; what only that one lacks is not reported. `--isa` and the settings do not
    /// say what files declare.
    pub fn judge(self, judge: Judge) -> Judge {
        Judge { options: judge.options.machine(Machine::ANY), ..judge }
    }

    /// The versions that have the target, the oldest first.
    fn versions(self) -> impl Iterator<Item = IsaVersion> {
        IsaVersion::all().filter(move |isa| *isa <= self.newest && self.target.exists_in(*isa))
    }

    /// The first version in which the target has this form; `None` if it lacks it.
    fn since(self, form: Form) -> Option<IsaVersion> {
        form.since(self.target).filter(|since| *since <= self.newest)
    }

    /// The first version in which the target has a sequence that replaces a form; `None` if no version has one.
    fn lowered(self, form: Form) -> Option<IsaVersion> {
        self.versions().find(|isa| match lower(form, self.target, *isa) {
            Ok(_) => true,
            Err(LowerError::NoSuchMachine(..) | LowerError::TooOld(_)) => false,
            Err(error) => panic!("{error}"),
        })
    }
}

/// Prints what files need.
pub fn run(
    files: &[PathBuf],
    judge: Judge,
    wanted: Wanted,
    format: OutputFormat,
    mut totals: Totals,
) -> Result<ExitCode, Failure> {
    let judge = wanted.judge(judge);
    let mut renderer = Renderer::new(format, output::has_color());
    let mut out = io::BufWriter::new(output::raw_stdout());
    let progress = Progress::counting(files.len() as u64, "files");
    let mut needs = Vec::new();
    let work = |path: &PathBuf| judge.read(path).map(|bytes| judge.judge(name_of(path), bytes));
    ptxcvt_parallel::in_order(files, work, |path, judged| -> Result<(), Failure> {
        let Judged { source, mut report, .. } = match judged {
            Ok(judged) => judged,
            Err(error) => {
                unreadable(path, &error, &mut totals);
                return Ok(());
            }
        };
        match judge.is_module(&source) {
            true => keep_lasting(&source, &mut report.diagnostics, wanted.target, wanted.newest),
            // Each module within a source has its own machine.
            false => report.diagnostics.retain(|found| !is_gate(found) && found.code() != OWN_MACHINE),
        }
        let mut need = Need::new(&source, &report, wanted);
        let refused = if judge.is_module(&source) { need.try_module(&source, wanted)? } else { None };
        totals.add(&report);
        totals.errors += need.errors - report.errors();
        if format.is_prose() {
            progress.suspend(|| -> io::Result<()> {
                renderer.file(&mut out, &source, &report.diagnostics)?;
                if let Some((text, errors)) = &refused {
                    renderer.file(&mut out, text, errors)?;
                }
                if need.conversions > 0 || !need.not_judged.is_empty() {
                    need.print(&mut out)
                } else {
                    Ok(())
                }
            })?;
        }
        needs.push(need);
        progress.advance(1);
        Ok(())
    })?;
    drop(progress);
    if !format.is_prose() {
        output::json_to(&mut out, &needs)?;
    } else if totals.files > 0 {
        writeln!(out, "{}", totals.summary())?;
    }
    out.flush()?;
    Ok(match totals.unreadable {
        true => ExitCode::from(2),
        false if needs.iter().all(Need::is_met) => ExitCode::SUCCESS,
        false => FINDINGS,
    })
}

/// The needs of a file on a target.
#[derive(Serialize)]
pub struct Need {
    pub file: String,
    pub target: Target,
    /// The first ISA version in which the target has the conversions, and the sequences for those that it lacks.
    pub isa: IsaVersion,
    /// The last ISA version that has the target, if it was withdrawn.
    pub until: Option<IsaVersion>,
    /// Conversions of the file, whether they exist or not.
    pub conversions: u64,
    /// Forms that the target lacks.
    pub missing: Vec<Missing>,
    /// Errors that no other target removes.
    pub errors: usize,
    /// Conversions that are not forms of any target.
    pub unknown: u64,
    /// Conversions of sources that were not judged, by reason.
    pub not_judged: BTreeMap<&'static str, usize>,
}

/// A form that a target lacks.
#[derive(Serialize)]
pub struct Missing {
    pub form: Form,
    pub count: u64,
    /// The line of the first one.
    pub line: usize,
    /// Whether a sequence that the target has replaces it. `--lower` writes it into a module.
    pub lowered: bool,
}

impl Need {
    /// The needs of the conversions of a file; `found` has the findings that another target or version does not remove.
    fn new(source: &Source<'_>, found: &Findings, wanted: Wanted) -> Need {
        let mut isa = wanted.target.introduced();
        let mut missing = Vec::new();
        for (form, uses) in &found.stats.forms {
            let since = wanted.since(*form);
            let lowered = if since.is_none() { wanted.lowered(*form) } else { None };
            // A form without a sequence needs another target, not another version.
            isa = since.or(lowered).map_or(isa, |since| isa.max(since));
            if since.is_none() {
                let line = source.position(uses.first()).line;
                missing.push(Missing { form: *form, count: uses.count(), line, lowered: lowered.is_some() });
            }
        }
        Need {
            file: source.name().to_owned(),
            target: wanted.target,
            isa,
            until: wanted.target.withdrawn().map(|_| wanted.target.newest()),
            conversions: found.stats.conversions,
            missing,
            errors: found.errors(),
            unknown: found.stats.not_legal,
            not_judged: found.stats.skipped.clone(),
        }
    }

    /// Rewrites a module without errors, as `--lower` would, in the first version in which that succeeds. Returns the
    /// errors if it does not succeed in any version.
    fn try_module(
        &mut self,
        source: &Source<'_>,
        wanted: Wanted,
    ) -> Result<Option<(Source<'static>, Vec<Diagnostic>)>, Failure> {
        if !self.is_met() {
            return Ok(None);
        }
        let module = (source.name(), source.text().as_bytes());
        let mut refused = None;
        for isa in wanted.versions().filter(|isa| *isa >= self.isa) {
            match attempt(module, wanted.target, Some(isa))? {
                Attempt::Rewritten(_) => {
                    self.isa = isa;
                    return Ok(None);
                }
                Attempt::Refused(text, errors) => refused = Some((text, errors)),
            }
        }
        let (text, errors) = refused.expect("the target exists in at least one version");
        self.errors = errors.len();
        Ok(Some((text, errors)))
    }

    /// True if nothing prevents the file from running on the target.
    fn is_met(&self) -> bool {
        self.errors == 0 && self.unknown == 0 && self.missing.iter().all(|form| form.lowered)
    }

    /// Prints it for people.
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = String::new();
        let lacking: u64 = self.missing.iter().map(|form| form.count).sum();
        let versions = match self.until {
            Some(until) => format!("ISA {} to {until}", self.isa),
            None => format!("ISA {} or newer", self.isa),
        };
        let all = counted(self.conversions, "conversion");
        let lacks = match (lacking, self.unknown) {
            (lacking, 0) => format!("the target lacks {lacking} of {all}"),
            (0, unknown) => format!("no target accepts {unknown} of {all}"),
            (lacking, unknown) => {
                let others = counted(unknown, "other");
                format!("the target lacks {lacking} of {all}, and no target accepts {others}")
            }
        };
        if self.conversions == 0 {
            let _ = writeln!(
                text,
                "{STRONG}{}{STRONG:#} on {}: no conversion was judged, so what it needs is not known",
                self.file, self.target
            );
            return out.write_all(shown(text).as_bytes());
        }
        let _ = writeln!(text, "{STRONG}{}{STRONG:#} on {}: {versions}; {lacks}", self.file, self.target);
        for form in &self.missing {
            let how = if form.lowered { "can be lowered" } else { "cannot be lowered" };
            let _ = writeln!(
                text,
                "{:>9}  {:<44} {how} {DIM}(first in line {}){DIM:#}",
                form.count,
                form.form.to_string(),
                form.line
            );
        }
        out.write_all(shown(text).as_bytes())
    }
}

/// A paragraph as the terminal shows it.
fn shown(text: String) -> String {
    if output::has_color() { text + "\n" } else { format!("{}\n", anstream::adapter::strip_str(&text)) }
}
