//! `ptxcvt.check`: the findings in PTX text.

use pyo3::prelude::*;

use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::report::FindingReport;
use ptxcvt_syntax::{CheckOptions, Diagnostic as Inner, Source};

use crate::error::plain;
use crate::form::{read_isa, read_target};

/// A finding in PTX text.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug)]
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

    /// How to correct it, or None.
    #[getter]
    fn help(&self) -> Option<&str> {
        self.report.help.as_deref()
    }

    /// The line, from 1 on.
    #[getter]
    fn line(&self) -> usize {
        self.report.place.line
    }

    /// The column, from 1 on.
    #[getter]
    fn column(&self) -> usize {
        self.report.place.column
    }

    /// The first byte of the finding in the text, and the byte after its last.
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

/// Judges every `cvt` and `cvt.pack` of a PTX module as the assembler would, for the module's own target and
/// version or for the given ones. With `snippet`, the text is inline assembly with %0 or $0 placeholders.
///
/// >>> import ptxcvt
/// >>> found = ptxcvt.check("cvt.rn.f16x2.e4m3x2 %0, %1;", target="sm_80", snippet=True)
/// >>> found[0].code, found[0].line, found[0].column
/// ('CVT011', 1, 1)
#[pyfunction]
#[pyo3(signature = (text, /, *, target=None, isa=None, snippet=false, name="<string>"))]
pub fn check(
    py: Python<'_>,
    text: &str,
    target: Option<&str>,
    isa: Option<&str>,
    snippet: bool,
    name: &str,
) -> PyResult<Vec<Diagnostic>> {
    let options = CheckOptions::default()
        .target(target.map(read_target).transpose()?)
        .isa(isa.map(read_isa).transpose()?)
        .snippet(snippet);
    py.detach(|| {
        let source = Source::new(name, text.as_bytes());
        let found = ptxcvt_syntax::check(&source, &options);
        found.diagnostics.iter().map(|one| diagnostic(&source, one)).collect::<std::io::Result<_>>()
    })
    .map_err(|e| plain(e.to_string()))
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
