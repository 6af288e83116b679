//! The ways out of a statement: where each configuration continues after it.
//!
//! ISO C++, "Statements". Variables may have any value, so every way counts that is possible for some value.

use super::branch;
use super::control::Walker;
use super::exit::has_inner_exit;
use super::guard::{Outcome, Reach};
use super::hidden::{ASSERTIONS, ATTRIBUTES, CONTROLS, ENDS, EXITS, Shape, is_pragma};
use super::jumps::Jumps;
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use super::switch::Labels;
use super::ways::Ways;

/// Limit on the nesting of statements.
const DEEPEST: u32 = 100;

impl<'s> Reader<'s> {
    /// Skips blanks, comments and directives; the preprocessor processes the directives.
    pub(super) fn advance(&mut self, walker: &mut Walker<'s>) {
        loop {
            walker.scanner.c_blanks();
            if walker.scanner.hash() == 0 || !walker.scanner.begins_line() {
                return;
            }
            let line = walker.scanner.directive();
            self.preprocessor.line(&line);
            walker.directive();
        }
    }

    /// Returns the ways out of a statement, and moves the walker past it. `None` if its end is unknown.
    pub(super) fn ways(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Ways> {
        if depth > DEEPEST || walker.next_is_conditional() {
            return None;
        }
        self.advance(walker);
        let start = walker.scanner.at;
        match walker.scanner.peek() {
            b'{' => return self.ways_of_block(walker, depth, None),
            b'[' if walker.scanner.starts_with("[[") => {
                walker.group();
                return self.ways(walker, depth + 1);
            }
            byte if !Scanner::is_word(byte) => return self.ways_of_expression(walker),
            _ => {}
        }
        let before = walker.clone();
        let word = walker.scanner.word();
        match self.hidden.get(word) {
            Some(Shape::Head { arguments, is_if }) => {
                walker.arguments(arguments)?;
                let call = branch::without_comments(&walker.scanner.text[start..walker.scanner.at]);
                let call = call.unwrap_or_default();
                let unknown = Outcome::unknown_if(self.preprocessor.depends_on_target(&call));
                let outcome =
                    self.preprocessor.head(&call).unwrap_or(Some(unknown)).unwrap_or_else(Outcome::both);
                return match is_if {
                    true => self.ways_of_if(walker, outcome, depth),
                    false => {
                        Some(self.ways(walker, depth + 1)?.of_loop(&outcome)).inspect(|ways| self.ends(ways))
                    }
                };
            }
            Some(Shape::Keyword(keyword)) => return self.ways_of_control(keyword, walker, depth),
            _ => {}
        }
        if CONTROLS.contains(&word) {
            return self.ways_of_control(word, walker, depth);
        }
        if ATTRIBUTES.contains(&word) {
            walker.blanks();
            walker.group();
            return self.ways(walker, depth + 1);
        }
        if EXITS.contains(&word) {
            self.jumps += 1;
            walker.statement(0)?;
            return Some(match word {
                "break" => Ways { breaks: Reach::all(), ..Ways::none() },
                "continue" => Ways { continues: Reach::all(), ..Ways::none() },
                "goto" => Ways { gotos: [(start, Reach::all())].into(), ..Ways::none() },
                _ => Ways::none(),
            });
        }
        if ASSERTIONS.contains(&word) {
            return self.ways_of_assertion(walker);
        }
        let mut next = walker.clone();
        if is_pragma(word) {
            next.blanks();
            if next.scanner.peek() == b'(' {
                next.group();
            }
        }
        next.blanks();
        let is_label = next.scanner.peek() == b':' && !next.scanner.starts_with("::");
        if word == "case" || is_label {
            *walker = before;
            walker.pass_label()?;
            return self.ways(walker, depth + 1);
        }
        let is_control = {
            let mut scanner = next.scanner;
            CONTROLS.contains(&scanner.word())
        };
        if is_control || word == "__extension__" {
            *walker = next;
            return self.ways(walker, depth + 1);
        }
        let scope = self.blocks.depth() + depth as usize;
        self.defines(word, Scanner { text: walker.scanner.text, at: start }, scope);
        *walker = before;
        self.ways_of_expression(walker)
    }

    /// The ways out of an expression or a declaration.
    fn ways_of_expression(&mut self, walker: &mut Walker<'s>) -> Option<Ways> {
        let start = walker.scanner.at;
        walker.statement(0)?;
        let text = &walker.scanner.text[start..walker.scanner.at];
        let may_leave = self.may_leave(text);
        // A `return` in a lambda leaves only the lambda, and a `break` in a macro's loop only that loop.
        self.jumps += usize::from(may_leave || has_inner_exit(text, false));
        let falls = if may_leave { Reach::unknown_by_target() } else { Reach::all() };
        Some(Ways { falls, ..Ways::none() })
    }

    /// True if the expression may call a function, or use a macro of the file, that does not return.
    fn may_leave(&mut self, text: &str) -> bool {
        let (mut scanner, mut is_call, mut depth) = (Scanner::new(text), false, 0_u32);
        while !scanner.at_end() {
            if !Scanner::is_word(scanner.peek()) || scanner.peek().is_ascii_digit() {
                match scanner.peek() {
                    // Braces after an unknown macro may be the body of a loop. Statements in a lambda leave only the
                    // lambda.
                    b'{' if is_call && depth == 0 => return has_inner_exit(&text[scanner.at..], true),
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
                _ if !ENDS.contains(&word) => {
                    let first = text.trim_start().starts_with(word);
                    is_call |= first && scanner.rest().trim_ascii_start().starts_with(b"(");
                }
                _ => {
                    let mut group = scanner;
                    group.c_blanks();
                    let open = group.at;
                    group.skip_group();
                    let condition = group.content(open).trim_start();
                    // In a correct program, all other assertions hold.
                    if word != "assert"
                        || condition.starts_with("false")
                        || condition.starts_with('0')
                        || self.preprocessor.depends_on_target(condition)
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The outcome of the condition here, after a keyword.
    fn tested(&mut self, keyword: &str, walker: &mut Walker<'s>) -> Option<Outcome> {
        let (text, at) = (walker.scanner.text, walker.scanner.at);
        let written = walker.condition()?;
        let outcome = match branch::condition(text, at, keyword, self.hidden) {
            Some(condition) => self.outcome(&condition),
            None if keyword == "for" && branch::is_endless(written) => {
                Some(Outcome { yes: Reach::all(), no: Reach::none() })
            }
            None => None,
        };
        Some(outcome.unwrap_or_else(Outcome::both))
    }

    /// Records a loop that may not end.
    fn ends(&mut self, ways: &Ways) {
        self.jumps += usize::from(!ways.falls.is_all());
    }

    /// The ways out of a statement that contains others, after its keyword.
    fn ways_of_control(&mut self, keyword: &str, walker: &mut Walker<'s>, depth: u32) -> Option<Ways> {
        match keyword {
            "do" => {
                let body = self.ways(walker, depth + 1)?;
                if walker.next_is_conditional() {
                    return None;
                }
                self.advance(walker);
                self.do_ends.insert(walker.scanner.at);
                if !walker.next_is("while") {
                    return None;
                }
                let outcome = self.tested("while", walker)?;
                walker.end()?;
                Some(body.of_do(&outcome)).inspect(|ways| self.ends(ways))
            }
            "for" | "while" => {
                let outcome = self.tested(keyword, walker)?;
                Some(self.ways(walker, depth + 1)?.of_loop(&outcome)).inspect(|ways| self.ends(ways))
            }
            "switch" => {
                let selector =
                    branch::condition(walker.scanner.text, walker.scanner.at, keyword, self.hidden);
                walker.condition()?;
                if walker.next_is_conditional() {
                    return None;
                }
                walker.blanks();
                if walker.scanner.peek() == b'{' {
                    // Reads the constants of the initialiser.
                    selector.as_ref().and_then(|selector| self.outcome(selector));
                    let mut labels = self.labels(selector.as_ref(), walker);
                    return self.ways_of_block(walker, depth, Some(&mut labels));
                }
                let body = self.ways(walker, depth + 1)?;
                Some(Ways { falls: Reach::all(), breaks: Reach::none(), ..body })
            }
            "try" => {
                let mut all = self.ways(walker, depth + 1)?;
                while !walker.next_is_conditional() && walker.next_is("catch") {
                    walker.blanks();
                    walker.group();
                    all = all.or(&self.ways(walker, depth + 1)?);
                }
                Some(all)
            }
            _ => {
                let outcome = self.tested(keyword, walker)?;
                self.ways_of_if(walker, outcome, depth)
            }
        }
    }

    /// The ways out of an `if` and its `else`. `outcome` is that of the condition, which was read before.
    fn ways_of_if(&mut self, walker: &mut Walker<'s>, mut outcome: Outcome, depth: u32) -> Option<Ways> {
        let (mut all, mut rest) = (Ways::none(), Reach::all());
        loop {
            let from = walker.scanner.at;
            let yes = self.ways(walker, depth + 1)?;
            let entry = self.entry(from..walker.scanner.at);
            all = all.or(&yes.and(&rest.and(&outcome.yes).or(&entry)));
            rest = rest.and(&outcome.no);
            let mut next = walker.clone();
            if !next.takes_else()? {
                all.falls = all.falls.or(&rest);
                return Some(all);
            }
            if walker.next_is_conditional() {
                return None;
            }
            self.advance(walker);
            *walker = next;
            if walker.next_is_conditional() || !walker.next_is("if") {
                let from = walker.scanner.at;
                let other = self.ways(walker, depth + 1)?;
                return Some(all.or(&other.and(&rest.or(&self.entry(from..walker.scanner.at)))));
            }
            outcome = self.tested("if", walker)?;
        }
    }

    /// The ways out of a block. `labels` collects the labels of the block and of a `switch` with this block, if they
    /// are needed.
    pub(super) fn ways_of_block(
        &mut self,
        walker: &mut Walker<'s>,
        depth: u32,
        mut labels: Option<&mut Labels>,
    ) -> Option<Ways> {
        let mut jumps = Jumps::new(self.repeats);
        if self.hidden.labels().is_empty() {
            return self.ways_through(walker, depth, labels, &mut jumps);
        }
        let start = walker.clone();
        loop {
            let before = self.preprocessor.without_flags();
            let ways = self.ways_through(walker, depth, labels.as_deref_mut(), &mut jumps)?;
            if self.is_settled(&mut jumps, &ways) {
                return Some(ways);
            }
            let after = std::mem::replace(&mut self.preprocessor, before);
            self.preprocessor.keep_flags(after);
            *walker = start.clone();
            labels.iter_mut().for_each(|labels| labels.reached.clear());
        }
    }

    /// The ways out of a block, given its backward jumps.
    fn ways_through(
        &mut self,
        walker: &mut Walker<'s>,
        depth: u32,
        mut labels: Option<&mut Labels>,
        jumps: &mut Jumps,
    ) -> Option<Ways> {
        walker.token();
        let mut all = Ways::none();
        let is_switch = labels.as_ref().is_some_and(|labels| labels.is_switch);
        let mut live = if is_switch { Reach::none() } else { Reach::all() };
        let outer = walker.conditionals.len();
        loop {
            self.advance(walker);
            walker.pass_attributes_of_label();
            let at = walker.scanner.at;
            if walker.scanner.at_end() || walker.conditionals.len() < outer || walker.crossed {
                return None;
            }
            if walker.scanner.peek() == b'}' {
                break;
            }
            let here = self.preprocessor.read();
            if walker.is_label(true) {
                let taken = labels.as_ref().and_then(|labels| labels.of(at));
                let is_named = taken.is_none() && walker.next_is_name_of_label();
                let taken = taken.unwrap_or_else(|| match is_named {
                    true => self.jumped(at, &all, jumps),
                    false => Reach::all(),
                });
                live = live.or(&here.and(&taken));
                if is_named {
                    jumps.entered.push((at, live.clone()));
                }
                walker.pass_label()?;
                if let Some(labels) = &mut labels {
                    labels.reached.push((walker.scanner.at, live.clone()));
                }
                continue;
            }
            if walker.next_is_name_of_label() {
                walker.pass_label()?;
                continue;
            }
            let (left, before) = (self.jumps, walker.clone());
            let one = self.ways(walker, depth + 1)?;
            // A label nested in a statement belongs to the `switch` around it, which is then not followed.
            let may_matter = |labels: &&mut Labels| {
                labels.is_switch && (self.jumps > left || labels.choose() || !live.is_all())
            };
            if labels.as_ref().is_some_and(may_matter) && before.has_case(walker.scanner.at) {
                return None;
            }
            if walker.scanner.at <= at {
                return None;
            }
            let entry = self.entry(at..walker.scanner.at);
            if !entry.is_none() {
                live = live.or(&entry);
                labels.iter_mut().for_each(|labels| labels.reached.push((at, live.clone())));
            }
            let now = one.and(&live.and(&here));
            all = Ways { falls: Reach::none(), ..all.or(&now) };
            live = live.and(&one.falls.or(&here.not()));
        }
        walker.token();
        if walker.conditionals.len() != outer {
            return None;
        }
        self.preprocessor.leave_scopes(self.blocks.depth() + depth as usize);
        all.falls = live;
        if let Some(labels) = labels.filter(|_| is_switch) {
            all.falls = all.falls.or(&all.breaks).or(&labels.none);
            all.breaks = Reach::none();
        }
        Some(all)
    }
}
