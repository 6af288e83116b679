//! The characters of names: one rule for PTX, and one for the languages that contain it.
//!
//! PTX ISA, "Identifiers". ISO C++, "Identifiers"; The Python Language Reference, "Names"; The Rust Reference,
//! "Identifiers". These three take letters of Unicode, which its property XID lists. Here every character outside ASCII
//! belongs to a name unless it is a blank. This needs no table, and differs from XID only in text that compilers
//! refuse.

/// True for a byte of a name of PTX, without the `%` or `$` that may precede it: a letter, a digit, `_` or `$`.
pub(crate) const fn is_ptx(byte: u8) -> bool {
    PTX[byte as usize]
}

/// A load for each byte of a text instead of several comparisons.
static PTX: [bool; 256] = {
    let mut of = [false; 256];
    let mut byte = 0;
    while byte < of.len() {
        of[byte] = is_plain(byte as u8) || byte == b'$' as usize;
        byte += 1;
    }
    of
};

/// True for a byte of a word that may contain only ASCII letters, digits and `_`, such as an opcode or a name in a
/// format.
pub(crate) const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// As [`is_plain`], for a character.
pub(crate) fn is_plain_char(c: char) -> bool {
    u8::try_from(c).is_ok_and(|byte| byte.is_ascii() && is_plain(byte))
}

/// True for a byte of a name of C++, Python or Rust. Of these, only C++ takes `$`, as an extension of its compilers; in
/// Rust it precedes the names of a macro's arguments. The bytes of [blanks](is_blank) outside ASCII are not distinguished.
pub(crate) const fn is_part(byte: u8) -> bool {
    is_ptx(byte) || !byte.is_ascii()
}

/// True for a character of a name of C++, Python or Rust.
pub(crate) fn is_part_char(c: char) -> bool {
    match u8::try_from(c).ok().filter(u8::is_ascii) {
        Some(byte) => is_part(byte),
        None => !is_blank(c),
    }
}

/// True for a blank, and for the byte order mark, which some editors write before a text.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The names and numbers in a text of C++, Python or Rust. Some of them are empty.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_part_char(c))
}

/// The name that begins a text; empty if none does.
pub(crate) fn first_name(text: &str) -> &str {
    names(text).next().unwrap_or_default()
}

/// The name that ends a text; empty if none does.
pub(crate) fn last_name(text: &str) -> &str {
    &text[text.trim_end_matches(is_part_char).len()..]
}

/// True if a text is one name or number.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_part_char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_unicode_is_part_of_a_name_and_no_blank_is() {
        for c in '\0'..=char::MAX {
            // Almost XID: combining marks are not letters for the standard library, but are part of names.
            assert!(!c.is_alphanumeric() || is_part_char(c), "{c:?}");
            assert!(!(c.is_whitespace() && is_part_char(c)), "{c:?}");
            let all_bytes = c.encode_utf8(&mut [0; 4]).bytes().all(is_part);
            assert_eq!(is_part_char(c), all_bytes && !is_blank(c), "{c:?}");
        }
        assert!(is_part_char('\u{301}'));
    }
}
