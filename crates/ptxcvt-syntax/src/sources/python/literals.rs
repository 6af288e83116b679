//! Python's string literals (adjacent ones are one string), and the blanks and comments between them.
//!
//! The Python Language Reference, "String and Bytes literals" and "Formatted string literals".

use std::collections::{BTreeMap, BTreeSet};

use super::super::escape::{Escapes, unescape};
use super::super::mention::{continues, mentions, unfinished, words};
use super::super::scan::Scanner;
use super::super::text::{HOLE, Joined};
use super::quoted;
use crate::source;

/// A string literal: where its content begins and ends, and how it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    /// `None` for a raw string.
    pub escapes: Option<Escapes>,
    pub formatted: bool,
}

/// A position in the text, and the strings read so far.
pub(super) struct Tokens<'s> {
    pub scanner: Scanner<'s>,
    /// Every literal read that mentions a conversion, by the place of its content.
    pub strings: BTreeMap<usize, Joined>,
    /// Other literals that contain the word `cvt`: a conversion may begin there.
    pub begun: BTreeMap<usize, Joined>,
    /// The places of literals that end with `cvt` and are followed by a literal with its modifiers.
    pub continued: BTreeSet<usize>,
    /// The nesting depth of the expression being read.
    pub depth: u32,
}

impl<'s> Tokens<'s> {
    pub fn new(text: &'s str) -> Self {
        let (strings, begun, continued) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Tokens { scanner: Scanner::new(text), strings, begun, continued, depth: 0 }
    }

    pub fn comment(&mut self) {
        while !self.scanner.at_end() && self.scanner.peek() != b'\n' {
            self.scanner.step();
        }
    }

    /// Skips blanks and comments; line ends only if they do not end a statement, or with `lines`.
    pub fn blanks(&mut self, lines: bool) {
        loop {
            match self.scanner.peek() {
                b' ' | b'\t' | b'\r' | b'\\' => self.scanner.step(),
                b'\n' if lines || self.scanner.text[..self.scanner.at].ends_with('\\') => self.scanner.step(),
                b'#' if lines => self.comment(),
                _ => return,
            }
        }
    }

    /// The next byte after blanks that do not end a statement.
    pub fn next_on_line(&mut self) -> u8 {
        self.blanks(false);
        self.scanner.peek()
    }

    /// The length of the prefix of the string that begins here, or `None` if no string does.
    pub fn quote(&self) -> Option<usize> {
        let rest = self.scanner.rest();
        let prefix = rest.iter().take(2).take_while(|b| b"rRbBuUfF".contains(b)).count();
        // The end of a longer word is not a prefix.
        let word_before = self.scanner.at > 0
            && prefix > 0
            && Scanner::is_word(self.scanner.text.as_bytes()[self.scanner.at - 1]);
        matches!(rest.get(prefix), Some(b'"' | b'\'')).then_some(prefix).filter(|_| !word_before)
    }

    /// Skips a string literal, and records it if it contains a conversion or the beginning of one.
    pub fn literal(&mut self) -> Option<Span> {
        let (span, joined) = self.read()?;
        if words(&joined.text).next().is_some() {
            if unfinished(&joined.text).is_some() && self.continues() {
                self.continued.insert(span.start);
            }
            let mentions = mentions(&joined.text).next().is_some() || self.continued.contains(&span.start);
            let known = if mentions { &mut self.strings } else { &mut self.begun };
            known.insert(span.start, joined);
        }
        if span.formatted {
            self.nested(span);
        }
        Some(span)
    }

    /// True if the literals after this place begin with the modifiers of a conversion.
    fn continues(&self) -> bool {
        let mut next = Tokens::new(self.scanner.text);
        next.scanner.at = self.scanner.at;
        loop {
            next.blanks(true);
            let Some((_, joined)) = next.read() else { return false };
            if let Some(continues) = continues(&joined.text) {
                return continues;
            }
        }
    }

