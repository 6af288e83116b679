//! The lexer: from text to tokens.
//!
//! PTX ISA sections 4.3 (identifiers), 4.4 (reserved names) and 4.5 (constants). Where they are unclear, the lexer
//! does what ptxas does: each dotted part of an opcode is a token, `08` is two numbers, and a sign is never part of a
//! number.

use super::number::{end_while, exponent, number};
use super::placeholder::{name_end, placeholder};
use super::token::{Token, TokenKind};
use crate::identifier::is_ptx;
use crate::source::Span;

/// Reads tokens one by one.
///
/// ```
/// use ptxcvt_syntax::parse::{Lexer, TokenKind};
/// let kinds: Vec<_> = Lexer::new("cvt.u32 %r1, 0x1F;", false).map(|t| t.kind).collect();
/// use TokenKind::*;
/// assert_eq!(kinds[..4], [Name, Dotted, Name, Punctuation([b',', 0])]);
/// assert_eq!(kinds[4], Integer);
/// ```
#[derive(Clone, Debug)]
pub struct Lexer<'s> {
    text: &'s [u8],
    at: usize,
    snippet: bool,
}

impl<'s> Lexer<'s> {
    /// A lexer over `text`. In a `snippet`, `%0` and `$0` are placeholders, `%%r` is the register `%r`, and `%=` may
    /// be part of a name.
    pub fn new(text: &'s str, snippet: bool) -> Self {
        Self { text: text.as_bytes(), at: 0, snippet }
    }

    /// Continues at this byte.
    pub(super) fn starting(self, at: usize) -> Self {
        Self { at: at.min(self.text.len()), ..self }
    }

