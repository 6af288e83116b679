//! The work of `check` on a file: reads it in its language, checks it, filters the findings, makes the fixes.

use std::io;
use std::path::Path;

use ptxcvt_syntax::fix::{Applicability, fix};
use ptxcvt_syntax::sources::{Language, Wrappers, check_source_with, language_of};
use ptxcvt_syntax::{CheckOptions, Findings, Source};

use super::policy::Policy;
use super::targets::Projects;
use super::{input, known_input};

/// How files are checked.
pub struct Judge {
    pub options: CheckOptions,
    /// The language of all files, overriding their names.
    pub language: Option<Language>,
    /// Names whose first string is inline assembly.
    pub wrappers: Wrappers,
    /// Which fixes are made or shown; `None` for none.
    pub fixes: Option<Applicability>,
    pub policy: Policy,
    /// The targets that build files name.
    pub projects: Projects,
}

/// A file's text before its fixes, the findings left after them, and the fixed text with the number of fixes.
pub struct Judged {
    pub source: Source<'static>,
    pub report: Findings,
    pub after: Option<(String, usize)>,
    /// How many fixes could not be made because the file is not UTF-8.
    pub unfixed: Option<usize>,
}

impl Judge {
    /// The bytes of a file whose language is known: by an option, its name or its text. `-` is standard input.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or if neither an option, its name nor its text says what it is.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.options.snippet || self.language.is_some() {
            return input(path);
        }
        known_input(path, "; choose with --lang or --snippet")
    }

    /// The language of a text, by the option or its name.
    fn language(&self, source: &Source<'_>) -> Language {
        language_of(source, self.language, &self.options)
    }

    /// True if a text is a module of PTX.
    #[cfg(feature = "lower")]
    pub fn is_module(&self, source: &Source<'_>) -> bool {
        !self.options.snippet && self.language(source) == Language::Ptx
    }

    /// The findings in a text.
    pub fn check(&self, source: &Source<'_>) -> Findings {
        let built = self.projects.targets(source.name()).or(self.options.built);
        let options = self.options.built(built);
        let found = check_source_with(source, self.language(source), &options, &self.wrappers);
        self.policy.filter(source, found)
    }

    /// Checks a file of these bytes and makes its fixes.
    pub fn judge(&self, name: String, bytes: Vec<u8>) -> Judged {
        let utf8 = Source::new("", &bytes).text().as_bytes() == bytes;
        let source = Source::owned(name, bytes);
        if !utf8 {
            // The text differs from the bytes, so no edit of the text applies to the file.
            let mut report = self.check(&source);
            let mut count = 0;
            for diagnostic in &mut report.diagnostics {
                let applies = |limit| diagnostic.fix().is_some_and(|fix| fix.applicability() <= limit);
                count += usize::from(self.fixes.is_some_and(applies));
                *diagnostic = diagnostic.clone().with_fix(None);
            }
            return Judged { source, report, after: None, unfixed: (count > 0).then_some(count) };
        }
        let Some(limit) = self.fixes else {
            let report = self.check(&source);
            return Judged { source, report, after: None, unfixed: None };
        };
        let fixed = fix(&source, limit, |source| self.check(source));
        let count = fixed.count();
        let after = (count > 0).then_some((fixed.text, count));
        Judged { source, report: fixed.left, after, unfixed: None }
    }
}
