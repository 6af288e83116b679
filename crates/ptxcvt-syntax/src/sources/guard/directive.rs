//! The words of a directive.

use crate::identifier::first_name;

/// A directive's name and the rest of its line.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()))
}

/// For the text after a macro's name in its definition: the parameters, if it has any, and the body.
pub(crate) fn split_body(rest: &str) -> (Option<&str>, &str) {
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((parameters, body)) => (Some(parameters), body),
        None => (None, rest),
    }
}

/// The name at the beginning of a text, or an empty text if there is none.
pub(super) fn first_word(text: &str) -> &str {
    first_name(text.trim_start())
}
