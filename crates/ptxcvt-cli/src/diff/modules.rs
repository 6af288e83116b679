//! `ptxcvt diff` of two modules of PTX, function by function.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use ptxcvt_syntax::parse::{Declaration, Entity, Instruction, Visitor, parse_with};
use ptxcvt_syntax::{Diagnostic, Source, Span};
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Count, Style, cell, code, rows};
use crate::check::judge::Judge;
use crate::check::name_of;
use crate::check::sources::{SourceArgs, Use};
use crate::failure::{FINDINGS, Failure};
use crate::output::{self, reason};

/// The message if no function differs.
const SAME: &str = "The conversions are the same.";

/// The differences of one function.
#[derive(Serialize)]
struct Function {
    function: String,
    /// `before` or `after` if only that module defines the function, else `both`.
    #[serde(rename = "in")]
    within: &'static str,
    #[serde(rename = "came")]
    added: Vec<Count>,
    #[serde(rename = "went")]
    removed: Vec<Count>,
    changed: Vec<Change>,
}

#[derive(Serialize)]
struct Change {
    from: String,
    to: String,
    count: usize,
}

/// Compares two modules and prints what differs.
pub fn run(before: &Path, after: &Path, sources: &SourceArgs, style: Style) -> Result<ExitCode, Failure> {
    // Invalid options and settings are errors, as for other files, although a module does not depend on them.
    let judge = sources.judge(&Use { paths: &[], fixes: None, write_baseline: None })?;
    let (before, after) = (read(before, &judge)?, read(after, &judge)?);
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let none = Vec::new();
    let mut functions = Vec::new();
    for name in names {
        let (a, b) = (before.get(name), after.get(name));
        let within = match (a, b) {
            (Some(_), None) => "before",
            (None, Some(_)) => "after",
            _ => "both",
        };
        let function = compare(name, within, a.unwrap_or(&none), b.unwrap_or(&none));
        if !(function.added.is_empty() && function.removed.is_empty() && function.changed.is_empty()) {
            functions.push(function);
        }
    }
    functions.sort_by(|a, b| a.function.cmp(&b.function));
    match style {
        Style::Json => output::json(&functions)?,
        Style::Text => print(&functions)?,
        Style::Markdown => markdown(&functions)?,
    }
    Ok(if functions.is_empty() { ExitCode::SUCCESS } else { FINDINGS })
}

fn print(functions: &[Function]) -> io::Result<()> {
    let mut out = output::raw_stdout();
    for function in functions {
        let only = match function.within {
            "both" => String::new(),
            within => format!(" (only {within})"),
        };
        writeln!(out, "{}{only}", function.function)?;
        for Change { from, to, count } in &function.changed {
            writeln!(out, "  ~ {count:>5}  {from} -> {to}")?;
        }
        for (sign, counts) in [('-', &function.removed), ('+', &function.added)] {
            for Count { opcode, count } in counts {
                writeln!(out, "  {sign} {count:>5}  {opcode}")?;
            }
        }
    }
    match functions.len() {
        0 => writeln!(out, "{SAME}"),
        count => writeln!(out, "{} with different conversions.", ptxcvt::counted(count, "function")),
    }
}

fn markdown(functions: &[Function]) -> io::Result<()> {
    let mut out = output::raw_stdout();
    if functions.is_empty() {
        return writeln!(out, "{SAME}");
    }
    writeln!(out, "| function | conversion | change |\n|---|---|---:|")?;
    for Function { function: name, changed, removed, added, .. } in functions {
        for Change { from, to, count } in changed {
            writeln!(out, "| {} | {} → {} | {count} |", cell(name), code(from), code(to))?;
        }
        rows(&mut out, name, removed, added)?;
    }
    Ok(())
}

/// The conversions of each function that a module defines, in their order.
type Conversions = BTreeMap<String, Vec<String>>;

fn read(path: &Path, judge: &Judge) -> Result<Conversions, Failure> {
    let name = name_of(path);
    let failed = |what: String| Failure::cannot_read(&name, what);
    let bytes = judge.read(path).map_err(|e| failed(reason(&e)))?;
    let source = Source::new(&name, &bytes);
    let mut collector =
        Collector { source: &source, function: String::new(), found: Conversions::new(), problem: None };
    parse_with(source.text(), false, &mut collector);
    match collector.problem {
        None => Ok(collector.found),
        Some(problem) => {
            let at = source.position(problem.span().start);
            Err(failed(format!("line {}: {problem}", at.line)).with_help("`ptxcvt check` shows every error"))
        }
    }
}

