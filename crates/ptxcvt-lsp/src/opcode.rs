//! The opcode at a place of a PTX text.

use std::ops::Range;

use ptxcvt_syntax::Span;

/// True for the characters of an opcode.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':')
}

/// The word that contains a place or ends there; it consists of ASCII characters for which `is_part` returns true.
pub fn word(text: &str, at: usize, is_part: impl Fn(u8) -> bool) -> Range<usize> {
    let (before, after) = text.as_bytes().split_at(at);
    let length = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|byte| is_part(**byte)).count();
    at - length(&mut before.iter().rev())..at + length(&mut after.iter())
}

/// The opcode around a place, or `None` if it is not a conversion.
pub fn around(text: &str, at: usize) -> Option<Span> {
    let Range { start, end } = word(text, at, is_part);
    let word = text.get(start..end)?;
    // A label may precede it: `L:cvt.u32.u16`.
    let skipped = word.rfind(":cvt").filter(|at| !word[..*at].ends_with(':')).map_or(0, |at| at + 1);
    let word = &word[skipped..];
    (word == "cvt" || word.starts_with("cvt.")).then(|| {
        let start = start + skipped;
        Span::new(start as u32, (start + word.len()) as u32)
    })
}

/// The unfinished opcode that ends at a place, and where it begins. An unfinished instruction name counts only where an
/// instruction can begin.
pub fn begun(text: &str, at: usize) -> Option<(usize, &str)> {
    let start = word(text, at, is_part).start;
    let word = text.get(start..at)?;
    if word.starts_with("cvt.") {
        return Some((start, word));
    }
    let named = !word.is_empty() && "cvt".starts_with(word);
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let before = text[line..start].trim_end();
    let first = before.is_empty() || before.ends_with([';', '{', '}', ':']);
    let statement = before.rsplit_once([';', '{', '}']).map_or(before, |(_, statement)| statement).trim();
    let guarded = statement.starts_with('@') && !statement.contains(char::is_whitespace);
    (named && (first || guarded)).then_some((start, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let text = "L:cvt.rn.f16.f32 h, f; @%p1 cvt.u32.u16 a, cvt; c";
        let word = |at: usize| around(text, at).map(|span| &text[span.range()]);
        assert_eq!(word(5), Some("cvt.rn.f16.f32"));
        assert_eq!(word(16), Some("cvt.rn.f16.f32"));
        assert_eq!(word(18), None);
        assert_eq!(word(30), Some("cvt.u32.u16"));
        assert_eq!(begun(text, 9), None, "a label directly before an unfinished opcode is not recognised");
        assert_eq!(begun(text, 32), Some((28, "cvt.")));
        assert_eq!(begun(text, 30), Some((28, "cv")));
        assert_eq!(begun(text, 46), None);
        assert_eq!(begun(text, text.len()), Some((text.len() - 1, "c")));
    }
}
