//! The parts of a condition's text: code and string literals.
//!
//! The Python Language Reference, "String and Bytes literals".

use super::quoted::{self, Quotes};

/// The parts of a text in order; the flag is true for a string literal with its quotes. A literal's prefix counts as
/// code.
pub(super) fn pieces(text: &str) -> Vec<(&str, bool)> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(open) = text[from..].find(['"', '\'']).map(|n| from + n) {
        let bytes = text.as_bytes();
        let triple = bytes[open..].starts_with(&[bytes[open]; 3]);
        let letters = bytes[from..open].iter().rev().take(2);
        let formatted = letters.take_while(|b| b"rRbBuUfF".contains(b)).any(|b| matches!(b, b'f' | b'F'));
        let quotes = Quotes { quote: bytes[open], triple, formatted };
        let (_, after) = quoted::end(text, open + if triple { 3 } else { 1 }, quotes, 0);
        all.push((&text[from..open], false));
        all.push((&text[open..after], true));
        from = after;
    }
    all.push((&text[from..], false));
    all
}

/// The positions of the characters outside of brackets and string literals.
pub(super) fn outside(text: &str) -> impl Iterator<Item = usize> {
    let (mut depth, mut begin) = (0_i32, 0);
    pieces(text).into_iter().flat_map(move |(piece, is_string)| {
        let mut found = Vec::new();
        for (at, c) in piece.char_indices().filter(|_| !is_string) {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ if depth == 0 => found.push(begin + at),
                _ => {}
            }
        }
        begin += piece.len();
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_pieces() {
        for (text, expected) in [
            ("a == 'b'", vec!["a == ", "'b'", ""]),
            (r#"a == 'it\'s' or b"#, vec!["a == ", r"'it\'s'", " or b"]),
            (r#"f"{d["a"]}" + b"#, vec!["f", r#""{d["a"]}""#, " + b"]),
            ("'''a'b''' in c", vec!["", "'''a'b'''", " in c"]),
            ("'open", vec!["", "'open", ""]),
        ] {
            let found = pieces(text);
            assert_eq!(found.iter().map(|(piece, _)| *piece).collect::<Vec<_>>(), expected, "{text}");
            assert!(found.iter().enumerate().all(|(n, (_, is_string))| *is_string == (n % 2 == 1)), "{text}");
        }
    }

    #[test]
    fn what_is_outside() {
        let code =
            |text: &str| -> String { outside(text).map(|at| text[at..].chars().next().unwrap()).collect() };
        assert_eq!(code("a(b)[c] == 'd' or e"), "a ==  or e");
        assert_eq!(code(r#"a == "\"(" and é"#), "a ==  and é");
    }
}
