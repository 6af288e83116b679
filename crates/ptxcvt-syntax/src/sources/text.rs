//! PTX joined from pieces of a source file, with the place of every byte in that file.

use std::borrow::Cow;
use std::ops::Range;

use crate::source::Span;

/// Stands for an unknown piece, such as a macro or a template's argument. Texts do not contain this character.
pub(super) const HOLE: &str = "\u{1a}\u{1a}\u{1a}\u{1a}";

/// A text whose lines all end in LF, at the same places: C++ (GCC's preprocessor) and Python (its reference, section
/// 2.1.2) end a line at a single CR, too.
pub(super) fn with_lines(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_end = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    if !text.match_indices('\r').any(|(at, _)| is_end(at)) {
        return text.into();
    }
    let characters = text.char_indices();
    characters.map(|(at, c)| if c == '\r' && is_end(at) { '\n' } else { c }).collect::<String>().into()
}

/// A text joined from pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    pub text: String,
    segments: Vec<Segment>,
    /// The number of places used after the end of the text, for items that are not in the text, such as constraints.
    beyond: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The start and the length of the piece in the joined text.
    at: u32,
    length: u32,
    /// The place of the piece in the source.
    from: Span,
    /// True if the source has the same bytes at that place.
    verbatim: bool,
}

impl Joined {
    /// Appends a piece of the source that begins at `from`.
    pub fn push(&mut self, text: &str, from: usize) {
        if text.is_empty() {
            return;
        }
        let span = Span::new(from as u32, (from + text.len()) as u32);
        match self.segments.last_mut() {
            Some(last) if last.verbatim && last.from.end == span.start => {
                last.from.end = span.end;
                last.length += text.len() as u32;
            }
            _ => self.segment(text.len(), span, true),
        }
        self.text.push_str(text);
    }

    /// Appends a text that the piece `from` of the source produces.
    pub fn push_as(&mut self, text: &str, from: Span) {
        self.segment(text.len(), from, false);
        self.text.push_str(text);
    }

    /// Appends a part of another text, with its places.
    pub fn append(&mut self, other: &Joined, part: Range<usize>) {
        for segment in &other.segments {
            let (at, end) = (segment.at as usize, (segment.at + segment.length) as usize);
            let (from, to) = (at.max(part.start), end.min(part.end).min(other.text.len()));
            if from >= to {
                continue;
            }
            match segment.verbatim {
                true => self.push(&other.text[from..to], segment.from.start as usize + (from - at)),
                false => self.push_as(&other.text[from..to], segment.from),
            }
        }
    }

    /// This text, which was made of parts of `other`, with places in the source of `other`.
    pub fn through(&self, other: &Joined) -> Joined {
        let mut moved = Joined::default();
        for segment in &self.segments {
            let (at, end) = (segment.at as usize, (segment.at + segment.length) as usize);
            let from = segment.from.range();
            match self.text.get(at..end) {
                // If a macro was replaced, the piece has another length in the other text.
                Some(own) if segment.verbatim && other.text.get(from.clone()) == Some(own) => {
                    moved.append(other, from);
                }
                Some(own) => moved.push_as(own, other.locate(segment.from)),
                None => drop(moved.outside(other.locate(segment.from))),
            }
        }
        moved
    }

    /// Appends another text.
    pub fn append_all(&mut self, other: &Joined) {
        self.append(other, 0..other.text.len());
    }

    /// Replaces `%{`, `%|` and `%}` by the character itself and `%=` by a number for each statement, as C++ compilers
    /// do. The length of the text does not change, so places remain valid.
    pub fn print(&mut self) {
        let mut printed = String::with_capacity(self.text.len());
        let mut rest = &self.text[..];
        while let Some(at) = rest.find('%') {
            printed.push_str(&rest[..at]);
            let (replacement, length) = match rest.as_bytes().get(at + 1) {
                Some(b'{') => (" {", 2),
                Some(b'|') => (" |", 2),
                Some(b'}') => (" }", 2),
                Some(b'=') => ("00", 2),
                Some(b'%') => ("%%", 2),
                _ => ("%", 1),
            };
            printed.push_str(replacement);
            rest = &rest[at + length..];
        }
        printed.push_str(rest);
        self.text = printed;
    }

    fn segment(&mut self, length: usize, from: Span, verbatim: bool) {
        self.segments.push(Segment { at: self.text.len() as u32, length: length as u32, from, verbatim });
    }

    /// Reserves a place after the text for a part of the source that is not in the text. Nothing may be appended after
    /// this call.
    pub fn outside(&mut self, from: Span) -> Span {
        let at = self.text.len() as u32 + self.beyond;
        let length = (from.end - from.start).max(1);
        self.segments.push(Segment { at, length, from, verbatim: true });
        self.beyond += length;
        Span::new(at, at + length)
    }

    fn find(&self, byte: u32) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.at <= byte);
        self.segments[..after].last()
    }

    /// The byte of the text for a byte of the source, or for the end of a piece.
    pub fn inside(&self, byte: u32) -> Option<u32> {
        let text = self.segments.iter().filter(|s| s.verbatim && (s.at as usize) < self.text.len());
        let holds = |s: &&Segment| (s.from.start..=s.from.end).contains(&byte);
        let segment = text.filter(holds).min_by_key(|s| s.from.end == byte)?;
        Some(segment.at + (byte - segment.from.start))
    }

    /// The place in the source that is nearest to a part of the text.
    pub fn locate(&self, span: Span) -> Span {
        let start = match self.find(span.start) {
            Some(s) if s.verbatim => (s.from.start + (span.start - s.at)).min(s.from.end),
            Some(s) => s.from.start,
            None => 0,
        };
        let end = match self.find(span.end.max(span.start + 1) - 1) {
            Some(s) if s.verbatim => (s.from.start + (span.end.max(s.at) - s.at)).min(s.from.end),
            Some(s) => s.from.end,
            None => start,
        };
        Span::new(start, end.max(start))
    }

    /// The place in the source of a part of the text, if the source has the same bytes there. Such a part can be
    /// edited.
    pub fn exact(&self, span: Span) -> Option<Span> {
        let segment =
            self.find(if span.start == span.end { span.start.checked_sub(1)? } else { span.start })?;
        let fits = segment.verbatim && span.end <= segment.at + segment.length;
        fits.then(|| {
            let place = |byte: u32| segment.from.start + (byte - segment.at);
            Span::new(place(span.start), place(span.end))
        })
    }
}
