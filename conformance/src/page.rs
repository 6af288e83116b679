//! Pages of docs/ with tables that are written from records, between two comments.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A page, by its name in docs/.
#[derive(Clone, Copy, Debug)]
pub struct Page(&'static str);

/// The costs of words.
pub const WORDS: Page = Page("generated/words.md");
/// The costs of conversions and of public codecs.
pub const COSTS: Page = Page("generated/costs.md");
/// Compiled code, with the verdicts on public codecs.
pub const COMPILED: Page = Page("compiled.md");

impl Page {
    /// The text.
    ///
    /// # Errors
    ///
    /// Returns an error if the page cannot be read.
    pub fn read(self) -> Result<String> {
        fs::read_to_string(self.path()).with_context(|| format!("cannot read docs/{}", self.0))
    }

    /// Replaces the table of this name, which a subcommand writes.
    ///
    /// # Errors
    ///
    /// Returns an error if the page has no such table.
    pub fn write(self, name: &str, command: &str, table: &str) -> Result<()> {
        let begin = format!("<!-- {name}: written by `ptxcvt-conformance -- {command} DIR` -->\n");
        let end = format!("<!-- end of {name} -->\n");
        let old = self.read()?;
        let lost = || format!("docs/{} has lost the comments around {name}", self.0);
        let (before, rest) = old.split_once(&begin).with_context(lost)?;
        let (_, after) = rest.split_once(&end).with_context(lost)?;
        fs::write(self.path(), format!("{before}{begin}{table}{end}{after}"))?;
        Ok(())
    }

    fn path(self) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(self.0)
    }
}
