//! A scanner for all languages: it skips blanks, words, strings and groups in brackets.

use super::text::Joined;
use crate::identifier::{is_blank, is_part};
use crate::source::Span;

/// A position in a text that moves forward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'s> {
    pub text: &'s str,
    pub at: usize,
}

/// A logical line: a line with the next ones if a backslash or a comment joins them.
pub(super) struct Line {
    /// The text, with a space for each comment.
    pub text: String,
    /// The start of the text.
    pub start: usize,
    /// The end of the line.
    pub end: usize,
}

impl<'s> Scanner<'s> {
    pub fn new(text: &'s str) -> Self {
        Scanner { text, at: 0 }
    }

    /// True for a byte of a name or number.
    pub fn is_word(byte: u8) -> bool {
        is_part(byte)
    }

    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next byte, or 0 at the end. Blanks outside of ASCII are returned as a space.
    pub fn peek(&self) -> u8 {
        match self.rest().first() {
            Some(byte) if byte.is_ascii() => *byte,
            Some(byte) => match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
                Some(c) if is_blank(c) => b' ',
                _ => *byte,
            },
            None => 0,
        }
    }

    pub fn rest(&self) -> &'s [u8] {
        &self.text.as_bytes()[self.at.min(self.text.len())..]
    }

    pub fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text.as_bytes())
    }

    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && !self.at_end();
        self.at += usize::from(found);
        found
    }

    /// Skips a character. Only this method may skip a character that may be outside of ASCII, because text cannot be
    /// cut inside a character.
    pub fn step(&mut self) {
        self.at = (self.at + 1).min(self.text.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// Skips a word and returns it; it may be empty.
    pub fn word(&mut self) -> &'s str {
        let start = self.at;
        while Self::is_word(self.peek()) {
            self.step();
        }
        &self.text[start..self.at]
    }

    /// Skips a C++ number: `1'000'000u`, `0x1F`, `1.5e3`.
    pub fn number(&mut self) {
        while Self::is_word(self.peek())
            || self.peek() == b'.'
            || (self.peek() == b'\'' && self.rest().get(1).is_some_and(u8::is_ascii_alphanumeric))
        {
            self.step();
        }
    }

    /// Skips a C comment. If none begins here, skips one byte and returns false.
    pub fn c_comment(&mut self) -> bool {
        let length = if self.starts_with("//") {
            // A backslash joins the next line to the comment.
            let joined = |end: &usize| {
                let line = &self.rest()[..*end];
                line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
            };
            let ends = self.rest().iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| n);
            ends.into_iter().find(|end| !joined(end))
        } else if self.starts_with("/*") {
            self.text[self.at + 2..].find("*/").map(|n| n + 4)
        } else {
            self.at += usize::from(self.peek() == b'/');
            return false;
        };
        self.at = length.map_or(self.text.len(), |n| self.at + n);
        true
    }

    /// Skips blanks, C comments, and backslashes, which join lines.
    pub fn c_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' | b'\n' | b'\\' => self.step(),
                b'/' if self.starts_with("//") || self.starts_with("/*") => drop(self.c_comment()),
                _ => return,
            }
        }
    }

    /// Skips a string whose opening quote is here. Returns where the closing quote is, or where the line ends.
    pub fn skip_string(&mut self, quote: u8) -> usize {
        self.step();
        loop {
            match self.peek() {
                // An escape, or a line end of one or two bytes that the backslash joins.
                b'\\' if self.starts_with("\\\r\n") => self.at += 3,
                b'\\' => {
                    self.step();
                    self.step();
                }
                b'\n' => return self.at,
                byte if byte == quote => {
                    self.step();
                    return self.at - 1;
                }
                0 if self.at_end() => {
                    self.at = self.text.len();
                    return self.at;
                }
                _ => self.step(),
            }
        }
    }

    /// Skips a whole string, character, number, comment or group; otherwise one byte.
    pub fn pass(&mut self) {
        match self.peek() {
            quote @ (b'"' | b'\'') => drop(self.skip_string(quote)),
            b'/' => drop(self.c_comment()),
            b'(' | b'[' | b'{' => self.skip_group(),
            b'0'..=b'9' => self.number(),
            _ => self.step(),
        }
    }

    /// Skips the bracket here and everything up to its closing one.
    pub fn skip_group(&mut self) {
        let mut open = 0_u32;
        while !self.at_end() {
            match self.peek() {
                b'(' | b'[' | b'{' => {
                    open += 1;
                    self.step();
                }
                b')' | b']' | b'}' => {
                    open = open.saturating_sub(1);
                    self.step();
                    if open == 0 {
                        return;
                    }
                }
                _ => self.pass(),
            }
        }
    }

    /// The text from the bracket at `open` to here, without the brackets. It may lack the closing one.
    pub fn content(&self, open: usize) -> &'s str {
        let group = self.text.get(open + 1..self.at.min(self.text.len())).unwrap_or_default();
        group.strip_suffix([')', ']', '}']).unwrap_or(group)
    }

    /// True if only blanks precede this place in its line, and no backslash joins the line to the previous one.
    pub fn begins_line(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        match before.strip_suffix('\n') {
            Some(line) => !line.trim_end_matches('\r').ends_with('\\'),
            None => before.is_empty(),
        }
    }

    /// The length of the `#` or `%:` that begins a directive, or 0 if no directive begins here.
    pub fn hash(&self) -> usize {
        match self.peek() {
            b'#' => 1,
            b'%' if self.starts_with("%:") => 2,
            _ => 0,
        }
    }

    /// The directive that begins here, without its `#` or `%:`.
    pub fn directive(&self) -> Line {
        self.logical_line(self.at + self.hash())
    }

    /// The logical line that begins at `start`, without comments, which may span several lines.
    pub fn logical_line(&self, start: usize) -> Line {
        let (Joined { text, .. }, end) = self.placed_line(start);
        Line { text, start, end }
    }

    /// The text of the logical line that begins at `start`, with its places, and the end of the line.
    pub fn placed_line(&self, start: usize) -> (Joined, usize) {
        let mut scanner = Scanner { text: self.text, at: start };
        let (mut line, mut from) = (Joined::default(), start);
        loop {
            let at = scanner.at;
            let left_out = match scanner.peek() {
                b'\\' if scanner.starts_with("\\\n") => "",
                b'\\' if scanner.starts_with("\\\r\n") => "",
                b'/' if scanner.starts_with("//") || scanner.starts_with("/*") => " ",
                b'\n' | 0 if scanner.at_end() || scanner.peek() == b'\n' => {
                    line.push(self.text[from..at].trim_end_matches('\r'), from);
                    return (line, at);
                }
                quote @ (b'"' | b'\'') => {
                    // A quote without an end does not begin a literal: it separates digits or is an apostrophe.
                    let end = scanner.skip_string(quote);
                    if self.text.as_bytes().get(end) != Some(&quote) {
                        scanner.at = at + 1;
                    }
                    continue;
                }
                b'0'..=b'9' => {
                    scanner.number();
                    continue;
                }
                byte if Self::is_word(byte) => {
                    scanner.word();
                    continue;
                }
                _ => {
                    scanner.step();
                    continue;
                }
            };
            line.push(&self.text[from..at], from);
            line.push_as(left_out, Span::new(at as u32, at as u32 + 1));
            if !scanner.c_comment() {
                // Skips a backslash and the line end after it.
                scanner.at = at + if scanner.text[at..].starts_with("\\\r\n") { 3 } else { 2 };
            }
            from = scanner.at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identifier::{first_name, is_name, is_plain_char, last_name, names};
    use crate::sources::lexeme::{Lexeme, Lexer};

    #[test]
    fn every_reader_of_names_agrees() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let whole = is_name(&text);
            assert_eq!(Scanner::new(&text).word(), first_name(&text), "{text}");
            assert_eq!(first_name(&text), if whole { &text } else { "a" });
            assert_eq!(last_name(&text), if whole { &text } else { "b" });
            assert_eq!(names(&text).count(), if whole { 1 } else { 2 });
            assert!(whole || !is_plain_char(c));
            let lexeme = Lexer::new(&text, &[]).next();
            assert_eq!(lexeme, Some((Lexeme::Word(first_name(&text)), 0..first_name(&text).len())));
        }
    }

    #[test]
    fn blanks_of_unicode_are_blanks() {
        for blank in ['\u{a0}', '\u{2003}', '\u{3000}', '\u{feff}'] {
            let text = format!("{blank}{blank}asm");
            let mut scanner = Scanner::new(&text);
            scanner.c_blanks();
            assert_eq!(scanner.word(), "asm", "{blank:?}");
        }
    }
}
