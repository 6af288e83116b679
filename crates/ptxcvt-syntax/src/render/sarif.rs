//! `sarif`: SARIF 2.1.0 (OASIS), for code scanning services.

use std::io::{self, Write};

use serde_json::json;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::edit::Edit;
use crate::site;
use crate::source::{Source, Span};

/// Writes the part before the first result: the tool, and a rule for each code.
fn begin(out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<_> = Code::all()
        .map(|code| {
            let page: Vec<&str> = code.page().iter().map(|line| line.trim()).collect();
            let level = if code.is_warning() { "warning" } else { "error" };
            let mut rule = json!({
                "id": code.as_str(),
                "shortDescription": { "text": code.title() },
                "fullDescription": { "text": page.join("\n") },
                "defaultConfiguration": { "level": level },
            });
            if let Some(address) = site::address(&site::code_path(code)) {
                rule["helpUri"] = address.into();
            }
            rule
        })
        .collect();
    let driver = json!({
        "name": "ptxcvt",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    writeln!(
        out,
        r#"{{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{{"#
    )?;
    writeln!(out, r#""tool":{{"driver":{driver}}},"columnKind":"unicodeCodePoints","results":["#)
}

pub(super) fn write(out: &mut dyn Write, source: &Source<'_>, d: &Diagnostic, first: bool) -> io::Result<()> {
    if first {
        begin(out)?;
    } else {
        writeln!(out, ",")?;
    }
    let region = |span: Span| {
        let (start, end) = (source.position(span.start), source.position(span.end));
        json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        })
    };
    let help = d.help().map(|help| format!("; {help}")).unwrap_or_default();
    let artifact = json!({ "uri": uri(source.name()) });
    let location = json!({ "artifactLocation": artifact, "region": region(d.span()) });
    let mut result = json!({
        "ruleId": d.code().as_str(),
        "level": d.severity().name(),
        "message": { "text": format!("{}{help}", d.message()) },
        "locations": [{ "physicalLocation": location }],
    });
    if let Some(fix) = d.fix() {
        let replacement = |edit: &Edit| json!({ "deletedRegion": region(edit.span), "insertedContent": { "text": &*edit.text } });
        let replacements: Vec<_> = fix.edits().iter().map(replacement).collect();
        result["fixes"] = json!([{
            "description": { "text": format!("{} ({})", fix.title(), fix.applicability().name()) },
            "artifactChanges": [{ "artifactLocation": artifact, "replacements": replacements }],
        }]);
    }
    write!(out, "{result}")
}

pub(super) fn finish(out: &mut dyn Write, empty: bool, failed: bool) -> io::Result<()> {
    if empty {
        begin(out)?;
    }
    let invocation = json!({ "executionSuccessful": !failed });
    writeln!(out, "],\"invocations\":[{invocation}]}}]}}")
}

/// A path as a URI reference, with percent-encoding of invalid characters.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(byte.into())
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