struct Collector<'s> {
    source: &'s Source<'s>,
    function: String,
    found: Conversions,
    problem: Option<Diagnostic>,
}

impl<'s> Visitor<'s> for Collector<'_> {
    fn declare(&mut self, declaration: Declaration<'s>) {
        if declaration.entity == Entity::Function {
            self.function = declaration.name.text.to_owned();
        }
    }

    fn close(&mut self, at: Span) {
        // A prototype ends without a brace, and the module need not define its function.
        if self.source.slice(at) == "}" {
            self.found.entry(self.function.clone()).or_default();
        }
    }

    fn instruction(&mut self, instruction: &Instruction<'s>) {
        if instruction.opcode.name() == "cvt" {
            let conversions = self.found.entry(self.function.clone()).or_default();
            // In the canonical spelling, so that the order of modifiers is not a difference.
            let text = instruction.opcode.text();
            let form = ptxcvt::Spelling::new(&text).form().map(|form| form.to_string());
            conversions.push(form.unwrap_or_else(|| text.into_owned()));
        }
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problem.get_or_insert(diagnostic);
    }
}

/// The conversions that were removed, added or replaced.
fn compare(name: &str, within: &'static str, a: &[String], b: &[String]) -> Function {
    // A conversion that only moved is not a difference.
    let (mut removed, mut added) = (more(a, b), more(b, a));
    let mut changed: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for op in capture_diff_slices(Algorithm::Patience, a, b) {
        let (old, new) = (&a[op.old_range()], &b[op.new_range()]);
        if matches!(op, DiffOp::Equal { .. }) || old.len() != new.len() {
            continue;
        }
        for (from, to) in old.iter().zip(new) {
            if let (Some(gone @ 1..), Some(new @ 1..)) =
                (removed.get_mut(from.as_str()), added.get_mut(to.as_str()))
            {
                *gone -= 1;
                *new -= 1;
                *changed.entry((from, to)).or_default() += 1;
            }
        }
    }
    let counts = |of: BTreeMap<&str, usize>| {
        let left = of.into_iter().filter(|(_, count)| *count > 0);
        left.map(|(opcode, count)| Count { opcode: opcode.to_owned(), count: count as u64 }).collect()
    };
    Function {
        function: name.to_owned(),
        within,
        added: counts(added),
        removed: counts(removed),
        changed: changed
            .into_iter()
            .map(|((from, to), count)| Change { from: from.to_owned(), to: to.to_owned(), count })
            .collect(),
    }
}

/// For each conversion of `these`, how many more times it occurs there than in `those`.
fn more<'c>(these: &'c [String], those: &[String]) -> BTreeMap<&'c str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    these.iter().for_each(|one| *counts.entry(one).or_default() += 1);
    for one in those {
        if let Some(count) = counts.get_mut(one.as_str()) {
            *count = count.saturating_sub(1);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(before: &str, after: &str) -> String {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = compare("k", "both", &list(before), &list(after));
        let changed = found.changed.iter().map(|Change { from, to, count }| format!("{count} {from}>{to}"));
        let removed = found.removed.iter().map(|Count { opcode, count }| format!("{count} -{opcode}"));
        let added = found.added.iter().map(|Count { opcode, count }| format!("{count} +{opcode}"));
        changed.chain(removed).chain(added).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_only_moved_is_no_difference() {
        for (before, after, expected) in [
            ("a c b", "b c a", ""),
            ("a c d b", "b c d a", ""),
            ("a b c", "b c a", ""),
            ("a c", "b c", "1 a>b"),
            ("a a c", "b b c", "2 a>b"),
            ("a c d", "c d", "1 -a"),
            ("c", "a c a", "2 +a"),
            ("a c d b", "b c d e", "1 -a 1 +e"),
        ] {
            assert_eq!(differences(before, after), expected, "{before} to {after}");
        }
    }
}
