//! Statements that leave the code around them for some configurations: `if (__CUDA_ARCH__ < 890) return;`. What follows in the block
//! is compiled for the others alone.
//!
//! ISO C++, "Jump statements". The compiler removes code that nothing reaches, as it does after a constant condition.

use super::branch::{self, Branch};
use super::control::Walker;
use super::guard::{Outcome, Reach};
use super::hidden::{ENDS, EXITS, Shape};
use super::reader::Reader;
use super::scan::Scanner;

/// The deepest nesting that is followed.
const DEEPEST: u32 = 50;

impl<'s> Reader<'s> {
    /// The configurations in which a statement always leaves the block around it; the walker goes to after the statement. `None` if
    /// its end is not known.
    fn leaves(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Reach> {
        if depth > DEEPEST {
            return None;
        }
        walker.blanks();
        let (start, text) = (walker.scanner.at, walker.scanner.text);
        let reach = match walker.scanner.peek() {
            b'{' => {
                let mut inner = Walker::new(text, start + 1, self.hidden);
                walker.group();
                let mut all = Reach::none();
                loop {
                    inner.blanks();
                    let at = inner.scanner.at;
                    if at + 1 >= walker.scanner.at {
                        break all;
                    }
                    if inner.is_label(true) {
                        all = Reach::none();
                    }
                    all = all.or(&self.leaves(&mut inner, depth + 1)?);
                    if inner.scanner.at <= at {
                        return None;
                    }
                }
            }
            _ => {
                let mut after = walker.scanner;
                let word = after.word();
                let chosen = match self.hidden.get(word) {
                    Some(Shape::Head { arguments, is_if: true }) => {
                        walker.scanner = after;
                        walker.arguments(arguments)?;
                        let call = branch::without_comments(&text[start..walker.scanner.at]);
                        Some(
                            self.preprocessor
                                .head(&call.unwrap_or_default())
                                .unwrap_or(Some(Outcome::unknown())),
                        )
                    }
                    shape @ (Some(Shape::Keyword("if" | "if constexpr")) | None)
                        if shape.is_some() || word == "if" =>
                    {
                        let keyword = if let Some(Shape::Keyword(keyword)) = shape { keyword } else { word };
                        let condition = branch::condition(text, after.at, keyword, self.hidden)?;
                        let outcome = self.outcome(&condition);
                        *walker = condition.after;
                        Some(outcome)
                    }
                    _ => None,
                };
                if let Some(outcome) = chosen {
                    let yes = self.leaves(walker, depth + 1)?;
                    let no =
                        if walker.takes_else()? { self.leaves(walker, depth + 1)? } else { Reach::none() };
                    match outcome {
                        Some(outcome) => yes.and(&outcome.yes).or(&no.and(&outcome.no)),
                        None => yes.and(&no),
                    }
                } else {
                    walker.statement(0)?;
                    self.leaves_unread(word, &text[start..walker.scanner.at])
                }
            }
        };
        let has_directive = text[start..walker.scanner.at].contains(['#', '%']);
        Some(if has_directive && !reach.is_none() { reach.and(&Reach::unknown()) } else { reach })
    }

    /// The configurations in which a statement that begins with a word and is no `if` always leaves the block around it; unknown if a
    /// macro may hide that.
    fn leaves_unread(&self, word: &str, text: &str) -> Reach {
        if EXITS.contains(&word) {
            return Reach::all();
        }
        // A loop, `switch` or `try` that has a `return` leaves the block only sometimes, and in every configuration. One without an
        // end leaves it in no other way.
        let is_control = matches!(word, "for" | "while" | "do" | "switch" | "try");
        let head: String = text.chars().filter(|c| !c.is_whitespace()).take(11).collect();
        let is_endless =
            ["for(;;)", "while(1)", "while(true)"].iter().any(|endless| head.starts_with(endless));
        let may_leave = |word: &str| match self.hidden.get(word) {
            Some(Shape::Closed { exits }) => exits,
            Some(Shape::Open) => true,
            Some(Shape::Head { .. } | Shape::Keyword(_)) => false,
            None if is_control => is_endless && matches!(word, "return" | "throw" | "goto" | "co_return"),
            None => ENDS.contains(&word),
        };
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if words.any(may_leave) { Reach::unknown() } else { Reach::none() }
    }

    /// Where the code ends that follows a statement in its block, and what reaches it, if some configurations leave the block in the
    /// statement with this condition.
    pub(super) fn after_exit(
        &mut self,
        condition: &branch::Condition<'s>,
        outcome: &Outcome,
    ) -> Option<(usize, Reach)> {
        let mut walker = condition.after.clone();
        let mut read = || {
            let yes = self.leaves(&mut walker, 0)?;
            let no = if walker.takes_else()? { self.leaves(&mut walker, 0)? } else { Reach::none() };
            Some(yes.and(&outcome.yes).or(&no.and(&outcome.no)))
        };
        let leaves = read()?.and(&self.preprocessor.read());
        if leaves.is_none() {
            return None;
        }
        let end = self.rest_of_blocks(walker.scanner.text, walker.scanner.at);
        Some((
            end.unwrap_or(walker.scanner.text.len()),
            if end.is_some() { leaves.not() } else { Reach::unknown() },
        ))
    }

    /// Where the block around a place ends, or a label that other code may jump to begins. A block that is a statement of another one
    /// ends where that does. `None` if the end is not known.
    fn rest_of_blocks(&self, text: &'s str, at: usize) -> Option<usize> {
        let mut walker = Walker::new(text, at, self.hidden);
        // Blocks in the definition of a macro are not followed.
        let mut plain = if text.len() < self.walked.len() { 0 } else { self.blocks.plain() };
        loop {
            walker.rest_of_block(true)?;
            let at = walker.scanner.at;
            if plain == 0 || walker.scanner.peek() != b'}' {
                return Some(at);
            }
            plain -= 1;
            walker = Walker::new(walker.scanner.text, at + 1, self.hidden);
        }
    }

    /// Follows a statement that leaves its block in a branch of the preprocessor which begins in the block.
    pub(super) fn exit(&mut self, begins_statement: bool) {
        let is_macro = self.body.as_ref().is_some_and(|body| self.scanner.at <= body.end);
        if !begins_statement || is_macro || !self.blocks.has_conditional() || self.is_lost() {
            return;
        }
        let here = self.preprocessor.here();
        let end = self.rest_of_blocks(self.walked, self.scanner.at);
        let reach = if end.is_some() { here.not() } else { Reach::unknown() };
        let end = end.unwrap_or(self.scanner.text.len());
        self.enter(Outcome { yes: reach, no: Reach::none() }, Branch::until(end));
    }
}

/// Where an operand before an operator begins, in the statement that begins at `from`.
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
        .filter(|rest| !rest.starts_with(|c| Scanner::is_word(c as u8)))
        .unwrap_or(text)
}
