//! PTX ISA versions.
//!
//! PTX ISA section 11.1.1 `.version`.

use core::fmt;

use crate::error::Code;

/// A PTX ISA version, the number after `.version`.
///
/// ```
/// use ptxcvt::IsaVersion;
/// assert!("8.10".parse::<IsaVersion>().unwrap() > IsaVersion::new(8, 9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IsaVersion {
    /// The number before the dot.
    pub major: u8,
    /// The number after the dot.
    pub minor: u8,
}

impl IsaVersion {
    /// The newest version that the table covers.
    pub const NEWEST: IsaVersion = IsaVersion::new(9, 5);

    /// The version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Every version that NVIDIA released, oldest first.
    pub fn all() -> impl Iterator<Item = IsaVersion> {
        // The last minor number of each major version.
        const LAST_MINOR: [u8; 9] = [5, 3, 2, 3, 1, 5, 8, 8, 5];
        LAST_MINOR
            .into_iter()
            .zip(1..)
            .flat_map(|(last, major)| (0..=last).map(move |minor| IsaVersion::new(major, minor)))
    }

    /// True of a version that NVIDIA released.
    pub fn exists(self) -> bool {
        Self::all().any(|v| v == self)
    }
}

impl fmt::Display for IsaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl core::str::FromStr for IsaVersion {
    type Err = IsaVersionError;
    fn from_str(s: &str) -> Result<Self, IsaVersionError> {
        let (major, minor) = s.split_once('.').ok_or(IsaVersionError)?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten().ok_or(IsaVersionError)
        };
        Ok(IsaVersion::new(number(major)?, number(minor)?))
    }
}

/// The text is not written `major.minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IsaVersionError;

impl IsaVersionError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        Code::UnknownVersion
    }

    /// What to do about it.
    pub const fn help(&self) -> Option<&'static str> {
        Some("write the number that stands after `.version`, such as 9.1")
    }
}

impl fmt::Display for IsaVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a PTX ISA version is written major.minor, like {}", IsaVersion::NEWEST)
    }
}

impl core::error::Error for IsaVersionError {}
