//! `github`: a workflow command a finding, which GitHub Actions shows at the place in a pull request.

use std::io::{self, Write};

use crate::diagnostic::Diagnostic;
use crate::source::Source;

pub(super) fn write(out: &mut dyn Write, source: &Source<'_>, d: &Diagnostic) -> io::Result<()> {
    let (start, end) = (source.position(d.span().start), source.position(d.span().end));
    let help = d.help().map(|help| format!("; {help}")).unwrap_or_default();
    let mut place = format!("line={},col={},endLine={}", start.line, start.column, end.line);
    // A column's end is understood within one line only.
    if start.line == end.line {
        place += &format!(",endColumn={}", end.column);
    }
    writeln!(
        out,
        "::{} file={},{place},title={}::{}",
        d.severity().name(),
        escape(source.name(), true),
        d.code(),
        escape(&format!("{}{help}", d.message()), false)
    )
}

/// Percent signs and line ends, and in a property also what separates properties.
fn escape(text: &str, property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}
