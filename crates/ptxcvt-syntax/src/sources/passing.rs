//! Skips the uses of macros between C++ statements: what they may begin or leave.
//!
//! ISO C++, "Macro replacement" and "Statements".

use super::control::{MOST_MACROS, Walker};
use super::dispatch::Dispatch;
use super::hidden::Shape;
use super::inside::{exits_in, leaves, words};
use super::keywords::{CONTROLS, EXITS, names_condition};
use super::uses::is_asm;

impl Walker<'_> {
    /// Skips a macro of another file with arguments, after its name, if such a macro, a call or an assembly follows without
    /// a semicolon: `MY_CASE(1) MY_CASE(2) { … }`. False for other words.
    pub fn passes_first(&mut self, word: &str) -> bool {
        let Some((mut next, true)) = self.after_unknown(word) else { return false };
        if next.next_is_conditional() {
            return false;
        }
        next.blanks();
        let mut after = next.clone();
        let follows = after.scanner.word();
        let is_first = is_asm(follows) || matches!(after.after_unknown(follows), Some((_, true)));
        if is_first {
            *self = next;
        }
        is_first
    }

    /// True after the name of a macro of another file if a conditional of the preprocessor follows without a semicolon, in
    /// which a statement leaves the code: the macro may be the beginning of this statement.
    pub fn precedes_exit(&self, word: &str) -> bool {
        let Some((mut next, _)) = self.after_unknown(word) else { return false };
        for _ in 0..MOST_MACROS {
            next.blanks();
            let crosses = next.conditionals.len() > self.conditionals.len();
            let (start, mut after) = (next.scanner.at, next.clone());
            let follows = after.scanner.word();
            if EXITS.contains(&follows) {
                return crosses;
            }
            if CONTROLS.contains(&follows) || next.scanner.peek() == b'{' {
                let end = next.statement(0).map(|()| next.scanner.at);
                return crosses && end.is_none_or(|end| leaves(&next.scanner.text[start..end], follows));
            }
            let Some(found) = after.after_unknown(follows) else { return false };
            next = found.0;
        }
        false
    }

    /// True before the arguments of a macro if they have a statement which leaves the code around it, or a label:
    /// `CHECK(x, return)`.
    pub fn passes_exits(&self) -> bool {
        self.end_of_exits().is_some()
    }

    /// The end of such arguments after the name of a macro of another file: only some ways may lead to what follows.
    pub fn after_exits(&self, word: &str) -> Option<usize> {
        self.after_unknown(word).and_then(|_| self.end_of_exits())
    }

    fn end_of_exits(&self) -> Option<usize> {
        let mut next = self.clone();
        next.blanks();
        let open = next.scanner.at;
        next.arguments(true)?;
        let arguments = &next.scanner.text[open..next.scanner.at];
        let has =
            !exits_in(arguments).is_empty() || !words(arguments, |word| self.hidden.exits(word)).is_empty();
        has.then_some(next.scanner.at)
    }

    /// True after the name of a macro before a block that leaves the code around it, or whose `else` does:
    /// `FOR_EACH(i) { return; }`.
    pub fn passes_block(&self, word: &str) -> bool {
        if matches!(word, "else" | "catch" | "struct" | "class" | "union") {
            return false;
        }
        let mut next = self.clone();
        next.blanks();
        if next.scanner.peek() == b'(' {
            next.group();
            next.blanks();
        }
        let open = next.scanner.at;
        if next.scanner.peek() != b'{' {
            return false;
        }
        next.group();
        let _ = next.belongs(word, 0);
        let keyword = if names_condition(word) { "if" } else { "for" };
        leaves(&next.scanner.text[open..next.scanner.at], keyword)
    }

    /// Skips the use of a macro of the file, after its name, if a statement follows without a semicolon. False for other
    /// words.
    pub fn passes_whole(&mut self, word: &str) -> bool {
        if self.hidden.jumping().has_parameters(word) != Some(true)
            || !matches!(self.hidden.get(word), None | Some(Shape::Closed { .. }))
        {
            return false;
        }
        let mut after = self.clone();
        if after.arguments(true).is_none() {
            return false;
        }
        let mut next = after.scanner;
        next.c_blanks();
        let is_directive = next.hash() > 0 && next.begins_line();
        let follows = next.word();
        let begins = CONTROLS.contains(&follows)
            || EXITS.contains(&follows)
            || Dispatch::of(follows).is_some()
            || self.hidden.get(follows).is_some()
            || self.hidden.jumping().has_parameters(follows) == Some(true);
        // After a macro of which nothing is left, the statement is part of one with the macro.
        let is_whole = is_directive || (begins && self.hidden.vanishes(word).is_none());
        if is_whole {
            *self = after;
        }
        is_whole
    }
}
