//! Languages without control flow to follow: comments, strings, the words that begin an assembly, and the form of
//! operands.

use super::escape::{Escapes, unescape};
use super::guard::Guards;
use super::reading::{Literal, Reading};
use super::scan::Scanner;
use super::text::Joined;

/// The syntax of a language.
pub(super) struct Syntax {
    /// The beginnings of comments that end with their line.
    pub comments: &'static [&'static str],
    /// Block comments `/* … */`, which nest.
    pub blocks: bool,
    pub escapes: Escapes,
    /// True for Rust: strings may span several lines, `r#"…"#` is a string, and `'a` is not.
    pub rust: bool,
    pub openers: &'static [Opener],
    /// The word before an opener whose strings, joined, are part of a module.
    pub module: Option<&'static str>,
    /// Returns the target that a module names.
    pub guards: fn(&str) -> Guards,
}

/// A word that begins an assembly.
pub(super) struct Opener {
    pub word: &'static str,
    pub operands: Style,
}

/// How the operands of an assembly are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `"…", "=r,f"`
    List,
    /// `"…" {constraints = "=r,f"}`
    Attribute,
    /// `"… {$w0}, {$r0}" ro(%a : f32) -> i16`
    Types,
    /// `"… {$w0}, {$r0}"`, whose operands' types are not read.
    Names,
    /// `!("… {0}, {1}", out(reg32) d, in(reg32) a)`
    Arguments,
}

/// A position in a source, and the results so far.
pub(super) struct Reader<'s> {
    pub syntax: &'static Syntax,
    pub scanner: Scanner<'s>,
    pub reading: Reading,
}

impl<'s> Reader<'s> {
    /// A reader at the beginning of a text.
    pub fn new(syntax: &'static Syntax, text: &'s str) -> Self {
        Reader { syntax, scanner: Scanner::new(text), reading: Reading::default() }
    }

    /// Skips a comment, if one begins here.
    pub fn comment(&mut self) -> bool {
        if self.syntax.comments.iter().any(|mark| self.scanner.starts_with(mark)) {
            // LLVM and MLIR end a line at a carriage return, too.
            let ends = |byte: u8| byte == b'\n' || (byte == b'\r' && !self.syntax.rust);
            while !self.scanner.at_end() && !ends(self.scanner.peek()) {
                self.scanner.step();
            }
            return true;
        }
        if !self.syntax.blocks || !self.scanner.starts_with("/*") {
            return false;
        }
        let mut depth = 0_u32;
        while !self.scanner.at_end() {
            if self.scanner.starts_with("/*") {
                depth += 1;
                self.scanner.at += 2;
            } else if self.scanner.starts_with("*/") {
                depth -= 1;
                self.scanner.at += 2;
                if depth == 0 {
                    break;
                }
            } else {
                self.scanner.step();
            }
        }
        true
    }

    /// Skips blanks and comments.
    pub fn blanks(&mut self) {
        loop {
            match self.scanner.peek() {
                byte if byte.is_ascii_whitespace() => self.scanner.step(),
                _ if self.comment() => {}
                _ => return,
            }
        }
    }

    /// Skips a character; in Rust, a character literal.
    pub fn character(&mut self) {
        let scanner = &mut self.scanner;
        let quoted = self.syntax.rust && scanner.peek() == b'\'';
        scanner.step();
        if !quoted {
            return;
        }
        let content = scanner.at;
        if scanner.take(b'\\') {
            scanner.step();
            // `\x41`, `\u{1f600}`
            while Scanner::is_word(scanner.peek()) || matches!(scanner.peek(), b'{' | b'}') {
                scanner.step();
            }
        } else {
            scanner.step();
        }
        // A lifetime has no closing quote.
        if !scanner.take(b'\'') {
            scanner.at = content;
        }
    }

    /// Reads a string, if one begins here.
    pub fn string(&mut self) -> Option<Joined> {
        let mut joined = Joined::default();
        let start = self.scanner.at;
        if self.scanner.peek() == b'"' {
            let end = if self.syntax.rust { self.lines() } else { self.scanner.skip_string(b'"') };
            unescape(self.scanner.text, start + 1, end, self.syntax.escapes, &mut joined);
        } else if self.syntax.rust && matches!(self.scanner.peek(), b'r' | b'b' | b'c') {
            let before = start.checked_sub(1).and_then(|at| self.scanner.text.as_bytes().get(at));
            if before.is_some_and(|byte| Scanner::is_word(*byte)) || !self.raw(&mut joined) {
                self.scanner.at = start;
                return None;
            }
        } else {
            return None;
        }
        self.reading.strings.extend(Literal::new(joined.clone(), false));
        Some(joined)
    }

    /// Skips a string, which may span several lines. Returns the place of its closing quote.
    fn lines(&mut self) -> usize {
        let scanner = &mut self.scanner;
        scanner.step();
        while !scanner.at_end() && scanner.peek() != b'"' {
            if scanner.peek() == b'\\' {
                scanner.step();
            }
            scanner.step();
        }
        let end = scanner.at;
        scanner.step();
        end
    }

    /// Reads `r"…"`, `br#"…"#` and `c"…"`. False if no such string begins here.
    fn raw(&mut self, joined: &mut Joined) -> bool {
        let word = self.scanner.word();
        if matches!(word, "b" | "c") && self.scanner.peek() == b'"' {
            let start = self.scanner.at + 1;
            let end = self.lines();
            unescape(self.scanner.text, start, end, self.syntax.escapes, joined);
            return true;
        }
        let hashes = self.scanner.rest().iter().take_while(|b| **b == b'#').count();
        if !matches!(word, "r" | "br" | "cr") || self.scanner.rest().get(hashes) != Some(&b'"') {
            return false;
        }
        let start = self.scanner.at + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = self.scanner.text[start..].find(&close).map_or(self.scanner.text.len(), |n| start + n);
        joined.push(&self.scanner.text[start..end], start);
        self.scanner.at = (end + close.len()).min(self.scanner.text.len());
        true
    }

    /// Skips a string, a comment, a word, a group or a character.
    pub fn pass(&mut self) {
        if self.comment() || self.string().is_some() {
            return;
        }
        match self.scanner.peek() {
            b'(' | b'[' | b'{' => self.group(),
            byte if Scanner::is_word(byte) => drop(self.scanner.word()),
            _ => self.character(),
        }
    }

    /// Skips the group that begins here, and returns what is in it.
    pub fn group_here(&mut self) -> &'s str {
        let open = self.scanner.at;
        self.group();
        self.scanner.content(open)
    }

    /// Skips a group. Does not recurse, so groups may be nested to any depth.
    fn group(&mut self) {
        let mut open = 0_usize;
        while !self.scanner.at_end() {
            match self.scanner.peek() {
                b'(' | b'[' | b'{' => {
                    open += 1;
                    self.scanner.step();
                }
                b')' | b']' | b'}' => {
                    open -= 1;
                    self.scanner.step();
                    if open == 0 {
                        return;
                    }
                }
                // This is not a group.
                _ => self.pass(),
            }
            self.blanks();
        }
    }
}
