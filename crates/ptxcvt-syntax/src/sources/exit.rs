//! Statements that leave the code around them for some configurations: `if (__CUDA_ARCH__ < 890) return;`. The rest of
//! the block is compiled only for the other configurations.
//!
//! ISO C++, "Jump statements". The compiler removes unreachable code, as it does after a constant condition.

use std::ops::Range;

use super::branch::Branch;
use super::control::Walker;
use super::dispatch::Dispatch;
use super::guard::{Outcome, Reach};
use super::hidden::Shape;
use super::inside::{has_inner_exit, is_endless, parts};
use super::keywords::{CONTROLS, EXITS, names_check};
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Follows a statement of a block: configurations that leave it do not reach the rest of the block.
    pub(super) fn leave(&mut self) {
        let start = self.scanner.at;
        let code = self.code(start);
        let mut first = Walker::new(code, start, self.hidden);
        first.attributes();
        let word = first.scanner.word();
        let (named, asserts) = (first.clone(), self.asserts(word, &first));
        let is_control = match word {
            // After an initialiser, a `{` begins a function, unless the place is already inside a function.
            "" if first.scanner.peek() == b'{' => {
                self.is_in_body() || self.blocks.has_statements().unwrap_or(!self.after_block)
            }
            "" => self.may_end(code, start),
            _ => {
                let mut scope = first.scanner;
                let ends = match word {
                    "std" | "cuda" if scope.starts_with("::") => {
                        scope.at += 2;
                        self.hidden.ends(scope.word())
                    }
                    _ => self.hidden.ends(word),
                };
                ends || CONTROLS.contains(&word)
                    || EXITS.contains(&word)
                    || asserts
                    || Dispatch::of(word).is_some()
                    || first.passes_nothing(word)
                    || first.precedes_exit(word)
                    || first.passes_prefix(word)
                    || first.passes_exits()
                    || (self.blocks.has_statements() == Some(true) && first.passes_block(word))
                    || matches!(
                        self.hidden.get(word),
                        Some(Shape::Head { .. } | Shape::Keyword(_) | Shape::Closed { exits: true })
                    )
                    || (names_check(word) && self.checks(&code[start..]))
                    || self.may_end(code, start)
            }
        };
        if !is_control
            || start < self.plain_until
            || self.is_lost()
            || self.do_ends.contains(&start)
            || self.followed.contains(&start)
        {
            return;
        }
        let mut walker = Walker::new(code, start, self.hidden);
        let jumps = self.jumps;
        let falls = self.falls(&mut walker);
        let end = walker.scanner.at;
        let here = self.preprocessor.read();
        match falls {
            Some(falls) => {
                if self.jumps == jumps {
                    self.plain_until = end;
                }
                let mut reach = falls.or(&here.not());
                if self.hidden.labels().are_hidden(start) {
                    reach = reach.or(&self.unknown);
                }
                if asserts && self.holds(&reach, start..end) {
                    return;
                }
                if !reach.is_all() {
                    let (rest, reach) = match self.rest_of_block(code, end) {
                        Some(rest) => (self.leaving.last().map_or(rest, |next| rest.min(next.0)), reach),
                        None => (self.end_of_function(code, end), Reach::unknown_by_target()),
                    };
                    self.restricted.push((start, rest));
                    let from = named.after_exits(word).map_or(end, |after| after.min(end));
                    let comma = self.end_of_argument(code, end..rest);
                    // What another macro does with its next argument is not known.
                    if comma < rest && self.dispatches.is_empty() {
                        self.leaving.push((comma, rest, reach.or(&Reach::unknown_by_target())));
                    }
                    if from < comma {
                        self.leaving.push((from, comma, reach));
                    }
                }
            }
            // The end of the statement is unknown: it may or may not leave the block.
            None => {
                let end =
                    self.rest_of_block(code, start).unwrap_or_else(|| self.end_of_function(code, start));
                let begins = Walker::new(code, start, self.hidden);
                if has_inner_exit(&code[start..end], false)
                    || exits_directly(begins)
                    || named.precedes_exit(word)
                    || named.passes_exits()
                    || self.may_be_endless(&code[start..end])
                {
                    // A statement that ends behind the conditional of the preprocessor that it began in has a part that
                    // other configurations have, too.
                    let mut whole = Walker::new(code, start, self.hidden);
                    let crosses = whole.statement(0).is_none() || !whole.is_whole();
                    let others = if crosses { Reach::none() } else { here.not() };
                    let reach = Reach::unknown_by_target().or(&others);
                    self.enter_rest(reach, end);
                }
            }
        }
    }

    /// True if an expression has statements, as of a lambda, that may not come to their end.
    pub(super) fn may_stay(&mut self, text: &str) -> bool {
        text.contains('{') && (names(text).any(|word| self.hidden.ends(word)) || self.may_be_endless(text))
    }

    /// True if a text has a loop that no variable ends.
    fn may_be_endless(&mut self, text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        while !scanner.at_end() {
            if !Scanner::is_word(scanner.peek()) || scanner.peek().is_ascii_digit() {
                literal::skip(&mut scanner);
                continue;
            }
            let word = scanner.word();
            if !matches!(word, "for" | "while") {
                continue;
            }
            scanner.c_blanks();
            let open = scanner.at;
            if scanner.peek() != b'(' {
                continue;
            }
            let mut group = scanner;
            group.skip_group();
            let written = group.content(open);
            let condition = match word {
                "for" if is_endless(written) => return true,
                "for" => parts(written).nth(1),
                _ => Some(written),
            };
            // A loop over a range has no condition.
            let Some(condition) = condition else { continue };
            if !self.preprocessor.has_variable(condition) || self.preprocessor.depends_on_target(condition) {
                return true;
            }
        }
        false
    }

    /// Enters the code after statements that end here and that some configurations leave.
    pub(super) fn end_leaving(&mut self) {
        while self.leaving.last().is_some_and(|(end, ..)| *end <= self.scanner.at) {
            if let Some((_, rest, reach)) = self.leaving.pop() {
                self.enter_rest(reach, rest);
            }
        }
    }

    /// Enters the code up to `end`, which the configurations `reach` reach.
    fn enter_rest(&mut self, reach: Reach, end: usize) {
        let outcome = Outcome { no: reach.not(), yes: reach };
        self.enter(outcome, Branch { is_rest: true, ..Branch::until(end) });
    }

    /// The first comma between arguments in this part of a block, which may be an argument. Its end if there is none.
    fn end_of_argument(&self, code: &str, part: Range<usize>) -> usize {
        let is_block = self.dispatches.last().is_some_and(|dispatch| dispatch.depth > 0);
        if is_block || !code[part.end..].starts_with(')') {
            return part.end;
        }
        let mut scanner = Scanner { text: &code[..part.end], at: part.start };
        while !scanner.at_end() && scanner.peek() != b',' {
            scanner.pass();
        }
        scanner.at.min(part.end)
    }

    /// The end of the function around a place, or that of the code if it is unknown.
    fn end_of_function(&self, code: &str, at: usize) -> usize {
        self.hidden.labels().end_of_function(at).map_or(code.len(), |end| end.min(code.len()))
    }

    /// The end of the block around a place, or the beginning of a label to which other code may jump. `None` if the end
    /// is unknown.
    fn rest_of_block(&self, code: &'s str, at: usize) -> Option<usize> {
        let mut walker = Walker::new(code, at, self.hidden);
        if !self.hidden.labels().is_empty() {
            // If only the rest of the block jumps to a label, the configurations that reach the rest reach the label.
            let mut whole = Walker::new(code, at, self.hidden);
            whole.rest_of_block(false)?;
            walker.part = at..whole.scanner.at;
        }
        walker.rest_of_block(true)?;
        Some(walker.scanner.at)
    }
}

