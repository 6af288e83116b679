//! An `asm` statement of CUDA C++, as it is pasted: its strings joined, its operands, and for every byte of the
//! joined text where it came from.

use ptxcvt_syntax::Span;

use super::Error;
use super::constant;
use super::interface::{Constraint, ConstraintKind, constraint};

/// What an `asm` statement holds.
pub(super) struct Pasted {
    /// The assembly, escapes resolved.
    pub text: String,
    pub constraints: Option<Vec<Constraint>>,
}

/// Where each byte of the assembly stands in the pasted text.
#[derive(Default)]
pub(super) struct Origins(Vec<u32>);

impl Origins {
    pub fn locate(&self, span: Span) -> Span {
        let at = |n: u32| self.0.get(n as usize).copied();
        let start = at(span.start).or(self.0.last().copied()).unwrap_or(0);
        let end = at(span.end.saturating_sub(1)).map_or(start, |last| last + 1);
        Span::new(start, end.max(start))
    }
}

/// Finds the one `asm` statement of a text; none where the text is plain PTX.
pub(super) fn extract(text: &str) -> Result<(Option<Pasted>, Origins), Error> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let mut found = None;
    let mut origins = Origins::default();
    while let Some(start) = scanner.statement() {
        if found.is_some() {
            let message = "a second `asm` statement: one block runs at a time";
            return Err(Error::new(Span::new(start as u32, start as u32 + 3), message));
        }
        origins = Origins::default();
        found = Some(scanner.body(text, &mut origins)?);
    }
    Ok((found, origins))
}

