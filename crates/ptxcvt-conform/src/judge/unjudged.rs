//! Why a codec could not be judged.

use std::fmt;

/// Why a codec could not be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unjudged(String);

impl Unjudged {
    pub(crate) fn new(why: impl Into<String>) -> Unjudged {
        Unjudged(why.into())
    }
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unjudged {}
