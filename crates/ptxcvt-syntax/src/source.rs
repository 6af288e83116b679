//! A source text, and places in it as bytes, lines and columns.
//!
//! PTX ISA section 4.1 (source format): PTX is ASCII, but comments may hold anything.

use std::borrow::Cow;
use std::ops::Range;

use ptxcvt::little_endian;

/// A part of a [`Source`], in bytes of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The part from `start` up to but excluding `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// From the beginning of `self` to the end of `other`.
    #[must_use]
    pub const fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }

    /// The part as a range of byte indices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A word of a source, with its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word<'s> {
    /// The text.
    pub text: &'s str,
    /// The place.
    pub span: Span,
}

/// A line and a column. Both count from 1, and columns count characters. LF, CR LF and a single CR end a line, as in
/// editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A text with a name.
///
/// ```
/// use ptxcvt_syntax::{Source, Span};
/// let source = Source::new("k.ptx", b".version 9.1\n.target sm_90\n");
/// let at = source.position(21);
/// assert_eq!((at.line, at.column), (2, 9));
/// assert_eq!(source.slice(Span::new(21, 26)), "sm_90");
/// ```
#[derive(Clone, Debug)]
pub struct Source<'s> {
    name: String,
    text: Cow<'s, str>,
    /// The byte at which each line begins; computed for the first position.
    lines: std::cell::OnceCell<Vec<u32>>,
    /// The last byte that `position` was called with, and its result. Findings are in order, and a line can be as
    /// long as the file, so the next search starts here.
    last: std::cell::Cell<Option<(u32, Position)>>,
}

/// The text of bytes in UTF-16 or UTF-32; `None` for other bytes. Without a byte order mark, the zeros of ASCII
/// characters show it: no source has them.
fn wide(bytes: &[u8]) -> Option<String> {
    let zeros = |width: usize, at: usize| {
        let parts = bytes.chunks_exact(width).take(4);
        parts.len() == 4 && parts.into_iter().all(|part| (0..width).all(|n| (part[n] != 0) == (n == at)))
    };
    let little = |unit: &[u8]| little_endian(unit) as u32;
    let big = |unit: &[u8]| unit.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    let from_32 = |read: &dyn Fn(&[u8]) -> u32| -> String {
        let units = bytes.chunks(4).map(read);
        units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let from_16 = |read: &dyn Fn(&[u8]) -> u32| -> String {
        let units = bytes.chunks(2).map(|unit| read(unit) as u16);
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Some(from_32(&little)),
        [0, 0, 0xfe, 0xff, ..] => Some(from_32(&big)),
        [0xff, 0xfe, ..] => Some(from_16(&little)),
        [0xfe, 0xff, ..] => Some(from_16(&big)),
        _ if zeros(4, 0) => Some(from_32(&little)),
        _ if zeros(4, 3) => Some(from_32(&big)),
        _ if zeros(2, 0) => Some(from_16(&little)),
        _ if zeros(2, 1) => Some(from_16(&big)),
        _ => None,
    }
}

/// The text of bytes in UTF-8; invalid bytes become `U+FFFD`.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    // `from_utf8_lossy` reads valid text several times more slowly.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

impl<'s> Source<'s> {
    /// A source of that name. Invalid UTF-8, which comments may contain, becomes `U+FFFD`; UTF-16 and UTF-32 are decoded.
    pub fn new(name: impl Into<String>, bytes: &'s [u8]) -> Self {
        Self {
            name: name.into(),
            text: wide(bytes).map_or_else(|| text(bytes), Cow::Owned),
            lines: Default::default(),
            last: Default::default(),
        }
    }

    /// Like [`new`](Source::new), but takes ownership of the bytes.
    pub fn owned(name: impl Into<String>, bytes: Vec<u8>) -> Source<'static> {
        if let Some(text) = wide(&bytes) {
            return Source {
                name: name.into(),
                text: text.into(),
                lines: Default::default(),
                last: Default::default(),
            };
        }
        let text = String::from_utf8(bytes);
        let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Source { name: name.into(), text: text.into(), lines: Default::default(), last: Default::default() }
    }

    /// The name: a path, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a part; empty if the part is not in the source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            // A line ends in LF, CR LF or, as editors show it, CR.
            let bytes = self.text.as_bytes();
            let is_end =
                |at: usize, byte: u8| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            let ends = bytes.iter().enumerate().filter(|(at, byte)| is_end(*at, **byte));
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// The number of the line with a byte, from 0.
    fn line(&self, byte: u32) -> usize {
        self.lines().partition_point(|&start| start <= byte) - 1
    }

    /// The line and column of a byte.
    pub fn position(&self, byte: u32) -> Position {
        let line = self.line(byte);
        let (from, column) = match self.last.get() {
            Some((last, at)) if at.line == line + 1 && last <= byte => (last, at.column),
            _ => (self.lines()[line], 1),
        };
        let between = self.text.get(from as usize..byte as usize).unwrap_or("");
        let position = Position { line: line + 1, column: column + between.chars().count() };
        self.last.set(Some((byte, position)));
        position
    }

    /// The lines that a span covers, at most five: their text without the final newline, the byte at which it begins,
    /// and the number of its first line.
    pub fn lines_around(&self, span: Span) -> (&str, u32, usize) {
        let first = self.line(span.start);
        let last = self.line(span.end.max(span.start + 1) - 1).min(first + 4);
        let start = self.lines()[first];
        let end = self.lines().get(last + 1).map_or(self.text.len(), |&next| next as usize - 1);
        let text = self.text.get(start as usize..end.max(start as usize)).expect("lines are in the text");
        (text.strip_suffix('\r').unwrap_or(text), start, first + 1)
    }
}
