//! PTX that is joined from pieces of a source file, with the place of every byte in that file.

use std::ops::Range;

use ptxcvt::Spelling;
use ptxcvt::forms::Part;

use crate::source::Span;

/// Replaces a piece that is unknown: a macro, a template's argument. No text holds this character.
pub(super) const HOLE: &str = "\u{1a}\u{1a}\u{1a}\u{1a}";

/// A text that is assembled from pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    pub text: String,
    segments: Vec<Segment>,
    /// The number of places in use after the end of the text. They are for items outside of the text:
    /// constraints.
    beyond: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The place in the joined text where it begins, and its length there.
    at: u32,
    length: u32,
    /// Its place in the source.
    from: Span,
    /// True if the source has the same bytes there.
    verbatim: bool,
}

impl Joined {
    /// Appends a text that the source has at `from`.
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

    /// Appends the text that a piece of the source produces.
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

    /// This text, which was made of parts of another, with the places of the other's.
    pub fn through(&self, other: &Joined) -> Joined {
        let mut moved = Joined::default();
        for segment in &self.segments {
            let (at, end) = (segment.at as usize, (segment.at + segment.length) as usize);
            let from = segment.from.range();
            match self.text.get(at..end) {
                // In the other text, it is longer than here if something was replaced.
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

    /// Replaces what the compilers of C++ print for `%{`, `%|`, `%}` and `%=`: the sign itself, and a number for each
    /// statement. The text stays as long, so that places stay.
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

    /// A place after the text for something of the source that is not in the text. Nothing may be appended after
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

    /// The place in the source of a part of the text, if the source has the same bytes there, so that it can be edited.
    pub fn exact(&self, span: Span) -> Option<Span> {
        let segment =
            self.find(if span.start == span.end { span.start.checked_sub(1)? } else { span.start })?;
        let fits = segment.verbatim && span.end <= segment.at + segment.length;
        fits.then(|| {
            let place = |byte: u32| segment.from.start + (byte - segment.at);
            Span::new(place(span.start), place(span.end))
        })
    }

    /// The places in the source of the conversions that the text mentions.
    pub fn mentions(&self) -> impl Iterator<Item = (usize, u32)> {
        mentions(&self.text).map(move |at| (at, self.locate(Span::new(at as u32, at as u32 + 1)).start))
    }
}

/// The places where a text mentions a conversion: `cvt` at the beginning of a word, and after blanks and comments a dot, a hole
/// or LLVM's alternatives.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = usize> {
    words(text).filter(|at| continues(&text[at + NAME.len()..]) == Some(true))
}

/// The name of the instruction, without its modifiers.
pub(super) const NAME: &str = "cvt";

/// The places where a word of a text begins with `cvt`.
pub(super) fn words(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(NAME).map(|(at, _)| at).filter(|at| {
        let before = text[..*at].bytes().next_back();
        before.is_none_or(|b| !b.is_ascii_alphanumeric() && !b"_.%$".contains(&b))
    })
}

/// True if the text after a name of an instruction has its modifiers, or an unknown part that may be some, also after characters
/// that no opcode has. `None` if there are only blanks and comments, so that the next string decides.
pub(super) fn continues(after: &str) -> Option<bool> {
    let gap = gap(after);
    let rest = &after[gap..];
    // `cvt ...` is prose.
    let is_prose = gap > 0 && rest.starts_with("..");
    let is_part = [".", HOLE, "$("].iter().any(|next| rest.starts_with(next)) && !is_prose;
    (!rest.is_empty()).then(|| is_part || has_modifiers(rest))
}

/// True for modifiers after characters that no opcode has: a no-break space and `.rn`, `}.rn`, `::rn.f16`, `,rn.f16`.
fn has_modifiers(text: &str) -> bool {
    let other = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '%');
    let end = text.find(HOLE).unwrap_or(text.len());
    let joint = text[..end].find(|c| !other(c)).unwrap_or(end);
    let (joint, rest) = text.split_at(joint);
    if joint.ends_with('.') && !joint.ends_with("..") {
        return rest.starts_with(HOLE) || rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    }
    // A label, and another instruction.
    if joint.trim_ascii() == ":" {
        return false;
    }
    let word = rest.split(other).next().unwrap_or_default();
    let is_modifier = || Spelling::new(&format!("cvt.{word}")).parts().all(|(part, _)| part != Part::Unknown);
    rest[word.len()..].starts_with('.') && is_modifier()
}

/// The place of the word `cvt` that a text ends with, perhaps before blanks and comments.
pub(super) fn unfinished(text: &str) -> Option<usize> {
    words(text).last().filter(|at| continues(&text[at + NAME.len()..]).is_none())
}

/// The length of the blanks and comments that a text begins with.
pub(super) fn gap(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        rest = match rest.as_bytes() {
            [0x1a, ..] if !rest.starts_with(HOLE) => &rest[1..],
            [b'/', b'/', ..] => rest.find('\n').map_or("", |end| &rest[end..]),
            [b'/', b'*', ..] => rest[2..].split_once("*/").map_or("", |(_, rest)| rest),
            _ => return text.len() - rest.len(),
        };
    }
}

