//! Prints findings: one renderer a file, all of them behind [`Renderer`].
//!
//! Files come one after another, so that no more than one need be in memory.

mod concise;
mod full;
mod github;
mod json;
mod sarif;

use std::collections::HashMap;
use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Source;

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    pub const ALL: &'static [OutputFormat] = &[
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
    /// A file could not be read.
    failed: bool,
}

impl Renderer {
    /// A renderer; `color` counts for the formats that people read.
    pub fn new(format: OutputFormat, color: bool) -> Self {
        Self { format, color, begun: false, failed: false }
    }

    /// Writes the findings of one file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn file(&mut self, out: &mut dyn Write, source: &Source<'_>, found: &[Diagnostic]) -> io::Result<()> {
        let mut equal = Equal::of(found);
        for diagnostic in found {
            let more = match self.format {
                OutputFormat::Full => equal.more(diagnostic),
                _ => Some(0),
            };
            let Some(more) = more else { continue };
            let first = !std::mem::replace(&mut self.begun, true);
            match self.format {
                OutputFormat::Full => full::write(out, source, diagnostic, more, self.color)?,
                OutputFormat::Concise => concise::write(out, source, diagnostic, self.color)?,
                OutputFormat::Json => json::write(out, source, diagnostic, first)?,
                OutputFormat::Sarif => sarif::write(out, source, diagnostic, first)?,
                OutputFormat::Github => github::write(out, source, diagnostic)?,
            }
        }
        Ok(())
    }

    /// A file could not be read, which SARIF says of the whole run.
    pub fn failed(&mut self) {
        self.failed = true;
    }

    /// Writes what ends the document.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            OutputFormat::Json => json::finish(out, !self.begun),
            OutputFormat::Sarif => sarif::finish(out, !self.begun, self.failed),
            OutputFormat::Full | OutputFormat::Concise | OutputFormat::Github => Ok(()),
        }
    }
}

/// Warnings that say the same word for word: people want to read one of many, and how many there are.
struct Equal<'d> {
    count: HashMap<(&'d str, Option<&'d str>), usize>,
}

impl<'d> Equal<'d> {
    /// So many are printed one by one, with their places.
    const FEW: usize = 3;

    fn of(found: &'d [Diagnostic]) -> Self {
        let mut count = HashMap::new();
        for warning in found.iter().filter(|d| d.severity() == Severity::Warning) {
            *count.entry((warning.message(), warning.help())).or_insert(0) += 1;
        }
        count.retain(|_, count| *count > Self::FEW);
        Self { count }
    }

    /// How many more there are like this one; `None` where it is one of those.
    fn more(&mut self, diagnostic: &'d Diagnostic) -> Option<usize> {
        match self.count.get_mut(&(diagnostic.message(), diagnostic.help())) {
            None => Some(0),
            Some(0) => None,
            Some(count) => Some(std::mem::take(count) - 1),
        }
    }
}
