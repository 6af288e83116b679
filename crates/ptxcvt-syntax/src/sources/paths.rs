//! Reads C++ statements, so that the ways through them can be followed.
//!
//! ISO C++, "Statements".

use super::branch;
use super::control::Walker;
use super::definitions::enumerators;
use super::dispatch::Dispatch;
use super::guard::{Outcome, Reach, split};
use super::hidden::{Shape, is_pragma};
use super::inside::{exits_in, has_break, has_inner_exit, is_endless};
use super::keywords::{ASSERTIONS, ATTRIBUTES, CONTROLS, EXITS, names_condition, names_label, names_loop};
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use super::steps::{ADDRESSED, Arm, Kind, Label, Step};
use crate::identifier::names;

/// Limit on the nesting of statements.
const DEEPEST: u32 = 100;

impl<'s> Reader<'s> {
    /// Skips blanks, comments and directives; the preprocessor processes the directives. True if one of these includes a
    /// file, which may have statements.
    pub(super) fn advance(&mut self, walker: &mut Walker<'s>) -> bool {
        let mut includes = false;
        loop {
            walker.scanner.c_blanks();
            if walker.scanner.hash() == 0 || !walker.scanner.begins_line() {
                return includes;
            }
            let line = walker.scanner.directive();
            includes |= split(&line.text).0 == "include";
            self.preprocessor.line(&line);
            walker.directive();
        }
    }

