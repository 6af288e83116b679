//! Prints findings: one renderer a file, all of them behind [`Renderer`].
//!
//! Files come one after another, so that no more than one need be in memory.

mod concise;
mod full;
mod github;
mod json;
mod sarif;

use std::io::{self, Write};

use crate::diagnostics::Diagnostic;
use crate::span::Source;

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
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

impl Format {
    /// Every format.
    pub const ALL: [Format; 5] = [Format::Full, Format::Concise, Format::Json, Format::Sarif, Format::Github];

    /// The name that chooses it.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Full => "full",
            Format::Concise => "concise",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Github => "github",
        }
    }

    /// True of the formats that people read, which a summary may follow.
    pub const fn is_prose(self) -> bool {
        matches!(self, Format::Full | Format::Concise)
    }
}

/// Writes findings in one format.
///
/// ```
/// use ptxcvt_syntax::render::{Format, Renderer};
/// use ptxcvt_syntax::{Options, Source, check};
/// let source = Source::new("k.ptx", b".version 9.1\n.target sm_90\n.entry k { cvt.u32 a; }");
/// let mut renderer = Renderer::new(Format::Concise, false);
/// let mut out = Vec::new();
/// renderer.file(&mut out, &source, &check(&source, &Options::default()).diagnostics)?;
/// renderer.finish(&mut out)?;
/// assert!(out.starts_with(b"k.ptx:3:12: error[CVT004] "));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Renderer {
    format: Format,
    color: bool,
    /// Something was written already.
    begun: bool,
}

impl Renderer {
    /// A renderer; `color` counts for the formats that people read.
    pub fn new(format: Format, color: bool) -> Self {
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
                Format::Full => full::write(out, source, diagnostic, self.color)?,
                Format::Concise => concise::write(out, source, diagnostic, self.color)?,
                Format::Json => json::write(out, source, diagnostic, first)?,
                Format::Sarif => sarif::write(out, source, diagnostic, first)?,
                Format::Github => github::write(out, source, diagnostic)?,
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
            Format::Json => json::finish(out, !self.begun),
            Format::Sarif => sarif::finish(out, !self.begun),
            Format::Full | Format::Concise | Format::Github => Ok(()),
        }
    }
}
