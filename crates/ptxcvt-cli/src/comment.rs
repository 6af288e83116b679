//! Comments in lines of batch input: after `#` or `//`.

/// The part of a line before a comment.
pub fn without_comment(line: &[u8]) -> &[u8] {
    let starts_comment = |at: &usize| line[*at] == b'#' || line[*at..].starts_with(b"//");
    memchr::memchr2_iter(b'#', b'/', line).find(starts_comment).map_or(line, |at| &line[..at])
}
