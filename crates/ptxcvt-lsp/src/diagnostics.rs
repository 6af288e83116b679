//! Findings in the types of the protocol.

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    PublishDiagnosticsParams,
};
use ptxcvt_syntax::{Severity, site};

use crate::document::Document;

/// The name under which editors show findings.
pub const SOURCE: &str = "ptxcvt";

/// How many findings of a file are published, because an editor draws each of them.
const MAX_SHOWN: usize = 1_000;

/// A finding, with its help on a second line.
pub fn diagnostic(document: &Document, found: &ptxcvt_syntax::Diagnostic) -> Diagnostic {
    let message = match found.help() {
        Some(help) => format!("{}\nhelp: {help}", found.message()),
        None => found.message().to_owned(),
    };
    let related = found.related().map(|(span, message)| {
        let location = Location { uri: document.uri.clone(), range: document.range(span) };
        vec![DiagnosticRelatedInformation { location, message: message.to_owned() }]
    });
    Diagnostic {
        range: document.range(found.span()),
        severity: Some(match found.severity() {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Note => DiagnosticSeverity::INFORMATION,
            _ => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(found.code().to_string())),
        code_description: site::address(&site::code_path(found.code()))
            .and_then(|page| page.parse().ok())
            .map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: related,
        ..Diagnostic::default()
    }
}

/// The findings of a file. If there are too many, errors are preferred to warnings.
pub fn published(document: &Document) -> PublishDiagnosticsParams {
    let mut shown: Vec<_> = document.found.iter().collect();
    if shown.len() > MAX_SHOWN {
        shown.sort_by_key(|found| found.severity());
        shown.truncate(MAX_SHOWN);
    }
    let diagnostics = shown.into_iter().map(|found| diagnostic(document, found)).collect();
    PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(document.version) }
}
