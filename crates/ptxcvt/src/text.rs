//! Texts of messages: external ones that are quoted, lists, and lines.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// "a", "a or b", "a, b or c", with a word such as "or" before the last one.
pub fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

/// The last boundary between two characters at or before `at`; the end of the text if `at` is beyond it.
///
/// The standard library has it from Rust 1.91 on.
pub fn floor_char_boundary(text: &str, at: usize) -> usize {
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    (0..=at.min(text.len())).rev().find(is_boundary).expect("a text begins at a boundary")
}

/// Joins pieces with blanks into lines of at most `columns` characters. A longer piece is alone on its line.
pub fn fill<'p>(pieces: impl IntoIterator<Item = &'p str>, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + piece.chars().count() <= columns => {
                line.push(' ');
                line.push_str(piece);
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines
}

/// The first line of a text, at most 100 characters of it, with an ellipsis if anything was removed.
pub fn clip(text: &str) -> String {
    clip_to(text, 100)
}

/// The first line of a text, at most `longest` characters of it, with an ellipsis if anything was removed.
pub(crate) fn clip_to(text: &str, longest: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= longest && line.len() == text.len() {
        return text.into();
    }
    line.chars().take(longest).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn lists_have_a_word_before_the_last_name() {
        let names = ["a", "b", "c"].map(|name| name.to_string());
        assert_eq!(
            (0..4).map(|n| listed(&names[..n], "or")).collect::<Vec<_>>(),
            ["", "a", "a or b", "a, b or c"]
        );
        assert_eq!(listed(&names, "and"), "a, b and c");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let floors: Vec<usize> = (0..7).map(|at| floor_char_boundary("a𝄞é", at)).collect();
        assert_eq!(floors, [0, 1, 1, 1, 1, 5, 5]);
        assert_eq!(floor_char_boundary("a𝄞é", 100), 7);
        assert_eq!(floor_char_boundary("", 1), 0);
    }

    #[test]
    fn lines_are_as_full_as_they_can_be() {
        assert_eq!(fill("one two three four".split(' '), 9), ["one two", "three", "four"]);
        assert_eq!(fill("one incomprehensible two".split(' '), 5), ["one", "incomprehensible", "two"]);
        assert_eq!(fill(["t = amax / max;", "s = t"], 16), ["t = amax / max;", "s = t"]);
        assert!(fill([], 10).is_empty());
    }
}
