//! The words of a directive.

/// A directive's name and the rest of its line.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()))
}

/// The name at the beginning of a text; empty if there is none.
pub(super) fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())]
}
