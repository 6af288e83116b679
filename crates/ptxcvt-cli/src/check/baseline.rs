//! A baseline: known findings that are not reported again. They are identified by file, code and message, with a
//! count, so that lines may move. The names of files are relative to the folder of the baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptxcvt_syntax::{Diagnostic, Source};
use serde::{Deserialize, Serialize};

use super::place;
use crate::failure::Failure;
use crate::output::reason;

/// The number of findings by file, code and message.
pub struct Baseline {
    folder: PathBuf,
    known: BTreeMap<(String, String, String), usize>,
}

#[derive(Deserialize, Serialize)]
struct Entry {
    file: String,
    code: String,
    message: String,
    count: usize,
}

impl Baseline {
    /// A baseline without entries, which will be written to this file.
    pub fn at(path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        Baseline { folder, known: BTreeMap::new() }
    }

    /// Reads a file of [`Self::text`].
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let failed = |what: String| Failure::cannot_read(path.display(), what);
        let text = ptxcvt_files::whole::settings_file(path).map_err(|e| failed(reason(&e)))?;
        let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|e| failed(e.to_string()))?;
        let known = entries.into_iter().map(|e| ((e.file, e.code, e.message), e.count));
        Ok(Baseline { known: known.collect(), ..Self::at(path) })
    }

    /// Adds the findings in a file.
    pub fn add(&mut self, source: &Source<'_>, found: &[Diagnostic]) {
        for diagnostic in found {
            *self.known.entry(self.key(source, diagnostic)).or_default() += 1;
        }
    }

    /// The text of the baseline file.
    pub fn text(&self) -> Result<String, Failure> {
        let entries: Vec<Entry> = self
            .known
            .iter()
            .map(|((file, code, message), count)| Entry {
                file: file.clone(),
                code: code.clone(),
                message: message.clone(),
                count: *count,
            })
            .collect();
        let text = serde_json::to_string_pretty(&entries).map_err(|e| Failure::new(e.to_string()))?;
        Ok(text + "\n")
    }

    /// Removes the known findings.
    pub fn filter(&self, source: &Source<'_>, found: &mut Vec<Diagnostic>) {
        let mut left = BTreeMap::new();
        found.retain(|diagnostic| {
            let key = self.key(source, diagnostic);
            let Some(known) = self.known.get(&key) else { return true };
            let used = left.entry(key).or_insert(0);
            *used += 1;
            *used > *known
        });
    }

    fn key(&self, source: &Source<'_>, diagnostic: &Diagnostic) -> (String, String, String) {
        let file = place::relative(&self.folder, Path::new(source.name()));
        (file, diagnostic.code().to_string(), diagnostic.message().to_owned())
    }
}
