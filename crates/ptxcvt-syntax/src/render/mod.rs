//! Prints findings in an output format. Each format has its own file; [`Renderer`] selects among them.
//!
//! Files are written one after another, so only one has to be in memory.

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
    /// For people, with the source and marks under it.
    #[default]
    Full,
    /// One line per finding.
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

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            OutputFormat::Full => "full",
            OutputFormat::Concise => "concise",
            OutputFormat::Json => "json",
            OutputFormat::Sarif => "sarif",
            OutputFormat::Github => "github",
        }
    }

    /// True for the formats for people, which a summary may follow.
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
    /// Something has been written.
    begun: bool,
    /// A file could not be read.
    failed: bool,
}

impl Renderer {
    /// A renderer. `color` applies to the formats for people.
    pub fn new(format: OutputFormat, color: bool) -> Self {
        Self { format, color, begun: false, failed: false }
    }

    /// Writes the findings of one file.
    ///
    /// # Errors
    /// If writing fails.
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

    /// Records that a file could not be read, which SARIF reports for the whole run.
    pub fn failed(&mut self) {
        self.failed = true;
    }

    /// Writes the end of the document.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            OutputFormat::Json => json::finish(out, !self.begun),
            OutputFormat::Sarif => sarif::finish(out, !self.begun, self.failed),
            OutputFormat::Full | OutputFormat::Concise | OutputFormat::Github => Ok(()),
        }
    }
}

/// Warnings with equal text: only the first is printed, with the number of the others.
struct Equal<'d> {
    count: HashMap<(&'d str, Option<&'d str>), usize>,
}

impl<'d> Equal<'d> {
    /// Up to this number, equal warnings are printed one by one.
    const FEW: usize = 3;

    fn of(found: &'d [Diagnostic]) -> Self {
        let mut count = HashMap::new();
        for warning in found.iter().filter(|d| d.severity() == Severity::Warning) {
            *count.entry((warning.message(), warning.help())).or_insert(0) += 1;
        }
        count.retain(|_, count| *count > Self::FEW);
        Self { count }
    }

    /// The number of further warnings equal to this one; `None` if an equal one was printed before.
    fn more(&mut self, diagnostic: &'d Diagnostic) -> Option<usize> {
        match self.count.get_mut(&(diagnostic.message(), diagnostic.help())) {
            None => Some(0),
            Some(0) => None,
            Some(count) => Some(std::mem::take(count) - 1),
        }
    }
}
