//! String literals of Python, adjacent ones as one string, and the blanks and comments between them.
//!
//! The Python Language Reference, "String and Bytes literals" and "Formatted string literals".

use super::super::escape::{Escapes, unescape};
use super::super::scan::Scanner;
use super::super::text::{HOLE, Joined, mentions};
use crate::source::Span;

/// Adjacent string literals, which are one string.
#[derive(Clone, Default)]
pub(super) struct Literals {
    /// Their text, decoded.
    pub joined: Joined,
    /// The place where the content of the last one begins.
    pub from: usize,
    /// How many there are.
    pub number: usize,
    /// The place of their end.
    pub end: usize,
}

/// A position in the text, and the strings read so far.
pub(super) struct Tokens<'s> {
    pub scanner: Scanner<'s>,
    /// Every literal read that mentions a conversion.
    pub strings: Vec<Joined>,
}

impl<'s> Tokens<'s> {
    pub fn new(text: &'s str) -> Self {
        Tokens { scanner: Scanner::new(text), strings: Vec::new() }
    }

    pub fn comment(&mut self) {
        while !self.scanner.at_end() && self.scanner.peek() != b'\n' {
            self.scanner.at += 1;
        }
    }

    /// Skips blanks and comments; line ends only if they do not end a statement, or with `lines`.
    pub fn blanks(&mut self, lines: bool) {
        loop {
            match self.scanner.peek() {
                b' ' | b'\t' | b'\r' | b'\\' => self.scanner.at += 1,
                b'\n' if lines || self.scanner.text[..self.scanner.at].ends_with('\\') => {
                    self.scanner.at += 1
                }
                b'#' if lines => self.comment(),
                _ => return,
            }
        }
    }

    /// The length of the prefix of the string that begins here, or `None` if no string does.
    pub fn quote(&self) -> Option<usize> {
        let rest = self.scanner.rest();
        let prefix = rest.iter().take(2).take_while(|b| b"rRbBuUfF".contains(b)).count();
        // The end of a longer word is no prefix.
        let word_before = self.scanner.at > 0
            && prefix > 0
            && Scanner::is_word(self.scanner.text.as_bytes()[self.scanner.at - 1]);
        matches!(rest.get(prefix), Some(b'"' | b'\'')).then_some(prefix).filter(|_| !word_before)
    }

