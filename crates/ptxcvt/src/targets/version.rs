//! PTX ISA versions.
//!
//! PTX ISA section 11.1.1 `.version`.

use core::fmt;

use crate::error::Code;
use crate::quoted::Quoted;

/// A PTX ISA version, the number after `.version`.
///
/// ```
/// use ptxcvt::IsaVersion;
/// assert!(IsaVersion::new(8, 10) > IsaVersion::new(8, 9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IsaVersion {
    /// The number before the dot.
    pub major: u8,
    /// The number after the dot.
    pub minor: u8,
}

/// A CUDA release, `(13, 2)` for 13.2.
type Cuda = (u32, u32);

/// A version's row: the version, and the CUDA release whose driver first had it.
type Known = (IsaVersion, Option<Cuda>);

const fn released(isa: (u8, u8), cuda: Cuda) -> Known {
    (IsaVersion::new(isa.0, isa.1), Some(cuda))
}

/// A version that no CUDA release brought: one that NVIDIA's history of releases leaves out, or one that only the manual
/// knows yet.
const fn unreleased(major: u8, minor: u8) -> Known {
    (IsaVersion::new(major, minor), None)
}

/// Every version, oldest first: PTX ISA section 13 (release notes).
#[rustfmt::skip]
const VERSIONS: &[Known] = &[
    released((1, 0), (1, 0)), released((1, 1), (1, 1)), released((1, 2), (2, 0)), released((1, 3), (2, 1)),
    released((1, 4), (2, 2)), unreleased(1, 5),
    released((2, 0), (3, 0)), released((2, 1), (3, 1)), released((2, 2), (3, 2)), released((2, 3), (4, 0)),
    released((3, 0), (4, 1)), released((3, 1), (5, 0)), released((3, 2), (5, 5)),
    released((4, 0), (6, 0)), released((4, 1), (6, 5)), released((4, 2), (7, 0)), released((4, 3), (7, 5)),
    released((5, 0), (8, 0)), unreleased(5, 1),
    released((6, 0), (9, 0)), released((6, 1), (9, 1)), released((6, 2), (9, 2)),
    released((6, 3), (10, 0)), released((6, 4), (10, 1)), released((6, 5), (10, 2)),
    released((7, 0), (11, 0)), released((7, 1), (11, 1)), released((7, 2), (11, 2)), released((7, 3), (11, 3)),
    released((7, 4), (11, 4)), released((7, 5), (11, 5)), released((7, 6), (11, 6)), released((7, 7), (11, 7)),
    released((7, 8), (11, 8)),
    released((8, 0), (12, 0)), released((8, 1), (12, 1)), released((8, 2), (12, 2)), released((8, 3), (12, 3)),
    released((8, 4), (12, 4)), released((8, 5), (12, 5)), released((8, 6), (12, 7)), released((8, 7), (12, 8)),
    released((8, 8), (12, 9)),
    released((9, 0), (13, 0)), released((9, 1), (13, 1)), released((9, 2), (13, 2)), released((9, 3), (13, 3)),
    released((9, 4), (13, 4)), released((9, 5), (13, 5)),
];

/// CUDA toolkits without a new version: their assembler has the version of the previous toolkit.
const WITHOUT_A_VERSION: &[Cuda] = &[(12, 6)];

/// Releases of the driver only, without a toolkit of that number.
const DRIVER_ONLY: &[Cuda] = &[(12, 7)];

/// True if the versions are in rising order, and so are the releases that first had them.
// Rust 1.85 does not count the use in a constant.
#[allow(dead_code)]
const fn rises(rows: &[Known]) -> bool {
    let (mut at, mut version, mut release) = (0, 0, 0);
    while at < rows.len() {
        let (isa, cuda) = rows[at];
        if isa.number() <= version {
            return false;
        }
        version = isa.number();
        if let Some((major, minor)) = cuda {
            if major << 8 | minor <= release {
                return false;
            }
            release = major << 8 | minor;
        }
        at += 1;
    }
    true
}
const _: () = assert!(rises(VERSIONS), "versions and releases are in order, each once");

/// The newest version of a CUDA release.
const fn newest_released() -> Known {
    let mut at = VERSIONS.len() - 1;
    while VERSIONS[at].1.is_none() {
        at -= 1;
    }
    VERSIONS[at]
}

impl IsaVersion {
    /// The newest version that the table covers.
    pub const NEWEST: IsaVersion = VERSIONS[VERSIONS.len() - 1].0;

