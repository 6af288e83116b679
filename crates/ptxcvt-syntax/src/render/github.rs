//! `github`: one workflow command per finding, which GitHub Actions shows at its place in a pull request.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Source;

pub(super) fn write(out: &mut dyn Write, source: &Source<'_>, d: &Diagnostic) -> io::Result<()> {
    let (start, end) = (source.position(d.span().start), source.position(d.span().end));
    let help = d.help().map(|help| format!("; {help}")).unwrap_or_default();
    let mut place = format!("line={},col={},endLine={}", start.line, start.column, end.line);
    // GitHub uses the end column only if the finding is on one line.
    if start.line == end.line {
        place += &format!(",endColumn={}", end.column);
    }
    writeln!(
        out,
        "::{} file={},{place},title={}::{}",
        level(d.severity()),
        escape(source.name(), true),
        d.code(),
        escape(&format!("{}{help}", d.message()), false)
    )
}

/// GitHub calls a note a notice.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "notice",
        other => other.name(),
    }
}

/// Encodes percent signs and line ends, and in a property its separators.
fn escape(text: &str, property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}
