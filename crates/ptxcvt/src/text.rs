//! Quotes external text in messages.

use alloc::string::String;

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
