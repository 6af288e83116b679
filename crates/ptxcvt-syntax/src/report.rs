//! The findings of `check` as types for serde.
//!
//! `ptxcvt check --output-format json`, the explorer's page and the Python package all return these types, so their
//! fields have one definition. Lines and columns count from 1, and columns count characters; `start` and `end` are
//! bytes of the text.

use std::collections::BTreeMap;

use ptxcvt::counted;
use serde::Serialize;

use crate::check::{Findings, Lowest};
use crate::diagnostic::Diagnostic;
use crate::edit::{Edit, Fix};
use crate::source::{Source, Span};

/// One finding in a file.
///
/// ```
/// use ptxcvt_syntax::report::FindingReport;
/// use ptxcvt_syntax::{CheckOptions, Source, check};
/// let source = Source::new("k.ptx", b".version 9.1\n.target sm_90\n.entry k { cvt.u32 a; }");
/// let found = check(&source, &CheckOptions::default());
/// let report = FindingReport::new(&source, &found.diagnostics[0]);
/// assert_eq!((report.place.line, report.place.column, report.code), (3, 12, "CVT004"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingReport {
    /// The file's name.
    pub file: String,
    /// The place of the finding.
    #[serde(flatten)]
    pub place: PlaceReport,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The code, such as `CVT008`.
    pub code: &'static str,
    /// The problem, in one sentence.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
    /// A second place that explains the finding, such as a declaration.
    pub related: Option<RelatedReport>,
    /// The edits that remove the finding.
    pub fix: Option<FixReport>,
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlaceReport {
    /// The line of the first character.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// The line of the character after the last.
    pub end_line: usize,
    /// The column of the character after the last.
    pub end_column: usize,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A second place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RelatedReport {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// Why the place matters.
    pub message: String,
}

/// The edits that remove a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FixReport {
    /// The effect of the fix, in a few words.
    pub title: String,
    /// `safe`, or `unsafe` if the fix changes results, the target or the version.
    pub applicability: &'static str,
    /// The edits, which do not overlap.
    pub edits: Vec<EditReport>,
}

/// A replacement of a part of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EditReport {
    /// The part that is replaced; empty for an insertion.
    #[serde(flatten)]
    pub place: PlaceReport,
    /// The new text.
    pub text: String,
}

/// The conversions of a module and the lowest target that accepts them all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModuleReport {
    /// The file's name.
    pub file: String,
    /// How many findings are errors.
    pub errors: usize,
    /// Instructions, including conversions.
    pub instructions: u64,
    /// Conversions, legal or not.
    pub conversions: u64,
    /// Conversions that are legal on no target.
    pub not_legal: u64,
    /// Syntax errors, behind which conversions may be missing.
    pub syntax_errors: usize,
    /// Each legal form of the module.
    pub forms: Vec<FormReport>,
    /// The targets that the conversions need, in sentences without capital and full stop.
    pub targets: Vec<String>,
    /// The lowest target that accepts every form. `None` if no target does.
    pub lowest: Option<LowestReport>,
    /// A lower target that accepts all but a few conversions.
    pub nearly: Option<LowestReport>,
    /// In sources: how many strings mention a conversion, without documentation.
    pub strings: u64,
    /// In sources: in how many of those strings every conversion was judged.
    pub judged_strings: u64,
    /// In sources: how many conversions were not judged, by reason.
    pub not_judged: BTreeMap<&'static str, usize>,
}

/// How often a form occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FormReport {
    /// The form's canonical spelling.
    pub form: String,
    /// How many conversions have this form.
    pub count: u64,
    /// The line of the first one.
    pub line: usize,
}

/// A target and the ISA version from which it accepts a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LowestReport {
    /// The target.
    pub target: String,
    /// The ISA version.
    pub isa: String,
    /// The lines with conversions that the target does not accept.
    pub but_lines: Vec<usize>,
}

impl FindingReport {
    /// The report of a finding in `source`.
    pub fn new(source: &Source<'_>, found: &Diagnostic) -> Self {
        FindingReport {
            file: source.name().to_owned(),
            place: PlaceReport::new(source, found.span()),
            severity: found.severity().name(),
            code: found.code().as_str(),
            message: found.message().to_owned(),
            help: found.help().map(str::to_owned),
            related: found.related().map(|(span, message)| {
                let at = source.position(span.start);
                RelatedReport { line: at.line, column: at.column, message: message.to_owned() }
            }),
            fix: found.fix().map(|fix| FixReport::new(source, fix)),
        }
    }
}

impl PlaceReport {
    fn new(source: &Source<'_>, span: Span) -> Self {
        let (from, to) = (source.position(span.start), source.position(span.end));
        PlaceReport {
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
            start: span.start,
            end: span.end,
        }
    }
}

