//! Prints findings: one renderer a file, all of them behind [`Renderer`].
//!
//! Files come one after another, so that no more than one need be in memory.

mod concise;
mod full;
mod github;
mod json;
mod sarif;

use std::io::{self, Write};

use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// With the source and marks under it, for people.
    #[default]
    Full,
    /// One line a finding.
    Concise,
    /// An array of objects.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
}

impl OutputFormat {
    /// Every format.
    pub const ALL: [OutputFormat; 5] = [
        OutputFormat::Full,
        OutputFormat::Concise,
        OutputFormat::Json,
        OutputFormat::Sarif,
        OutputFormat::Github,
    ];

    /// The name that chooses it.
    pub const fn name(self) -> &'static str {
        match self {
            OutputFormat::Full => "full",
            OutputFormat::Concise => "concise",
            OutputFormat::Json => "json",
            OutputFormat::Sarif => "sarif",
            OutputFormat::Github => "github",
        }
    }

    /// True of the formats that people read, which a summary may follow.
    pub const fn is_prose(self) -> bool {
        matches!(self, OutputFormat::Full | OutputFormat::Concise)
    }
}

/// Writes findings in one format.
///
/// ```
/// use ptxcvt_syntax::render::{OutputFormat, Renderer};
/// use ptxcvt_syntax::{CheckOptions, Source, check};
/// let source = Source::new("k.ptx", b".version 9.1\n.target sm_90\n.entry k { cvt.u32 a; }");
/// let mut renderer = Renderer::new(OutputFormat::Concise, false);
/// let mut out = Vec::new();
/// renderer.file(&mut out, &source, &check(&source, &CheckOptions::default()).diagnostics)?;
/// renderer.finish(&mut out)?;
/// assert!(out.starts_with(b"k.ptx:3:12: error[CVT004] "));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Renderer {
    format: OutputFormat,
    color: bool,
    /// Something was written already.
    begun: bool,
}

impl Renderer {
    /// A renderer; `color` counts for the formats that people read.
    pub fn new(format: OutputFormat, color: bool) -> Self {
        Self { format, color, begun: false }
    }

    /// Writes the findings of one file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn file(&mut self, out: &mut dyn Write, source: &Source<'_>, found: &[Diagnostic]) -> io::Result<()> {
        for diagnostic in found {
            let first = !std::mem::replace(&mut self.begun, true);
            match self.format {
                OutputFormat::Full => full::write(out, source, diagnostic, self.color)?,
                OutputFormat::Concise => concise::write(out, source, diagnostic, self.color)?,
                OutputFormat::Json => json::write(out, source, diagnostic, first)?,
                OutputFormat::Sarif => sarif::write(out, source, diagnostic, first)?,
                OutputFormat::Github => github::write(out, source, diagnostic)?,
            }
        }
        Ok(())
    }

    /// Writes what ends the document.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            OutputFormat::Json => json::finish(out, !self.begun),
            OutputFormat::Sarif => sarif::finish(out, !self.begun),
            OutputFormat::Full | OutputFormat::Concise | OutputFormat::Github => Ok(()),
        }
    }
}
