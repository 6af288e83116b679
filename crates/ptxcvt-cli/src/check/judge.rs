//! What is done with a file: read as what it is written in, judged, its findings filtered, its fixes made.

use std::path::{Path, PathBuf};

use ptxcvt_syntax::fix::{Applicability, fix};
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Findings, Source, check};

use super::policy::Policy;

/// How files are judged.
pub struct Judge {
    pub options: CheckOptions,
    /// What all files are written in, whatever their names say.
    pub language: Option<Language>,
    /// Which fixes are made or shown, if any.
    pub fixes: Option<Applicability>,
    pub policy: Policy,
}

/// What is found in a file after its fixes, its text before, and with how many fixes it becomes which text.
pub struct Judged {
    pub source: Source<'static>,
    pub report: Findings,
    pub after: Option<(String, usize)>,
}

impl Judge {
    fn language(&self, path: &Path) -> Language {
        match self.language {
            _ if self.options.snippet => Language::Ptx,
            Some(language) => language,
            None => Language::of(path).unwrap_or_default(),
        }
    }

    /// What is found in a text.
    pub fn check(&self, source: &Source<'_>) -> Findings {
        let found = match self.language(Path::new(source.name())) {
            Language::Ptx => check(source, &self.options),
            language => check_source(source, language, &self.options),
        };
        self.policy.filter(source, found)
    }

    /// What is found in a file of these bytes.
    pub fn judge(&self, name: String, bytes: Vec<u8>) -> Judged {
        // What is no Unicode would not come back as it was.
        let limit = self.fixes.filter(|_| std::str::from_utf8(&bytes).is_ok());
        let source = Source::owned(name, bytes);
        let Some(limit) = limit else {
            let report = self.check(&source);
            return Judged { source, report, after: None };
        };
        let fixed = fix(&source, limit, |source| self.check(source));
        let count = fixed.count();
        let after = (count > 0).then_some((fixed.text, count));
        Judged { source, report: fixed.left, after }
    }
}

/// Works on files on all cores and takes the results in the files' order, some at a time.
pub fn in_order<T: Send, E>(
    files: &[PathBuf],
    work: impl Fn(&Path) -> T + Sync,
    mut each: impl FnMut(&Path, T) -> Result<(), E>,
) -> Result<(), E> {
    /// So many files a core are in memory.
    const EACH: usize = 16;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for batch in files.chunks(cores * EACH) {
        let mut results: Vec<Option<T>> = batch.iter().map(|_| None).collect();
        let share = batch.len().div_ceil(cores);
        let fill = |paths: &[PathBuf], slots: &mut [Option<T>]| {
            paths.iter().zip(slots).for_each(|(path, slot)| *slot = Some(work(path)));
        };
        if batch.len() == 1 {
            fill(batch, &mut results);
        } else {
            std::thread::scope(|scope| {
                for (paths, slots) in batch.chunks(share).zip(results.chunks_mut(share)) {
                    scope.spawn(|| fill(paths, slots));
                }
            });
        }
        for (path, result) in batch.iter().zip(results) {
            if let Some(result) = result {
                each(path, result)?;
            }
        }
    }
    Ok(())
}
