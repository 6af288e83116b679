//! The error of a record under `conformance/`.

use std::fmt;

/// A record that cannot be read, has a malformed line, or has a result that is not ours and that no deviation explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError(pub(super) String);

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RecordError {}
