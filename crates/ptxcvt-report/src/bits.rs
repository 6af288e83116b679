//! Bits and values as text: the two notations that every report uses.

use std::fmt::Display;

use ptxcvt::{Format, Value};
use serde::{Serialize, Serializer};

/// Bits of a known width. They serialize as `0x3c`, padded to the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The bits, right-aligned.
    pub bits: u64,
    /// The number of bits.
    pub width: u32,
}

impl Bits {
    /// The low `width` bits of `bits`.
    pub const fn new(bits: u64, width: u32) -> Bits {
        Bits { bits, width }
    }
}

impl Display for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&ptxcvt::literal::hex(self.bits, self.width))
    }
}

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A code of a format and the value that it encodes.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeValue {
    /// The code.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Code"))]
    pub code: Bits,
    /// Its value.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Number"))]
    pub value: Value,
}

impl CodeValue {
    /// A code that is as wide as the format's storage.
    pub fn new(format: Format, code: u64) -> CodeValue {
        CodeValue { code: Bits::new(code, format.storage()), value: format.decode(code) }
    }
}

/// Serializes a value as the text that it prints as.
pub(crate) fn as_text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
