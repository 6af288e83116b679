//! `ptxcvt diff` of two sources or folders, file by file, and the lowest target before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ptxcvt::{Form, counted};
use ptxcvt_syntax::check::{Lowest, Stats};
use serde::Serialize;

use super::{Count, Style, rows};
use crate::check::name_of;
use crate::check::sources::{SourceArgs, Use};
use crate::failure::{FINDINGS, Failure};
use crate::output::{self, reason};
use crate::walk;

/// The differences of two trees.
#[derive(Serialize)]
struct Difference {
    files: Vec<File>,
    before: Side,
    after: Side,
}

/// The conversions that a file gained and lost.
#[derive(Serialize)]
struct File {
    file: String,
    #[serde(rename = "came")]
    added: Vec<Count>,
    #[serde(rename = "went")]
    removed: Vec<Count>,
}

/// A tree.
#[derive(Serialize)]
struct Side {
    conversions: u64,
    /// Conversions that no target accepts, which are not compared: misspelt ones, for example.
    not_legal: u64,
    /// How many conversions of sources were not judged, by reason, as `check` counts them.
    not_judged: BTreeMap<&'static str, usize>,
    /// Errors of syntax, behind which conversions may not have been read.
    syntax_errors: usize,
    /// The lowest target that accepts all conversions; `None` if no target does.
    target: Option<String>,
    /// The ISA version from which on it does.
    isa: Option<String>,
}

/// The data read from a file.
struct Contents {
    stats: Stats,
    syntax_errors: usize,
}

/// The files of a tree, by name within it.
type Tree = BTreeMap<String, Contents>;

/// Compares two trees and prints what differs.
pub fn run(before: &Path, after: &Path, sources: &SourceArgs, style: Style) -> Result<ExitCode, Failure> {
    let trees = [before, after];
    let (a, b) = (read(before, trees, sources)?, read(after, trees, sources)?);
    // Two files are compared whatever their names are.
    let name = if after.is_dir() { None } else { Some(name_of(after)) };
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let mut files = Vec::new();
    for file in names {
        let [a, b] = [&a, &b].map(|tree| tree.get(file).map(|contents| &contents.stats));
        let (added, removed) = (gained(a, b), gained(b, a));
        if !(added.is_empty() && removed.is_empty()) {
            files.push(File { file: name.clone().unwrap_or_else(|| file.clone()), added, removed });
        }
    }
    let difference = Difference { files, before: Side::new(&a), after: Side::new(&b) };
    let mut out = output::raw_stdout();
    match style {
        Style::Text => difference.print(&mut out)?,
        Style::Markdown => difference.markdown(&mut out)?,
        Style::Json => output::json_to(&mut out, &difference)?,
    }
    Ok(if difference.files.is_empty() { ExitCode::SUCCESS } else { FINDINGS })
}

/// Reads the files of one of two trees as `check` does. A single file has an empty name.
fn read(path: &Path, trees: [&Path; 2], sources: &SourceArgs) -> Result<Tree, Failure> {
    let (mut paths, failed) = walk::below(path, &sources.extensions());
    let cannot = |path: &Path, error: &io::Error| Failure::cannot_read(name_of(path), reason(error));
    if let Some((path, error)) = failed.first() {
        return Err(cannot(path, error));
    }
    let own = [path.to_owned()];
    let purpose = Use { paths: &own, fixes: None, write_baseline: None };
    let mut judge = sources.judge(&purpose)?;
    // Files that the settings exclude in one tree are also excluded in the other, whose folder may have another name.
    let excluded = |file: &PathBuf| {
        let name = file.strip_prefix(path).expect("the file is in the tree");
        trees.iter().any(|tree| judge.policy.excludes(&joined(tree, name)))
    };
    paths.retain(|file| !excluded(file));
    sources.find_targets(&mut judge, &paths, &purpose)?;
    let mut tree = Tree::new();
    let work = |path: &PathBuf| judge.read(path).map(|bytes| judge.judge(name_of(path), bytes).report);
    ptxcvt_parallel::in_order(&paths, work, |file, report| -> Result<(), Failure> {
        let name =
            file.strip_prefix(path).expect("the file is in the tree").to_string_lossy().replace('\\', "/");
        let report = report.map_err(|error| cannot(file, &error))?;
        let syntax_errors = report.syntax_errors();
        tree.insert(name, Contents { stats: report.stats, syntax_errors });
        Ok(())
    })?;
    Ok(tree)
}

/// A file in a tree; the tree itself if it is a file, whose name in it is empty.
fn joined(tree: &Path, name: &Path) -> PathBuf {
    if name.as_os_str().is_empty() { tree.to_owned() } else { tree.join(name) }
}

