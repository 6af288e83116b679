//! What the reader of a language returns.

use super::assembly::{Assembly, Kind};
use super::constraint::Operands;
use super::guard::Guards;
use super::language::Language;
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
    /// Every string that mentions a conversion.
    pub strings: Vec<Literal>,
    /// Texts in other languages.
    pub embedded: Vec<Embedded>,
    /// Texts in languages that are not read.
    pub unread: Vec<Joined>,
    /// Findings about the file itself.
    pub found: Vec<Diagnostic>,
}

impl Reading {
    /// A text that may be PTX as a whole.
    pub fn written(text: &str) -> Self {
        let mut joined = Joined::default();
        joined.push(text, 0);
        let operands = Operands { unknown: true, ..Operands::default() };
        let span = Span::new(0, text.len() as u32);
        let assembly = Assembly::new(joined.clone(), operands, Guards::none(), span, true);
        let assemblies = vec![assembly.of_kind(Kind::Written)];
        let mentions = joined.mentions().next().is_some();
        let strings = mentions.then_some(Literal { joined, document: false }).into_iter().collect();
        Reading { assemblies, strings, ..Reading::default() }
    }
}

/// A string that mentions a conversion.
pub(super) struct Literal {
    pub joined: Joined,
    /// True if it documents the program around it.
    pub document: bool,
}

/// A text in another language than the source around it.
pub(super) struct Embedded {
    pub joined: Joined,
    pub language: Language,
    /// It is a string, whose parts the program may replace.
    pub template: bool,
    /// In a notebook: for each cell, the byte at which it begins, and its number.
    pub cells: Vec<(u32, usize)>,
}
