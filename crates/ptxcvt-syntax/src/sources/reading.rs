//! What the reader of a language returns.

use std::collections::HashSet;

use super::assembly::{Assembly, Kind};
use super::constraint::Operands;
use super::guard::Guards;
use super::language::Language;
use super::mention::{mentions, unfinished, words};
use super::text::Joined;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Names of functions and macros whose first string is inline assembly, in addition to the known ones.
///
/// ```
/// use ptxcvt_syntax::sources::{Language, Wrappers, check_source_with};
/// use ptxcvt_syntax::{CheckOptions, Source};
/// let source = Source::new("k.cu", br#"emit("cvt.f16.f32 %0, %1", d, a);"#);
/// let found = |names: &Wrappers| {
///     !check_source_with(&source, Language::Cpp, &CheckOptions::default(), names).diagnostics.is_empty()
/// };
/// assert!(!found(&Wrappers::default()));
/// assert!(found(&Wrappers::from_iter(["emit".to_owned()])));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wrappers(Vec<String>);

impl Wrappers {
    /// True for one of the names.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|other| other == name)
    }

    /// True if a text has one of the names anywhere.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.0.iter().any(|name| text.contains(name.as_str()))
    }
}

impl FromIterator<String> for Wrappers {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        Wrappers(names.into_iter().collect())
    }
}

/// The contents of a source.
#[derive(Default)]
pub(super) struct Reading {
    /// Inline assembly, and PTX in other strings.
    pub assemblies: Vec<Assembly>,
    /// Every string that contains a conversion or the beginning of one.
    pub strings: Vec<Literal>,
    /// Texts in other languages.
    pub embedded: Vec<Embedded>,
    /// Texts in languages that are not read.
    pub unread: Vec<Joined>,
    /// Findings about the file itself.
    pub found: Vec<Diagnostic>,
}

impl Reading {
    /// The reading of a text that may be PTX as a whole.
    pub fn written(text: &str) -> Self {
        let mut joined = Joined::default();
        joined.push(text, 0);
        let operands = Operands { unknown: true, ..Operands::default() };
        let span = Span::new(0, text.len() as u32);
        let assembly = Assembly::new(joined.clone(), operands, Guards::none(), span, true);
        let assemblies = vec![assembly.of_kind(Kind::Written)];
        let strings = Literal::new(joined, false).into_iter().collect();
        Reading { assemblies, strings, ..Reading::default() }
    }
}

/// A string that contains a conversion or the beginning of one.
pub(super) struct Literal {
    pub joined: Joined,
    /// True if the string documents the program.
    pub document: bool,
    /// True if the string ends with `cvt`, and the next string or macro has the modifiers.
    pub continued: bool,
}

impl Literal {
    /// A string. `None` if it contains no conversion. `continued`: the next string begins with the modifiers of a
    /// conversion at the end of this one.
    pub fn new(joined: Joined, continued: bool) -> Option<Self> {
        let has_word = words(&joined.text).next().is_some();
        has_word.then_some(Literal { joined, document: false, continued })
    }

    /// The places of the string's conversions: those that it mentions, and those that an assembly with the next strings
    /// shows.
    pub fn conversions(&self, is_known: impl Fn(u32) -> bool) -> Vec<u32> {
        let text = &self.joined.text;
        let last = unfinished(text).filter(|_| self.continued);
        let mentioned: HashSet<usize> = mentions(text).chain(last).collect();
        let place = |at: usize| self.joined.locate(Span::new(at as u32, at as u32 + 1)).start;
        let all = words(text).map(|at| (at, place(at)));
        all.filter(|(at, place)| mentioned.contains(at) || is_known(*place)).map(|(_, place)| place).collect()
    }
}

/// A text in another language than the source around it.
pub(super) struct Embedded {
    pub joined: Joined,
    pub language: Language,
    /// True for a string, because the program may replace parts of it.
    pub template: bool,
    /// In a notebook: for each cell, the byte at which it begins, and its number.
    pub cells: Vec<(u32, usize)>,
}
