//! `ptxcvt.check`: the findings in PTX text.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use ptxcvt_syntax::fix::{Applicability, fix as make_fixes};
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::report::FindingReport;
use ptxcvt_syntax::sources::{Language, check_named};
use ptxcvt_syntax::{CheckOptions, Diagnostic as Inner, Findings, Source, suppress};

use crate::error::{Name, Text, error, named, plain, unknown_name};
use crate::form::read_machine;

/// The name shown in findings for a text without a name.
const UNNAMED: &str = "<string>";

/// A finding in PTX text.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug, Clone)]
pub struct Diagnostic {
    report: FindingReport,
    /// The part of the text that the finding marks.
    text: String,
    /// The finding with its source, as the command prints it.
    rendered: String,
}

#[pymethods]
impl Diagnostic {
    /// The code, such as "CVT008".
    #[getter]
    fn code(&self) -> &str {
        self.report.code
    }

    /// "error" if the assembler rejects the module, or "warning".
    #[getter]
    fn severity(&self) -> &str {
        self.report.severity
    }

    /// The problem, in one sentence.
    #[getter]
    fn message(&self) -> &str {
        &self.report.message
    }

    /// How to correct the problem, or None.
    #[getter]
    fn help(&self) -> Option<&str> {
        self.report.help.as_deref()
    }

    /// The line, counted from 1.
    #[getter]
    fn line(&self) -> usize {
        self.report.place.line
    }

    /// The column, counted from 1.
    #[getter]
    fn column(&self) -> usize {
        self.report.place.column
    }

    /// The range of bytes in the text: the first byte, and the end after the last one.
    #[getter]
    fn span(&self) -> (u32, u32) {
        (self.report.place.start, self.report.place.end)
    }

    /// The part of the text that the finding marks.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// A second place that explains the finding: (line, column, why), or None.
    #[getter]
    fn related(&self) -> Option<(usize, usize, &str)> {
        self.report.related.as_ref().map(|other| (other.line, other.column, &*other.message))
    }

    /// The finding with its source, as the command prints it.
    #[getter]
    fn rendered(&self) -> &str {
        &self.rendered
    }

    fn __str__(&self) -> &str {
        self.rendered.trim_end()
    }

    fn __repr__(&self) -> String {
        let FindingReport { severity, code, message, place, .. } = &self.report;
        format!("<{severity}[{code}] {}:{}: {message}>", place.line, place.column)
    }
}

/// Judges every `cvt` and `cvt.pack` of a text as the assembler would, for the module's own target and version or for
/// the given ones. The text's language is `language` (ptx, c++, python, llvm, mlir, rust or notebook), or else follows
/// from the extension of `name`. An unknown extension is an error unless the text begins with a PTX directive. With
/// `snippet`, the text is inline assembly with %0 or $0 placeholders.
///
/// >>> import ptxcvt
/// >>> found = ptxcvt.check("cvt.rn.f16x2.e4m3x2 %0, %1;", target="sm_80", snippet=True)
/// >>> found[0].code, found[0].line, found[0].column
/// ('CVT011', 1, 1)
#[pyfunction]
#[pyo3(signature = (text, /, *, target=None, isa=None, snippet=false, name=None, language=None))]
pub fn check(
    py: Python<'_>,
    text: Text,
    target: Option<Text>,
    isa: Option<Text>,
    snippet: bool,
    name: Option<Name>,
    language: Option<Text>,
) -> PyResult<Vec<Diagnostic>> {
    named!(text, target, isa, name, language);
    let options = options(target.as_deref(), isa.as_deref(), snippet)?;
    let language = read_language(&text, name.as_deref(), language.as_deref(), snippet)?;
    let (text, name) = (&*text, name.as_deref().unwrap_or(UNNAMED));
    py.detach(|| {
        let source = Source::new(name, text.as_bytes());
        let found = checked(&source, language, &options);
        found.diagnostics.iter().map(|one| diagnostic(&source, one)).collect::<std::io::Result<_>>()
    })
    .map_err(|e| plain(e.to_string()))
}

