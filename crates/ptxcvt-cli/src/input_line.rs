//! Lines of batch input: how long they may be, comments in them (after `#` or `//`), and braces that must match.

use ptxcvt_report::reading::{self, BracesError};

/// Longer lines are refused without parsing.
pub const LONGEST: usize = 1 << 16;

/// The message about a longer line.
pub fn too_long() -> String {
    format!("the line is longer than {LONGEST} bytes")
}

/// The part of a line before a comment.
pub fn without_comment(line: &[u8]) -> &[u8] {
    let starts_comment = |at: &usize| line[*at] == b'#' || line[*at..].starts_with(b"//");
    memchr::memchr2_iter(b'#', b'/', line).find(starts_comment).map_or(line, |at| &line[..at])
}

/// Checks that the braces of a line match.
pub fn check_braces(line: &[u8]) -> Result<(), BracesError> {
    match memchr::memchr2(b'{', b'}', line) {
        Some(_) => reading::check_braces(&[&*String::from_utf8_lossy(line)]),
        None => Ok(()),
    }
}
