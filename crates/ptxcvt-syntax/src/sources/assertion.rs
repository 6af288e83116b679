//! `static_assert`: configurations that fail it do not compile the code around it.
//!
//! ISO C++, "Static assertion declarations". Only conditions that depend on the target count; a correct program fulfils
//! the others.

use std::ops::Range;

use super::branch::without_comments;
use super::control::Walker;
use super::guard::{Reach, Test};
use super::inside::words;
use super::keywords::ASSERTIONS;
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use super::steps::Kind;
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Reads an assertion, after its keyword.
    pub(super) fn assertion(&mut self, walker: &mut Walker<'s>) -> Option<Kind> {
        walker.blanks();
        let open = walker.scanner.at;
        walker.arguments(true)?;
        let condition = without_message(walker.scanner.content(open));
        walker.end()?;
        let falls = self.fulfilled(condition);
        self.jumps += usize::from(!falls.is_all());
        Some(Kind::Plain(falls))
    }

    /// True after `static_assert`, or after the name of a macro of the file with one that may depend on the target.
    pub(super) fn asserts(&mut self, word: &str, walker: &Walker<'_>) -> bool {
        if ASSERTIONS.contains(&word) {
            return true;
        }
        if !self.hidden.jumping().asserts(word) {
            return false;
        }
        let mut after = walker.clone();
        after.blanks();
        let arguments = match after.scanner.peek() {
            b'(' => {
                after.group();
                &walker.scanner.text[walker.scanner.at..after.scanner.at]
            }
            _ => "",
        };
        let is_false = |name: &str| name == "0" || name.to_ascii_lowercase().contains("false");
        names(arguments).any(is_false) || self.preprocessor.depends_on_target(&format!("{word}{arguments}"))
    }

    /// The configurations that fulfil a condition.
    fn fulfilled(&mut self, condition: &str) -> Reach {
        let Some(condition) = without_comments(condition) else { return Reach::unknown_by_target() };
        // `false`, or `always_false<T>` of a template: no configuration may compile this.
        let word = names(condition.trim()).next().unwrap_or_default();
        let has_operator =
            ["==", "!=", "<=", ">=", "&&", "||", "?"].iter().any(|sign| condition.contains(sign));
        let is_false = word.to_ascii_lowercase().contains("false") && !has_operator;
        if is_false || condition.trim() == "0" {
            return Reach::none();
        }
        let is_argument = |word: &str| {
            self.body.as_ref().is_some_and(|body| body.parameters.iter().any(|name| name == word))
        };
        let is_unknown = names(&condition).any(is_argument);
        if is_unknown || !self.preprocessor.depends_on_target(&condition) {
            return Reach::all();
        }
        self.preprocessor.keeps(&condition, Test::Constant).map_or_else(Reach::all, |outcome| outcome.yes)
    }

    /// True among the arguments of a macro or a call, which may leave them out.
    fn is_argument(&self, at: usize) -> bool {
        let from = self.blocks.first().unwrap_or(self.head).min(at);
        let (mut scanner, mut open) = (Scanner { text: &self.walked[..at], at: from }, 0_u32);
        while !scanner.at_end() {
            match scanner.peek() {
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
            literal::skip(&mut scanner);
        }
        open > 0
    }

    /// Records that an assertion restricts the code around it to `reach`. True if that code is the whole file. An
    /// assertion in the definition of a macro, before `end`, restricts the rest of the definition.
    pub(super) fn holds(&mut self, reach: &Reach, place: Range<usize>) -> bool {
        if self.body.as_ref().is_some_and(|body| place.end <= body.end) {
            return false;
        }
        // The compiler refuses the whole file, even if nothing reaches the assertion. The other names of a condition may
        // mean something else elsewhere.
        let is_argument = self.is_argument(place.start);
        let is_everywhere = !self.blocks.is_generic() && !is_argument && {
            let (preprocessor, jumping) = (&self.preprocessor, self.hidden.jumping());
            let is_known = |word: &str| {
                ASSERTIONS.contains(&word) || jumping.asserts(word) || preprocessor.names_configuration(word)
            };
            words(&self.walked[place], |word| !is_known(word)).is_empty()
        };
        let from = match self.blocks.start() {
            Some(from) if !is_everywhere => from,
            None if is_argument => return true,
            _ => {
                self.preprocessor.refuse(&reach.not());
                return true;
            }
        };
        // The code after it is restricted when it is read.
        if !reach.is_all() {
            let in_bodies: Vec<usize> = self.in_bodies.iter().map(|(number, _)| *number).collect();
            for (number, assembly) in self.found.iter_mut().enumerate() {
                if assembly.span().start as usize >= from && !in_bodies.contains(&number) {
                    assembly.guards = assembly.guards.restricted(reach);
                }
            }
        }
        false
    }
}

/// The condition of an assertion, without its message.
fn without_message(text: &str) -> &str {
    let (mut scanner, mut end) = (Scanner::new(text), text.len());
    while !scanner.at_end() {
        let at = scanner.at;
        scanner.pass();
        if text.as_bytes()[at] == b',' {
            scanner.c_blanks();
            if scanner.peek() == b'"' {
                end = at;
            }
        }
    }
    &text[..end]
}
