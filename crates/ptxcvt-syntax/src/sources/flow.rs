//! Follows C++ statements that the compiler removes for some targets, and the macros and operators that select them.

use std::ops::Range;

use super::blocks::Block;
use super::branch::{self, Branch, Condition};
use super::control::Walker;
use super::definitions::{begins_number, definitions, enumerators};
use super::exit;
use super::functions::{is_around, is_generic, outer};
use super::guard::{Outcome, Reach, Test, split};
use super::hidden::Shape;
use super::keywords::{CONTROLS, EXITS, names_label};
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use crate::identifier::names;

/// Limit on the nesting of statements for some targets; deeper ones are unknown.
const MAX_BRANCHES: usize = 16;

impl<'s> Reader<'s> {
    /// True after the `:` of a label that begins a statement of a block.
    pub(super) fn ends_label(&self) -> bool {
        let (text, at) = (self.scanner.text, self.scanner.at);
        let is_colon = |at: usize| text.as_bytes().get(at) == Some(&b':');
        let mut label = Scanner { text: text.get(..at - 1).unwrap_or_default(), at: self.statement };
        let word = label.word();
        label.c_blanks();
        let is_label = matches!(word, "case" | "default") || (!word.is_empty() && label.at_end());
        is_label && !is_colon(at) && !is_colon(at.wrapping_sub(2))
    }

    /// Leaves the definition of a macro that ends here.
    pub(super) fn end_body(&mut self) {
        let outside = self
            .body
            .as_mut()
            .filter(|body| body.end <= self.scanner.at)
            .and_then(|body| body.outside.take());
        if let Some((begins_statement, statement)) = outside {
            (self.begins_statement, self.statement) = (begins_statement, statement);
        }
    }

    /// Records the end of a use of a macro whose body ends a statement.
    pub(super) fn whole_statement(&mut self, word: &str) {
        let mut walker = Walker::new(self.code(self.scanner.at), self.scanner.at, self.hidden);
        if walker.passes_macro(word)
            || self.blocks.has_statements() == Some(true) && walker.passes_whole(word)
        {
            self.macro_end = Some(walker.scanner.at);
        }
    }

    /// Begins a statement after a macro that ended one.
    pub(super) fn end_macro(&mut self) {
        if self.macro_end.take_if(|end| *end <= self.scanner.at).is_some() {
            self.begins_statement = true;
        }
    }

    /// False in text that no device compiler reads.
    pub(super) fn is_compiled(&self) -> bool {
        self.walked.as_bytes()[self.scanner.at] == self.scanner.text.as_bytes()[self.scanner.at]
    }

    /// Follows a bracket of a block.
    pub(super) fn block(&mut self, opens: bool) {
        match opens {
            true => {
                let head = self.scanner.text.get(self.head..self.scanner.at).unwrap_or_default();
                let (has_statements, scope) = (!is_around(head), self.blocks.depth() + 1);
                if has_statements && self.blocks.has_statements() != Some(true) {
                    self.preprocessor.begin_function(scope);
                }
                if let Some(outer) =
                    outer(head, self.scanner.at).filter(|_| self.blocks.has_statements() != Some(true))
                {
                    self.preprocessor.begin_outer(scope, outer);
                }
                let is_generic = is_generic(head);
                self.blocks.open(Block { start: self.scanner.at, has_statements, is_generic });
            }
            false => {
                self.blocks.close();
                self.preprocessor.leave_scopes(self.blocks.depth());
            }
        }
    }

    /// Reads the constants that a declaration defines.
    pub(super) fn constants(&mut self, keyword: &str) {
        let (text, at) = (self.walked, self.scanner.at);
        if self.body.as_ref().is_some_and(|body| at < body.end) {
            return;
        }
        let depth = self.blocks.depth();
        match keyword {
            "enum" => {
                let found = enumerators(text, at);
                found.iter().for_each(|definition| self.preprocessor.constant(definition, depth));
            }
            _ => self.defines(keyword, Scanner { text, at: at - keyword.len() }, depth),
        }
    }

    /// Reads the constants and variables of a declaration that begins with `keyword` at `scanner`.
    pub(super) fn defines(&mut self, keyword: &str, mut scanner: Scanner<'s>, scope: usize) {
        scanner.word();
        if keyword == "static" {
            scanner.c_blanks();
            let (at, word) = (scanner.at, scanner.word());
            return self.defines(word, Scanner { at, ..scanner }, scope);
        }
        let is_constant = matches!(keyword, "const" | "constexpr");
        if !is_constant && !begins_number(keyword) {
            return;
        }
        // A type is part of the definition.
        let at = if is_constant { scanner.at } else { scanner.at - keyword.len() };
        for (at, definition) in definitions(scanner.text, at) {
            match is_constant {
                true => self.preprocessor.constant(&definition, scope),
                false => self.preprocessor.variable(&definition, at, scope),
            }
        }
    }

