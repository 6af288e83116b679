//! Finds where a text mentions a conversion, and where its opcode ends.

use ptxcvt::Spelling;
use ptxcvt::forms::Part;

use super::text::{HOLE, Joined};
use crate::identifier::is_ptx;
use crate::source::Span;

impl Joined {
    /// The places in the source of the conversions that the text mentions.
    pub fn mentions(&self) -> impl Iterator<Item = (usize, u32)> {
        mentions(&self.text).map(move |at| (at, self.locate(Span::new(at as u32, at as u32 + 1)).start))
    }
}

/// The places where a text mentions a conversion: `cvt` at the beginning of a word, followed (after blanks and
/// comments) by a dot, a hole or LLVM's alternatives.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = usize> {
    words(text).filter(|at| continues(&text[at + NAME.len()..]) == Some(true))
}

/// The name of the instruction, without its modifiers.
pub(super) const NAME: &str = "cvt";

/// The places where a word of a text begins with `cvt`.
pub(super) fn words(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(NAME).map(|(at, _)| at).filter(|at| {
        let before = text[..*at].bytes().next_back();
        before.is_none_or(|b| !is_ptx(b) && !matches!(b, b'.' | b'%'))
    })
}

/// True if the text after an instruction's name begins with modifiers or with an unknown part that may be modifiers,
/// perhaps after characters that opcodes cannot contain. `None` if there are only blanks and comments: then the next
/// string decides.
pub(super) fn continues(after: &str) -> Option<bool> {
    let gap = gap(after);
    let rest = &after[gap..];
    // `cvt ...` is prose.
    let is_prose = gap > 0 && rest.starts_with("..");
    let is_part = [".", HOLE, "$("].iter().any(|next| rest.starts_with(next)) && !is_prose;
    (!rest.is_empty()).then(|| is_part || has_modifiers(rest))
}

/// True for modifiers after characters that opcodes cannot contain: a no-break space and `.rn`, `}.rn`, `::rn.f16`,
/// `,rn.f16`.
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

/// The place of the word `cvt` at the end of a text, before any blanks and comments.
pub(super) fn unfinished(text: &str) -> Option<usize> {
    words(text).last().filter(|at| continues(&text[at + NAME.len()..]).is_none())
}

/// The length of the blanks and comments at the beginning of a text.
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

/// The length of the opcode at the beginning of a text. A conversion's opcode may contain blanks and comments before
/// dots.
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
