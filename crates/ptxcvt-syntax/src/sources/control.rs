//! Where a statement of C++ ends, whatever its kind: blocks, selections, loops, `try`, labels, attributes, declarations and
//! expressions with lambdas.
//!
//! ISO C++, "Statements". Macros are not expanded: where one hides what a statement is, the end is not known.

use super::guard::split;
use super::literal;
use super::scan::Scanner;

/// The deepest nesting of statements without braces.
const DEEPEST: u32 = 200;

/// Reads code forward. Of an `#if`, every branch must open and close the same brackets.
#[derive(Clone)]
pub(super) struct Walker<'s> {
    pub scanner: Scanner<'s>,
    /// How many brackets are open.
    brackets: u32,
    conditionals: Vec<Conditional>,
    /// A conditional of the preprocessor begins before the code, or its branches differ in brackets.
    crossed: bool,
}

/// An open conditional of the preprocessor, with the brackets that are open before it and after its first branch.
#[derive(Clone)]
struct Conditional {
    before: u32,
    after: Option<u32>,
    has_else: bool,
}

/// What an expression or declaration begins with, as far as it is read.
#[derive(Default)]
struct Seen<'s> {
    first: &'s str,
    words: u32,
    groups: u32,
    others: u32,
    /// `struct`, `class`, `union` or `enum`, whose braces a name may follow.
    is_type: bool,
}

impl Seen<'_> {
    /// True for `NAME(…)`, but not for `return (…)`.
    fn is_call(&self) -> bool {
        const OPERATORS: [&str; 7] =
            ["return", "throw", "delete", "new", "co_return", "co_await", "co_yield"];
        (self.words, self.groups, self.others) == (1, 1, 0) && !OPERATORS.contains(&self.first)
    }
}

impl<'s> Walker<'s> {
    pub fn new(text: &'s str, at: usize) -> Self {
        let scanner = Scanner { text, at };
        Walker { scanner, brackets: 0, conditionals: Vec::new(), crossed: false }
    }

    /// True if each conditional of the preprocessor on the way began and ended there.
    pub fn is_whole(&self) -> bool {
        self.conditionals.is_empty() && !self.crossed
    }

    /// Skips blanks, comments and directives.
    fn blanks(&mut self) {
        loop {
            self.scanner.c_blanks();
            if !self.directive() {
                return;
            }
        }
    }

    /// Skips a directive, if one begins here.
    fn directive(&mut self) -> bool {
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

    /// Skips to after the bracket that closes the one here. Brackets in comments, literals and directives do not count.
    pub fn group(&mut self) {
        self.pass_brackets(self.brackets);
    }

    /// Skips to the bracket that closes what is around this place; `None` if the branches of the preprocessor have different
    /// ends.
    pub fn rest_of_block(&mut self) -> Option<()> {
        /// Conditionals around the place that may end in the block.
        const AROUND: usize = 32;
        self.brackets += 1;
        let inside = self.brackets;
        self.conditionals = vec![Conditional { before: inside, after: None, has_else: false }; AROUND];
        self.crossed = false;
        while !self.scanner.at_end() && !self.crossed {
            if self.closes() && self.brackets <= inside {
                return (self.conditionals.len() <= AROUND).then_some(());
            }
            self.token();
        }
        (!self.crossed).then_some(())
    }

    /// Skips tokens until no more brackets are open than this.
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
    fn token(&mut self) {
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
            _ => literal::skip(&mut self.scanner),
        }
    }

    /// Skips the group in these brackets; `None` if another token is here.
    fn bracketed(&mut self, open: u8) -> Option<()> {
        self.blanks();
        (self.scanner.peek() == open).then(|| self.group())
    }

    /// The condition after `if` or another keyword: the text in its parentheses, which is empty for `if consteval`. Before
    /// them may be `constexpr`, or a macro.
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

    /// Skips a statement; `None` if its end is not known.
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
            match self.scanner.word() {
                "if" => {
                    self.condition()?;
                    self.statement(depth + 1)?;
                    self.alternative(depth)?;
                    return Some(());
                }
                "for" | "while" | "switch" => {
                    self.condition()?;
                    return self.statement(depth + 1);
                }
                "do" => {
                    self.statement(depth + 1)?;
                    self.blanks();
                    if self.scanner.word() != "while" {
                        return None;
                    }
                    self.condition()?;
                    self.end()?;
                    return Some(());
                }
                "try" => {
                    self.bracketed(b'{')?;
                    while self.next_is("catch") {
                        self.bracketed(b'(')?;
                        self.bracketed(b'{')?;
                    }
                    return Some(());
                }
                "else" | "catch" => return None,
                "case" => self.label()?,
                "__attribute__" | "__declspec" | "_Pragma" | "__pragma" => self.bracketed(b'(')?,
                "__extension__" => {}
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

    /// Skips `else` and its statement; false if there is none.
    pub fn alternative(&mut self, depth: u32) -> Option<bool> {
        let is_there = self.next_is("else");
        if is_there {
            self.statement(depth + 1)?;
        }
        Some(is_there)
    }

    /// Skips a word, if it is the next one.
    fn next_is(&mut self, word: &str) -> bool {
        let before = self.clone();
        self.blanks();
        let is_next = self.scanner.word() == word;
        if !is_next {
            *self = before;
        }
        is_next
    }

    /// Skips the `;` of a statement. In the definition of a macro it may be missing at the end.
    fn end(&mut self) -> Option<()> {
        self.blanks();
        (self.scanner.take(b';') || self.scanner.at_end() || self.closes()).then_some(())
    }

    fn closes(&self) -> bool {
        matches!(self.scanner.peek(), b')' | b']' | b'}')
    }

    /// Skips to after the `:` of a `case`.
    fn label(&mut self) -> Option<()> {
        while !self.scanner.at_end() && !self.closes() {
            match self.scanner.peek() {
                b';' => return None,
                b':' if self.scanner.starts_with("::") => self.scanner.at += 2,
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

    /// Skips an expression or a declaration, or what a macro makes of a statement.
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
                    // `FOR_EACH(i, n) { … }`
                    if seen.is_call() {
                        return Some(());
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
                    match word {
                        "else" => {
                            self.scanner = before;
                            return (seen.words > 0).then_some(());
                        }
                        "if" | "for" | "while" | "switch" | "do" | "try" => {
                            self.scanner = before;
                            return if seen.precedes_statement() { self.statement(depth + 1) } else { None };
                        }
                        "struct" | "class" | "union" | "enum" => seen.is_type = true,
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

impl Seen<'_> {
    /// True if this is no more than macros such as `PRAGMA_UNROLL` before a statement. Other macros may be statements.
    fn precedes_statement(&self) -> bool {
        let name = self.first.to_ascii_lowercase();
        let is_pragma = self.is_call() && ["unroll", "pragma"].iter().any(|part| name.contains(part));
        let only_names = self.words > 0 && (self.groups, self.others) == (0, 0);
        is_pragma || only_names
    }
}

/// Words that are operators.
fn is_operator(word: &str) -> bool {
    matches!(word, "and" | "or" | "xor" | "bitand" | "bitor" | "and_eq" | "or_eq" | "xor_eq" | "not_eq")
}

/// Words whose arguments in parentheses a declaration follows.
fn is_specifier(word: &str) -> bool {
    matches!(word, "alignas" | "decltype" | "typeof" | "__typeof__" | "__align__" | "__builtin_align__")
}
