//! Text to tokens.
//!
//! PTX ISA sections 4.3 (identifiers), 4.4 (reserved names) and 4.5 (constants), and where they are silent what
//! ptxas does: an opcode's dotted parts are tokens of their own, `08` is two numbers, a sign is never part of one.

use crate::span::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `add`, `%r1`, `$L__BB0_1`, `_`.
    Name,
    /// `.rn`, `.scaled::n2::ue8m0`, `.x`: a dot and what belongs to it.
    Dotted,
    /// `12`, `0x1F`, `017`, `0b11`, each perhaps with `U`.
    Integer,
    /// `1.5`, `.5`, `1e5`.
    Decimal,
    /// `0f3F800000`.
    Bits32,
    /// `0d3FF0000000000000`.
    Bits64,
    /// `"nounroll"`
    String,
    /// `%0`, `$0`, `${0:r}` in inline assembly.
    Placeholder,
    /// One of `; , : { } ( ) [ ] @ ! | + - * / % & ^ ~ ? < > =`, or two that PTX reads as one.
    Punctuation([u8; 2]),
    /// `@@DWARF …`, `# 1 "file"`: a whole line that carries no instruction.
    Line,
    /// What no token begins with.
    Unknown,
    /// A NUL byte, at which ptxas stops reading.
    Nul,
    /// A comment or string whose end is missing.
    Unterminated,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

impl Token {
    /// True of the punctuation `mark`.
    pub fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Punctuation([mark, 0])
    }
}