    /// Appends a string literal; with `formatted`, one that `.format(…)` follows.
    pub fn literal(&mut self, into: &mut Literals, formatted: bool) {
        let Some(prefix) = self.quote() else { return };
        let letters = self.scanner.text[self.scanner.at..self.scanner.at + prefix].to_ascii_lowercase();
        self.scanner.at += prefix;
        let quote = self.scanner.peek();
        let triple = [quote; 3];
        let (start, end);
        if self.scanner.rest().starts_with(&triple) {
            start = self.scanner.at + 3;
            let mut at = start;
            let bytes = self.scanner.text.as_bytes();
            while at < bytes.len() && !bytes[at..].starts_with(&triple) {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            end = at.min(bytes.len());
            self.scanner.at = (end + 3).min(bytes.len());
        } else {
            start = self.scanner.at + 1;
            end = self.scanner.skip_string(quote);
        }
        into.from = start;
        into.number += 1;
        let (raw, braces) = (letters.contains('r'), letters.contains('f') || formatted);
        let decode = |joined: &mut Joined| {
            let (text, mut from) = (self.scanner.text, start);
            while let Some((at, to, stands_for)) = if braces { hole(text, from, end) } else { None } {
                piece(text, from, at, raw, joined);
                joined.push_as(stands_for, Span::new(at as u32, to as u32));
                from = to;
            }
            piece(text, from, end, raw, joined);
        };
        decode(&mut into.joined);
        let mut own = Joined::default();
        decode(&mut own);
        if mentions(&own.text).next().is_some() {
            self.strings.push(own);
        }
        if letters.contains('f') {
            self.nested(start, end);
        }
    }

    /// Reads the strings in the `{…}` of a formatted string, whose content is between `start` and `end`.
    fn nested(&mut self, start: usize, end: usize) {
        let mut from = start;
        while let Some((at, to, stands_for)) = hole(self.scanner.text, from, end) {
            if stands_for == HOLE && self.scanner.text[at..to].contains("cvt") {
                let mut inner = Tokens::new(&self.scanner.text[..to]);
                inner.scanner.at = at + 1;
                while !inner.scanner.at_end() {
                    match inner.quote() {
                        Some(_) => inner.literal(&mut Literals::default(), false),
                        None => inner.scanner.at += 1,
                    }
                }
                self.strings.extend(inner.strings);
            }
            from = to;
        }
    }

    /// Reads adjacent string literals, perhaps in parentheses; `None` if something else is here.
    pub fn literals(&mut self) -> Option<Literals> {
        let start = self.scanner.at;
        let read = |reader: &mut Self, formatted: bool| {
            reader.scanner.at = start;
            let parenthesis = reader.scanner.take(b'(');
            reader.blanks(true);
            let mut literals = Literals::default();
            while reader.quote().is_some() {
                reader.literal(&mut literals, formatted);
                let end = reader.scanner.at;
                literals.end = end;
                reader.blanks(true);
                if reader.quote().is_none() && !parenthesis {
                    reader.scanner.at = end;
                }
            }
            if parenthesis && !reader.scanner.take(b')') {
                return None;
            }
            literals.end = if parenthesis { reader.scanner.at } else { literals.end };
            (literals.number > 0).then_some(literals)
        };
        let literals = read(self, false)?;
        self.blanks(true);
        let formatted = self.scanner.starts_with(".format(");
        if !formatted {
            return Some(literals);
        }
        let literals = read(self, true)?;
        self.blanks(true);
        Some(literals)
    }

    /// Skips methods that leave a string's conversions as they are; true if the argument of a call ends then.
    pub fn ends_argument(&mut self) -> bool {
        self.blanks(true);
        for method in [".format", ".strip", ".lstrip", ".rstrip", ".encode"] {
            if self.scanner.starts_with(method) {
                self.scanner.at += method.len();
                self.pass();
                self.blanks(true);
            }
        }
        self.scanner.at_end() || matches!(self.scanner.peek(), b',' | b')')
    }

    /// Skips a literal, a comment, a bracketed group, a word or one character.
    pub fn pass(&mut self) {
        if self.quote().is_some() {
            return self.literal(&mut Literals::default(), false);
        }
        match self.scanner.peek() {
            b'#' => self.comment(),
            b'(' | b'[' | b'{' => {
                let mut open = 0_u32;
                while !self.scanner.at_end() {
                    match self.scanner.peek() {
                        b'(' | b'[' | b'{' => open += 1,
                        b')' | b']' | b'}' => open -= 1,
                        b'#' => {
                            self.comment();
                            continue;
                        }
                        _ if self.quote().is_some() => {
                            self.literal(&mut Literals::default(), false);
                            continue;
                        }
                        _ => {}
                    }
                    self.scanner.at += 1;
                    if open == 0 {
                        return;
                    }
                }
            }
            byte if Scanner::is_word(byte) => drop(self.scanner.word()),
            _ => self.scanner.at += 1,
        }
    }
}

/// Appends a part of a literal, raw or with escapes.
fn piece(text: &str, from: usize, to: usize, raw: bool, joined: &mut Joined) {
    if raw {
        joined.push(&text[from..to.max(from)], from);
    } else {
        unescape(text, from, to, Escapes::Python, joined);
    }
}

/// The next `{…}` of a formatted string, or a doubled brace: its begin, its end, and the text that it produces.
fn hole(text: &str, from: usize, end: usize) -> Option<(usize, usize, &'static str)> {
    let at = text[from..end].find(['{', '}']).map(|n| from + n)?;
    let bytes = text.as_bytes();
    if bytes.get(at + 1) == Some(&bytes[at]) && at + 1 < end {
        return Some((at, at + 2, if bytes[at] == b'{' { "{" } else { "}" }));
    }
    if bytes[at] == b'}' {
        return Some((at, at + 1, "}"));
    }
    let mut open = 0_u32;
    for (n, byte) in bytes[at..end].iter().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((at, at + n + 1, HOLE));
        }
    }
    None
}
