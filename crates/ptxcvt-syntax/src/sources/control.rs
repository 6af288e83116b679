//! Finds the end of a C++ statement of any kind: blocks, selections, loops, `try`, labels, attributes, declarations and
//! expressions with lambdas.
//!
//! ISO C++, "Statements". Of the macros, only those that expand to a keyword with its condition are followed. The end
//! of a statement is unknown if another macro hides the kind of statement.

use std::ops::Range;

use super::guard::split;
use super::hidden::{Hidden, Shape, is_pragma};
use super::keywords::{ATTRIBUTES, CONTROLS, EXITS, names_loop};
use super::literal;
use super::scan::Scanner;
use super::seen::{Seen, is_operator, is_specifier};

/// Limit on the nesting of statements without braces.
const DEEPEST: u32 = 200;
/// Limit on macros of other files without a semicolon, one after the other.
pub(super) const MOST_MACROS: u32 = 8;

/// Reads code forward. All branches of an `#if` must open and close the same brackets.
#[derive(Clone)]
pub(super) struct Walker<'s> {
    pub scanner: Scanner<'s>,
    pub hidden: &'s Hidden,
    /// The number of open brackets.
    pub brackets: u32,
    pub conditionals: Vec<Conditional>,
    /// True if a preprocessor conditional began before the code, or its branches differ in brackets.
    pub crossed: bool,
    /// A label counts if a `goto` outside of this part names it.
    pub part: Range<usize>,
}

/// An open conditional of the preprocessor, with the brackets that are open before it and after its first branch.
#[derive(Clone)]
pub(super) struct Conditional {
    pub before: u32,
    pub after: Option<u32>,
    pub has_else: bool,
}

impl<'s> Walker<'s> {
    pub fn new(text: &'s str, at: usize, hidden: &'s Hidden) -> Self {
        let scanner = Scanner { text, at };
        Walker { scanner, hidden, brackets: 0, conditionals: Vec::new(), crossed: false, part: 0..0 }
    }

    /// True if each conditional of the preprocessor on the way began and ended there.
    pub fn is_whole(&self) -> bool {
        self.conditionals.is_empty() && !self.crossed
    }

    /// Skips blanks, comments and directives.
    pub fn blanks(&mut self) {
        loop {
            self.scanner.c_blanks();
            if !self.directive() {
                return;
            }
        }
    }

    /// True if a conditional of the preprocessor begins or ends before the next token.
    pub fn next_is_conditional(&self) -> bool {
        let mut next = self.scanner;
        loop {
            next.c_blanks();
            if next.hash() == 0 || !next.begins_line() {
                return false;
            }
            let line = next.directive();
            let (name, _) = split(&line.text);
            if name.starts_with("if") || name.starts_with("el") || name == "endif" {
                return true;
            }
            next.at = line.end;
        }
    }

    /// Skips a directive, if one begins here.
    pub fn directive(&mut self) -> bool {
        if self.scanner.hash() == 0 || !self.scanner.begins_line() {
            return false;
        }
        let line = self.scanner.directive();
        self.scanner.at = line.end;
        let (name, _) = split(&line.text);
        match name {
            "if" | "ifdef" | "ifndef" => {
                let before = self.brackets;
                self.conditionals.push(Conditional { before, after: None, has_else: false });
            }
            "elif" | "elifdef" | "elifndef" | "else" => match self.conditionals.last_mut() {
                Some(open) => {
                    self.crossed |= open.after.is_some_and(|after| after != self.brackets);
                    open.after = Some(self.brackets);
                    open.has_else |= name == "else";
                    self.brackets = open.before;
                }
                None => self.crossed = true,
            },
            "endif" => match self.conditionals.pop() {
                Some(open) => {
                    self.crossed |= open.after.is_some_and(|after| after != self.brackets);
                    self.crossed |= !open.has_else && open.before != self.brackets;
                }
                None => self.crossed = true,
            },
            _ => {}
        }
        true
    }

    /// Skips the bracket here and everything up to its closing one. Brackets in comments, literals and directives do
    /// not count.
    pub fn group(&mut self) {
        self.pass_brackets(self.brackets);
    }

    /// Skips tokens until at most `outside` brackets are open.
    fn pass_brackets(&mut self, outside: u32) {
        while !self.scanner.at_end() {
            let closes = matches!(self.scanner.peek(), b')' | b']' | b'}');
            self.token();
            if closes && self.brackets <= outside {
                return;
            }
        }
    }