    /// The newest version that came with a CUDA release, and so with an assembler. Newer ones are known from
    /// the manual only.
    pub const NEWEST_RELEASED: IsaVersion = newest_released().0;

    /// The version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Every version of the manual, oldest first.
    pub fn all() -> impl Iterator<Item = IsaVersion> {
        VERSIONS.iter().map(|(isa, _)| *isa)
    }

    /// The CUDA release that brought the version, as (major, minor). `None` for 1.5 and 5.1,
    /// which NVIDIA's history of releases leaves out, and for versions known from the manual only.
    ///
    /// ```
    /// use ptxcvt::IsaVersion;
    /// assert_eq!(IsaVersion::new(9, 2).cuda_release(), Some((13, 2)));
    /// assert_eq!(IsaVersion::new(8, 7).cuda_release(), Some((12, 8)));
    /// assert_eq!(IsaVersion::new(3, 2).cuda_release(), Some((5, 5)));
    /// ```
    pub fn cuda_release(self) -> Option<(u32, u32)> {
        VERSIONS.iter().find(|(isa, _)| *isa == self)?.1
    }

    /// The newest version that the assembler of a CUDA toolkit reads, `(12, 6)` for CUDA 12.6. `None` before CUDA 1.0, and
    /// for a toolkit that is newer than the table.
    ///
    /// ```
    /// use ptxcvt::IsaVersion;
    /// assert_eq!(IsaVersion::of_cuda_toolkit((12, 8)), Some(IsaVersion::new(8, 7)));
    /// assert_eq!(IsaVersion::of_cuda_toolkit((12, 6)), Some(IsaVersion::new(8, 5))); // as CUDA 12.5
    /// assert_eq!(IsaVersion::of_cuda_toolkit((99, 0)), None);
    /// ```
    pub fn of_cuda_toolkit(release: (u32, u32)) -> Option<IsaVersion> {
        let newest = VERSIONS.iter().filter_map(|(_, cuda)| *cuda).next_back()?;
        let mut known = VERSIONS.iter().filter(|(_, cuda)| cuda.is_some_and(|cuda| cuda <= release));
        known.next_back().filter(|_| release <= newest).map(|(isa, _)| *isa)
    }

    /// The CUDA toolkits from 6.0 on, the first that builds for a target of the table, as (major, minor), oldest first.
    ///
    /// ```
    /// use ptxcvt::IsaVersion;
    /// assert!(IsaVersion::cuda_toolkits().any(|release| release == (12, 6)));
    /// assert!(IsaVersion::cuda_toolkits().all(|release| IsaVersion::of_cuda_toolkit(release).is_some()));
    /// ```
    pub fn cuda_toolkits() -> impl Iterator<Item = (u32, u32)> {
        let with_version = VERSIONS.iter().filter_map(|(_, cuda)| *cuda);
        let with_version = with_version.filter(|cuda| cuda.0 >= 6 && !DRIVER_ONLY.contains(cuda));
        with_version.flat_map(|cuda| {
            let next = WITHOUT_A_VERSION.iter().copied().filter(move |other| *other == (cuda.0, cuda.1 + 1));
            core::iter::once(cuda).chain(next)
        })
    }

    /// True if the manual has the version.
    pub const fn exists(self) -> bool {
        let mut at = 0;
        while at < VERSIONS.len() {
            if VERSIONS[at].0.number() == self.number() {
                return true;
            }
            at += 1;
        }
        false
    }

    /// A number in the order of the versions.
    const fn number(self) -> u16 {
        (self.major as u16) << 8 | self.minor as u16
    }
}

impl fmt::Display for IsaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl core::str::FromStr for IsaVersion {
    type Err = IsaVersionError;

    /// Reads `major.minor` of a version that exists. The error names the nearest versions if this one does not exist, and
    /// says how a version is written if the text is not one. Zeros before a number are read as ptxas reads them: `08.0` and
    /// `8.00` are 8.0, `9.05` is 9.5.
    ///
    /// ```
    /// use ptxcvt::IsaVersion;
    /// assert_eq!("9.1".parse(), Ok(IsaVersion::new(9, 1)));
    /// let error = "7.9".parse::<IsaVersion>().unwrap_err();
    /// assert_eq!(error.to_string(), "no PTX ISA version `7.9`; the nearest are 7.8 and 8.0");
    /// ```
    fn from_str(text: &str) -> Result<Self, IsaVersionError> {
        let numbers = text.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        let problem = match (numbers, number(text)) {
            (Some((major, minor)), _) => {
                let version = IsaVersion::new(major, minor);
                if version.exists() {
                    return Ok(version);
                }
                Problem::Missing(version)
            }
            // `8` is read as `8.0`, to find its neighbours.
            (None, Some(major)) => {
                let version = IsaVersion::new(major, 0);
                if version.exists() { Problem::Major(version) } else { Problem::Missing(version) }
            }
            (None, None) => Problem::Shape,
        };
        Err(IsaVersionError { text: Quoted::new(text), problem })
    }
}

