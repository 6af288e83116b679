//! PTX that is put together from pieces of a source, and for every byte of it where it came from.

use crate::source::Span;

/// What stands for a piece that cannot be known: a macro, a template's argument. No text holds this character.
pub(super) const HOLE: &str = "\u{1a}\u{1a}\u{1a}\u{1a}";

/// A text made of pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    pub text: String,
    segments: Vec<Segment>,
    /// Places that are outside the text, such as those of constraints, are numbered from its end on.
    beyond: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Where it begins in the joined text, and how long it is there.
    at: u32,
    length: u32,
    /// Its place in the source.
    from: Span,
    /// Byte for byte what stands there.
    verbatim: bool,
}

impl Joined {
    /// Appends what stands at `from`, as it is.
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

    /// Appends what a piece of the source stands for.
    pub fn push_as(&mut self, text: &str, from: Span) {
        self.segment(text.len(), from, false);
        self.text.push_str(text);
    }

    fn segment(&mut self, length: usize, from: Span, verbatim: bool) {
        self.segments.push(Segment { at: self.text.len() as u32, length: length as u32, from, verbatim });
    }

    /// The place in the source of a text that stands there whole, byte for byte.
    pub fn verbatim(&self) -> Option<Span> {
        match &self.segments[..] {
            [only] if only.verbatim => Some(only.from),
            _ => None,
        }
    }

    /// A place for something of the source that is not in the text; nothing may be appended from then on.
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

    /// The byte of the text that stands at a byte of the source, or ends there.
    pub fn inside(&self, byte: u32) -> Option<u32> {
        let text = self.segments.iter().filter(|s| s.verbatim && (s.at as usize) < self.text.len());
        let holds = |s: &&Segment| (s.from.start..=s.from.end).contains(&byte);
        let segment = text.filter(holds).min_by_key(|s| s.from.end == byte)?;
        Some(segment.at + (byte - segment.from.start))
    }

    /// The place in the source.
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

    /// The same where all of it stands there byte for byte, so that it can be edited.
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
