//! `--fix` and `--diff`: a file as it is after its fixes, written whole or shown.

use std::path::Path;

use similar::TextDiff;

use crate::convert::Sink;
use crate::failure::Failure;

/// Puts the text in the file's place, at once: a run that fails leaves the file as it was.
pub fn write(path: &Path, text: &[u8]) -> Result<(), Failure> {
    let name = path.to_str().ok_or_else(|| {
        Failure::new(format!("{}: a name that is no Unicode is not written to", path.display()))
    })?;
    let mut sink = Sink::create(name)?;
    sink.write(text)?;
    sink.finish()
}

/// What would change, as a unified diff that `patch -p0` takes.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(name, name).to_string()
}