/// The findings, except those that comments in the text suppress.
fn checked(source: &Source<'_>, language: Option<Language>, options: &CheckOptions) -> Findings {
    let mut found = check_named(source, language, options);
    suppress(source, &mut found.diagnostics);
    found
}

/// Applies the safe fixes to a text: spelling, order, a required modifier. With `unsafe_fixes`, also applies those that
/// change results, the target or the version. The other arguments are those of `check`.
///
/// >>> import ptxcvt
/// >>> fixed = ptxcvt.fix("cvt.rn.e4m3x2.f32 %0, %1, %2;", target="sm_90", snippet=True)
/// >>> fixed.text, fixed.fixed, fixed.left
/// ('cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;', {'CVT008': 1}, [])
#[pyfunction]
#[pyo3(signature = (text, /, *, target=None, isa=None, snippet=false, name=None, language=None, unsafe_fixes=false))]
#[allow(clippy::too_many_arguments)] // Optional keyword arguments in Python.
pub fn fix(
    py: Python<'_>,
    text: Text,
    target: Option<Text>,
    isa: Option<Text>,
    snippet: bool,
    name: Option<Name>,
    language: Option<Text>,
    unsafe_fixes: bool,
) -> PyResult<Fixed> {
    named!(text, target, isa, name, language);
    let options = options(target.as_deref(), isa.as_deref(), snippet)?;
    let language = read_language(&text, name.as_deref(), language.as_deref(), snippet)?;
    let (text, name) = (&*text, name.as_deref().unwrap_or(UNNAMED));
    let limit = if unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    py.detach(|| {
        let source = Source::new(name, text.as_bytes());
        let made = make_fixes(&source, limit, |source| checked(source, language, &options));
        let source = Source::new(name, made.text.as_bytes());
        let left = made
            .left
            .diagnostics
            .iter()
            .map(|one| diagnostic(&source, one))
            .collect::<std::io::Result<Vec<_>>>()?;
        let fixed = made.fixed.iter().map(|(code, count)| (code.as_str().to_owned(), *count)).collect();
        Ok(Fixed { text: made.text.clone(), fixed, left })
    })
    .map_err(|e: std::io::Error| plain(e.to_string()))
}

/// A text with fixes applied. `str` returns the text.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug)]
pub struct Fixed {
    text: String,
    fixed: BTreeMap<String, usize>,
    left: Vec<Diagnostic>,
}

#[pymethods]
impl Fixed {
    /// The text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The number of fixed findings, by code.
    #[getter]
    fn fixed(&self) -> BTreeMap<String, usize> {
        self.fixed.clone()
    }

    /// The findings in the new text.
    #[getter]
    fn left(&self) -> Vec<Diagnostic> {
        self.left.clone()
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let count = ptxcvt::counted(self.fixed.values().sum::<usize>(), "finding");
        format!("<{count} fixed, {} left>", self.left.len())
    }
}

fn options(target: Option<&str>, isa: Option<&str>, snippet: bool) -> PyResult<CheckOptions> {
    Ok(CheckOptions::default().machine(read_machine(target, isa)?).snippet(snippet))
}

/// The language of a text: the given one; for a text with a name, the one that the command would use.
fn read_language(
    text: &str,
    name: Option<&str>,
    given: Option<&str>,
    snippet: bool,
) -> PyResult<Option<Language>> {
    match (given, name) {
        (Some(given), _) => given.parse().map(Some).map_err(unknown_name),
        (None, Some(name)) if !snippet => Language::known(name.as_ref(), text).map(Some).map_err(|unknown| {
            let help = "pass language=, or snippet=True for inline assembly".to_owned();
            error(None, format!("{name}: {unknown}"), &[help])
        }),
        (None, _) => Ok(None),
    }
}

fn diagnostic(source: &Source<'_>, found: &Inner) -> std::io::Result<Diagnostic> {
    let mut rendered = Vec::new();
    Renderer::new(OutputFormat::Full, false).file(&mut rendered, source, std::slice::from_ref(found))?;
    Ok(Diagnostic {
        report: FindingReport::new(source, found),
        text: source.slice(found.span()).to_owned(),
        rendered: String::from_utf8_lossy(&rendered).into_owned(),
    })
}
