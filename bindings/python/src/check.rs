//! PTX text, judged.

use pyo3::prelude::*;

use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Diagnostic as Inner, Source};

use crate::error::plain;
use crate::form::{read_isa, read_target};

/// A finding in PTX text.
#[pyclass(frozen, get_all, module = "ptxcvt")]
#[derive(Debug)]
pub struct Diagnostic {
    /// Such as "CVT008".
    code: &'static str,
    /// "error" where the assembler rejects the module, or "warning".
    severity: &'static str,
    /// What is wrong, in one sentence.
    message: String,
    /// What would be right, or None.
    help: Option<String>,
    /// The line, from 1 on.
    line: usize,
    /// The column, from 1 on.
    column: usize,
    /// Where it begins and ends in the text as bytes.
    span: (u32, u32),
    /// The text that it is about.
    text: String,
    /// Another place that matters: (line, column, why), or None.
    related: Option<(usize, usize, String)>,
    /// As the command prints it, with the source.
    rendered: String,
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> &str {
        self.rendered.trim_end()
    }

    fn __repr__(&self) -> String {
        format!("<{}[{}] {}:{}: {}>", self.severity, self.code, self.line, self.column, self.message)
    }
}

/// Judges every `cvt` and `cvt.pack` of a PTX module as the assembler would, against the module's own target and
/// version or those given; `snippet` takes inline assembly, with %0 or $0 placeholders.
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
    let at = source.position(found.span().start);
    let mut rendered = Vec::new();
    let mut renderer = Renderer::new(OutputFormat::Full, false);
    renderer.file(&mut rendered, source, std::slice::from_ref(found))?;
    Ok(Diagnostic {
        code: found.code().as_str(),
        severity: found.severity().name(),
        message: found.message().to_owned(),
        help: found.help().map(str::to_owned),
        line: at.line,
        column: at.column,
        span: (found.span().start, found.span().end),
        text: source.slice(found.span()).to_owned(),
        related: found.related().map(|(span, why)| {
            let at = source.position(span.start);
            (at.line, at.column, why.to_owned())
        }),
        rendered: String::from_utf8_lossy(&rendered).into_owned(),
    })
}
