//! Functions that a C++ file declares with `[[noreturn]]`, `_Noreturn` or `__attribute__((noreturn))`, or with a macro that
//! stands for one of these.
//!
//! ISO C++, "Noreturn attribute".

use std::collections::HashSet;
use std::ops::Range;

use ptxcvt::floor_char_boundary;

use super::keywords::ATTRIBUTES;
use super::scan::Scanner;
use crate::identifier::{last_name, names};

/// A part of all spellings.
const MARK: &str = "oreturn";

/// The functions of a file that do not return.
#[derive(Clone, Debug, Default)]
pub(super) struct Endless {
    functions: HashSet<String>,
    /// The macros that stand for the attribute.
    attributes: Vec<String>,
}

impl Endless {
    /// No functions yet; the macros among the definitions `all` that stand for the attribute.
    pub fn new(all: &[(&str, &str)]) -> Self {
        let attributes = all.iter().filter(|(_, body)| body.contains(MARK));
        let attributes = attributes.map(|(name, _)| (*name).to_owned()).collect();
        Endless { functions: HashSet::new(), attributes }
    }

    /// Adds the functions of `text` from the offset `from` on.
    pub fn with(mut self, text: &str, from: usize) -> Self {
        let marks = [MARK].into_iter().chain(self.attributes.iter().map(|name| &name[..]));
        let places = marks.flat_map(|mark| text.match_indices(mark)).filter(|(at, _)| *at >= from);
        let found = places.filter(|(at, mark)| is_attribute(text, *at, mark));
        let declared = found.map(|(at, mark)| declared(text, from, at..at + mark.len()));
        let declared: Vec<&str> = declared.filter(|name| !name.is_empty()).collect();
        self.functions.extend(declared.into_iter().map(str::to_owned));
        self
    }

    /// True if a text has the attribute, or a macro for it.
    pub fn is_marked(&self, text: &str) -> bool {
        text.contains(MARK) || self.attributes.iter().any(|name| text.contains(&name[..]))
    }

    pub fn contains(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// True if a text names one of the functions.
    pub fn is_named(&self, text: &str) -> bool {
        !self.functions.is_empty() && names(text).any(|word| self.functions.contains(word))
    }
}

/// True if the attribute, or a macro for it, is at `at`, and neither in a comment nor in a directive.
fn is_attribute(text: &str, at: usize, mark: &str) -> bool {
    let around = [text[..at].bytes().next_back(), text[at + mark.len()..].bytes().next()];
    let is_whole = mark == MARK || !around.into_iter().flatten().any(Scanner::is_word);
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = text[line..at].trim_start();
    is_whole && !before.starts_with(['*', '#']) && !before.contains("//") && !before.contains("/*")
}

/// The function that has the attribute at `mark`, which may also follow the parameters. Empty if there is none.
fn declared(text: &str, from: usize, mark: Range<usize>) -> &str {
    /// Limit on the length of a declaration.
    const LONGEST: usize = 1_000;
    let mut scanner = Scanner { text, at: mark.end };
    let mut name = "";
    while !scanner.at_end() && scanner.at < mark.end + LONGEST {
        match scanner.peek() {
            b';' | b'{' | b'}' => break,
            b'(' if !name.is_empty() => return name,
            byte if Scanner::is_word(byte) => {
                let word = scanner.word();
                name = if ATTRIBUTES.contains(&word) || word.starts_with("__launch") { "" } else { word };
            }
            _ => scanner.step(),
        }
    }
    let before = &text[floor_char_boundary(text, mark.start.saturating_sub(LONGEST)).max(from)..mark.start];
    let start = before.rfind([';', '{', '}']).map_or(0, |end| end + 1);
    last_name(before[start..].split('(').next().unwrap_or_default().trim_end())
}
