//! The words of a directive.

use crate::identifier::first_name;

/// A directive's name and the rest of its line.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()))
}

/// The name at the beginning of a text, or an empty text if there is none.
pub(super) fn first_word(text: &str) -> &str {
    first_name(text.trim_start())
}
