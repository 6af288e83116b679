//! The end of a string literal. The `{…}` of an f-string may contain strings with the same quotes.
//!
//! The Python Language Reference, "Formatted string literals"; PEP 701.

use super::super::scan::Scanner;

/// How a string is quoted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotes {
    pub quote: u8,
    pub triple: bool,
    pub formatted: bool,
}

/// Limit on the nesting of strings.
const DEEPEST: u32 = 16;
/// Limit on the length of a `{…}`, so that one without an end takes little time.
const LONGEST: usize = 1 << 16;

/// The end of the content of a string that begins at `start`, and the place after its quotes. An unterminated string
/// ends with its line or, if it is triple-quoted, with the text.
pub(super) fn end(text: &str, start: usize, quotes: Quotes, depth: u32) -> (usize, usize) {
    let Quotes { quote, triple, formatted } = quotes;
    let bytes = text.as_bytes();
    let mut at = start.min(bytes.len());
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied();
        match bytes[at] {
            b'\\' if formatted && next == Some(b'{') => at += 1,
            // The backslash joins a line that ends with two bytes.
            b'\\' if bytes[at..].starts_with(b"\\\r\n") => at += 3,
            b'\\' => at += 2,
            b'\n' if !triple => return (at, at),
            byte if byte == quote && !triple => return (at, at + 1),
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return (at, at + 3),
            b'{' if formatted && next == Some(b'{') => at += 2,
            b'{' if formatted => {
                at = field(text, at, (!triple).then_some(quote), depth).unwrap_or(at + 1);
            }
            _ => at += 1,
        }
    }
    (bytes.len(), bytes.len())
}

/// The end of the `{…}` of an f-string that begins at `open`. `None` if it has no end. `quote` is the quote that ends
/// the f-string inside a format after a colon.
pub(super) fn field(text: &str, open: usize, quote: Option<u8>, depth: u32) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    let all = text.as_bytes();
    let bytes = &all[..all.len().min(open + LONGEST)];
    let (mut at, mut brackets) = (open + 1, 0_u32);
    loop {
        match *bytes.get(at)? {
            quote @ (b'"' | b'\'') => {
                let letters = bytes[open..at].iter().rev().take(2).take_while(|b| b"rRbBuUfF".contains(b));
                let letters: Vec<u8> = letters.copied().collect();
                let word = at - letters.len() > open && Scanner::is_word(bytes[at - letters.len() - 1]);
                let formatted = !word && letters.iter().any(|b| matches!(b, b'f' | b'F'));
                let triple = bytes[at..].starts_with(&[quote; 3]);
                let start = at + if triple { 3 } else { 1 };
                at = end(text, start, Quotes { quote, triple, formatted }, depth + 1).1;
                continue;
            }
            b'}' if brackets == 0 => return Some(at + 1),
            b':' if brackets == 0 => return format_end(text, at + 1, quote, depth),
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
}

/// The end of the `{…}` whose format contains `at`.
fn format_end(text: &str, mut at: usize, quote: Option<u8>, depth: u32) -> Option<usize> {
    loop {
        match *text.as_bytes().get(at)? {
            b'}' => return Some(at + 1),
            b'{' => at = field(text, at, quote, depth + 1)?,
            b'\n' => return None,
            byte if Some(byte) == quote => return None,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_strings() {
        for (text, rest) in [
            (r#"f"a" b"#, " b"),
            (r#"f"{"a"}" b"#, " b"),
            (r#"f"{d["a"]}{{" b"#, " b"),
            (r#"f"{d["}"]:>{"1"}}" b"#, " b"),
            (r#"f"{f"{f"{1}"}"}" b"#, " b"),
            (r#"f"{x:'>10}" b"#, " b"),
            (r#"f"{x!r}" b"#, " b"),
            (r#"f"{ {1: "}"}[1] }" b"#, " b"),
            (r#"f"\{"a"}" b"#, " b"),
            (r#"f"""{"""a"""}""" b"#, " b"),
            // If the braces are not closed, the next quote ends the string.
            (r#"f"{x" b"#, " b"),
            (r#"f"{x)}" b"#, " b"),
        ] {
            let triple = text.starts_with("f\"\"\"");
            let quotes = Quotes { quote: b'"', triple, formatted: true };
            let (_, after) = end(text, if triple { 4 } else { 2 }, quotes, 0);
            assert_eq!(&text[after..], rest, "{text}");
        }
    }
}
