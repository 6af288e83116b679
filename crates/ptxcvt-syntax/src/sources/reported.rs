//! The findings of a file, without duplicates. A string is in several assemblies if there are branches, and macros make
//! several statements at one place.

use std::collections::HashMap;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, sort_by_place};
use crate::source::Span;

/// The findings of a file.
#[derive(Default)]
pub(super) struct Reported {
    list: Vec<Diagnostic>,
    /// The findings by code and place.
    known: HashMap<(Code, Span), Vec<Known>>,
}

/// A finding of the list, and the statement that it is about, if any.
struct Known {
    at: usize,
    statement: Option<Box<str>>,
}

impl Reported {
    /// True if there is a finding with this code at this place.
    pub fn has(&self, code: Code, span: Span) -> bool {
        self.known.contains_key(&(code, span))
    }

    /// Adds a finding about a statement. It is a duplicate if another one has the same code and place, and the same
    /// statement or message: messages about one statement may name different targets. The more serious of two
    /// duplicates is kept.
    pub fn add(&mut self, diagnostic: Diagnostic, statement: Option<&str>) {
        let here = self.known.entry((diagnostic.code(), diagnostic.span())).or_default();
        let is_same = |known: &&Known| {
            let message = self.list[known.at].message();
            message == diagnostic.message() || statement.is_some() && known.statement.as_deref() == statement
        };
        match here.iter().find(is_same) {
            Some(known) => {
                let known = &mut self.list[known.at];
                if diagnostic.severity() < known.severity() {
                    *known = diagnostic;
                }
            }
            None => {
                here.push(Known { at: self.list.len(), statement: statement.map(Box::from) });
                self.list.push(diagnostic);
            }
        }
    }

    /// The findings, in the order of the text.
    pub fn sorted(self) -> Vec<Diagnostic> {
        let mut list = self.list;
        sort_by_place(&mut list);
        list
    }
}

/// The statement at a place of an assembly.
pub(super) fn statement(text: &str, at: usize) -> &str {
    let at = at.min(text.len());
    let ends = |byte: &u8| *byte == b';';
    let bytes = text.as_bytes();
    let start = bytes[..at].iter().rposition(ends).map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(ends).map_or(bytes.len(), |length| at + length);
    text[start..end].trim()
}