struct Scanner<'s> {
    text: &'s [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Skips blanks and comments of C.
    fn blanks(&mut self) {
        loop {
            let rest = &self.text[self.at.min(self.text.len())..];
            let skipped = match rest {
                [b' ' | b'\t' | b'\r' | b'\n' | b'\\', ..] => 1,
                [b'/', b'/', ..] => rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => {
                    rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |n| n + 4)
                }
                _ => return,
            };
            self.at += skipped;
        }
    }

    fn word(&mut self) -> &[u8] {
        let start = self.at;
        while self.peek().is_ascii_alphanumeric() || self.peek() == b'_' {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn take(&mut self, mark: u8) -> bool {
        self.blanks();
        let found = self.peek() == mark;
        self.at += usize::from(found);
        found
    }

    /// Goes behind the `(` of the next `asm`, with qualifiers; yields where the word begins.
    fn statement(&mut self) -> Option<usize> {
        while self.at < self.text.len() {
            self.blanks();
            let start = self.at;
            match self.word() {
                b"asm" | b"__asm__" | b"__asm" => {
                    loop {
                        self.blanks();
                        match self.word() {
                            b"volatile" | b"__volatile__" | b"inline" | b"goto" => {}
                            _ => break,
                        }
                    }
                    if self.take(b'(') {
                        return Some(start);
                    }
                }
                b"" => self.at += 1,
                _ => {}
            }
        }
        None
    }

    /// Strings, then lists of operands between colons, up to the `)`.
    fn body(&mut self, text: &str, origins: &mut Origins) -> Result<Pasted, Error> {
        let mut assembly = String::new();
        while self.strings(&mut assembly, origins)? {}
        // A number of its own for each statement, and characters that would be special without the `%`.
        let assembly =
            assembly.replace("%=", "00").replace("%{", " {").replace("%}", " }").replace("%|", " |");
        let mut constraints = Vec::new();
        for list in 0.. {
            if self.take(b')') {
                break;
            }
            // `::` has an empty list between.
            if !self.take(b':') {
                let here = Span::new(self.at as u32, self.at as u32 + 1);
                return Err(Error::new(here, "expected a string, `:` or `)` in this `asm` statement"));
            }
            if list >= 2 {
                self.until_closed();
                continue;
            }
            loop {
                self.blanks();
                if !matches!(self.peek(), b'"' | b'[') {
                    break;
                }
                constraints.push(self.operand(text)?);
                if !self.take(b',') {
                    break;
                }
            }
        }
        // Without a list of operands there are no placeholders either.
        let constraints = (!constraints.is_empty()).then_some(constraints);
        Ok(Pasted { text: assembly, constraints })
    }

    /// One string literal, appended with its origins; false where there is none.
    fn strings(&mut self, out: &mut String, origins: &mut Origins) -> Result<bool, Error> {
        self.blanks();
        if self.text[self.at.min(self.text.len())..].starts_with(b"R\"") {
            return self.raw_string(out, origins);
        }
        if self.peek() != b'"' {
            return Ok(false);
        }
        let start = self.at;
        self.at += 1;
        loop {
            let from = self.at as u32;
            match self.peek() {
                0 | b'\n' if self.at >= self.text.len() || self.peek() == b'\n' => {
                    return Err(Error::new(
                        Span::new(start as u32, start as u32 + 1),
                        "this string has no end",
                    ));
                }
                b'"' => {
                    self.at += 1;
                    return Ok(true);
                }
                b'\\' => {
                    self.at += 2;
                    let escaped = match self.text.get(self.at - 1) {
                        Some(b'n') => '\n',
                        Some(b't') => '\t',
                        Some(b'r') => '\r',
                        // A backslash at the end of a line joins it with the next.
                        Some(b'\n') => continue,
                        Some(&other) => char::from(other),
                        None => continue,
                    };
                    out.push(escaped);
                    origins.0.push(from);
                }
                byte => {
                    self.at += 1;
                    // The parts of a longer character are no part of PTX either way.
                    out.push(if byte.is_ascii() { char::from(byte) } else { '?' });
                    origins.0.push(from);
                }
            }
        }
    }

    /// `R"ptx(…)ptx"`, which has no escapes.
    fn raw_string(&mut self, out: &mut String, origins: &mut Origins) -> Result<bool, Error> {
        let start = self.at;
        let unclosed = || Error::new(Span::new(start as u32, start as u32 + 1), "this string has no end");
        let rest = &self.text[start + 2..];
        let open = rest.iter().position(|b| *b == b'(').ok_or_else(unclosed)?;
        let close: Vec<u8> = [b")", &rest[..open], b"\""].concat();
        let body = &rest[open + 1..];
        let end = body.windows(close.len()).position(|w| w == close).ok_or_else(unclosed)?;
        let from = start + 2 + open + 1;
        for (at, byte) in body[..end].iter().enumerate() {
            out.push(if byte.is_ascii() { char::from(*byte) } else { '?' });
            origins.0.push((from + at) as u32);
        }
        self.at = from + end + close.len();
        Ok(true)
    }

    /// `"=r"(x)`, `[name] "r"(x)`
    fn operand(&mut self, text: &str) -> Result<Constraint, Error> {
        let mut name = None;
        if self.take(b'[') {
            self.blanks();
            name = Some(String::from_utf8_lossy(self.word()).into_owned());
            if !self.take(b']') {
                let here = Span::new(self.at as u32, self.at as u32 + 1);
                return Err(Error::new(here, "expected `]` after the name of an operand"));
            }
            self.blanks();
        }
        let start = self.at as u32;
        let mut letters = String::new();
        self.strings(&mut letters, &mut Origins::default())?;
        let mut read = constraint(&letters, Span::new(start, self.at as u32))?;
        read.name = name;
        self.blanks();
        let open = self.at;
        if self.take(b'(') {
            self.until_closed();
            read.expression = text.get(open + 1..self.at).unwrap_or("").trim().to_owned();
            self.take(b')');
        }
        if let ConstraintKind::Immediate(value) = &mut read.kind {
            *value = constant::of_text(&read.expression);
        }
        Ok(read)
    }

    /// Goes to the `)` that closes what is open.
    fn until_closed(&mut self) {
        let mut depth = 0;
        while self.at < self.text.len() {
            match self.peek() {
                b'(' => depth += 1,
                b')' if depth == 0 => return,
                b')' => depth -= 1,
                b'"' => {
                    let _ = self.strings(&mut String::new(), &mut Origins::default());
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}