    /// Skips a string literal.
    fn read(&mut self) -> Option<(Span, Joined)> {
        let prefix = self.quote()?;
        let letters = self.scanner.text[self.scanner.at..self.scanner.at + prefix].to_ascii_lowercase();
        self.scanner.at += prefix;
        let quote = self.scanner.peek();
        let formatted = letters.contains('f');
        let triple = self.scanner.rest().starts_with(&[quote; 3]);
        let start = self.scanner.at + if triple { 3 } else { 1 };
        let (end, after) =
            quoted::end(self.scanner.text, start, quoted::Quotes { quote, triple, formatted }, 0);
        self.scanner.at = after;
        let span = Span { start, end, escapes: escapes(&letters), formatted };
        let mut joined = Joined::default();
        decode(
            self.scanner.text,
            span,
            span.formatted,
            |piece, joined| match piece {
                Piece::Text(from, to) => plain(self.scanner.text, from, to, span.escapes, joined),
                Piece::Brace(at, brace) => joined.push_as(brace, at),
                Piece::Hole(at) => joined.push_as(HOLE, at),
            },
            &mut joined,
        );
        Some((span, joined))
    }

    /// Records the strings in the `{…}` of a formatted string.
    fn nested(&mut self, span: Span) {
        let mut from = span.start;
        while let Some((at, to, stands_for)) = hole(self.scanner.text, from, span.end) {
            if stands_for == HOLE && self.scanner.text[at..to].contains("cvt") {
                let mut inner = Tokens::new(&self.scanner.text[..to]);
                inner.scanner.at = at + 1;
                while !inner.scanner.at_end() {
                    match inner.quote() {
                        Some(_) => drop(inner.literal()),
                        None => inner.scanner.step(),
                    }
                }
                self.strings.extend(inner.strings);
                self.begun.extend(inner.begun);
                self.continued.extend(inner.continued);
            }
            from = to;
        }
    }

    /// Skips a literal, a comment, a bracketed group, a word or one character.
    pub fn pass(&mut self) {
        if self.quote().is_some() {
            self.literal();
            return;
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
                            self.literal();
                            continue;
                        }
                        _ => {}
                    }
                    self.scanner.step();
                    if open == 0 {
                        return;
                    }
                }
            }
            byte if Scanner::is_word(byte) => drop(self.scanner.word()),
            _ => self.scanner.step(),
        }
    }
}

/// A part of a literal.
pub(super) enum Piece {
    Text(usize, usize),
    /// A doubled brace.
    Brace(source::Span, &'static str),
    /// `{…}` of a formatted literal.
    Hole(source::Span),
}

/// Calls `each` for the parts of a literal, in order.
pub(super) fn decode<T>(
    text: &str,
    span: Span,
    braces: bool,
    mut each: impl FnMut(Piece, &mut T),
    into: &mut T,
) {
    let mut from = span.start;
    while let Some((at, to, what)) = if braces { hole(text, from, span.end) } else { None } {
        if at > from {
            each(Piece::Text(from, at), into);
        }
        let place = source::Span::new(at as u32, to as u32);
        match what {
            HOLE => each(Piece::Hole(place), into),
            brace => each(Piece::Brace(place, brace), into),
        }
        from = to;
    }
    if span.end > from {
        each(Piece::Text(from, span.end), into);
    }
}

/// The escapes of a literal with these letters before its quotes; `None` if it is raw.
pub(super) fn escapes(letters: &str) -> Option<Escapes> {
    let own = if letters.contains('b') { Escapes::PythonBytes } else { Escapes::Python };
    (!letters.contains('r')).then_some(own)
}

/// Appends a part of a literal, raw or with escapes.
pub(super) fn plain(text: &str, from: usize, to: usize, escapes: Option<Escapes>, joined: &mut Joined) {
    match escapes {
        None => joined.push(&text[from..to.max(from)], from),
        Some(escapes) => unescape(text, from, to, escapes, joined),
    }
}

/// The next `{…}` or doubled brace of a formatted string: its start, its end, and the text that it produces.
fn hole(text: &str, from: usize, end: usize) -> Option<(usize, usize, &'static str)> {
    let at = text[from..end].find(['{', '}']).map(|n| from + n)?;
    let bytes = text.as_bytes();
    if bytes.get(at + 1) == Some(&bytes[at]) && at + 1 < end {
        return Some((at, at + 2, if bytes[at] == b'{' { "{" } else { "}" }));
    }
    if bytes[at] == b'}' {
        return Some((at, at + 1, "}"));
    }
    if let Some(to) = quoted::field(text, at, None, 0).filter(|to| *to <= end) {
        return Some((at, to, HOLE));
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
