//! `ptxcvt check --lower`: a module for a target that lacks its conversions.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use ptxcvt::{IsaVersion, Target};
use ptxcvt_lower::{RewriteError, Rewritten, rewrite};
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Diagnostic, Severity, Source, check};

use crate::failure::{FINDINGS, Failure};
use crate::output;

/// Rewrites one module and writes it to `to`, or to standard output.
pub fn run(
    (name, bytes): (&str, &[u8]),
    target: Target,
    isa: Option<IsaVersion>,
    to: Option<&Path>,
    format: OutputFormat,
) -> Result<ExitCode, Failure> {
    let rewritten = match rewrite(bytes, target, isa) {
        Ok(rewritten) => rewritten,
        Err(RewriteError::Findings(found)) => return report(&Source::new(name, bytes), &found, format),
        Err(error) => return Err(Failure::new(format!("{name}: {error}"))),
    };
    // The result is checked like any module.
    let source = Source::new(name, &rewritten.text);
    let errors = check(&source, &CheckOptions::default()).diagnostics;
    let errors: Vec<Diagnostic> = errors.into_iter().filter(|d| d.severity() == Severity::Error).collect();
    if !errors.is_empty() {
        return report(&source, &errors, format);
    }
    match to {
        Some(path) => output::file(path, &rewritten.text)?,
        None => output::raw_stdout().write_all(&rewritten.text)?,
    }
    output::complain(format_args!("{}", summary(&rewritten, target)));
    Ok(ExitCode::SUCCESS)
}

fn summary(rewritten: &Rewritten, target: Target) -> String {
    let count = rewritten.replaced.len();
    let isa = rewritten.isa;
    format!(
        "{} lowered for {target} at ISA {isa}; other instructions are unchanged",
        ptxcvt::counted(count, "conversion")
    )
}

/// Prints findings on standard error, because the module may go to standard output.
fn report(source: &Source<'_>, found: &[Diagnostic], format: OutputFormat) -> Result<ExitCode, Failure> {
    let color = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let mut renderer = Renderer::new(format, color);
    let mut out = io::stderr().lock();
    renderer.file(&mut out, source, found)?;
    renderer.finish(&mut out)?;
    Ok(FINDINGS)
}