/// The length of the opcode that a text begins with. That of a conversion may have blanks and comments before its dots.
pub(super) fn opcode_length(text: &str) -> usize {
    let is_end = |c: char| c.is_ascii_whitespace() || c == ';';
    let part = |text: &str| {
        let word = text.find(is_end).unwrap_or(text.len());
        ["/*", "//"].iter().filter_map(|comment| text[..word].find(comment)).min().unwrap_or(word)
    };
    let mut length = part(text);
    if text[..length].split(['.', '\u{1a}']).next() != Some(NAME) {
        return text.find(is_end).unwrap_or(text.len());
    }
    loop {
        let next = length + gap(&text[length..]);
        let rest = &text[next..];
        let is_part = rest.starts_with('.') || (&text[..length] == NAME && rest.starts_with(HOLE));
        if next == length || !is_part {
            return length;
        }
        length = next + part(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_with_blanks_and_comments_before_their_modifiers() {
        for (text, mentioned, opcode) in [
            ("cvt.rn.f16.f32 d, a;", true, "cvt.rn.f16.f32"),
            ("cvt .rn.f16.f32 d, a;", true, "cvt .rn.f16.f32"),
            ("cvt\t.rn\n.f16/**/.f32 d, a;", true, "cvt\t.rn\n.f16/**/.f32"),
            ("cvt // c .rn\n .f16.f32 d, a;", true, "cvt // c .rn\n .f16.f32"),
            (
                "cvt/* a */ /* b */\u{1a}\u{1a}\u{1a}\u{1a} d, a;",
                true,
                "cvt/* a */ /* b */\u{1a}\u{1a}\u{1a}\u{1a}",
            ),
            ("cvt.rn \u{1a}\u{1a}\u{1a}\u{1a}, a;", true, "cvt.rn"),
            ("cvt$(.rn$|.rz$).f16.f32 d, a;", true, "cvt$(.rn$|.rz$).f16.f32"),
            ("cvt\u{b}.rn.f16.f32 d, a;", true, "cvt\u{b}.rn.f16.f32"),
            ("cvt\u{a0}.rn.f16.f32 d, a;", true, "cvt\u{a0}.rn.f16.f32"),
            ("cvt::rn.f16.f32 d, a;", true, "cvt::rn.f16.f32"),
            ("cvt, rn.f16.f32 d, a;", true, "cvt,"),
            ("cvt}.f16.f32 d, a;", true, "cvt}.f16.f32"),
            ("cvt rn.f16.f32 d, a;", true, "cvt"),
            ("cvt\\.\u{1a}\u{1a}\u{1a}\u{1a} d, a;", true, "cvt\\.\u{1a}\u{1a}\u{1a}\u{1a}"),
            ("cvt: rn.f16.f32 d, a;", false, "cvt:"),
            ("cvt:.rn.f16.f32 d, a;", true, "cvt:.rn.f16.f32"),
            ("cvt, see std.f16", false, "cvt,"),
            ("cvt (see kernel.cu)", false, "cvt"),
            ("cvt ... converts", false, "cvt ..."),
            ("cvt d, a;", false, "cvt"),
            ("cvt;", false, "cvt"),
            ("cvt /* .rn", false, "cvt"),
            (".reg .b32 a;", false, ".reg"),
        ] {
            assert_eq!(mentions(text).next().is_some(), mentioned, "{text}");
            assert_eq!(&text[..opcode_length(text)], opcode, "{text}");
        }
        assert_eq!(unfinished("mov.b32 a, b; cvt /**/ "), Some(14));
        assert_eq!(unfinished("cvt.rn; cvt d"), None);
    }
}