impl FixReport {
    fn new(source: &Source<'_>, fix: &Fix) -> Self {
        let edit = |edit: &Edit| EditReport {
            place: PlaceReport::new(source, edit.span),
            text: edit.text.to_string(),
        };
        FixReport {
            title: fix.title().to_owned(),
            applicability: fix.applicability().name(),
            edits: fix.edits().iter().map(edit).collect(),
        }
    }
}

impl ModuleReport {
    /// The report of a module and its findings.
    pub fn new(source: &Source<'_>, found: &Findings) -> Self {
        let stats = &found.stats;
        let lowest = |lowest: Lowest| LowestReport::new(source, &lowest);
        let forms = stats.forms.iter().map(|(form, uses)| FormReport {
            form: form.to_string(),
            count: uses.count(),
            line: source.position(uses.first()).line,
        });
        let mut report = ModuleReport {
            file: source.name().to_owned(),
            errors: found.errors(),
            instructions: stats.instructions,
            conversions: stats.conversions,
            not_legal: stats.not_legal,
            syntax_errors: found.syntax_errors(),
            forms: forms.collect(),
            targets: Vec::new(),
            lowest: stats.lowest().map(lowest),
            strings: stats.strings,
            judged_strings: stats.judged_strings,
            not_judged: stats.skipped.clone(),
            nearly: stats.nearly().map(lowest),
        };
        report.targets = report.sentences(stats.source);
        report
    }

    /// How many instructions the module has, and how many of them are conversions, in words without a full stop.
    pub fn contents(&self) -> String {
        let conversions = match self.conversions {
            1 => "1 of them a conversion".to_owned(),
            count => format!("{count} of them conversions"),
        };
        format!("{}, {conversions}", counted(self.instructions, "instruction"))
    }

    /// How many conversions were not judged, and why: a sentence without a full stop for each reason.
    pub fn left_out(&self) -> Vec<String> {
        let sentence = |(reason, count): (&&str, &usize)| {
            format!("{} not judged: {reason}", counted(*count, "conversion"))
        };
        self.not_judged.iter().map(sentence).collect()
    }

    /// The forms of the module, those that occur most first.
    pub fn by_use(&self) -> Vec<&FormReport> {
        let mut forms: Vec<_> = self.forms.iter().collect();
        ptxcvt::order_by(&mut forms, |form| u64::MAX - form.count);
        forms
    }

    /// Sentences about the targets that the conversions need. The compiler of a source may write more conversions.
    fn sentences(&self, source: bool) -> Vec<String> {
        let legal = self.conversions - self.not_legal;
        let nothing = "nothing is known about targets";
        let first = match (legal, self.not_legal) {
            (0, 0) if self.syntax_errors > 0 => format!("no conversion could be read, so {nothing}"),
            (0, 0) if !self.not_judged.is_empty() => format!("no conversion was judged, so {nothing}"),
            (0, 0) if source => format!(
                "no conversion in inline PTX; calls such as `llvm.nvvm.*` and `__nv_cvt_*` are not read, so {nothing}"
            ),
            (0, 0) => "no conversion, so every target is possible".to_owned(),
            (0, 1) => "the conversion is legal on no target".to_owned(),
            (0, _) => "none of them is legal on any target".to_owned(),
            (_, none) => {
                let (which, is) = match (legal, none) {
                    (1, 0) => ("the conversion".to_owned(), "is"),
                    (_, 0) => ("all of them".to_owned(), "are"),
                    (1, _) => (format!("{none} of them {}; the other one", no_forms(none)), "is"),
                    _ => (format!("{none} of them {}; the {legal} others", no_forms(none)), "are"),
                };
                match &self.lowest {
                    Some(lowest) => {
                        format!("{which} {is} legal from {} at ISA {} on", lowest.target, lowest.isa)
                    }
                    None => format!("{which} {is} legal on no single target"),
                }
            }
        };
        let nearly = self.nearly.as_ref().map(|nearly| {
            let lines: Vec<String> = nearly.but_lines.iter().map(usize::to_string).collect();
            let what = if lines.len() == 1 { "line" } else { "lines" };
            let which = if self.not_legal == 0 { "all of them" } else { "the legal ones" };
            let (target, isa) = (&nearly.target, &nearly.isa);
            format!("{target} at ISA {isa} accepts {which} except in {what} {}", lines.join(", "))
        });
        let unread = (self.syntax_errors > 0)
            .then(|| format!("{}: conversions may be missing", counted(self.syntax_errors, "syntax error")));
        [Some(first), nearly, unread].into_iter().flatten().collect()
    }
}

fn no_forms(count: u64) -> &'static str {
    if count == 1 { "is not a form" } else { "are not forms" }
}

impl LowestReport {
    fn new(source: &Source<'_>, lowest: &Lowest) -> Self {
        let mut but_lines: Vec<usize> = lowest.but.iter().map(|at| source.position(*at).line).collect();
        but_lines.dedup();
        LowestReport { target: lowest.target.to_string(), isa: lowest.isa.to_string(), but_lines }
    }
}
