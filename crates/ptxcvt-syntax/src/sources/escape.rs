//! Escapes in string literals, such as `\n` and `\x66`.
//!
//! ISO C++, "Character literals"; the Python Language Reference, "String and Bytes literals"; the LLVM Language
//! Reference, "Identifiers"; the Rust Reference, "String literals"; RFC 8259, section 7.

use super::text::{HOLE, Joined};
use crate::source::Span;

/// The language whose escapes apply to a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    C,
    Python,
    /// Python's bytes literals, which do not allow `\u`, `\U` and `\N`.
    PythonBytes,
    Llvm,
    Json,
    Rust,
}

/// Stands for a character that PTX does not have.
const NOT_PTX: char = '\u{fffd}';

/// Appends the text between `start` and `end`, with its escapes decoded.
pub(super) fn unescape(text: &str, start: usize, end: usize, escapes: Escapes, joined: &mut Joined) {
    let end = end.min(text.len()).max(start);
    let mut from = start;
    while let Some(n) = text[from..end].find('\\') {
        let at = from + n;
        joined.push(&text[from..at], from);
        let (length, meant) = decode(&text[at + 1..end], escapes);
        let next = at + 1 + length;
        match meant {
            Meant::Character(c) => joined.push_as(c.encode_utf8(&mut [0; 4]), span(at, next)),
            Meant::Nothing => joined.push_as("", span(at, next)),
            Meant::Unknown => joined.push_as(HOLE, span(at, next)),
            Meant::Itself => joined.push(&text[at..next], at),
        }
        from = next;
    }
    joined.push(&text[from..end], from);
}