/// Reads tokens one by one.
///
/// ```
/// use ptxcvt_syntax::lex::{Lexer, TokenKind};
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

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'s> Lexer<'s> {
    /// A lexer over `text`; in a `snippet`, `%0` and `$0` are placeholders and `%%r` is the register `%r`.
    pub fn new(text: &'s str, snippet: bool) -> Self {
        Self { text: text.as_bytes(), at: 0, snippet }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The first index from `from` on at which `more` fails.
    fn end_while(&self, from: usize, more: impl Fn(u8) -> bool) -> usize {
        self.text[from.min(self.text.len())..]
            .iter()
            .position(|&b| !more(b))
            .map_or(self.text.len(), |n| from + n)
    }

    /// Skips blanks and comments; a comment without an end is the token.
    fn skip_blanks(&mut self) -> Option<Token> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.at += 1,
                (b'/', b'/') => self.at = self.end_while(self.at, |b| b != b'\n' && b != 0),
                (b'/', b'*') => {
                    let body = self.at + 2;
                    let end = self.text[body..].windows(2).position(|w| w == b"*/");
                    let stop = end.map_or(self.text.len(), |n| body + n);
                    if let Some(nul) = self.text[body..stop].iter().position(|&b| b == 0) {
                        self.at = body + nul; // ptxas stops at a NUL, wherever it stands
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

    /// The next token; [`TokenKind::End`] for ever after the last.
    pub fn token_at(&mut self) -> Token {
        if let Some(unterminated) = self.skip_blanks() {
            return unterminated;
        }
        let start = self.at;
        let (kind, end) = match self.peek(0) {
            _ if start >= self.text.len() => (TokenKind::End, start),
            0 => (TokenKind::Nul, start + 1),
            b'%' | b'$' if self.snippet && self.placeholder().is_some() => {
                self.placeholder().unwrap_or((TokenKind::Unknown, start + 1))
            }
            b'%' if is_word(self.peek(1)) => (TokenKind::Name, self.end_while(start + 1, is_word)),
            b'$' if !is_word(self.peek(1)) => (TokenKind::Unknown, start + 1),
            byte if byte.is_ascii_digit() => self.number(),
            byte if is_word(byte) => (TokenKind::Name, self.end_while(start, is_word)),
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

    /// `%0`, `$0`, `%%r1`, `${0:r}`, at the lexer's place.
    fn placeholder(&self) -> Option<(TokenKind, usize)> {
        let (sigil, next) = (self.peek(0), self.peek(1));
        let digits = self.end_while(self.at + 1, |b| b.is_ascii_digit());
        if digits > self.at + 1 && !self.text.get(digits).is_some_and(|&b| is_word(b)) {
            return Some((TokenKind::Placeholder, digits));
        }
        if sigil == b'%' && next == b'%' && is_word(self.peek(2)) {
            return Some((TokenKind::Name, self.end_while(self.at + 2, is_word)));
        }
        if sigil == b'$' && next == b'{' {
            let end = self.end_while(self.at + 2, |b| is_word(b) || b == b':');
            return (self.text.get(end) == Some(&b'}')).then_some((TokenKind::Placeholder, end + 1));
        }
        None
    }

    fn number(&self) -> (TokenKind, usize) {
        let start = self.at;
        let hexadecimal = |from, digits| {
            let end = self.end_while(from, |b| b.is_ascii_hexdigit());
            (end - from >= digits).then_some(from + digits)
        };
        let suffixed = |end: usize| end + usize::from(self.text.get(end) == Some(&b'U'));
        let some_digits = |of: fn(&u8) -> bool| {
            let end = self.end_while(start + 2, |b| of(&b));
            (end > start + 2).then(|| (TokenKind::Integer, suffixed(end)))
        };
        let special = match (self.peek(0), self.peek(1)) {
            (b'0', b'f' | b'F') => hexadecimal(start + 2, 8).map(|end| (TokenKind::Bits32, end)),
            (b'0', b'd' | b'D') => hexadecimal(start + 2, 16).map(|end| (TokenKind::Bits64, end)),
            (b'0', b'x' | b'X') => some_digits(u8::is_ascii_hexdigit),
            (b'0', b'b' | b'B') => some_digits(|b| matches!(b, b'0' | b'1')),
            _ => None,
        };
        special.unwrap_or_else(|| {
            let digits = self.end_while(start, |b| b.is_ascii_digit());
            // `1.` is a number too.
            let fraction = if self.text.get(digits) == Some(&b'.') {
                self.end_while(digits + 1, |b| b.is_ascii_digit())
            } else {
                digits
            };
            match self.exponent(fraction) {
                end if end > digits => (TokenKind::Decimal, end),
                _ if self.peek(0) == b'0' => {
                    let octal = self.end_while(start, |b| matches!(b, b'0'..=b'7'));
                    (TokenKind::Integer, suffixed(octal))
                }
                _ => (TokenKind::Integer, suffixed(digits)),
            }
        })
    }

    /// The end of an exponent at `from`; `from` itself where there is none.
    fn exponent(&self, from: usize) -> usize {
        if !matches!(self.text.get(from), Some(b'e' | b'E')) {
            return from;
        }
        let sign = usize::from(matches!(self.text.get(from + 1), Some(b'+' | b'-')));
        let end = self.end_while(from + 1 + sign, |b| b.is_ascii_digit());
        if end > from + 1 + sign { end } else { from }
    }

    /// `.rn`, `.1d`, `.scaled::n2::ue8m0`, or the number `.5`.
    fn dot(&self) -> (TokenKind, usize) {
        let start = self.at;
        let digits = self.end_while(start + 1, |b| b.is_ascii_digit());
        if digits > start + 1 {
            let end = self.exponent(digits);
            if !self.text.get(end).is_some_and(|&b| is_word(b)) {
                return (TokenKind::Decimal, end);
            }
        }
        let mut end = self.end_while(start + 1, is_word);
        if end == start + 1 {
            return (TokenKind::Unknown, end);
        }
        while self.text[end..].starts_with(b"::") && self.text.get(end + 2).is_some_and(|&b| is_word(b)) {
            end = self.end_while(end + 2, is_word);
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

    /// `# 12 "file"` and `#line 12 "file"`, as preprocessors leave them.
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
        let known = b";,:{}()[]@!|+-*/%&^~?<>=".contains(&byte);
        match &pair {
            b"<<" | b">>" | b"<=" | b">=" | b"==" | b"!=" | b"&&" | b"||" => {
                (TokenKind::Punctuation(pair), self.at + 2)
            }
            _ if known => (TokenKind::Punctuation([byte, 0]), self.at + 1),
            _ => {
                // One character, however many bytes it has.
                let more = self.end_while(self.at + 1, |b| b & 0xc0 == 0x80);
                (TokenKind::Unknown, if byte >= 0x80 { more } else { self.at + 1 })
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let token = self.token_at();
        (token.kind != TokenKind::End).then_some(token)
    }
}
