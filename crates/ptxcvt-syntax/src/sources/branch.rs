//! Statements of C++ whose conditions depend on the target, `if (__CUDA_ARCH__ >= 890)` and `if constexpr`: the compiler
//! removes the statement that a target does not take, so they act as an `#if` around it.
//!
//! ISO C++, "Selection statements". Other conditions may differ from thread to thread, and restrict no target.

use super::control::Walker;
use super::scan::Scanner;

/// An open statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Where the statement ends.
    pub end: usize,
    /// Where the statement after its `else` ends, if there is one.
    pub alternative: Option<usize>,
    /// False if the end of the statement is not known. Then the rest of the block may be part of it or not.
    pub is_known: bool,
}

/// The longest condition that is read.
const LONGEST: usize = 1_000;

/// The condition after `if`, `while` or `switch`, as the preprocessor reads it.
pub(super) struct Condition<'s> {
    /// `None` if it is too long, or has directives.
    pub text: Option<String>,
    /// A constant expression, which has the same value for every thread.
    pub is_constant: bool,
    /// After the condition.
    after: Walker<'s>,
}

/// The condition after a keyword that ends at `at`.
pub(super) fn condition(text: &str, at: usize) -> Option<Condition<'_>> {
    // Text without an end is read once, not for every keyword.
    let end = boundary(text, at + LONGEST);
    let rest = &text[at..end];
    if !rest.contains(')') && !rest.contains("__CUDA_ARCH") {
        return None;
    }
    let mut near = Walker::new(&text[..end], at);
    let written = near.condition().filter(|written| !written.is_empty())?;
    let is_short = near.scanner.at < near.scanner.text.len() || near.scanner.text.len() == text.len();
    if !is_short && !written.contains("__CUDA_ARCH") {
        return None;
    }
    let mut after = Walker::new(text, at);
    let written = after.condition()?;
    let is_constant = text[at..].trim_start().starts_with("constexpr");
    let read = (is_short && after.is_whole()).then(|| without_comments(written));
    Some(Condition { text: read.flatten(), is_constant, after })
}

impl Condition<'_> {
    /// Where the condition ends.
    pub fn end(&self) -> usize {
        self.after.scanner.at
    }

    /// The statement after the condition.
    pub fn statement(&self) -> Branch {
        let known = || {
            let mut after = self.after.clone();
            after.statement(0)?;
            let end = after.is_whole().then_some(after.scanner.at)?;
            let has_alternative = after.alternative(0)?;
            after.is_whole().then(|| (end, has_alternative.then_some(after.scanner.at)))
        };
        match known() {
            Some((end, alternative)) => Branch { end, alternative, is_known: true },
            None => self.rest_of_block(),
        }
    }

    /// A statement that ends anywhere in the block.
    pub fn rest_of_block(&self) -> Branch {
        let mut rest = self.after.clone();
        let end = rest.rest_of_block().map_or(rest.scanner.text.len(), |()| rest.scanner.at);
        Branch { end, alternative: None, is_known: false }
    }
}

/// The name and the value of a constant whose definition goes on at `at`, after `const`: `bool NAME = …;`, `int NAME{…};`.
pub(super) fn constant(text: &str, at: usize) -> Option<(&str, &str)> {
    let near = &text[at..boundary(text, at + LONGEST)];
    let (definition, _) = near.split_once(';')?;
    let (before, value) = definition.split_at(definition.find(['=', '{', '('])?);
    let before = before.trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')? + 1;
    Some((before.get(start..)?, &value[1..])).filter(|(name, _)| !name.is_empty() && *name != "if")
}

/// The last boundary of characters up to a place.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// A condition in one line; `None` if a directive is in it.
fn without_comments(text: &str) -> Option<String> {
    let (mut scanner, mut left) = (Scanner::new(text), String::new());
    while !scanner.at_end() {
        let start = scanner.at;
        match scanner.peek() {
            b'#' => return None,
            b'\n' | b'\r' | b'\\' => {
                scanner.step();
                left.push(' ');
            }
            b'/' if scanner.c_comment() => left.push(' '),
            b'/' => left.push('/'),
            quote @ (b'"' | b'\'') => {
                scanner.skip_string(quote);
                left.push_str(&text[start..scanner.at]);
            }
            b'0'..=b'9' => {
                scanner.number();
                left.push_str(&text[start..scanner.at]);
            }
            _ => {
                scanner.step();
                left.push_str(&text[start..scanner.at]);
            }
        }
    }
    Some(left)
}