    /// The byte after the last token.
    pub(super) const fn position(&self) -> usize {
        self.at
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn end_while(&self, from: usize, more: impl Fn(u8) -> bool) -> usize {
        end_while(self.text, from, more)
    }

    /// The end of the name that continues at `from`.
    fn name(&self, from: usize) -> usize {
        if self.snippet { name_end(self.text, from) } else { self.end_while(from, is_ptx) }
    }

    /// Skips blanks and comments. A comment without an end is returned as a token.
    fn skip_blanks(&mut self) -> Option<Token> {
        loop {
            self.at = self.end_while(self.at, is_blank);
            if self.peek(0) != b'/' {
                return None;
            }
            match self.peek(1) {
                b'/' => self.at = self.end_while(self.at, |b| b != b'\n' && b != 0),
                b'*' => {
                    let body = self.at + 2;
                    let end = self.text[body..].windows(2).position(|w| w == b"*/");
                    let stop = end.map_or(self.text.len(), |n| body + n);
                    if let Some(nul) = self.text[body..stop].iter().position(|&b| b == 0) {
                        self.at = body + nul; // ptxas stops at a NUL, even in a comment
                        return None;
                    }
                    if end.is_none() {
                        let start = self.at;
                        self.at = self.text.len();
                        return Some(self.token(TokenKind::Unterminated, start, start + 2));
                    }
                    self.at = stop + 2;
                }
                _ => return None,
            }
        }
    }

    fn token(&self, kind: TokenKind, start: usize, end: usize) -> Token {
        Token { kind, span: Span::new(start as u32, end as u32) }
    }

    /// The next token; after the last one always [`TokenKind::End`].
    pub fn token_at(&mut self) -> Token {
        if let Some(unterminated) = self.skip_blanks() {
            return unterminated;
        }
        let start = self.at;
        let (kind, end) = match self.peek(0) {
            _ if start >= self.text.len() => (TokenKind::End, start),
            0 => (TokenKind::Nul, start + 1),
            b'%' | b'$' | b'{' if self.snippet && placeholder(self.text, start).is_some() => {
                (TokenKind::Placeholder, placeholder(self.text, start).unwrap_or(start + 1))
            }
            // In inline assembly `%%r` is `%r`.
            b'%' if self.snippet && self.peek(1) == b'%' && is_ptx(self.peek(2)) => {
                (TokenKind::Name, self.name(start + 2))
            }
            b'%' if is_ptx(self.peek(1)) => (TokenKind::Name, self.name(start + 1)),
            b'$' if !is_ptx(self.peek(1)) && self.name(start) == start + 1 => (TokenKind::Unknown, start + 1),
            byte if byte.is_ascii_digit() => number(self.text, start),
            byte if is_ptx(byte) => (TokenKind::Name, self.name(start)),
            b'.' => self.dot(),
            b'"' => self.string(),
            b'@' if self.text[start..].starts_with(b"@@DWARF") => {
                (TokenKind::Line, self.end_while(start, |b| b != b'\n' && b != 0))
            }
            b'#' => self.line_marker(),
            byte => self.punctuation(byte),
        };
        self.at = end;
        self.token(kind, start, end)
    }

    /// `.rn`, `.1d`, `.scaled::n2::ue8m0`, or the number `.5`.
    fn dot(&self) -> (TokenKind, usize) {
        let start = self.at;
        let digits = self.end_while(start + 1, |b| b.is_ascii_digit());
        if digits > start + 1 {
            let end = exponent(self.text, digits);
            if !self.text.get(end).is_some_and(|&b| is_ptx(b)) {
                return (TokenKind::Decimal, end);
            }
        }
        let mut end = self.end_while(start + 1, is_ptx);
        if end == start + 1 {
            return (TokenKind::Unknown, end);
        }
        while self.text[end..].starts_with(b"::") && self.text.get(end + 2).is_some_and(|&b| is_ptx(b)) {
            end = self.end_while(end + 2, is_ptx);
        }
        (TokenKind::Dotted, end)
    }

    fn string(&self) -> (TokenKind, usize) {
        let mut at = self.at + 1;
        loop {
            match self.text.get(at) {
                Some(b'"') => return (TokenKind::String, at + 1),
                Some(b'\\') => at += 2,
                None | Some(b'\n' | 0) => return (TokenKind::Unterminated, at.min(self.text.len())),
                Some(_) => at += 1,
            }
        }
    }

    /// `# 12 "file"` and `#line 12 "file"`, which preprocessors write.
    fn line_marker(&self) -> (TokenKind, usize) {
        let end = self.end_while(self.at, |b| b != b'\n' && b != 0);
        let rest = self.text[self.at + 1..end].trim_ascii_start();
        let rest = rest.strip_prefix(b"line").unwrap_or(rest).trim_ascii_start();
        if rest.first().is_some_and(u8::is_ascii_digit) {
            (TokenKind::Line, end)
        } else {
            (TokenKind::Unknown, self.at + 1)
        }
    }

    fn punctuation(&self, byte: u8) -> (TokenKind, usize) {
        let pair = [byte, self.peek(1)];
        // ! % & ( ) * + , - / : ; < = > ? @ [ ] ^ { | } ~
        let known = matches!(byte, b'!' | b'%' | b'&' | b'('..=b'-' | b'/' | b':'..=b'@' | b'[' | b']' | b'^' | b'{'..=b'~');
        match &pair {
            b"<<" | b">>" | b"<=" | b">=" | b"==" | b"!=" | b"&&" | b"||" => {
                (TokenKind::Punctuation(pair), self.at + 2)
            }
            _ if known => (TokenKind::Punctuation([byte, 0]), self.at + 1),
            _ => {
                // One character of one or several bytes.
                let more = self.end_while(self.at + 1, |b| b & 0xc0 == 0x80);
                (TokenKind::Unknown, if byte >= 0x80 { more } else { self.at + 1 })
            }
        }
    }
}

/// True for the bytes that ptxas skips between tokens: ASCII whitespace, and 0x1A (Ctrl-Z).
pub(super) const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x1a
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let token = self.token_at();
        (token.kind != TokenKind::End).then_some(token)
    }
}