    /// Skips a bracket, a directive, a comment, a literal, a number, a word or one byte.
    pub fn token(&mut self) {
        match self.scanner.peek() {
            b'(' | b'[' | b'{' => {
                self.brackets += 1;
                self.scanner.step();
            }
            b')' | b']' | b'}' => {
                self.brackets = self.brackets.saturating_sub(1);
                self.scanner.step();
            }
            _ if self.directive() => {}
            _ => {
                let start = self.scanner.at;
                literal::skip(&mut self.scanner);
                let word = &self.scanner.text[start..self.scanner.at];
                self.crossed |= self.hidden.get(word) == Some(Shape::Open);
            }
        }
    }

    /// Skips attributes and pragmas before a statement or a declaration.
    pub fn attributes(&mut self) {
        loop {
            self.blanks();
            let before = self.scanner;
            let word = self.scanner.word();
            let is_pragma = is_pragma(word) && self.hidden.get(word).is_none();
            if self.scanner.starts_with("[[") && word.is_empty() {
                self.group();
            } else if is_pragma || word == "__extension__" || ATTRIBUTES.contains(&word) {
                let _ = self.bracketed(b'(');
            } else {
                self.scanner = before;
                return;
            }
        }
    }

    /// Skips the arguments of a macro that is a keyword with its condition.
    pub fn arguments(&mut self, takes: bool) -> Option<()> {
        if takes { self.bracketed(b'(') } else { Some(()) }
    }

    /// Skips a group that begins with the bracket `open`. `None` if the next token is another one.
    fn bracketed(&mut self, open: u8) -> Option<()> {
        self.blanks();
        (self.scanner.peek() == open).then(|| self.group())
    }

