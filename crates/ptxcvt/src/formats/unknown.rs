//! The error of a name that no format has.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::rows::Format;
use crate::text::clip;

/// No format has this name. The message lists all formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        write!(f, "no format `{}`; formats are {}", self.name, names.join(" "))
    }
}

impl core::error::Error for UnknownFormat {}

impl Format {
    /// Finds a format by any of its names ([`from_name`](Self::from_name)), with or without a dot before it.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::read(".bf16"), Ok(Format::Bf16));
    /// assert!(Format::read("fp7").unwrap_err().to_string().starts_with("no format `fp7`; formats are "));
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if no format has the name; the message lists all formats.
    pub fn read(name: &str) -> Result<Format, UnknownFormat> {
        Format::from_name(name.trim_start_matches('.')).ok_or_else(|| UnknownFormat { name: clip(name) })
    }
}