    /// The text that contains the statements around a place; inside the definition of a macro, only the definition.
    pub(super) fn code(&self, at: usize) -> &'s str {
        let body = self.body.as_ref().map(|body| body.end).filter(|end| at < *end);
        &self.walked[..body.unwrap_or(self.walked.len())]
    }

    /// True inside a statement whose end is unknown.
    pub(super) fn is_lost(&self) -> bool {
        self.branches.last().is_some_and(|branch| !branch.is_known)
    }

    pub(super) fn enter(&mut self, outcome: Outcome, mut branch: Branch) {
        // A statement in another ends with it at the latest, even one whose own end is unknown.
        if let Some(outer) = self.branches.last() {
            branch.end = branch.end.min(outer.end);
            branch.alternative = branch.alternative.map(|end| end.min(outer.end));
        }
        self.preprocessor.enter(&outcome);
        self.restricted.push((self.scanner.at, branch.alternative.unwrap_or(branch.end)));
        self.branches.push(branch);
    }

    /// Reads the constants and variables of an initialiser, which belong to a block around the statement.
    fn initialised(&mut self, at: usize) {
        let mut scanner = Scanner { text: self.walked, at };
        while !scanner.at_end() && scanner.peek() != b';' {
            let start = Scanner { ..scanner };
            match scanner.word() {
                "" => scanner.pass(),
                word if matches!(word, "const" | "constexpr") || begins_number(word) => {
                    return self.defines(word, start, self.blocks.depth() + 1);
                }
                name => self.assigned(name, scanner),
            }
        }
    }

    /// The outcome of a condition. `None` if it does not restrict targets.
    pub(super) fn outcome(&mut self, condition: &Condition<'_>) -> Option<Outcome> {
        self.preprocessor.place = Some(condition.end());
        if let Some(at) = condition.initialiser {
            self.initialised(at);
            self.assignments(Scanner { text: self.walked.get(..condition.end()).unwrap_or_default(), at });
        }
        let Some(text) = &condition.text else { return Some(Outcome::unknown_if(true)) };
        if self.may_not_reach_end(condition) {
            return Some(Outcome::unknown_if(true));
        }
        self.outcome_of(text, condition)
    }

    /// True if a condition, or another part of its parentheses, may not come to its end.
    pub(super) fn may_not_reach_end(&mut self, condition: &Condition<'_>) -> bool {
        let all = condition.initialiser.and_then(|at| self.walked.get(at..condition.end()));
        let text = all.or(condition.text.as_deref()).unwrap_or_default();
        self.may_not_end(text.strip_suffix(')').filter(|_| all.is_some()).unwrap_or(text))
    }

    /// The outcome of a text made from a condition. `None` if it does not restrict targets.
    pub(super) fn outcome_of(&mut self, text: &str, condition: &Condition<'_>) -> Option<Outcome> {
        // A macro's argument may be any condition.
        let in_body = self.body.as_ref().filter(|body| condition.end() <= body.end);
        let is_argument =
            |word: &str| in_body.is_some_and(|body| body.parameters.iter().any(|name| name == word));
        if names(text).any(is_argument) {
            return Some(Outcome::unknown_if(self.preprocessor.depends_on_target(text)));
        }
        self.preprocessor.keeps(text, condition.test)
    }

    /// Reads the condition of an `if`, `for`, `while` or `switch` that depends on the target.
    /// The keyword begins at `start`.
    pub(super) fn branch(&mut self, keyword: &str, start: usize) {
        if self.followed.contains(&start) {
            return;
        }
        let after = self.scanner.at;
        if self.is_lost() {
            // What the condition guards ends anywhere in the statement whose end is unknown.
            let condition = branch::condition(self.code(after), after, keyword, self.hidden);
            let text = condition.as_ref().and_then(|condition| condition.text.as_deref());
            let end = self.branches.last().map(|branch| branch.end);
            if let (Some(true), Some(end)) = (text.map(|text| self.preprocessor.depends_on_target(text)), end)
            {
                self.enter(Outcome::unknown_if(true), Branch { is_known: false, ..Branch::until(end) });
            }
            return;
        }
        let Some(condition) = branch::condition(self.code(after), after, keyword, self.hidden) else {
            return;
        };
        let outcome = self.outcome(&condition);
        let divided = match keyword {
            "switch" => self.divided(condition.end()..condition.statement().end),
            _ => None,
        };
        // `MY_CASE(1)` of another file may be a label, and an included file may have some.
        let may_be = |word: &str| names_label(word) || word == "include";
        let has_labels = |part: Range<usize>| names(self.walked.get(part).unwrap_or_default()).any(may_be);
        let is_followed = keyword == "switch"
            && (outcome.is_some()
                || divided.is_some()
                || condition.begins_without_label()
                || has_labels(condition.end()..condition.statement().end));
        if is_followed {
            if self.enter_switch(start, &condition).is_some() {
                self.scanner.at = condition.end();
                return;
            }
            let outcome = outcome.map(|outcome| Outcome::unknown_if(outcome.depends()));
            let outcome = outcome.or(divided.filter(|by_target| *by_target).map(Outcome::unknown_if));
            outcome.into_iter().for_each(|outcome| self.chosen(&condition, outcome));
            return;
        }
        if let Some(outcome) = outcome {
            self.chosen(&condition, outcome);
        }
    }

    /// Enters the statement after a condition.
    fn chosen(&mut self, condition: &Condition<'s>, outcome: Outcome) {
        let is_deep = self.branches.iter().filter(|branch| !branch.is_rest).count() >= MAX_BRANCHES;
        let branch = if is_deep { condition.rest_of_block() } else { condition.statement() };
        self.scanner.at = condition.end();
        let mut outcome = match branch.is_known {
            true => outcome,
            false => Outcome::unknown_if(outcome.depends() || self.is_crossed(condition.end()..branch.end)),
        };
        let code = self.code(condition.end());
        outcome.yes = outcome.yes.or(&self.entry(code, condition.end()..branch.end));
        let alternative = branch.alternative.unwrap_or(branch.end);
        outcome.no = outcome.no.or(&self.entry(code, branch.end..alternative));
        // The labels of a `switch` around the statement lead into it.
        let is_entered = |from: usize, end: usize| {
            let text = code.get(from..end).unwrap_or_default();
            let may_be = text.contains("case") || text.contains("default");
            may_be && Walker::new(code, from, self.hidden).has_case(end)
        };
        if is_entered(condition.end(), branch.end) {
            outcome.yes = outcome.yes.or(&Reach::unknown_by_target());
        }
        if is_entered(branch.end, alternative) {
            outcome.no = outcome.no.or(&Reach::unknown_by_target());
        }
        self.enter(outcome, branch);
    }

    /// True if a conditional of the preprocessor that depends on the target is around the place, or in this part of the
    /// text.
    fn is_crossed(&mut self, part: Range<usize>) -> bool {
        self.preprocessor.read().depends() || self.divided(part) == Some(true)
    }

    /// Whether the conditionals of the preprocessor in this part of the text depend on the target. `None` if it has none.
    fn divided(&mut self, part: Range<usize>) -> Option<bool> {
        let mut scanner = Scanner { text: &self.walked[..part.end], at: part.start };
        let mut divided = None;
        while divided != Some(true) && !scanner.at_end() {
            if scanner.hash() == 0 || !scanner.begins_line() {
                literal::skip(&mut scanner);
                continue;
            }
            let line = scanner.directive();
            let (name, rest) = split(&line.text);
            if matches!(name, "if" | "ifdef" | "ifndef" | "elif") {
                divided = Some(self.preprocessor.depends_on_target(rest));
            }
            scanner.at = line.end;
        }
        divided
    }

    /// Leaves the statements that end here.
    pub(super) fn end_branches(&mut self) {
        while let Some(branch) = self.branches.last_mut().filter(|branch| branch.end <= self.scanner.at) {
            if let Some(end) = branch.alternative.take() {
                branch.end = end;
                self.preprocessor.alternative();
                continue;
            }
            self.branches.pop();
            self.preprocessor.leave();
            self.preprocessor.leave_scopes(self.blocks.depth());
        }
    }

    /// Follows the use of a macro that hides statements.
    pub(super) fn macro_use(&mut self, word: &str, start: usize) {
        let Some(shape) = self.hidden.get(word).filter(|_| !self.is_lost()) else { return };
        let is_followed = self.followed.contains(&start) || self.expanded.contains(&start);
        if let Shape::Keyword(keyword) = shape {
            return self.branch(keyword, start);
        }
        let name_end = self.scanner.at;
        let mut after = Walker::new(self.code(start), name_end, self.hidden);
        let mut group = after.clone();
        group.blanks();
        let has_arguments = group.scanner.peek() == b'(';
        if has_arguments {
            group.group();
        }
        let takes = match shape {
            Shape::Head { arguments, .. } => arguments,
            _ => has_arguments,
        };
        if takes && !has_arguments {
            return;
        }
        if takes {
            after = group;
        }
        let end = after.scanner.at;
        let call = branch::without_comments(&self.code(start)[start..end]).unwrap_or_default();
        let rest = |after: &Walker<'_>| branch::rest_of_block(after);
        match shape {
            Shape::Head { .. } if is_followed => {}
            Shape::Head { is_if, .. } => match self.preprocessor.head(&call) {
                None => {
                    let unknown = Outcome::unknown_if(self.preprocessor.depends_on_target(&call));
                    self.enter(unknown, rest(&after));
                }
                Some(None) => {}
                Some(Some(outcome)) => {
                    let test = if is_if { Test::If } else { Test::Loop };
                    let condition = Condition { text: None, initialiser: None, test, after };
                    self.chosen(&condition, outcome);
                }
            },
            Shape::Open if self.preprocessor.may_choose(&call) => {
                let unknown = Outcome::unknown_if(self.preprocessor.depends_on_target(&call));
                self.enter(unknown, rest(&after));
            }
            // The macro may leave the code, or an `else` after it may belong to one of its statements.
            Shape::Closed { exits }
                if !is_followed
                    && (exits || after.clone().takes_else() != Some(false))
                    && self.preprocessor.may_choose(&call) =>
            {
                let unknown = Outcome::unknown_if(self.preprocessor.depends_on_target(&call));
                self.enter(unknown, rest(&after));
            }
            // An argument may contain an assembly.
            Shape::Closed { .. } => {
                let mut words = names(&call).skip(1);
                if takes && words.any(|word| self.uses.has(word)) {
                    let unknown = Outcome::unknown_if(self.preprocessor.depends_on_target(&call));
                    self.enter(unknown, Branch::until(end));
                }
            }
            Shape::Open | Shape::Keyword(_) => {}
        }
    }

    /// Follows the use of a macro of another file whose arguments name the target before a block or a statement: what
    /// it does with these is not known.
    pub(super) fn strange_use(&mut self, word: &str, start: usize) {
        let has_statements = self.is_in_body() || self.blocks.has_statements() == Some(true);
        if !has_statements
            || self.is_lost()
            || self.followed.contains(&start)
            || !self.hidden.jumping().is_strange(word)
        {
            return;
        }
        let mut after = Walker::new(self.code(start), self.scanner.at, self.hidden);
        after.blanks();
        let open = after.scanner.at;
        if after.scanner.peek() != b'(' {
            return;
        }
        after.group();
        let arguments = after.scanner.content(open);
        // Statements among the arguments are followed.
        let condition = &arguments[..arguments.find(['{', ';']).unwrap_or(arguments.len())];
        let is_statement =
            |word: &str| CONTROLS.contains(&word) || EXITS.contains(&word) || word.contains("assert");
        if names(condition).any(is_statement) || !self.preprocessor.depends_on_target(condition) {
            return;
        }
        if condition.len() < arguments.len() {
            return self.enter(Outcome::unknown_if(true), Branch::until(after.scanner.at));
        }
        let mut next = after.clone();
        next.blanks();
        if next.scanner.peek() == b'{' || Scanner::is_word(next.scanner.peek()) {
            let condition = Condition { text: None, initialiser: None, test: Test::If, after };
            self.chosen(&condition, Outcome::unknown_if(true));
        }
    }

    /// Follows `?`, `&&` or `||`, whose operands may have lambdas: `__CUDA_ARCH__ >= 890 ? [&] { … }() : 0`.
    pub(super) fn operator(&mut self, length: usize) {
        let at = self.scanner.at;
        let code = self.code(at);
        // Text that no device compiler reads is left out.
        let is_read = code.as_bytes()[at] == self.scanner.peek();
        let ends =
            !is_read || code[at..].find(['{', ';']).is_none_or(|end| code.as_bytes()[at + end] == b';');
        if ends || self.is_lost() {
            return;
        }
        let text = exit::operand(code, self.statement, at);
        let Some(text) = branch::without_comments(text) else { return };
        if length > 1 && !self.preprocessor.depends_on_target(&text) {
            return;
        }
        if let Some(outcome) = self.preprocessor.keeps(&text, Test::If) {
            let mut walker = Walker::new(code, at + length, self.hidden);
            walker.rest_of_expression();
            let unknown = Outcome::unknown_if(outcome.depends());
            self.enter(unknown, Branch::until(walker.scanner.at));
        }
    }
}
