//! The errors of an assembler: it does not run or does not answer as expected, or it rejects a module.

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

/// The messages of the assembler about a module that it rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub(super) String);

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Rejected {}