/// A string of JSON with its escapes decoded. A character outside of ASCII becomes one that no name of a target has.
#[cfg(feature = "build")]
pub(crate) fn json_text(text: &str) -> String {
    let mut joined = Joined::default();
    unescape(text, 0, text.len(), Escapes::Json, &mut joined);
    joined.text
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

/// The meaning of an escape.
enum Meant {
    Character(char),
    /// A backslash at the end of a line.
    Nothing,
    /// A character given by its Unicode name, which is not looked up.
    Unknown,
    /// Not an escape in this language: the backslash is kept.
    Itself,
}

/// The length of the escape after a backslash, and its meaning.
fn decode(rest: &str, escapes: Escapes) -> (usize, Meant) {
    let Some(first) = rest.chars().next() else { return (0, Meant::Character(NOT_PTX)) };
    let (bytes, rust) = (escapes == Escapes::PythonBytes, escapes == Escapes::Rust);
    let python = bytes || escapes == Escapes::Python;
    if bytes && matches!(first, 'N' | 'u' | 'U') {
        return (0, Meant::Itself);
    }
    if rust && matches!(first, '0' | '\n' | '\r') {
        // Rust has no octal escapes: `\0` is NUL. Blanks after a joined line end are not part of the string.
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        return if first == '0' { (1, character(0)) } else { (blanks, Meant::Nothing) };
    }
    if let Some(inner) = in_braces(rest) {
        let number = |radix| match digits(inner, radix, usize::MAX) {
            Some((length, code)) if length == inner.len() => character(code),
            _ => Meant::Character(NOT_PTX),
        };
        match first {
            'N' if python || escapes == Escapes::C => return (inner.len() + 3, Meant::Unknown),
            // Since C++23.
            'x' | 'u' if escapes == Escapes::C => return (inner.len() + 3, number(16)),
            'o' if escapes == Escapes::C => return (inner.len() + 3, number(8)),
            'u' if rust => {
                let code = u32::from_str_radix(&inner.replace('_', ""), 16);
                return (inner.len() + 3, code.map_or(Meant::Character(NOT_PTX), character));
            }
            _ => {}
        }
    }
    if escapes == Escapes::Llvm {
        if let Some((length, code)) = digits(rest, 16, 2).filter(|(length, _)| *length == 2) {
            return (length, character(code));
        }
    }
    let simple = |c: char| (1, Meant::Character(c));
    if escapes == Escapes::Json && first == '/' {
        return simple(first);
    }
    match first {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'v' => simple('\u{b}'),
        'f' => simple('\u{c}'),
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        '"' | '\'' | '\\' => simple(first),
        '?' if !python => simple('?'),
        '\n' => (1, Meant::Nothing),
        '\r' => (if rest.starts_with("\r\n") { 2 } else { 1 }, Meant::Nothing),
        'x' | 'u' | 'U' => {
            let most = match (first, escapes) {
                ('x', Escapes::C) => usize::MAX,
                ('x', _) => 2,
                ('u', _) => 4,
                _ => 8,
            };
            match digits(&rest[1..], 16, most) {
                Some((length, code)) => (1 + length, character(code)),
                None => (1, Meant::Character(NOT_PTX)),
            }
        }
        '0'..='7' => match digits(rest, 8, 3) {
            Some((length, code)) => (length, character(code)),
            None => unreachable!("`{first}` is an octal digit"),
        },
        _ if python => (0, Meant::Itself),
        _ => (first.len_utf8(), Meant::Character(NOT_PTX)),
    }
}

/// The text in braces after the first character: `u{66}`.
fn in_braces(rest: &str) -> Option<&str> {
    let mut after = rest.chars();
    after.next()?;
    Some(after.as_str().strip_prefix('{')?.split_once('}')?.0)
}

fn character(code: u32) -> Meant {
    Meant::Character(char::from_u32(code).filter(char::is_ascii).unwrap_or(NOT_PTX))
}

/// The number of digits at the beginning of the text, up to `most`, and their value. `None` if there is no digit.
fn digits(text: &str, radix: u32, most: usize) -> Option<(usize, u32)> {
    let digits = text.chars().take(most).map_while(|c| c.to_digit(radix));
    let add = |value: u32, digit: u32| value.saturating_mul(radix).saturating_add(digit);
    let (length, value) = digits.fold((0, 0), |(length, value), digit| (length + 1, add(value, digit)));
    (length > 0).then_some((length, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_with_their_places() {
        let decoded = |text: &str, escapes: Escapes| {
            let mut joined = Joined::default();
            unescape(text, 0, text.len(), escapes, &mut joined);
            joined
        };
        assert_eq!(decoded(r"a\x66\x33\x32 b\n\101\?", Escapes::C).text, "af32 b\nA?");
        assert_eq!(decoded(r"\x{66}6\u{066}\o{146}\x{g}\u{}", Escapes::C).text, "f6ff\u{fffd}\u{fffd}");
        assert_eq!(
            decoded(r"\N{LATIN SMALL LETTER C}vt\x{66", Escapes::C).text,
            format!("{HOLE}vt\u{fffd}{{66")
        );
        assert_eq!(decoded(r"\x66f\d", Escapes::Python).text, r"ff\d");
        assert_eq!(decoded(r"\N{DIGIT SIX}\N", Escapes::Python).text, format!(r"{HOLE}\N"));
        assert_eq!(decoded("\\u{6_6}\\x66f\\012\\u{110000}", Escapes::Rust).text, "fff\u{0}12\u{fffd}");
        assert_eq!(decoded("a.\\\n  \t b\\\r\n c\\u", Escapes::Rust).text, "a.bc\u{fffd}");
        assert_eq!(decoded(r"a\0A\22\\", Escapes::Llvm).text, "a\n\"\\");
        assert_eq!(decoded(r"\x66ff\u0066", Escapes::C).text, "\u{fffd}f");
        assert_eq!(decoded("a\\\nb\\\r\nc\\", Escapes::C).text, "abc\u{fffd}");
        assert_eq!(json_text(r#"\u0061\"b\/c\\\n\u00e9"#), "a\"b/c\\\n\u{fffd}");
        let joined = decoded(r"a\x66z", Escapes::C);
        assert_eq!(joined.locate(Span::new(1, 2)), Span::new(1, 5));
        assert_eq!(joined.locate(Span::new(2, 3)), Span::new(5, 6));
        assert_eq!(joined.exact(Span::new(1, 2)), None);
    }
}