/// True if a statement without brackets leaves the code around this selection or loop: `if (x) return; else …`.
fn exits_directly(mut walker: Walker<'_>) -> bool {
    loop {
        walker.blanks();
        if walker.scanner.peek() == b'{' {
            walker.group();
        } else {
            match walker.scanner.word() {
                word if EXITS.contains(&word) => return true,
                "else" => continue,
                "if" | "for" | "while" if walker.condition().is_some() => continue,
                _ => {}
            }
            while !walker.scanner.at_end() && !walker.closes() && !walker.scanner.take(b';') {
                if matches!(walker.scanner.peek(), b'(' | b'[' | b'{') {
                    walker.group()
                } else {
                    walker.token()
                }
            }
        }
        let mut next = walker.clone();
        if !next.next_is("else") {
            return false;
        }
        walker = next;
    }
}

/// The operand before an operator at `at`, in the statement that begins at `from`.
pub(super) fn operand(text: &str, from: usize, at: usize) -> &str {
    let (bytes, mut depth, mut start) = (text.as_bytes(), 0, at);
    while start > from {
        let byte = bytes[start - 1];
        let before = bytes.get(start.wrapping_sub(2)).copied().unwrap_or(b' ');
        match byte {
            b')' | b']' => depth += 1,
            b'(' | b'[' if depth == 0 => break,
            b'(' | b'[' => depth -= 1,
            b',' | b';' | b'{' | b'}' | b'?' if depth == 0 => break,
            b'=' if depth == 0 && bytes.get(start) != Some(&b'=') && !b"=<>!".contains(&before) => break,
            _ => {}
        }
        start -= 1;
    }
    let text = text.get(start..at).unwrap_or_default().trim_start();
    text.strip_prefix("return")
        .filter(|rest| !rest.bytes().next().is_some_and(Scanner::is_word))
        .unwrap_or(text)
}