/// Reads one of the two numbers. One that exceeds `u8` becomes its largest number, which no version has.
fn number(digits: &str) -> Option<u8> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    are_digits.then(|| digits.parse().unwrap_or(u8::MAX))
}

/// The error of a text that is not a PTX ISA version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsaVersionError {
    text: Quoted,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    /// It is not written `major.minor`.
    Shape,
    /// The minor number of this version was left out.
    Major(IsaVersion),
    /// The manual has no such version.
    Missing(IsaVersion),
}

impl IsaVersionError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        Code::UnknownVersion
    }

    /// How to correct it.
    pub const fn help(&self) -> Option<&str> {
        match self.problem {
            Problem::Shape => Some("write the number after `.version`, such as 9.1"),
            // The message has the versions that exist.
            Problem::Major(_) | Problem::Missing(_) => None,
        }
    }
}

impl fmt::Display for IsaVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no PTX ISA version `{}`; ", self.text)?;
        let missing = match self.problem {
            Problem::Shape => return f.write_str("a version is written major.minor"),
            Problem::Major(version) => {
                return write!(f, "write {version}, because a version has a minor number");
            }
            Problem::Missing(version) => version,
        };
        let before = IsaVersion::all().filter(|known| *known < missing).last();
        let after = IsaVersion::all().find(|known| *known > missing);
        match (before, after) {
            (Some(before), Some(after)) => write!(f, "the nearest are {before} and {after}"),
            (Some(nearest), None) | (None, Some(nearest)) => write!(f, "the nearest is {nearest}"),
            (None, None) => unreachable!("the table has versions"),
        }
    }
}

impl core::error::Error for IsaVersionError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros before a number do not count, and nothing else than digits and one point is read.
    #[test]
    fn zeros_before_numbers_do_not_count() {
        for version in IsaVersion::all() {
            let IsaVersion { major, minor } = version;
            for text in [
                std::format!("{version}"),
                std::format!("0{version}"),
                std::format!("{major}.0{minor}"),
                std::format!("000000{major}.0000000{minor}"),
            ] {
                assert_eq!(text.parse(), Ok(version), "{text}");
            }
            // A zero at the end is part of the number.
            let tenth = std::format!("{version}0");
            assert_eq!(tenth.parse::<IsaVersion>().is_ok(), minor == 0, "{tenth}");
            for text in ["+", "-", " ", ".", "0x", "v"].map(|sign| std::format!("{sign}{version}")) {
                let error = text.parse::<IsaVersion>().unwrap_err();
                assert_eq!(error.problem, Problem::Shape, "{text}");
                assert!(std::format!("{error}").contains(&text), "{error}");
            }
        }
        for (text, problem) in [
            ("8", Problem::Major(IsaVersion::new(8, 0))),
            ("08", Problem::Major(IsaVersion::new(8, 0))),
            ("8.10", Problem::Missing(IsaVersion::new(8, 10))),
            ("9.300", Problem::Missing(IsaVersion::new(9, 255))),
            ("99999", Problem::Missing(IsaVersion::new(255, 0))),
            ("8.", Problem::Shape),
            ("8.0.0", Problem::Shape),
            ("", Problem::Shape),
        ] {
            assert_eq!(text.parse::<IsaVersion>().unwrap_err().problem, problem, "{text}");
        }
    }

    #[test]
    fn toolkits_rise() {
        let releases = || VERSIONS.iter().filter_map(|(_, cuda)| *cuda);
        assert!(IsaVersion::NEWEST_RELEASED <= IsaVersion::NEWEST);
        let toolkits = || IsaVersion::cuda_toolkits();
        assert!(toolkits().zip(toolkits().skip(1)).all(|(earlier, later)| earlier < later));
        assert!(WITHOUT_A_VERSION.iter().all(|cuda| toolkits().any(|toolkit| toolkit == *cuda)));
        assert!(DRIVER_ONLY.iter().all(|cuda| releases().any(|released| released == *cuda)));
    }
}
