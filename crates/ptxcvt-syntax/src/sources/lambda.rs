//! Code that C++ compiles only if something else uses it for a target: lambdas, and functions with a condition in their
//! heads.
//!
//! ISO C++, "Lambda expressions" and "Constraints". Who calls a lambda for which target is not followed. Where the
//! target may decide that, the code depends on an unknown flag.

use super::ahead::Ahead;
use super::branch::{self, Branch};
use super::control::Walker;
use super::guard::{Outcome, Reach};
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use crate::identifier::{last_name, names};

impl<'s> Reader<'s> {
    /// Enters the lambda that begins at this `[`, if the target may decide whether it is called.
    pub(super) fn lambda(&mut self) {
        let at = self.scanner.at;
        if self.is_lost() || !self.is_compiled() {
            return;
        }
        let code = self.code(at);
        let Some((body, end)) = lambda(code, at, Walker::new(code, at, self.hidden)) else { return };
        let head = self.without_conditions(code, at);
        let mut after = Walker::new(code, end, self.hidden);
        after.blanks();
        // It is called here.
        if after.scanner.peek() == b'(' {
            return;
        }
        let mut rest = Walker::new(code, end, self.hidden);
        rest.rest_of_expression();
        let before = branch::without_comments(head).unwrap_or_default();
        let written = branch::without_comments(&code[end..rest.scanner.at]).unwrap_or_default();
        let name = before.trim_end().strip_suffix('=').map(str::trim_end).map_or("", last_name);
        // What the lambda itself contains does not restrict it.
        let assigned = before.trim_end().trim_end_matches('=').trim_end();
        let others = assigned.strip_suffix(name).filter(|_| !name.is_empty()).unwrap_or(&before);
        let by_target = self.preprocessor.depends_on_target(others)
            || self.preprocessor.depends_on_target(&written)
            || (!name.is_empty() && self.is_used_by_target(code, rest.scanner.at, name));
        if by_target {
            self.enter(Outcome::unknown_if(true), Branch::until(end));
            self.scanner.at = body;
        }
    }

    /// The statement up to `end`, without the conditions of the statements that contain it.
    fn without_conditions(&self, code: &'s str, end: usize) -> &'s str {
        let mut walker = Walker::new(code, self.statement.min(end), self.hidden);
        loop {
            walker.blanks();
            let start = walker.scanner.at;
            let is_passed = match walker.scanner.word() {
                "if" | "for" | "while" | "switch" => walker.condition().is_some(),
                "else" | "do" => true,
                _ => false,
            };
            if walker.scanner.at > end {
                return "";
            }
            if !is_passed {
                return code.get(start..end).unwrap_or_default();
            }
        }
    }

    /// True if something that depends on the target comes before the first use of a name in the rest of the block.
    fn is_used_by_target(&mut self, code: &'s str, from: usize, name: &str) -> bool {
        /// A use that is near is found by reading up to it. This takes less time than to look up all words of a text.
        const NEAR: usize = 2_000;
        let known = self.ahead.take().filter(|ahead| ahead.has(code, from));
        let mut ahead = known.unwrap_or_else(|| Box::new(Ahead::new(code, from, self.hidden)));
        let depends = match ahead.first_use(name, from) {
            None => false,
            Some(used) if used - from < NEAR => self.depends_between(code, from, used),
            Some(used) => ahead.depends(from, used, &mut self.preprocessor),
        };
        self.ahead = Some(ahead);
        depends
    }

    /// True if the code between two places depends on the target.
    fn depends_between(&mut self, code: &'s str, from: usize, to: usize) -> bool {
        let mut walker = Walker::new(code, from, self.hidden);
        while walker.scanner.at < to {
            let byte = walker.scanner.peek();
            let depends = match byte {
                _ if walker.scanner.hash() > 0 && walker.scanner.begins_line() => {
                    walker.next_is_conditional()
                }
                _ if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                    self.preprocessor.depends_on_target(Scanner { ..walker.scanner }.word())
                }
                _ => false,
            };
            if depends {
                return true;
            }
            walker.token();
        }
        false
    }

    /// Enters the block that begins here, if its head has a condition on the target: `requires`, a concept, or
    /// `std::enable_if`.
    pub(super) fn enter_constrained(&mut self) {
        let at = self.scanner.at;
        let code = self.code(at);
        let Some(head) = code.get(self.head..at).map(after_directives) else { return };
        let constraints = &self.preprocessor.names().constraints;
        let has_condition = head.contains("requires") || head.contains("enable_if");
        let mut words = names(head);
        if self.is_lost() || !(has_condition || words.any(|word| constraints.contains(word))) {
            return;
        }
        let head = without_bounds(head);
        if branch::without_comments(&head).is_some_and(|head| !self.preprocessor.depends_on_target(&head)) {
            return;
        }
        let mut walker = Walker::new(code, at, self.hidden);
        walker.group();
        let outcome = Outcome { yes: Reach::unknown_by_target(), no: Reach::none() };
        self.enter(outcome, Branch::until(walker.scanner.at));
    }
}

/// The body of the lambda at a `[`: where it begins and ends. `None` for a subscript, an attribute or a declaration.
fn lambda<'s>(code: &'s str, at: usize, mut walker: Walker<'s>) -> Option<(usize, usize)> {
    let before = code[..at].trim_end();
    let word = last_name(before);
    let is_word = !word.is_empty() && before.ends_with(word);
    let is_operand = (is_word && !matches!(word, "return" | "co_return" | "co_yield" | "throw"))
        || before.ends_with([')', ']'])
        || before.ends_with('[');
    if is_operand || code[at..].starts_with("[[") {
        return None;
    }
    walker.group();
    loop {
        walker.blanks();
        match walker.scanner.peek() {
            b'{' => break,
            b'(' | b'[' => walker.group(),
            b'<' | b'>' | b'-' | b':' | b'*' | b'&' | b',' | b'=' | b'.' => walker.scanner.step(),
            byte if Scanner::is_word(byte) => walker.token(),
            _ => return None,
        }
    }
    let body = walker.scanner.at;
    walker.group();
    walker.is_whole().then_some((body, walker.scanner.at))
}

/// The text after the last directive of a text.
fn after_directives(text: &str) -> &str {
    let (mut scanner, mut start) = (Scanner::new(text), 0);
    while text[start..].contains('#') && !scanner.at_end() {
        if scanner.hash() > 0 && scanner.begins_line() {
            scanner.at = scanner.directive().end;
            start = scanner.at;
        } else {
            literal::skip(&mut scanner);
        }
    }
    &text[start..]
}

/// The head of a function without `__launch_bounds__(…)` and the like, which do not decide whether it is compiled.
fn without_bounds(head: &str) -> String {
    let (mut scanner, mut left) = (Scanner::new(head), String::new());
    while !scanner.at_end() {
        let start = scanner.at;
        if Scanner::is_word(scanner.peek()) {
            let word = scanner.word();
            let end = scanner.at;
            scanner.c_blanks();
            if word.starts_with("__") && scanner.peek() == b'(' {
                scanner.skip_group();
                continue;
            }
            scanner.at = end;
        } else {
            scanner.step();
        }
        left.push_str(&head[start..scanner.at]);
    }
    left
}
