//! Names of formats: those of PTX and of other libraries.

use super::rows::Format;

impl Format {
    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        self.parameters().name
    }

    /// The format with this name, ignoring case: PTX's name without the dot, or the name in NumPy, PyTorch,
    /// MLIR, safetensors or C. `fp8` alone means e4m3, `fp4` e2m1, and `float` C's 32-bit type.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// for name in ["e4m3", "E4M3", "float8_e4m3fn", "F8_E4M3", "f8E4M3FN", "fp8"] {
    ///     assert_eq!(Format::from_name(name), Some(Format::E4m3));
    /// }
    /// assert_eq!(Format::from_name("bfloat16"), Some(Format::Bf16));
    /// assert_eq!(Format::from_name("fp6"), None); // there are two
    /// assert_eq!(" .bf16".parse(), Ok(Format::Bf16)); // as a person may write it
    /// assert!("fp7".parse::<Format>().unwrap_err().to_string().starts_with("no format `fp7`; formats are "));
    /// ```
    pub fn from_name(name: &str) -> Option<Format> {
        Self::ALL.iter().copied().find(|f| f.names().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// Every name of the format, PTX's first.
    fn names(self) -> impl Iterator<Item = &'static str> {
        core::iter::once(self.name()).chain(self.parameters().aliases.iter().copied())
    }
}

#[cfg(feature = "alloc")]
crate::names::from_str!(Format, "format");

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn no_name_means_two_formats() {
        for format in Format::ALL {
            for name in format.names() {
                assert_eq!(Format::from_name(name), Some(*format), "{name}");
                assert_eq!(Format::from_name(&name.to_ascii_uppercase()), Some(*format), "{name}");
                assert_eq!(name, name.to_ascii_lowercase());
                let bearers = Format::ALL.iter().filter(|f| f.names().any(|other| other == name));
                assert_eq!(bearers.count(), 1, "{name}");
            }
        }
    }
}