    /// The condition after `if` or another keyword: the text in parentheses, which is empty for `if consteval`.
    /// `constexpr` or a macro may precede the parentheses.
    pub fn condition(&mut self) -> Option<&'s str> {
        let mut consteval = false;
        loop {
            self.blanks();
            self.scanner.take(b'!');
            self.scanner.c_blanks();
            match self.scanner.word() {
                "" => break,
                word => consteval = word == "consteval",
            }
        }
        let open = self.scanner.at;
        if consteval {
            return Some("");
        }
        self.bracketed(b'(')?;
        Some(self.scanner.content(open))
    }

    /// Skips a statement. `None` if its end is unknown.
    pub fn statement(&mut self, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        loop {
            self.blanks();
            if self.scanner.at_end() {
                return Some(());
            }
            match self.scanner.peek() {
                b'{' => {
                    self.group();
                    return Some(());
                }
                b'[' if self.scanner.starts_with("[[") => {
                    self.group();
                    continue;
                }
                byte if !Scanner::is_word(byte) => return self.expression(depth),
                _ => {}
            }
            let start = self.scanner;
            let word = self.scanner.word();
            match self.hidden.get(word) {
                Some(Shape::Open) => return None,
                Some(Shape::Keyword(keyword)) => {
                    self.condition()?;
                    return self.controlled(keyword.starts_with("if"), depth);
                }
                Some(Shape::Head { arguments, is_if }) => {
                    self.arguments(arguments)?;
                    return self.controlled(is_if, depth);
                }
                Some(Shape::Closed { .. }) | None => {}
            }
            match word {
                "if" | "for" | "while" | "switch" => {
                    self.condition()?;
                    return self.controlled(word == "if", depth);
                }
                "do" => return self.do_while(depth),
                "try" => return self.handlers(),
                "else" | "catch" => return None,
                "case" => self.label()?,
                _ if self.hidden.jumping().labels().contains(word) && self.hidden.get(word).is_none() => {
                    self.arguments(self.hidden.jumping().has_parameters(word)?)?;
                }
                "__attribute__" | "__declspec" | "_Pragma" | "__pragma" => self.bracketed(b'(')?,
                "__extension__" => {}
                _ if self.passes_nothing(word) => {}
                // The macro may be the whole statement.
                _ if self.passes_prefix(word) => return None,
                _ if self.passes_macro(word) => {
                    // The macro may hide the `if` to which the `else` belongs.
                    let has_statements = self.hidden.get(word).is_some();
                    let mut next = self.clone();
                    return (!has_statements || !next.next_is("else")).then_some(());
                }
                _ => {
                    self.scanner.c_blanks();
                    if self.scanner.peek() != b':' || self.scanner.starts_with("::") {
                        self.scanner = start;
                        return self.expression(depth);
                    }
                    self.scanner.step();
                }
            }
        }
    }

    /// Skips the statement after a condition and, for an `if`, the `else` branch.
    fn controlled(&mut self, is_if: bool, depth: u32) -> Option<()> {
        self.statement(depth + 1)?;
        if is_if {
            self.alternative(depth)?;
        }
        Some(())
    }

    /// Skips the rest of a `do` loop.
    fn do_while(&mut self, depth: u32) -> Option<()> {
        self.statement(depth + 1)?;
        self.blanks();
        if self.scanner.word() != "while" {
            return None;
        }
        self.condition()?;
        self.end()
    }

    /// Skips the block and the handlers of a `try`.
    fn handlers(&mut self) -> Option<()> {
        self.bracketed(b'{')?;
        while self.next_is("catch") {
            self.bracketed(b'(')?;
            self.bracketed(b'{')?;
        }
        Some(())
    }

    /// Skips the use of a macro of which nothing is left, after its name. False for other words.
    pub fn passes_nothing(&mut self, word: &str) -> bool {
        let Some(arguments) = self.hidden.vanishes(word) else { return false };
        let before = self.clone();
        let is_use = self.arguments(arguments).is_some();
        if !is_use {
            *self = before;
        }
        is_use
    }

    /// The place after a macro of another file, whose name was read, and its arguments, if it has some. `None` for other
    /// words.
    pub fn after_unknown(&self, word: &str) -> Option<(Self, bool)> {
        let is_keyword = [&CONTROLS[..], &EXITS, &ATTRIBUTES].iter().any(|words| words.contains(&word));
        if is_keyword || is_pragma(word) || self.hidden.jumping().has_parameters(word).is_some() {
            return None;
        }
        let mut next = self.clone();
        let takes = self.scanner.rest().trim_ascii_start().starts_with(b"(");
        next.arguments(takes)?;
        (takes || self.hidden.jumping().is_strange(word)).then_some((next, takes))
    }

    /// Skips macros of other files, of which the first one's name was read, if a statement follows without a semicolon:
    /// `CHECK(x) return 0;`. A name without arguments before a loop is a hint for it. False for other words.
    pub fn passes_prefix(&mut self, word: &str) -> bool {
        let Some((mut next, mut takes)) = self.after_unknown(word) else { return false };
        for _ in 0..MOST_MACROS {
            if next.next_is_conditional() {
                return false;
            }
            next.blanks();
            let mut after = next.clone();
            let follows = after.scanner.word();
            let is_hint = !takes && matches!(follows, "for" | "while" | "do");
            if EXITS.contains(&follows) || (CONTROLS.contains(&follows) && !is_hint) {
                *self = next;
                return true;
            }
            let Some(found) = after.after_unknown(follows) else { return false };
            (next, takes) = found;
        }
        false
    }

    /// Skips the use of a macro whose body ends a statement, after its name. False for other words.
    pub fn passes_macro(&mut self, word: &str) -> bool {
        let Some(arguments) = self.hidden.ends_statement(word) else { return false };
        let before = self.clone();
        if self.arguments(arguments).is_none() {
            *self = before;
            return false;
        }
        // An empty statement.
        let mut next = self.clone();
        next.blanks();
        if next.scanner.take(b';') {
            *self = next;
        }
        true
    }

    /// Skips the `else` and its statement that belong to the use of a macro of another file. `None` if they may belong to
    /// the code around it.
    pub fn belongs(&mut self, name: &str, depth: u32) -> Option<()> {
        if names_loop(name) || !self.clone().next_is("else") {
            return Some(());
        }
        (depth == 0).then_some(())?;
        self.alternative(depth).map(drop)
    }

    /// Skips `else` and its statement. False if there is no `else`, `None` if that or the end is unknown, or if the
    /// preprocessor may leave out the `else` alone.
    pub fn alternative(&mut self, depth: u32) -> Option<bool> {
        let is_there = self.takes_else()?;
        if is_there {
            let conditionals = self.conditionals.len();
            self.statement(depth + 1)?;
            if self.conditionals.len() < conditionals {
                return None;
            }
        }
        Some(is_there)
    }

    /// Skips `else`. False if there is no `else`, `None` if a macro may hide one.
    pub fn takes_else(&mut self) -> Option<bool> {
        let mut next = self.clone();
        next.blanks();
        match self.hidden.get(next.scanner.word()) {
            Some(Shape::Open) => None,
            // The macro is an `if`, too.
            Some(Shape::Keyword(_))
                if next.scanner.text[..next.scanner.at].ends_with("ELSE_IF_CONSTEXPR") =>
            {
                Some(true)
            }
            _ => Some(self.next_is("else")),
        }
    }

    /// Skips a word, if it is the next one.
    pub fn next_is(&mut self, word: &str) -> bool {
        let before = self.clone();
        self.blanks();
        let is_next = self.scanner.word() == word;
        if !is_next {
            *self = before;
        }
        is_next
    }

    /// Skips the `;` of a statement. In the definition of a macro it may be missing at the end.
    pub fn end(&mut self) -> Option<()> {
        self.blanks();
        (self.scanner.take(b';') || self.scanner.at_end() || self.closes()).then_some(())
    }

    pub fn closes(&self) -> bool {
        matches!(self.scanner.peek(), b')' | b']' | b'}')
    }

    /// Skips a label.
    pub fn pass_label(&mut self) -> Option<()> {
        if self.scanner.word() == "case" {
            return self.label();
        }
        self.blanks();
        self.scanner.take(b':').then_some(())
    }

    /// Skips a `case` label including its `:`.
    fn label(&mut self) -> Option<()> {
        let mut choices = 0_u32;
        while !self.scanner.at_end() && !self.closes() {
            match self.scanner.peek() {
                b';' => return None,
                b'?' => {
                    choices += 1;
                    self.scanner.step();
                }
                b':' if self.scanner.starts_with("::") => self.scanner.at += 2,
                b':' if choices > 0 => {
                    choices -= 1;
                    self.scanner.step();
                }
                b':' => {
                    self.scanner.step();
                    return Some(());
                }
                b'(' | b'[' | b'{' => self.group(),
                _ => self.token(),
            }
        }
        None
    }

    /// Skips an expression, a declaration, or a macro that is a statement.
    fn expression(&mut self, depth: u32) -> Option<()> {
        let mut seen = Seen::default();
        loop {
            self.blanks();
            if self.scanner.at_end() || self.closes() {
                return Some(());
            }
            match self.scanner.peek() {
                b';' => {
                    self.scanner.step();
                    return Some(());
                }
                b'{' => {
                    self.group();
                    // `FOR_EACH(i, n) { … }`, `IF(x) { … } else { … }`
                    if seen.is_call() {
                        return self.belongs(seen.first, depth);
                    }
                    seen.groups += 1;
                    let mut next = self.clone();
                    next.blanks();
                    let word = next.scanner.word();
                    if !word.is_empty() && !seen.is_type && !is_operator(word) {
                        return None;
                    }
                }
                b'(' | b'[' => {
                    self.group();
                    seen.groups += 1;
                }
                byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                    let before = self.scanner;
                    let word = self.scanner.word();
                    if matches!(
                        self.hidden.get(word),
                        Some(Shape::Open | Shape::Head { .. } | Shape::Keyword(_))
                    ) {
                        return None;
                    }
                    match word {
                        "else" => {
                            self.scanner = before;
                            // A macro may hide the `if` to which the `else` belongs.
                            let is_hidden = self.hidden.get(seen.first).is_some();
                            return (seen.words > 0 && !is_hidden).then_some(());
                        }
                        "if" | "for" | "while" | "switch" | "do" | "try" => {
                            self.scanner = before;
                            return if seen.precedes_statement() { self.statement(depth + 1) } else { None };
                        }
                        "struct" | "class" | "union" | "enum" => seen.is_type = true,
                        // A macro before a label is the whole statement.
                        "case" | "default" if seen.is_call() => {
                            self.scanner = before;
                            return Some(());
                        }
                        // A macro is the whole statement, or begins a loop.
                        _ if seen.is_call() && !is_operator(word) && !is_specifier(seen.first) => {
                            return None;
                        }
                        _ => {}
                    }
                    if seen.words + seen.groups + seen.others == 0 {
                        seen.first = word;
                    }
                    seen.words += 1;
                    if matches!(self.scanner.peek(), b'"' | b'\'') {
                        // The prefix of a literal.
                        self.scanner = before;
                        literal::skip(&mut self.scanner);
                    }
                }
                _ => {
                    self.token();
                    seen.others += 1;
                }
            }
        }
    }
}