/// The forms that a file has more often after than before.
fn gained(before: Option<&Stats>, after: Option<&Stats>) -> Vec<Count> {
    let count = |stats: Option<&Stats>, form: Form| {
        stats.and_then(|stats| stats.forms.get(&form)).map_or(0, |uses| uses.count())
    };
    let more = after.into_iter().flat_map(|after| after.forms.keys()).filter_map(|form| {
        let count = count(after, *form).saturating_sub(count(before, *form));
        (count > 0).then(|| Count { opcode: form.to_string(), count })
    });
    more.collect()
}

impl Side {
    fn new(tree: &Tree) -> Side {
        let all = || tree.values().map(|contents| &contents.stats);
        let forms: BTreeSet<Form> = all().flat_map(|stats| stats.forms.keys()).copied().collect();
        let lowest = if forms.is_empty() { None } else { Lowest::of(forms.iter().copied()) };
        let mut not_judged = BTreeMap::new();
        let skipped = all().flat_map(|stats| &stats.skipped);
        skipped.for_each(|(reason, count)| *not_judged.entry(*reason).or_default() += count);
        Side {
            conversions: all().map(|stats| stats.conversions).sum(),
            not_legal: all().map(|stats| stats.not_legal).sum(),
            not_judged,
            syntax_errors: tree.values().map(|contents| contents.syntax_errors).sum(),
            target: lowest.as_ref().map(|lowest| lowest.target.to_string()),
            isa: lowest.map(|lowest| lowest.isa.to_string()),
        }
    }

    /// The lowest target and version, in words.
    fn lowest(&self) -> String {
        match (&self.target, &self.isa) {
            (Some(target), Some(isa)) => format!("{target} at ISA {isa}"),
            _ if self.conversions == 0 && !self.not_judged.is_empty() => "not known".into(),
            _ if self.conversions == self.not_legal => "none".into(),
            _ => "no single target has all of them".into(),
        }
    }
}

impl Difference {
    /// The summary if no file differs.
    fn same(&self) -> &'static str {
        let sides = [&self.before, &self.after];
        if sides.iter().any(|side| side.syntax_errors > 0) {
            return "The conversions that were read are the same; syntax errors may hide others.";
        }
        match (
            sides.iter().any(|side| side.not_legal > 0),
            sides.iter().any(|side| !side.not_judged.is_empty()),
        ) {
            (false, false) => "The conversions are the same.",
            (true, false) => {
                "The legal conversions are the same; those that no target accepts were not compared."
            }
            (false, true) => "The conversions that were judged are the same; the others were not compared.",
            (true, true) => {
                "The legal conversions that were judged are the same; the others were not compared."
            }
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for File { file, added, removed } in &self.files {
            writeln!(out, "{file}")?;
            for (sign, counts) in [('-', removed), ('+', added)] {
                for Count { opcode, count } in counts {
                    writeln!(out, "  {sign} {count:>5}  {opcode}")?;
                }
            }
        }
        match self.files.len() {
            0 => writeln!(out, "{}", self.same())?,
            count => writeln!(out, "{} with different conversions.", counted(count, "file"))?,
        }
        for (when, side) in [("before", &self.before), ("after", &self.after)] {
            let conversions = counted(side.conversions, "conversion");
            write!(out, "{when}: {conversions}, lowest target: {}", side.lowest())?;
            if side.not_legal > 0 {
                write!(out, "; {} on no target", side.not_legal)?;
            }
            for (reason, count) in &side.not_judged {
                write!(out, "; {count} not judged: {reason}")?;
            }
            if side.syntax_errors > 0 {
                write!(out, "; {}: `ptxcvt check` shows them", counted(side.syntax_errors, "syntax error"))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "| | before | after |\n|---|---:|---:|")?;
        let (before, after) = (&self.before, &self.after);
        writeln!(out, "| conversions | {} | {} |", before.conversions, after.conversions)?;
        writeln!(out, "| lowest target | {} | {} |", before.lowest(), after.lowest())?;
        if before.not_legal + after.not_legal > 0 {
            writeln!(
                out,
                "| conversions that no target accepts | {} | {} |",
                before.not_legal, after.not_legal
            )?;
        }
        let reasons: BTreeSet<_> = before.not_judged.keys().chain(after.not_judged.keys()).collect();
        for reason in reasons {
            let [before, after] = [before, after].map(|side| side.not_judged.get(reason).copied());
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            writeln!(out, "| not judged: {reason} | {before} | {after} |")?;
        }
        if before.syntax_errors + after.syntax_errors > 0 {
            writeln!(out, "| syntax errors | {} | {} |", before.syntax_errors, after.syntax_errors)?;
        }
        if self.files.is_empty() {
            return writeln!(out, "\n{}", self.same());
        }
        writeln!(out, "\n| file | conversion | change |\n|---|---|---:|")?;
        for File { file, added, removed } in &self.files {
            rows(out, file, removed, added)?;
        }
        Ok(())
    }
}
