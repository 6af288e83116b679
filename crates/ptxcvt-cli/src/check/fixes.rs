//! `--diff`: the changes of fixes, shown instead of written.

use similar::TextDiff;

/// The changes as a unified diff that `patch -p0` accepts.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(name, name).to_string()
}
