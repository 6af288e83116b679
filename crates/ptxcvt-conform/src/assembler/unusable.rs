//! The error of an assembler that does not run or does not answer as expected.

use std::fmt;

/// The assembler could not be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unusable(pub(super) String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}
