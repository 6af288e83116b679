//! `ptxcvt check --lower`: a module for a target that lacks its conversions.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use ptxcvt::{IsaVersion, Target};
use ptxcvt_lower::{RewriteError, Rewritten, rewrite};
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Diagnostic, Severity, Source, check};

use crate::failure::{FINDINGS, Failure};
use crate::output;

/// The result of rewriting a module.
pub enum Attempt {
    Rewritten(Rewritten),
    /// Errors that no lowering removes, and the text of their places.
    Refused(Source<'static>, Vec<Diagnostic>),
}

/// Rewrites a module and checks the result like any module.
pub fn attempt(
    (name, bytes): (&str, &[u8]),
    target: Target,
    isa: Option<IsaVersion>,
) -> Result<Attempt, Failure> {
    let rewritten = match rewrite(bytes, target, isa) {
        Ok(rewritten) => rewritten,
        Err(RewriteError::Findings(found)) => {
            return Ok(Attempt::Refused(Source::owned(name, bytes.to_vec()), found));
        }
        Err(error) => return Err(Failure::new(format!("{name}: {error}"))),
    };
    // The lines are those of the result.
    let source = Source::owned(format!("{name} for {target}"), rewritten.text.clone());
    let errors = check(&source, &CheckOptions::default()).diagnostics;
    let errors: Vec<Diagnostic> = errors.into_iter().filter(|d| d.severity() == Severity::Error).collect();
    Ok(match errors.is_empty() {
        true => Attempt::Rewritten(rewritten),
        false => Attempt::Refused(source, errors),
    })
}

/// Rewrites one module and writes it to `to`, or to standard output.
pub fn run(
    module: (&str, &[u8]),
    target: Target,
    isa: Option<IsaVersion>,
    to: Option<&Path>,
    format: OutputFormat,
) -> Result<ExitCode, Failure> {
    let rewritten = match attempt(module, target, isa)? {
        Attempt::Rewritten(rewritten) => rewritten,
        Attempt::Refused(source, errors) => return report(&source, &errors, format),
    };
    match to {
        Some(path) => output::file(path, &rewritten.text)?,
        None => output::raw_stdout().write_all(&rewritten.text)?,
    }
    output::complain(format_args!("{}", summary(&rewritten, target)));
    if let Some(last) = target.assembled().filter(|last| *last < rewritten.isa) {
        let isa = rewritten.isa;
        output::note(format_args!(
            "no assembler with {target} reads ISA {isa}: `--isa {last}` declares the newest version that one reads"
        ));
    }
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
    let mut out = output::stderr();
    let mut renderer = Renderer::new(format, out.has_color());
    renderer.file(&mut out, source, found)?;
    renderer.finish(&mut out)?;
    Ok(FINDINGS)
}