    /// Reads a statement, and moves the walker past it. `None` if its end is unknown.
    pub(super) fn step(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Step> {
        if depth > DEEPEST || walker.next_is_conditional() {
            return None;
        }
        self.advance(walker);
        let start = walker.scanner.at;
        let here = self.preprocessor.read();
        let kind = match self.label(walker)? {
            // A label outside of a block.
            Some(label) => {
                let is_last = walker.scanner.at_end() || walker.closes();
                let labelled = if is_last { None } else { Some(self.step(walker, depth + 1)?) };
                Kind::Block([label].into_iter().chain(labelled).collect())
            }
            None => self.kind(walker, depth)?,
        };
        let at = self.place(start);
        self.reached.statements.extend(at);
        Some(Step { at, here, kind })
    }

    /// Reads the statement after a condition. `None` if a macro of another file begins it, which may be all of it.
    fn body(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Step> {
        let mut next = walker.clone();
        next.blanks();
        let word = next.scanner.word();
        if next.passes_prefix(word) { None } else { self.step(walker, depth) }
    }

    /// The place of a statement. `None` where the text is an expansion and the statements are those of the code around.
    fn place(&self, at: usize) -> Option<usize> {
        self.has_places.then_some(at)
    }

    /// Reads a statement without a label.
    fn kind(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Kind> {
        let start = walker.scanner.at;
        match walker.scanner.peek() {
            b'{' => return self.steps_of_block(walker, depth),
            b'[' if walker.scanner.starts_with("[[") => {
                walker.group();
                return Some(self.step(walker, depth + 1)?.kind);
            }
            byte if !Scanner::is_word(byte) => return self.expression(walker),
            _ => {}
        }
        let before = walker.clone();
        let word = walker.scanner.word();
        if let Some(dispatch) = Dispatch::of(word) {
            return self.dispatched(walker, dispatch, depth);
        }
        match self.hidden.get(word) {
            Some(Shape::Head { arguments, is_if }) => {
                walker.arguments(arguments)?;
                let call = branch::without_comments(&walker.scanner.text[start..walker.scanner.at]);
                let call = call.unwrap_or_default();
                let unknown = Outcome::unknown_if(self.preprocessor.depends_on_target(&call));
                let outcome =
                    self.preprocessor.head(&call).unwrap_or(Some(unknown)).unwrap_or_else(Outcome::both);
                return match is_if {
                    true => self.selection(walker, outcome, depth),
                    false => self.iteration(walker, outcome, depth),
                };
            }
            Some(Shape::Keyword(keyword)) => return self.control(keyword, walker, depth),
            _ => {}
        }
        if walker.passes_nothing(word) {
            if walker.next_is_conditional() {
                return Some(Kind::Plain(Reach::all()));
            }
            self.advance(walker);
            let ends = walker.scanner.at_end() || walker.scanner.take(b';') || walker.closes();
            return if ends {
                Some(Kind::Plain(Reach::all()))
            } else {
                Some(self.step(walker, depth + 1)?.kind)
            };
        }
        if walker.precedes_exit(word) {
            return None;
        }
        // What the macro does with the statement is not known.
        let is_prefix = walker.passes_prefix(word);
        if is_prefix || walker.passes_first(word) {
            let exits = exits_in(&walker.scanner.text[start..walker.scanner.at]);
            self.jumps += usize::from(is_prefix || !exits.is_empty());
            let body = self.step(walker, depth + 1)?;
            let kind = match is_prefix {
                true => Kind::If(vec![Arm { test: None, outcome: Outcome::unknown_if(true), body }], None),
                false => Kind::Block(vec![body]),
            };
            let step = Step { at: None, here: Reach::all(), kind: with_exits(kind, &exits) };
            return Some(Kind::Block(vec![hidden(names_label(word)), step]));
        }
        let asserts = self.asserts(word, walker);
        if let Some(steps) = self.expanded_steps(walker, word, start, depth, asserts) {
            self.reached.macros.extend(self.place(start));
            return Some(Kind::Expanded(steps));
        }
        if asserts && !ASSERTIONS.contains(&word) {
            *walker = before;
            self.jumps += 1;
            self.expression(walker)?;
            return Some(Kind::Plain(Reach::unknown_by_target()));
        }
        if CONTROLS.contains(&word) {
            return self.control(word, walker, depth);
        }
        if ATTRIBUTES.contains(&word) {
            walker.blanks();
            walker.group();
            return Some(self.step(walker, depth + 1)?.kind);
        }
        if EXITS.contains(&word) {
            return self.exit(word, walker);
        }
        if ASSERTIONS.contains(&word) {
            return self.assertion(walker);
        }
        let mut next = walker.clone();
        if is_pragma(word) {
            next.blanks();
            if next.scanner.peek() == b'(' {
                next.group();
            }
        }
        next.blanks();
        let is_control = {
            let mut scanner = next.scanner;
            CONTROLS.contains(&scanner.word())
        };
        if is_control || word == "__extension__" {
            *walker = next;
            return Some(self.step(walker, depth + 1)?.kind);
        }
        let scope = self.blocks.depth() + depth as usize;
        if word == "enum" {
            let found = enumerators(walker.scanner.text, walker.scanner.at);
            found.iter().for_each(|definition| self.preprocessor.constant(definition, scope));
        }
        self.defines(word, Scanner { text: walker.scanner.text, at: start }, scope);
        *walker = before;
        self.expression(walker)
    }

    /// Reads a statement that leaves the code around it, after its keyword.
    fn exit(&mut self, word: &str, walker: &mut Walker<'s>) -> Option<Kind> {
        self.jumps += 1;
        let mut target = walker.clone();
        walker.statement(0)?;
        Some(match word {
            "break" => Kind::Break,
            "continue" => Kind::Continue,
            "goto" => {
                target.blanks();
                let is_computed = target.scanner.peek() == b'*';
                let name = if is_computed { ADDRESSED } else { target.scanner.word() };
                Kind::Goto((!name.is_empty()).then(|| name.to_owned())?)
            }
            _ => {
                self.jump_in(&walker.scanner.text[target.scanner.at..walker.scanner.at]);
                Kind::Return
            }
        })
    }

    /// Reads an expression or a declaration.
    fn expression(&mut self, walker: &mut Walker<'s>) -> Option<Kind> {
        let start = walker.scanner.at;
        walker.statement(0)?;
        let text = &walker.scanner.text[start..walker.scanner.at];
        self.directives_in(Scanner { text: &walker.scanner.text[..walker.scanner.at], at: start });
        self.assignments(Scanner { text: &walker.scanner.text[..walker.scanner.at], at: start });
        self.jump_in(text);
        let may_leave = self.may_leave(text);
        // A `return` in a lambda leaves only the lambda, and a `break` in a macro's loop only that loop.
        let leaves_inside = has_inner_exit(text, false) || self.may_stay(text);
        let exits = exits_in(text);
        self.jumps += usize::from(may_leave || leaves_inside || !exits.is_empty());
        let plain = Kind::Plain(if may_leave { Reach::unknown_by_target() } else { Reach::all() });
        let plain = with_exits(plain, &exits);
        let is_hidden = !exits.is_empty() || self.may_hide(text);
        let range = start..walker.scanner.at;
        if !self.hidden.labels().is_empty() && self.has_label(walker.scanner.text, &range) {
            return Some(self.entered(plain, start));
        }
        if is_hidden {
            let plain = Step { at: self.place(start), here: Reach::all(), kind: plain };
            return Some(Kind::Block(vec![hidden(names_label(Scanner::new(text).word())), plain]));
        }
        Some(plain)
    }

    /// True for the use of a macro that may hide a `break` or a label: of another file, as `MY_CASE(1, …)`, or with one.
    fn may_hide(&self, text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        let word = scanner.word();
        let jumping = self.hidden.jumping();
        let is_strange = jumping.is_strange(word);
        scanner.c_blanks();
        let open = scanner.at;
        if scanner.peek() != b'(' {
            let is_statement = matches!(scanner.peek(), b';' | b'{' | 0) || Scanner::is_word(scanner.peek());
            return is_strange && is_statement;
        }
        scanner.skip_group();
        let has_strange = names(scanner.content(open)).any(|name| jumping.is_strange(name));
        scanner.c_blanks();
        let block = text.get(scanner.at..).unwrap_or_default();
        // The block of a loop has its own `break`.
        let is_block = block.starts_with('{');
        let is_hidden = !is_block || (!names_loop(word) && (names_label(word) || has_break(block)));
        is_hidden && (is_strange || (has_strange && jumping.has_parameters(word).is_some()))
    }

    /// Processes the directives in an expression, as in the block of a lambda.
    fn directives_in(&mut self, mut expression: Scanner<'s>) {
        while !expression.at_end() {
            if expression.hash() == 0 || !expression.begins_line() {
                literal::skip(&mut expression);
                continue;
            }
            let line = expression.directive();
            self.preprocessor.line(&line);
            expression.at = line.end;
        }
    }

    /// A statement with a label that code that is not read may jump to.
    fn entered(&self, kind: Kind, start: usize) -> Kind {
        let label = Label { name: String::new(), is_entered: true, is_addressed: false };
        let step = |at, kind| Step { at, here: Reach::all(), kind };
        Kind::Block(vec![step(None, Kind::Label(label)), step(self.place(start), kind)])
    }

    /// True if the expression may call a function, or use a macro of the file, that does not return.
    fn may_leave(&mut self, text: &str) -> bool {
        if self.may_not_end(text) || self.checks(text) {
            return true;
        }
        let (mut scanner, mut is_call, mut depth) = (Scanner::new(text), false, 0_u32);
        while !scanner.at_end() {
            if !Scanner::is_word(scanner.peek()) || scanner.peek().is_ascii_digit() {
                match scanner.peek() {
                    // Braces after an unknown macro may be the body of a loop. Statements in a lambda leave only the
                    // lambda.
                    b'{' if is_call && depth == 0 => {
                        return has_inner_exit(
                            &text[scanner.at..],
                            !names_condition(Scanner::new(text).word()),
                        );
                    }
                    b'{' => {
                        scanner.skip_group();
                        continue;
                    }
                    b'(' => depth += 1,
                    b')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                literal::skip(&mut scanner);
                continue;
            }
            let word = scanner.word();
            match self.hidden.get(word) {
                Some(Shape::Closed { exits: true } | Shape::Open) => return true,
                _ => {
                    let first = text.trim_start().starts_with(word) && !self.hidden.ends(word);
                    let next = scanner.rest().trim_ascii_start();
                    is_call |= first && (next.starts_with(b"(") || next.starts_with(b"{"));
                }
            }
        }
        false
    }

    /// The outcome of the condition here, after a keyword.
    fn tested(&mut self, keyword: &str, walker: &mut Walker<'s>) -> Option<Outcome> {
        let (text, at) = (walker.scanner.text, walker.scanner.at);
        let written = walker.condition()?;
        self.jump_in(written);
        let outcome = match branch::condition(text, at, keyword, self.hidden) {
            Some(condition) => self.outcome(&condition),
            None if self.may_not_end(written) => Some(Outcome::unknown_if(true)),
            None if keyword == "for" && is_endless(written) => {
                Some(Outcome { yes: Reach::all(), no: Reach::none() })
            }
            None => None,
        };
        Some(outcome.unwrap_or_else(Outcome::both))
    }

    /// Reads a statement that only these configurations reach.
    pub(super) fn within<T>(&mut self, reach: &Reach, read: impl FnOnce(&mut Self) -> T) -> T {
        self.preprocessor.enter(&Outcome { yes: reach.clone(), no: Reach::none() });
        let read = read(self);
        self.preprocessor.leave();
        read
    }

    /// Reads the body of a loop that tests its condition first.
    fn iteration(&mut self, walker: &mut Walker<'s>, outcome: Outcome, depth: u32) -> Option<Kind> {
        let body = self.within(&outcome.yes, |this| this.body(walker, depth + 1))?;
        self.jumps += usize::from(!outcome.no.is_all());
        Some(Kind::Loop(outcome, Box::new(body)))
    }

    /// Reads a statement that contains others, after its keyword.
    fn control(&mut self, keyword: &str, walker: &mut Walker<'s>, depth: u32) -> Option<Kind> {
        match keyword {
            "do" => {
                // This `while` begins no loop, even if the body cannot be read.
                let mut end = walker.clone();
                if end.statement(depth).is_some() {
                    end.blanks();
                    self.do_ends.insert(end.scanner.at);
                }
                let body = self.body(walker, depth + 1)?;
                if walker.next_is_conditional() {
                    return None;
                }
                self.advance(walker);
                let test = walker.scanner.at;
                if !walker.next_is("while") {
                    return None;
                }
                let outcome = self.tested("while", walker)?;
                walker.end()?;
                self.jumps += usize::from(!outcome.no.is_all());
                Some(Kind::Do(outcome, Box::new(body), self.place(test)))
            }
            "for" | "while" => {
                let start = walker.scanner.at;
                let outcome = self.tested(keyword, walker)?;
                let read = self.iteration(walker, outcome, depth);
                self.preprocessor.leave_statement(&(start..walker.scanner.at));
                read
            }
            "switch" => self.switch(walker, depth),
            "try" => {
                let mut all = vec![self.step(walker, depth + 1)?];
                while !walker.next_is_conditional() && walker.next_is("catch") {
                    walker.blanks();
                    walker.group();
                    all.push(self.step(walker, depth + 1)?);
                }
                Some(Kind::Try(all))
            }
            _ => {
                let start = walker.scanner.at;
                let outcome = self.tested(keyword, walker)?;
                let read = self.selection(walker, outcome, depth);
                self.preprocessor.leave_statement(&(start..walker.scanner.at));
                read
            }
        }
    }

    /// Reads the statements of an `if` and its `else`, after the first condition. Many in a row are no deeper than one.
    fn selection(&mut self, walker: &mut Walker<'s>, outcome: Outcome, depth: u32) -> Option<Kind> {
        let (mut arms, mut test, mut outcome) = (Vec::new(), None, outcome);
        let mut rest = Reach::all();
        loop {
            let body = self.within(&rest.and(&outcome.yes), |this| this.body(walker, depth + 1))?;
            rest = rest.and(&outcome.no);
            arms.push(Arm { test, outcome, body });
            let mut next = walker.clone();
            if !next.takes_else()? {
                return Some(Kind::If(arms, None));
            }
            if walker.next_is_conditional() {
                return None;
            }
            self.advance(walker);
            *walker = next;
            if walker.next_is_conditional() || !walker.clone().next_is("if") {
                let other = self.within(&rest, |this| this.body(walker, depth + 1))?;
                return Some(Kind::If(arms, Some(Box::new(other))));
            }
            self.advance(walker);
            test = self.place(walker.scanner.at);
            self.reached.statements.extend(test);
            walker.next_is("if");
            outcome = self.tested("if", walker)?;
        }
    }

    /// Reads a block.
    fn steps_of_block(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Kind> {
        walker.token();
        let outer = walker.conditionals.len();
        let mut steps = Vec::new();
        loop {
            let includes = self.advance(walker);
            let at = walker.scanner.at;
            if walker.scanner.at_end() || walker.conditionals.len() < outer || walker.crossed {
                return None;
            }
            steps.extend(includes.then(|| hidden(true)));
            if walker.scanner.peek() == b'}' {
                break;
            }
            steps.push(match self.label(walker)? {
                Some(label) => label,
                None => self.step(walker, depth + 1)?,
            });
            if walker.scanner.at <= at {
                return None;
            }
        }
        walker.token();
        if walker.conditionals.len() != outer {
            return None;
        }
        self.preprocessor.leave_scopes(self.blocks.depth() + depth as usize);
        Some(Kind::Block(steps))
    }

    /// Reads statements up to the end of the text.
    pub(super) fn steps(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            let includes = self.advance(walker);
            let at = walker.scanner.at;
            if walker.scanner.at_end() {
                return walker.is_whole().then_some(steps);
            }
            steps.extend(includes.then(|| hidden(true)));
            steps.push(match self.label(walker)? {
                Some(label) => label,
                None => self.step(walker, depth + 1)?,
            });
            if walker.scanner.at <= at {
                return None;
            }
        }
    }
}

/// What may be a `break` or a label.
fn hidden(is_label: bool) -> Step {
    Step { at: None, here: Reach::all(), kind: Kind::Hidden { is_label } }
}

/// An expression with these statements in its brackets, each of which may leave the code around it.
fn with_exits(plain: Kind, exits: &[&str]) -> Kind {
    let step = |kind| Step { at: None, here: Reach::all(), kind };
    let arm = |word: &&str| {
        let body = step(match *word {
            "break" => Kind::Break,
            "continue" => Kind::Continue,
            "case" | "default" => return None,
            _ => Kind::Return,
        });
        Some(Arm { test: None, outcome: Outcome::unknown_if(true), body })
    };
    let arms: Vec<Arm> = exits.iter().filter_map(arm).collect();
    if arms.is_empty() { plain } else { Kind::If(arms, Some(Box::new(step(plain)))) }
}
