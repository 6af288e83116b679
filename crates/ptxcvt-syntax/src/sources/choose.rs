//! Follows the macros of `<nv/target>` in a C++ file. Each block is read like code inside an `#if`.

use std::ops::Range;

use super::control::Walker;
use super::dispatch::{Dispatch, condition};
use super::guard::Outcome;
use super::reader::Reader;
use super::scan::Scanner;
use super::steps::{Arm, Kind, Step};

impl<'s> Reader<'s> {
    /// Reads the first condition of a macro that chooses by target.
    pub(super) fn dispatch(&mut self, dispatch: Dispatch) {
        if !self.opens() {
            return;
        }
        if let Some(text) = self.condition() {
            self.preprocessor.directive(&format!("if {text}"));
            self.dispatches.push(dispatch);
        }
    }

    /// The condition before the next comma, in the form of a preprocessor condition. `None` if there is no condition.
    pub(super) fn condition(&mut self) -> Option<String> {
        let rest = &self.scanner.text[self.scanner.at..];
        let end = rest.find([',', '(', ')', ';']).filter(|end| rest[*end..].starts_with(','))?;
        self.scanner.at += end + 1;
        Some(condition(&rest[..end].replace('\n', " ")))
    }

    /// Follows a parenthesis or a comma among the arguments of a macro that chooses by target. True if a statement
    /// begins after it.
    pub(super) fn in_dispatch(&mut self, byte: u8) -> bool {
        let Some(dispatch) = self.dispatches.last_mut() else { return false };
        match (byte, dispatch.depth) {
            (b'(', depth) => {
                dispatch.depth += 1;
                return depth == 0;
            }
            (b')', 0) => {
                self.dispatches.pop();
                self.preprocessor.directive("endif");
                return true;
            }
            (b')', _) => dispatch.depth -= 1,
            (_, 0) if dispatch.alternates => {
                if let Some(text) = self.condition() {
                    self.preprocessor.directive(&format!("elif {text}"));
                }
            }
            (_, 0) => self.preprocessor.directive("else"),
            _ => {}
        }
        false
    }

    /// Reads a use of a macro that chooses by target, after its name. Its blocks are followed as those of an `if`.
    pub(super) fn dispatched(
        &mut self,
        walker: &mut Walker<'s>,
        dispatch: Dispatch,
        depth: u32,
    ) -> Option<Kind> {
        walker.blanks();
        let text = walker.scanner.text;
        let open = walker.scanner.at;
        if walker.scanner.peek() != b'(' {
            return None;
        }
        walker.group();
        let mut parts = arguments(text, open + 1..walker.scanner.at.checked_sub(1)?);
        let mut next = walker.scanner;
        next.c_blanks();
        if next.take(b';') {
            walker.scanner = next;
        }
        // Commas in the last block do not separate.
        if let (false, Some(rest)) = (dispatch.alternates, parts.last().map(|last| last.end)) {
            parts.truncate(3);
            parts.last_mut().into_iter().for_each(|last| last.end = rest);
        }
        let last = if dispatch.alternates || parts.len() < 3 { None } else { parts.pop() };
        let mut arms = Vec::new();
        for pair in parts.chunks(2) {
            let [test, block] = pair else { return None };
            let outcome = self.by_target(&condition(&text[test.clone()].replace('\n', " ")));
            let body = self.within(&outcome.yes, |this| this.block_of(text, block.clone(), depth))?;
            arms.push(Arm { test: None, outcome, body });
        }
        let last = match last {
            Some(block) => Some(Box::new(self.block_of(text, block, depth)?)),
            None => None,
        };
        Some(Kind::If(arms, last))
    }

    /// The configurations in which a condition of the preprocessor holds, and the others.
    fn by_target(&mut self, condition: &str) -> Outcome {
        self.preprocessor.directive(&format!("if {condition}"));
        let yes = self.preprocessor.read();
        self.preprocessor.directive("else");
        let no = self.preprocessor.read();
        self.preprocessor.directive("endif");
        Outcome { yes, no }
    }

    /// The statements of a block, with or without parentheses.
    fn block_of(&mut self, text: &'s str, block: Range<usize>, depth: u32) -> Option<Step> {
        let mut scanner = Scanner { text: &text[..block.end], at: block.start };
        scanner.c_blanks();
        let (start, mut group) = (scanner.at, scanner);
        group.skip_group();
        let end = group.at;
        group.c_blanks();
        let inner = match scanner.peek() {
            b'(' if group.at_end() => start + 1..end.checked_sub(1)?,
            _ => block,
        };
        let here = self.preprocessor.read();
        let mut walker = Walker::new(&text[..inner.end], inner.start, self.hidden);
        let steps = self.steps(&mut walker, depth + 1)?;
        Some(Step { at: None, here, kind: Kind::Block(steps) })
    }
}

/// The arguments in a part of the text, which commas outside of brackets separate.
fn arguments(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut scanner = Scanner { text: &text[..part.end], at: part.start };
    let (mut found, mut start) = (Vec::new(), part.start);
    while !scanner.at_end() {
        if scanner.peek() == b',' {
            found.push(start..scanner.at);
            start = scanner.at + 1;
        }
        scanner.pass();
    }
    found.push(start..part.end);
    found
}
