//! What the readers of sources have in common: blanks, words, strings, groups in brackets.

use super::text::Joined;
use crate::source::Span;

/// A place in a text, and steps from there.
pub(super) struct Scanner<'s> {
    pub text: &'s str,
    pub at: usize,
}

/// A line with those that a backslash joins to it.
pub(super) struct Line {
    pub text: String,
    pub end: usize,
}

impl<'s> Scanner<'s> {
    pub fn new(text: &'s str) -> Self {
        Scanner { text, at: 0 }
    }

    pub fn is_word(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_'
    }

    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next byte; 0 at the end.
    pub fn peek(&self) -> u8 {
        self.rest().first().copied().unwrap_or(0)
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

    /// The word here, perhaps empty.
    pub fn word(&mut self) -> &'s str {
        let start = self.at;
        while Self::is_word(self.peek()) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Passes a number with all its marks: `1'000'000u`, `0x1F`, `1.5e3`.
    pub fn number(&mut self) {
        while Self::is_word(self.peek())
            || self.peek() == b'.'
            || (self.peek() == b'\'' && self.rest().get(1).is_some_and(u8::is_ascii_alphanumeric))
        {
            self.at += 1;
        }
    }

    /// Passes a comment of C; false where there is none.
    pub fn c_comment(&mut self) -> bool {
        let length = if self.starts_with("//") {
            self.rest().iter().position(|&b| b == b'\n')
        } else if self.starts_with("/*") {
            self.text[self.at + 2..].find("*/").map(|n| n + 4)
        } else {
            self.at += usize::from(self.peek() == b'/');
            return false;
        };
        self.at = length.map_or(self.text.len(), |n| self.at + n);
        true
    }

    /// Passes blanks, comments of C, and what joins lines.
    pub fn c_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' | b'\n' | b'\\' => self.at += 1,
                b'/' if self.starts_with("//") || self.starts_with("/*") => drop(self.c_comment()),
                _ => return,
            }
        }
    }

    /// Passes a string, this being its opening quote; returns where the closing one stands, or the line ends.
    pub fn skip_string(&mut self, quote: u8) -> usize {
        self.at += 1;
        loop {
            match self.peek() {
                b'\\' => self.at += 2,
                b'\n' => return self.at,
                byte if byte == quote => {
                    self.at += 1;
                    return self.at - 1;
                }
                0 if self.at_end() => {
                    self.at = self.text.len();
                    return self.at;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Passes a string, a character or a comment whole, anything else byte by byte.
    pub fn pass(&mut self) {
        match self.peek() {
            quote @ (b'"' | b'\'') => drop(self.skip_string(quote)),
            b'/' => drop(self.c_comment()),
            b'(' | b'[' | b'{' => self.skip_group(),
            b'0'..=b'9' => self.number(),
            _ => self.at += 1,
        }
    }

    /// Passes what is in brackets, this being the opening one. Depth is counted, not nested.
    pub fn skip_group(&mut self) {
        let mut open = 0_u32;
        while !self.at_end() {
            match self.peek() {
                b'(' | b'[' | b'{' => {
                    open += 1;
                    self.at += 1;
                }
                b')' | b']' | b'}' => {
                    open = open.saturating_sub(1);
                    self.at += 1;
                    if open == 0 {
                        return;
                    }
                }
                _ => self.pass(),
            }
        }
    }

    /// The line from `start` on.
    pub fn logical_line(&self, start: usize) -> Line {
        let mut text = String::new();
        let mut at = start;
        loop {
            let end = self.text[at..].find('\n').map_or(self.text.len(), |n| at + n);
            let line = self.text[at..end].trim_end_matches('\r');
            match line.strip_suffix('\\') {
                Some(line) if end < self.text.len() => {
                    text.push_str(line);
                    text.push(' ');
                    at = end + 1;
                }
                _ => {
                    text.push_str(line);
                    return Line { text, end };
                }
            }
        }
    }
}

/// Appends the text between `start` and `end`, escapes of C and Python resolved.
pub(super) fn unescape(text: &str, start: usize, end: usize, joined: &mut Joined) {
    let end = end.min(text.len()).max(start);
    let mut from = start;
    while let Some(n) = text[from..end].find('\\') {
        joined.push(&text[from..from + n], from);
        let at = from + n;
        let escaped = text[at + 1..end].chars().next();
        let length = escaped.map_or(0, char::len_utf8);
        let stands_for = match escaped {
            Some('n') => "\n",
            Some('t') => "\t",
            Some('r') => "\r",
            Some('"') => "\"",
            Some('\'') => "'",
            Some('\\') => "\\",
            // A line that goes on.
            Some('\n') => "",
            Some('\r') => "",
            _ => " ",
        };
        joined.push_as(stands_for, Span::new(at as u32, (at + 1 + length) as u32));
        from = (at + 1 + length).min(end);
    }
    joined.push(&text[from..end], from);
}
