//! `--fix` and `--diff`: which files are changed, and changes shown instead of written.

use std::path::Path;

use similar::TextDiff;

/// The changes as a unified diff that `patch -p0` accepts.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(name, name).to_string()
}

/// False for standard input, a pipe, a device and an open descriptor: they are read once, and writing to them does not
/// replace their text. A FIFO would wait for ever.
pub fn can_rewrite(path: &Path) -> bool {
    !ptxcvt_files::is_stream(path)
}
