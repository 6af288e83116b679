//! A source that is being edited. After an edit inside a C++ function, only that function is parsed again, provided
//! that nothing it shares with the rest of the file has changed.

mod moved;
mod parts;

use std::borrow::Cow;
use std::ops::Range;

use self::parts::Parts;
use super::cpp::read_with_facts;
use super::language::Language;
use super::reading::Wrappers;
use super::text::with_lines;
use super::verdict::{Outer, judged, may_have, verdict};
use crate::check::CheckOptions;
use crate::diagnostic::Diagnostic;

/// A source and its findings, which are updated after edits.
///
/// ```
/// use ptxcvt_syntax::CheckOptions;
/// use ptxcvt_syntax::sources::{Language, LiveSource};
/// let text = r#"void f() { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a)); }"#;
/// let mut source = LiveSource::new(text.into(), Language::Cpp, CheckOptions::default());
/// assert!(source.diagnostics().is_empty());
/// let at = text.find("rn").unwrap();
/// source.edit(at..at + 2, "rna");
/// assert_eq!(source.diagnostics()[0].code().as_str(), "CVT007");
/// ```
#[derive(Debug)]
pub struct LiveSource {
    language: Language,
    options: CheckOptions,
    text: String,
    found: Vec<Diagnostic>,
    parts: Option<Parts>,
    /// The number of times that the whole text was parsed.
    readings: usize,
}

impl LiveSource {
    /// Checks a source in a language other than PTX.
    pub fn new(text: String, language: Language, options: CheckOptions) -> Self {
        let (found, parts, readings) = (Vec::new(), None, 0);
        let mut source = LiveSource { language, options, text, found, parts, readings };
        source.read();
        source
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The findings in text order, as returned by [`check_source`](super::check_source).
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.found
    }

    /// Replaces a part of the text.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        let parts = self.parts.take();
        let changed = parts.and_then(|parts| parts.changed(&self.text, &range, new));
        self.text.replace_range(range, new);
        let changed = changed.filter(|_| matches!(with_lines(&self.text), Cow::Borrowed(_)));
        let read = changed.and_then(|(parts, at, moved)| {
            let found = parts.found(&self.text, at, moved, &self.found, &self.options)?;
            Some((parts, found))
        });
        match read {
            Some((parts, found)) => (self.parts, self.found) = (Some(parts), found),
            None => self.read(),
        }
    }

    /// Parses the whole text.
    fn read(&mut self) {
        self.readings += 1;
        let (text, language, options) = (&self.text[..], self.language, &self.options);
        let (wrappers, outer) = (Wrappers::default(), Outer::default());
        let has_lines = matches!(with_lines(text), Cow::Borrowed(_));
        let (judge, parts) = if language == Language::Cpp && has_lines && may_have(text, language) {
            let (reading, facts) = read_with_facts(text, &wrappers);
            (verdict(reading, text, language, options, &wrappers, &outer), Parts::of(text, facts))
        } else {
            (judged(text, language, options, &wrappers, &outer), None)
        };
        (self.found, self.parts) = (judge.findings().diagnostics, parts);
    }
}

#[cfg(test)]
mod tests;
